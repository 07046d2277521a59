//! The exact way: from normalised C to a Boolean program, bit by bit.
//!
//! A value analysis says what each register and each shared scalar may hold; each becomes as many Boolean
//! variables as that needs. Pointers become numbers of their possible targets. Every step of the C program
//! becomes one step of the Boolean program that touches shared variables, between steps that touch none.
//! [`Lowered`] keeps the coding, so that a trace can be read back.

mod abs;
mod analysis;
mod arm;
mod circuits;
mod coding;
mod domain;
mod emit;
mod escape;
mod gates;
mod lift;
mod live;
mod model;
mod numbers;
mod slots;
mod symbolic;
mod sync_outcomes;
mod values;

pub use arm::{Armed, arm};
pub use lift::NotLifted;
pub use values::{Held, Holder};

use analysis::Analysis;
use base::{Budget, Span, Stop};
use coding::Coding;
use ir::bp;
use model::Model;
use slots::{SlotId, Slots};
use std::collections::BTreeMap;

/// How much is followed, and what is left open by C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// What is left open by C and decided by the user. The bound on threads is the engines' business.
    pub machine: c::Options,
    /// The most Boolean variables.
    pub variables: usize,
    /// The most nodes of expressions.
    pub nodes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { machine: c::Options::default(), variables: 2_000, nodes: 400_000 }
    }
}

/// What the exact way does not do, and where it was met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// The construct.
    pub construct: String,
    /// Its place.
    pub span: Option<Span>,
}

/// Why there is no Boolean program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The exact way does not do this.
    Unsupported(Unsupported),
    /// The budget ended.
    Stop(Stop),
}

impl From<Stop> for Problem {
    fn from(stop: Stop) -> Problem {
        Problem::Stop(stop)
    }
}

impl From<Unsupported> for Problem {
    fn from(it: Unsupported) -> Problem {
        Problem::Unsupported(it)
    }
}

/// What a step of the Boolean program is in the C program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The location of the C step that it belongs to.
    pub at: c::Loc,
    /// Whether the C step is taken by it, or it only prepares or follows that step.
    pub takes: bool,
}

/// A Boolean program that stands for a C program, and how.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The Boolean program.
    pub program: bp::Program,
    /// Whether it has exactly the runs of the C program; otherwise it has more: a proof holds all the same.
    pub exact: bool,
    /// The places where it has more runs, in words.
    pub losses: Vec<String>,
    /// By location of the Boolean program.
    origin: Vec<Origin>,
    /// By slot: its bits.
    coding: Vec<Coding>,
    slots: Slots,
    /// By location: the object that an allocation makes.
    allocation: BTreeMap<c::Loc, c::InstanceId>,
    options: Options,
}

/// Translates a program.
pub fn lower(program: &c::Program, options: &Options, budget: &Budget) -> Result<Lowered, Problem> {
    let model = Model::new(program)?;
    let analysis = Analysis::run(model, *options, budget)?;
    escape::check(&analysis, budget)?;
    emit::emit(analysis, budget)
}

impl Lowered {
    /// What a Boolean step is in the C program.
    pub fn origin(&self, loc: bp::Loc) -> Origin {
        self.origin[base::Id::index(loc)]
    }

    /// The bits of a variable; one that nobody writes has none.
    fn coding(&self, slot: SlotId) -> Option<&Coding> {
        self.coding.get(base::Id::index(slot))
    }
}
