//! Boolean programs by symmetry-aware predicate abstraction (Donaldson, Kaiser, Kroening, Wahl, CAV 2011):
//! one Boolean for each predicate over shared variables, one of each thread for each predicate that reads its
//! variables, broadcasts where a shared variable of a mixed predicate is written. The same program stands for
//! any number of threads, and no assertion of it fails unless the engines find how. It differs from the paper
//! in that a statement is a whole guarded command (guard, updates and creation at once), that updates use the
//! guard, that cubes are as long as they must be while few valuations are possible, and that Booleans count
//! only where the variables that they read are live.

mod build;
mod conditions;
mod cubes;
mod defaults;
mod evidence;
mod exclusions;
pub(crate) mod formulas;
pub(crate) mod growing;
mod lemmas;
mod oblivious;
mod predicates;
mod refinement;
mod samples;
pub(crate) mod statement;

pub use conditions::print::written;
pub use conditions::{Misread, Names, ProgramNames, Written, misread, of_conditions};
pub use defaults::{Predicated, of_proof, of_templates};
pub use lemmas::{Given, Lemma, Settled, settle, under_lemmas};
pub use oblivious::{Oblivious, oblivious};
pub use predicates::{Class, Predicate, Predicates};
pub use refinement::{BackEnd, Checked, LemmaUse, LoopOptions, Refined, prove};

use base::{Budget, Stop};
use c::{ExprId, Exprs, ProcId};
use growing::Growing;
use ir::bp::Program;
use relation::{ControlId, Relation};

/// How mixed predicates are treated. All but the first are unsound, and are there to show that they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Treatment {
    /// A Boolean of each thread, with broadcasts.
    #[default]
    Sound,
    /// A Boolean of each thread, without broadcasts.
    MixedAsLocal,
    /// One Boolean for all threads.
    MixedAsShared,
    /// Broadcasts only of predicates that have a meaning where the *active* thread stands, which is how the
    /// paper prints `must_notify`.
    NotifyAsPrinted,
}

/// How far the abstraction goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The longest cubes that are tried where there are too many valuations to list; with 0 such a formula is
    /// given up.
    pub cube: usize,
    /// The most valuations that are listed.
    pub valuations: usize,
    /// How many threads abstract statements; 0 is one for each core. The statements are the same.
    pub workers: usize,
}

impl Limits {
    fn threads(&self) -> usize {
        match self.workers {
            0 => std::thread::available_parallelism().map_or(1, |it| it.get()),
            workers => workers,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { cube: 3, valuations: 200, workers: 0 }
    }
}

/// What is to be abstracted.
pub struct Request<'a> {
    /// The program as guarded commands.
    pub relation: &'a Relation,
    /// The pool of the predicates; it begins with that of the relation.
    pub exprs: &'a Exprs,
    /// The predicates.
    pub conditions: &'a [ExprId],
    /// Where the threads that are there from the start stand, one thread each; the relation's own start, if
    /// there are none.
    pub starts: &'a [ControlId],
    /// How far to go.
    pub limits: Limits,
    /// Whether to be sound.
    pub treatment: Treatment,
}

/// A Boolean program and what its Booleans mean.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The program; Boolean `b3` tracks predicate 3.
    pub program: Program,
    /// The predicates.
    pub predicates: Predicates,
    /// How often the solver was asked.
    pub calls: u64,
}

/// Abstracts a program.
pub fn abstraction(request: &Request<'_>, budget: &Budget) -> Result<Abstraction, Stop> {
    let relation = request.relation;
    let mut growing = Growing::new(relation, request.exprs.clone(), request.limits, request.treatment);
    growing.add(request.exprs.clone(), request.conditions, budget)?;
    let own = [relation.start];
    let starts = if request.starts.is_empty() { &own[..] } else { request.starts };
    let built = growing.program(starts, budget)?;
    Ok(Abstraction { program: built.program, predicates: growing.predicates, calls: growing.calls })
}

/// The templates that threads begin in, in order.
fn templates(relation: &Relation) -> Vec<ProcId> {
    let mut templates: Vec<ProcId> = relation.controls.iter().map(|it| it.template).collect();
    templates.sort();
    templates.dedup();
    templates
}
