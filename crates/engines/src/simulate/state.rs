//! Parametric symbolic states ⟨pcs, ω, γ⟩ (Cook, Kroening and Sharygina, section 3.1): program counters are
//! explicit, every variable is a formula over choice variables, and a guard says which choices count.
//!
//! What differs from the paper: threads are kept as a multiset, sorted by location and then by their
//! formulas; the atomic section is part of the program counter.

use ir::bp::{Loc, LocalId};
use solve::aig::Lit;

/// A thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SymbolicThread {
    /// Where control is.
    pub loc: Loc,
    /// Whether it is inside an atomic section.
    pub inside: bool,
    /// A formula for each local of the program.
    pub locals: Vec<Lit>,
}

/// A set of states that agree on all program counters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// A thread at an invisible transition, which is taken before all others.
    pub running: Option<usize>,
    pub threads: Vec<SymbolicThread>,
    /// A formula for each shared variable.
    pub shared: Vec<Lit>,
    /// The choices that count.
    pub guard: Lit,
}

/// What states must agree on to be compared.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ControlKey {
    /// Whether `init` still runs.
    pub initialising: bool,
    running: Option<usize>,
    /// Where each thread stands, and whether it is inside an atomic section.
    pub pcs: Vec<(Loc, bool)>,
}

impl State {
    /// The key in the history.
    pub fn key(&self) -> ControlKey {
        let pcs = self.threads.iter().map(|thread| (thread.loc, thread.inside)).collect();
        ControlKey { initialising: self.initialising, running: self.running, pcs }
    }

    /// The thread inside an atomic section.
    pub fn inside(&self) -> Option<usize> {
        self.threads.iter().position(|thread| thread.inside)
    }
}

/// Where a thread of a state comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ThreadOrigin {
    /// This thread of the state before.
    Before(usize),
    /// This birth of the step.
    Birth(usize),
}

/// A thread that a step creates.
#[derive(Clone, Debug)]
pub struct Birth {
    /// Where it begins.
    pub at: Loc,
    /// Its locals in scope there, as it is born.
    pub values: Vec<(LocalId, Lit)>,
    /// The bound refused it: it is no thread of the state.
    pub refused: bool,
}

/// How a state was reached from the one before, for traces.
#[derive(Clone, Debug)]
pub struct SymbolicStep {
    /// The thread that stepped.
    pub thread: usize,
    /// Which command of its location.
    pub command: usize,
    /// The values assigned, in the order of the command.
    pub writes: Vec<Lit>,
    /// What a broadcast did to each thread that it reached.
    pub passive: Vec<(usize, Vec<(LocalId, Lit)>)>,
    /// The threads created.
    pub births: Vec<Birth>,
    /// Where each thread of the new state comes from.
    pub origins: Vec<ThreadOrigin>,
}
