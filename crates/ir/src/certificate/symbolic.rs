//! The reached set of a program under a bound on threads, as formulas.

use super::graph::{Graph, NodeId};

/// A set of states whose threads stand at the same points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// Where the threads stand, sorted, each with how many there are; indices into the view's points. The
    /// threads of a piece are told apart by their places in this list.
    pub controls: Vec<(usize, u32)>,
    /// What holds of the values kept; [`View::input`](super::View::input) says which input is which.
    pub formula: NodeId,
}

/// All states that are reachable with at most `bound` threads, as formulas. A state is in a piece if its
/// threads can be brought into an order in which they stand at the points of the piece and the formula holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Symbolic {
    /// The formulas.
    pub graph: Graph,
    /// The sets; their union is closed under all steps.
    pub pieces: Vec<Piece>,
    /// The threads alive at once.
    pub bound: u32,
}
