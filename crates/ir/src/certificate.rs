//! Evidence for safety. A certificate speaks of *thread states seen through an abstraction*: at each control point some variables are
//! kept and the rest forgotten. Forgetting only adds behaviour, so a checker that reads a forgotten variable as `*` needs to trust
//! nobody about which variables matter. Passes lift certificates by renaming points and variables, never by touching the states.

mod game;
pub mod graph;
mod summaries;
pub mod text;

pub use game::{Game, Interface, Rounds, Share, Stand};
pub use summaries::{Summaries, SummaryState, Who};

use crate::bp::{Loc, LocalId, SharedId};
use crate::net::{PlaceId, SharedStateId};
use crate::task::Scope;
use graph::{Graph, NodeId};

/// A local variable of the activation at `depth`, counted from the bottom of the stack. For a local of the whole thread any depth
/// names the same variable; writers use 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocalAt {
    /// The activation.
    pub depth: usize,
    /// The variable.
    pub local: LocalId,
}

/// A control point: where each activation of a thread stands, the oldest first, and which locals are kept there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point {
    /// The callers' calls and, last, the current location.
    pub stack: Vec<Loc>,
    /// Whether the thread is inside an atomic section.
    pub inside: bool,
    /// The locals kept, in the order in which their values are listed.
    pub kept: Vec<LocalAt>,
}

/// What is kept of the states of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct View {
    /// The shared variables kept, in the order in which their values are listed.
    pub shared: Vec<SharedId>,
    /// The control points; each stack and flag at most once. A thread elsewhere is outside the certificate.
    pub points: Vec<Point>,
}

/// Kept values, in the order of the view.
pub type Bits = Vec<bool>;

/// A thread as the view shows it: a point and the values kept there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadView {
    /// Index of the point.
    pub point: usize,
    /// The values.
    pub values: Bits,
}

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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// What is kept.
    pub view: View,
    /// The threads that occur.
    pub threads: Vec<ThreadView>,
    /// The states, closed under all steps.
    pub states: Vec<StateView>,
    /// The threads alive at once.
    pub bound: u32,
}

/// A set of states whose threads stand at the same points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// Where the threads stand, sorted, each with how many there are; indices into the view's points. The threads of a piece are
    /// told apart by their places in this list.
    pub points: Vec<(usize, u32)>,
    /// What holds of the values kept; [`Symbolic::input`] says which input is which.
    pub formula: NodeId,
}

/// All states that are reachable with at most `bound` threads, as formulas. A state is in a piece if its threads can be brought
/// into an order in which they stand at the points of the piece and the formula holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbolic {
    /// What is kept.
    pub view: View,
    /// The formulas.
    pub graph: Graph,
    /// The sets; their union is closed under all steps.
    pub pieces: Vec<Piece>,
    /// The threads alive at once.
    pub bound: u32,
}

impl Symbolic {
    /// The input that is the `index`-th local kept of the thread in this place of a piece. Inputs below the number of shared
    /// variables kept are these; then every place has as many as the point with the most locals keeps, so that a formula about
    /// the thread in one place is the same formula whatever the other threads keep. `None` if the number is too large.
    pub fn input(view: &View, place: usize, index: usize) -> Option<u32> {
        let width = view.points.iter().map(|point| point.kept.len()).max().unwrap_or(0);
        let number = place.checked_mul(width)?.checked_add(index)?.checked_add(view.shared.len())?;
        u32::try_from(number).ok()
    }
}

/// All markings that are reachable with at most `bound` tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReachedMarkings {
    /// The markings, places with tokens only, sorted; closed under all rules.
    pub markings: Vec<(SharedStateId, Vec<(PlaceId, u32)>)>,
    /// The tokens at once.
    pub bound: u32,
}

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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closure {
    /// What is kept.
    pub view: View,
    /// The threads that occur.
    pub threads: Vec<ThreadView>,
    /// The most threads of a tuple.
    pub width: u32,
    /// The tuples; with a tuple all parts of it are meant. Closed under all steps of any number of threads.
    pub tuples: Vec<TupleView>,
    /// The minimal elements of a set that holds all errors among what the tuples allow, and all that leads there; no start is above one.
    pub blocked: Vec<TupleView>,
}

/// What a few threads look like together, each somewhere in a class of points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassTuple {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// Whether some thread, one of these or another, is inside an atomic section.
    pub busy: bool,
    /// The classes of the threads, sorted, each with how many there are; indices into [`ClassClosure::classes`]. The threads of a
    /// tuple are told apart by their places in this list.
    pub classes: Vec<(usize, u32)>,
    /// What holds of the values kept; [`Symbolic::input`] says which input is which.
    pub formula: NodeId,
}

/// What at most `width` threads can look like together in runs with any number of threads, as formulas over classes of points. A thread
/// of a class stands at any one of its points, with the values kept there in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassClosure {
    /// What is kept.
    pub view: View,
    /// The classes: points on one side of the atomic section that keep equally many values. No point is in two classes.
    pub classes: Vec<Vec<usize>>,
    /// The formulas.
    pub graph: Graph,
    /// The most threads of a tuple.
    pub width: u32,
    /// The tuples of one thread and more, one for each multiset of classes at most; closed under all steps of any number of threads.
    pub tuples: Vec<ClassTuple>,
    /// The minimal elements of a set that holds all errors among what the tuples allow, and all that leads there; no start is above one.
    /// They may have more threads than `width`, or none, and several may have the same classes. Threads are above an element if some of
    /// them, in some order, stand in its classes and make its formula true.
    pub blocked: Vec<ClassTuple>,
}

/// A shared state and the places that hold tokens, sorted.
pub type Tokens = (SharedStateId, Vec<(PlaceId, u32)>);

/// What at most `width` tokens can look like together in a net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenClosure {
    /// The most tokens of a tuple.
    pub width: u32,
    /// As for programs.
    pub tuples: Vec<Tokens>,
    /// As for programs.
    pub blocked: Vec<Tokens>,
}

/// The proof itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// The reached set of a program under a bound.
    Reached(Reached),
    /// The reached set of a program under a bound, as formulas.
    Symbolic(Symbolic),
    /// The reached set of a net under a bound.
    ReachedMarkings(ReachedMarkings),
    /// What few threads of a program look like together.
    Closure(Closure),
    /// What few threads of a program look like together, as formulas.
    ClassClosure(ClassClosure),
    /// What few tokens of a net look like together.
    TokenClosure(TokenClosure),
    /// What threads look like, activation by activation.
    Summaries(Summaries),
    /// The adequacy game.
    Game(Box<Game>),
}

impl Body {
    /// What is kept of the states of a program; a proof about a net has no view.
    pub fn view_mut(&mut self) -> Option<&mut View> {
        match self {
            Body::Reached(it) => Some(&mut it.view),
            Body::Symbolic(it) => Some(&mut it.view),
            Body::Closure(it) => Some(&mut it.view),
            Body::ClassClosure(it) => Some(&mut it.view),
            Body::Summaries(it) => Some(&mut it.view),
            Body::Game(it) => Some(&mut it.view),
            Body::ReachedMarkings(_) | Body::TokenClosure(_) => None,
        }
    }
}

/// A proof of safety, to be confirmed by a checker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// What it claims. The checker, not the claim, has the last word.
    pub scope: Scope,
    /// The proof.
    pub body: Body,
}
