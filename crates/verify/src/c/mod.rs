//! The engines for C programs that are made of parts of several crates: the search of all states, the Boolean
//! program bit by bit, and predicates ([`crate::predicates`]).

mod concrete;
mod exact;
mod merged;

pub(crate) use merged::Prepared;
pub use merged::trace_of;

use crate::predicates::Abstract;
use concrete::Concrete;
use engines::Engine;
use exact::Exact;
use ir::{Model, Reason, ReasonKind, Task};
use std::sync::Arc;

/// The engines for C programs, in the order in which their reasons are told.
pub fn engines() -> &'static [&'static dyn Engine] {
    &[&Concrete, &Exact, &Abstract]
}

/// The engine that explores all states.
pub(crate) const CONCRETE: &str = "concrete";

/// Whether an engine takes C programs.
pub(crate) fn is_engine_for_c(engine: &dyn Engine) -> bool {
    engines().iter().any(|it| it.name() == engine.name())
}

/// Whether it is the engine that explores all states: it writes no certificates.
pub(crate) fn is_concrete(engine: &dyn Engine) -> bool {
    is_named_concrete(engine.name())
}

/// The same of its name.
pub(crate) fn is_named_concrete(name: &str) -> bool {
    name == CONCRETE
}

/// Whether it is the engine that proves by predicates.
pub(crate) fn is_abstract(engine: &dyn Engine) -> bool {
    engine.name() == Abstract.name()
}

/// The place of an engine in the order in which reasons are told.
pub(crate) fn position(name: &str) -> Option<usize> {
    engines().iter().position(|it| it.name() == name)
}

/// How many ticks the search of all states does in the time in which an engine does one: who has the same
/// time has as many ticks. The bit-level engine has half of it, since it decides little that the others do
/// not.
pub(crate) fn ticks_of_the_search(engine: &dyn Engine) -> u64 {
    match engine.name() {
        CONCRETE => 1,
        "exact" => 6,
        _ => 2,
    }
}

/// Why an engine does not answer where leaks are asked about.
pub(crate) fn no_leaks() -> Reason {
    Reason::new(ReasonKind::Unsupported, "it does not look for leaks")
}

/// The C program of a task.
pub(crate) fn model(task: &Task) -> Result<&Arc<ir::c::Model>, Reason> {
    match &task.model {
        Model::C(model) => Ok(model),
        _ => Err(Reason::new(ReasonKind::Unsupported, "it takes C programs only")),
    }
}
