//! What a few threads, or tokens, look like together in runs with any number of them.

use super::{Bits, ThreadView};
use crate::net::{PlaceId, SharedStateId};

/// What a few threads look like together in a state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TupleView {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// Whether some thread, one of these or another, is inside an atomic section.
    pub busy: bool,
    /// The shared values.
    pub shared: Bits,
    /// The threads, sorted, each with how many there are; indices into [`Closure::threads`].
    pub threads: Vec<(usize, u32)>,
}

/// What at most `width` threads can look like together in runs with any number of threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Closure {
    /// The threads that occur.
    pub threads: Vec<ThreadView>,
    /// The most threads of a tuple.
    pub width: u32,
    /// The tuples; with a tuple all parts of it are meant. Closed under all steps of any number of threads.
    pub tuples: Vec<TupleView>,
    /// The minimal elements of a set that holds all errors among what the tuples allow, and all that leads
    /// there; no start is above one.
    pub basis: Vec<TupleView>,
}

/// A shared state and the places that hold tokens, sorted.
pub type Tokens = (SharedStateId, Vec<(PlaceId, u32)>);

/// What at most `width` tokens can look like together in a net.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TokenClosure {
    /// The most tokens of a tuple.
    pub width: u32,
    /// Places that are not told apart, each class sorted: tuples and elements name the first place for all of
    /// them.
    pub classes: Vec<Vec<PlaceId>>,
    /// As for programs.
    pub tuples: Vec<Tokens>,
    /// As for programs.
    pub basis: Vec<Tokens>,
    /// Sets that hold a token at the start and never lose their last.
    pub traps: Vec<Trap>,
    /// Weighted sums that no rule increases.
    pub weights: Vec<Weights>,
}

/// A set of shared states and places, each list sorted. A net in one of the states counts as a token of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trap {
    /// The shared states.
    pub states: Vec<SharedStateId>,
    /// The places.
    pub places: Vec<PlaceId>,
}

/// A weight for each token and for the shared state, each list sorted; what is not listed weighs nothing.
/// Tokens of a trap bear its weight as part of theirs, and since one is always there that part is never
/// missing from the sum.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Weights {
    /// The shared states.
    pub states: Vec<(SharedStateId, u32)>,
    /// The places.
    pub places: Vec<(PlaceId, u32)>,
    /// Indices into [`TokenClosure::traps`].
    pub traps: Vec<(usize, u32)>,
}
