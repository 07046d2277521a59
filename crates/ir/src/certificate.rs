//! Evidence for safety. A certificate speaks of *thread states seen through an abstraction*: at each control
//! location some variables are kept and the rest forgotten. Forgetting only adds behaviour, so a checker that
//! reads a forgotten variable as `*` needs to trust nobody about which variables matter. Passes lift
//! certificates by renaming locations and variables, never by touching the states.

mod c;
mod classes;
mod closure;
mod game;
pub mod graph;
mod reached;
mod summaries;
mod symbolic;
pub mod text;

pub use c::{Fingerprint, Predicates, States, WaitOrder};
pub use classes::{ClassClosure, ClassTuple};
pub use closure::{Closure, TokenClosure, Tokens, Trap, TupleView, Weights};
pub use game::{Game, Interface, Rounds, Share, Stand};
pub use reached::{Reached, ReachedMarkings, StateView};
pub use summaries::{Summaries, SummaryState, Who};
pub use symbolic::{Piece, Symbolic};

use crate::bp::{Loc, LocalId, SharedId};
use crate::task::Scope;

/// A local variable of the activation at `depth`, counted from the bottom of the stack. For a local of the
/// whole thread any depth names the same variable; writers use 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocalAt {
    /// The activation.
    pub depth: usize,
    /// The variable.
    pub local: LocalId,
}

/// A control location: where each activation of a thread stands, the oldest first, and which locals are kept
/// there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ControlLocation {
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
    /// The control locations; each stack and flag at most once. A thread elsewhere is outside the
    /// certificate.
    pub controls: Vec<ControlLocation>,
}

impl View {
    /// The input of a formula that is the `index`-th local kept of the thread in this place of a piece or
    /// tuple. Inputs below the number of shared variables kept are these; then every place has as many as the
    /// control location with the most locals keeps, so that a formula about the thread in one place is the
    /// same formula whatever the other threads keep. `None` if the number is too large.
    pub fn input(&self, place: usize, index: usize) -> Option<u32> {
        let number =
            place.checked_mul(self.most_kept())?.checked_add(index)?.checked_add(self.shared.len())?;
        u32::try_from(number).ok()
    }

    /// The most locals that a control location keeps.
    pub fn most_kept(&self) -> usize {
        self.controls.iter().map(|control| control.kept.len()).max().unwrap_or(0)
    }
}

/// Kept values, in the order of the view.
pub type Bits = Vec<bool>;

/// A thread as the view shows it: a control location and the values kept there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadView {
    /// Index of the control location.
    pub control: usize,
    /// The values.
    pub values: Bits,
}

/// The proof itself, one variant for each kind.
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
    /// An invariant of a C program over predicates.
    Predicates(Predicates),
    /// An order of what the threads of a C program wait for.
    Order(WaitOrder),
    /// All states of a C program.
    States(States),
}

/// A proof of safety, to be confirmed by a checker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// What it claims. The checker, not the claim, has the last word.
    pub scope: Scope,
    /// What is kept of the states of a program. A proof about a net or about C has an empty view that nobody
    /// reads.
    pub view: View,
    /// The proof.
    pub body: Body,
    /// The passes that made the program which the proof is about, in their order; none, if it is about the
    /// program as it was read. They are run again and validated before the proof is checked.
    pub passes: Vec<String>,
}
