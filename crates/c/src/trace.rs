//! Evidence for an error: a run from the start to a step that fails, every choice spelled out, with the
//! values that were read and written. Only the choices are needed to replay it; the values are for people,
//! and a replay checks them.

use super::machine::{Access, Failure, Options, Step};
use super::program::LocalId;
use super::value::{ThreadId, Value};

/// A step of a run and what it did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// Who, where, and with which choices.
    pub step: Step,
    /// What it read and wrote in memory.
    pub access: Option<Access>,
    /// The registers that it wrote, with their new values.
    pub registers: Vec<(LocalId, Value)>,
    /// The thread that it created.
    pub created: Option<ThreadId>,
    /// The locks that the thread holds after the step.
    pub held: Vec<super::state::Held>,
}

/// A run into an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// What was left open by C and decided for this run.
    pub options: Options,
    /// Its steps, without the one that fails.
    pub steps: Vec<TraceStep>,
    /// The step that fails, and how.
    pub failure: Failure,
}

impl Trace {
    /// The number of steps, with the one that fails, if it is a step that fails and not the state.
    pub fn len(&self) -> usize {
        self.steps.len() + usize::from(self.failure.kind.is_step())
    }

    /// Whether there is none: a state that fails is the first one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bare steps, the failing one last: all that a replay needs.
    pub fn bare(&self) -> Vec<Step> {
        self.steps.iter().map(|step| step.step).chain([self.failure.step]).collect()
    }
}
