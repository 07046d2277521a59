//! Predicate abstraction as an engine: an invariant over predicates, for any number of threads, by pairs of threads first and by Boolean programs
//! where that ends in an alarm. What it proves is confirmed by a checker that shares nothing with it.

pub(crate) mod bits;
mod boolean;
mod conditions;
mod opinion;
mod refined;
mod words;

pub use boolean::{BooleanProgram, NoBooleanProgram, boolean_program};
pub use conditions::misread;
pub use opinion::Solver;
pub use refined::BooleanEngines;
pub use words::{Predicate, predicates};

use crate::c::{Prepared, model};
use base::settings::Allowed;
use base::{Event, Round, Setting, Stop};
use engines::{Cx, Engine};
use ir::c::Model;
use ir::certificate::{Body, Predicates, View};
use ir::{Certificate, Reason, ReasonKind, Scope, Task, Verdict, Why};
use opinion::OPINION;
use predicates::{Options, Outcome as Found, Start, prove, prove_relation};
use relation::proof::Proof;
use relation::{NoRelation, Relation};
use std::sync::Arc;

/// What a proof about the program with merged steps may cost.
const MERGED_TICKS: u64 = 3_000_000;

/// The options of the engine.
pub const SETTINGS: &[Setting] =
    &[refined::ROUTE, refined::LEMMAS, refined::WORKERS, EXACT, STATES, ROUNDS, MINIMISE, OPINION];

const EXACT: Setting = Setting {
    name: "abstraction.exact",
    default: "8",
    allowed: Allowed::Number { least: 2, most: 256 },
    help: "follow variables of at most so many values bit by bit",
    paper: "",
};
const STATES: Setting = Setting {
    name: "abstraction.states",
    default: "60000",
    allowed: Allowed::Number { least: 1, most: 100_000_000 },
    help: "give up predicates with which there are more states of two threads",
    paper: "",
};
const ROUNDS: Setting = Setting {
    name: "abstraction.rounds",
    default: "12",
    allowed: Allowed::Number { least: 0, most: 1_000_000 },
    help: "refine along alarms at most so often",
    paper: "",
};
const MINIMISE: Setting = Setting {
    name: "abstraction.minimise",
    default: "on",
    allowed: Allowed::Switch,
    help: "leave out predicates that the proof does not need",
    paper: "",
};

/// The engine.
pub struct Abstract;

impl Engine for Abstract {
    fn name(&self) -> &'static str {
        "abstract"
    }

    fn about(&self) -> &'static str {
        "predicate abstraction: invariants about one and two threads, and Boolean programs that are refined; proves and finds errors"
    }

    fn paper(&self) -> &'static str {
        ""
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn accepts(&self, task: &Task) -> Result<(), Reason> {
        model(task).map(|_| ())
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        let model = match model(task) {
            Ok(model) => model,
            Err(reason) => return Ok(Verdict::Unknown(Why::Because(reason))),
        };
        if !refined::by_pairs(cx.settings) {
            return refined::run(model, task.scope, None, cx);
        }
        match by_pairs(model, cx)? {
            Found::Proved { proof, relation, rounds, .. } => Ok(proved(certificate(relation, proof, rounds))),
            Found::Alarm { why, at, .. } => {
                let first = "the predicates that were found do not exclude a failing assertion\n";
                let why = format!("{}{why}", if at.is_some() { first } else { "" });
                let verdict = refined::run(model, task.scope, Some(why), cx)?;
                Ok(match verdict {
                    Verdict::Unknown(Why::Because(reason)) => placed(model, reason, at),
                    verdict => verdict,
                })
            }
            Found::Unsupported { why, at } => {
                Ok(placed(model, Reason::new(ReasonKind::Unsupported, why), at))
            }
        }
    }
}

fn placed(model: &Model, reason: Reason, at: Option<::c::Loc>) -> Verdict {
    let span = at.and_then(|loc| model.program.at(loc).span);
    Verdict::Unknown(Why::Because(Reason { span, ..reason }))
}

/// The verdict that a proof is.
pub(crate) fn proved(certificate: Certificate) -> Verdict {
    Verdict::Safe { scope: certificate.scope, certificate: Some(certificate) }
}

/// A proof that was found in so many rounds, as a certificate.
pub(crate) fn certificate(relation: Arc<Relation>, proof: Arc<Proof>, rounds: usize) -> Certificate {
    let body = Predicates { relation, proof, refinements: rounds.saturating_sub(1) };
    Certificate { scope: Scope::ANY, view: View::default(), body: Body::Predicates(body) }
}

/// Looks for a proof; where steps are merged, for one about the merged program first: its predicates are likely to prove the other.
fn by_pairs(model: &Model, cx: &mut Cx<'_>) -> Result<Found, Stop> {
    let (settings, budget) = (cx.settings, cx.budget);
    let relation = match model.relation(budget) {
        Ok(relation) => Relation::clone(&relation),
        Err(NoRelation::Stopped(stop)) => return Err(stop),
        Err(NoRelation::Unsupported(why)) => return Ok(Found::Unsupported { why, at: None }),
    };
    let start = match conditions::read(model, &cx.facts.given.conditions, &relation, budget)? {
        Ok(read) => read.map(|it| Start::new(it.exprs, it.conditions)),
        Err(why) => return Ok(Found::Unsupported { why, at: None }),
    };
    let mut options = Options {
        machine: model.machine,
        states: usize::try_from(settings.number(&STATES)).unwrap_or(usize::MAX),
        rounds: usize::try_from(settings.number(&ROUNDS)).unwrap_or(usize::MAX),
        exact_bits: u8::try_from(settings.number(&EXACT).ilog2()).unwrap_or(u8::MAX),
        minimise: settings.is_on(&MINIMISE),
        start,
    };
    let prepared = Prepared::new(&model.program, settings, false, budget)?;
    if prepared.is_merged() {
        cx.events.emit(Event::Round(Round::Merged));
        match prove(prepared.program(), &options, &budget.part(MERGED_TICKS), cx.events) {
            Ok(Found::Proved { proof, .. }) => options.start = Some(Start::of_proof(&proof)),
            Ok(_) => {}
            // Only this part of the budget may be at its end.
            Err(Stop::Ticks) => budget.spend(0)?,
            Err(stop) => return Err(stop),
        }
        cx.events.emit(Event::Round(Round::Unmerged));
    }
    prove_relation(relation, &options, budget, cx.events)
}
