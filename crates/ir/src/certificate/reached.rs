//! The reached set under a bound on threads, state by state: of a program and of a net.

use super::{Bits, ThreadView};
use crate::net::{PlaceId, SharedStateId};

/// A state as the view shows it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateView {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// The shared values.
    pub shared: Bits,
    /// The threads, sorted, each with how many there are; indices into [`Reached::threads`].
    pub threads: Vec<(usize, u32)>,
}

/// All states that are reachable with at most `bound` threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// The threads that occur.
    pub threads: Vec<ThreadView>,
    /// The states, closed under all steps.
    pub states: Vec<StateView>,
    /// The threads alive at once.
    pub bound: u32,
}

/// All markings that are reachable with at most `bound` tokens.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReachedMarkings {
    /// The markings, places with tokens only, sorted; closed under all rules.
    pub markings: Vec<(SharedStateId, Vec<(PlaceId, u32)>)>,
    /// The tokens at once.
    pub bound: u32,
}
