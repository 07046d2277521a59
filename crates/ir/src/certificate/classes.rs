//! What a few threads look like together in runs with any number of them, as formulas over classes of control
//! locations.

use super::graph::{Graph, NodeId};

/// What a few threads look like together, each somewhere in a class of points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassTuple {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// Whether some thread, one of these or another, is inside an atomic section.
    pub busy: bool,
    /// The classes of the threads, sorted, each with how many there are; indices into
    /// [`ClassClosure::classes`]. The threads of a tuple are told apart by their places in this list.
    pub classes: Vec<(usize, u32)>,
    /// What holds of the values kept; [`View::input`](super::View::input) says which input is which.
    pub formula: NodeId,
}

/// What at most `width` threads can look like together in runs with any number of threads, as formulas over
/// classes of points. A thread of a class stands at any one of its points, with the values kept there in
/// their order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClassClosure {
    /// The classes: points on one side of the atomic section that keep equally many values. No point is in
    /// two classes.
    pub classes: Vec<Vec<usize>>,
    /// The formulas.
    pub graph: Graph,
    /// The most threads of a tuple.
    pub width: u32,
    /// The tuples of one thread and more, one for each multiset of classes at most; closed under all steps of
    /// any number of threads.
    pub tuples: Vec<ClassTuple>,
    /// The minimal elements of a set that holds all errors among what the tuples allow, and all that leads
    /// there; no start is above one. They may have more threads than `width`, or none, and several may have
    /// the same classes. Threads are above an element if some of them, in some order, stand in its classes
    /// and make its formula true.
    pub basis: Vec<ClassTuple>,
}
