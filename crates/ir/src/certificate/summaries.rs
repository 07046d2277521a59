//! Summaries of activations: what a thread may look like inside an activation, seen through a view, together
//! with the shared variables. Activations are told apart by *records*, numbers that mean nothing by
//! themselves: a state at a call names the records under which the callee may run for it, and goes on after
//! any return under one of them.

use super::{Bits, ThreadView};

/// Which threads a state is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Who {
    /// The one that runs `init`, alone.
    Init,
    /// One thread of the first template that has a fixed number of threads. There is one of it, so that it
    /// never disturbs itself.
    First,
    /// Any other thread.
    Other,
}

/// A thread inside an activation, with the shared variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SummaryState {
    /// Whose state.
    pub who: Who,
    /// The record of the activation; `None` for the one that the thread began with.
    pub record: Option<u32>,
    /// Whether some thread, this one or another, is inside an atomic section.
    pub busy: bool,
    /// The shared values.
    pub shared: Bits,
    /// The thread, down to where its record begins; an index into [`Summaries::threads`].
    pub thread: usize,
    /// At a call: the records under which the callee may run for this state.
    pub calls: Vec<u32>,
}

/// All that threads may look like in runs with any number of threads, activation by activation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summaries {
    /// The threads that occur.
    pub threads: Vec<ThreadView>,
    /// The states, closed under steps, calls, returns and what other threads do to the shared variables.
    pub states: Vec<SummaryState>,
}
