//! States and steps of a program, with a name for every thread. Threads have no identity in the program: the
//! names are the trace's.

use super::expr::Var;
use super::program::{Loc, LocalId, LocalScope, Program};
use base::Id;
use std::collections::BTreeMap;

/// The name of a thread in a trace: threads are numbered in the order of their creation.
pub type ThreadId = u32;

/// One activation of a procedure. Values are kept for all locals of the program; those out of scope are 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Frame {
    /// Where control is, or for a caller: the call it waits for.
    pub loc: Loc,
    /// The values of the procedure's locals.
    pub values: Vec<bool>,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Thread {
    /// Whether it is inside an atomic section.
    pub inside: bool,
    /// The values of locals that live as long as the thread.
    pub values: Vec<bool>,
    /// Its activations, the current one last; never empty.
    pub stack: Vec<Frame>,
}

impl Thread {
    /// The current activation.
    pub fn top(&self) -> &Frame {
        self.stack.last().expect("a live thread has an activation")
    }

    /// The current activation, open for changes.
    pub fn top_mut(&mut self) -> &mut Frame {
        self.stack.last_mut().expect("a live thread has an activation")
    }

    /// Where control is.
    pub fn loc(&self) -> Loc {
        self.top().loc
    }

    /// The value of a local in the activation at `depth`.
    pub fn value(&self, program: &Program, depth: usize, local: LocalId) -> bool {
        match program.locals()[local].scope {
            LocalScope::Thread => self.values[local.index()],
            LocalScope::Procedure(_) => self.stack[depth].values[local.index()],
        }
    }

    /// Sets a local in the activation at `depth`.
    pub fn set(&mut self, program: &Program, depth: usize, local: LocalId, value: bool) {
        match program.locals()[local].scope {
            LocalScope::Thread => self.values[local.index()] = value,
            LocalScope::Procedure(_) => self.stack[depth].values[local.index()] = value,
        }
    }
}

/// A state of the whole program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// The shared variables.
    pub shared: Vec<bool>,
    /// The live threads.
    pub threads: BTreeMap<ThreadId, Thread>,
}

impl State {
    /// The state with threads renamed 0, 1, … in the order of their contents: the same for all permutations
    /// of names.
    pub fn canonical(&self) -> State {
        let mut threads: Vec<Thread> = self.threads.values().cloned().collect();
        threads.sort();
        State { threads: (0..).zip(threads).collect(), ..self.clone() }
    }
}

/// A thread that a step creates.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Birth {
    /// Its name, new in the trace.
    pub thread: ThreadId,
    /// Where it begins.
    pub at: Loc,
    /// The values of all locals in scope there, in order.
    pub values: Vec<(LocalId, bool)>,
}

/// New values of a passive thread's locals, in one of its activations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Passive {
    /// The thread.
    pub thread: ThreadId,
    /// The activation, counted from the bottom.
    pub depth: usize,
    /// The new values, in the order of the statement's broadcasts.
    pub values: Vec<(LocalId, bool)>,
}

/// One step, with every choice in it spelled out, so that it can be replayed without a search.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// Who steps.
    pub thread: ThreadId,
    /// The statement that is executed.
    pub at: Loc,
    /// Where control goes: the thread's location after the step; `None` if the thread ends.
    pub to: Option<Loc>,
    /// The values written: the targets of an assignment, the results of a return, or all locals of the
    /// procedure called.
    pub writes: Vec<(Var, bool)>,
    /// What a broadcast does to the other threads.
    pub passive: Vec<Passive>,
    /// The threads created: by `start_thread` (none at the bound) or, when `init` ends, all that the program
    /// starts with.
    pub births: Vec<Birth>,
}

/// What went wrong at the end of a trace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FailureKind {
    /// An assertion may be false.
    Assertion,
    /// An error label is reached.
    Label,
}

/// A thread in an error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Failure {
    /// Which kind.
    pub kind: FailureKind,
    /// Which thread.
    pub thread: ThreadId,
    /// Where it stands.
    pub at: Loc,
}
