//! Evidence for an error: a run from a start to a failure, every choice spelled out.

use crate::bp::state::{Failure, State, Step};
use crate::net::{Marking, Move};

/// A run of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramTrace {
    /// Where it starts.
    pub start: State,
    /// Its steps.
    pub steps: Vec<Step>,
    /// What goes wrong in the last state.
    pub failure: Failure,
}

/// A run of a net into a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetTrace {
    /// Where it starts.
    pub start: Marking,
    /// Its moves.
    pub steps: Vec<Move>,
}

/// A run into an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trace {
    /// Of a program.
    Program(ProgramTrace),
    /// Of a net.
    Net(NetTrace),
    /// Of a C program.
    C(c::Trace),
}

impl Trace {
    /// The number of steps.
    pub fn len(&self) -> usize {
        match self {
            Trace::Program(trace) => trace.steps.len(),
            Trace::Net(trace) => trace.steps.len(),
            Trace::C(trace) => trace.len(),
        }
    }

    /// Whether the error is there at the start.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
