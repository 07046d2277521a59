//! Predicate abstraction as an engine: an invariant over predicates, for any number of threads, by pairs of
//! threads first and by Boolean programs where that ends in an alarm. What it proves is confirmed by a
//! checker that shares nothing with it.

mod accesses;
pub(crate) mod bits;
mod boolean;
mod conditions;
mod invariants;
mod opinion;
mod order;
mod refined;
mod words;

pub(crate) use accesses::separated;
pub use accesses::{AccessPair, Separated, access_pairs};
pub use boolean::{BooleanProgram, NoBooleanProgram, boolean_program};
pub use conditions::misread;
pub use invariants::{Invariant, invariants, wait_order};
pub use opinion::Solver;
pub use refined::BooleanEngines;
pub use words::{Predicate, predicates};

use crate::c::{Prepared, model, no_leaks};
use crate::turns::{Part, Progress, Work, in_turns};
use base::settings::Allowed;
use base::{Budget, Event, Events, Round, Setting, Settings, Stop};
use engines::{Cx, Engine};
use ir::c::Model;
use ir::certificate::{Body, Predicates, View};
use ir::{Certificate, Reason, ReasonKind, Scope, Task, Verdict, Why};
use opinion::OPINION;
use predicates::{Options, Outcome as Found, Start, prove, prove_relation};
use refined::{Ended, Route};
use relation::proof::Proof;
use relation::{NoRelation, Relation};
use std::sync::{Arc, Mutex, PoisonError};

/// What a proof about the program with merged steps may cost.
const MERGED_TICKS: u64 = 3_000_000;

/// What the closure over pairs of threads may spend before Boolean programs are made: most proofs are found
/// so.
const FIRST_TURN: u64 = 200_000;
/// A tick of the Boolean route counts as this many: it proves less, but some of it far sooner.
const BOOLEAN_COST: u64 = 2;
/// A proof that cannot be lifted waits until the other route has had this many times what it took.
const WAITING: u64 = 5;

/// The options of the engine.
pub const SETTINGS: &[Setting] =
    &[refined::ROUTE, refined::LEMMAS, refined::WORKERS, EXACT, STATES, ROUNDS, MINIMISE, OPINION];

const EXACT: Setting = Setting {
    name: "abstraction.exact",
    default: "8",
    allowed: Allowed::Number { least: 2, most: 256 },
    help: "follow variables of at most this many values bit by bit",
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
        if model(task)?.machine.leaks.matter() {
            return Err(no_leaks());
        }
        Ok(())
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        let model = match model(task) {
            Ok(model) => model,
            Err(reason) => return Ok(Verdict::Unknown(Why::Because(reason))),
        };
        if model.machine.deadlocks.matter() {
            return order::run(model, cx);
        }
        if model.machine.races.matter() {
            // Boolean programs know nothing of accesses.
            return Ok(pairs_alone(model, by_pairs(model, cx)?));
        }
        match refined::route(cx.settings) {
            Route::Pairs => Ok(pairs_alone(model, by_pairs(model, cx)?)),
            Route::Boolean => Ok(refined::verdict(refined::run(model, task.scope, cx)?, None)),
            Route::Both => both(model, task.scope, cx),
        }
    }
}

/// The verdict of the closure over pairs of threads, where the other route is not taken.
fn pairs_alone(model: &Model, found: Found) -> Verdict {
    match found {
        Found::Proved { proof, relation, rounds, .. } => proved(certificate(relation, proof, rounds)),
        Found::Alarm { why, at, .. } => {
            placed(model, Reason::new(ReasonKind::Refinement, alarm(&why, at)), at)
        }
        Found::Race { open, .. } => {
            let why = "two accesses may race as far as the predicates tell";
            placed(model, Reason::new(ReasonKind::Refinement, why), open.first().copied())
        }
        Found::Unsupported { why, at } => placed(model, Reason::new(ReasonKind::Unsupported, why), at),
    }
}

fn alarm(why: &str, at: Option<::c::Loc>) -> String {
    let first = "the predicates that were found do not exclude a failing assertion\n";
    format!("{}{why}", if at.is_some() { first } else { "" })
}

/// What one of the routes came to.
enum Taken {
    Pairs(Result<Found, Stop>),
    Boolean(Result<Ended, Stop>),
}

/// Both routes by turns. One of them may prove in a moment what the other takes very long for.
fn both(model: &Model, scope: Scope, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
    let Cx { budget, facts, settings, seed, .. } = *cx;
    let events: &mut dyn Events = &mut *cx.events;
    let events = Mutex::new(events);
    let pairs = |budget: &Budget| {
        let mut events = SharedEvents(&events);
        Taken::Pairs(by_pairs(model, &mut Cx { budget, events: &mut events, facts, settings, seed }))
    };
    let boolean = |budget: &Budget| {
        let mut events = SharedEvents(&events);
        let mut cx = Cx { budget, events: &mut events, facts, settings, seed };
        Taken::Boolean(refined::run(model, scope, &mut cx))
    };
    let parts = [
        Part { work: Box::new(pairs) as Work<'_, Taken>, cost: 1 },
        Part { work: Box::new(boolean), cost: BOOLEAN_COST },
    ];
    match in_turns(budget, parts, FIRST_TURN, &is_enough)? {
        [Some(Taken::Pairs(Err(stop))), _] | [_, Some(Taken::Boolean(Err(stop)))] => Err(stop),
        [Some(Taken::Pairs(Ok(Found::Alarm { why, at, .. }))), Some(Taken::Boolean(Ok(ended)))] => {
            Ok(match refined::verdict(ended, Some(alarm(&why, at))) {
                Verdict::Unknown(Why::Because(reason)) => placed(model, reason, at),
                verdict => verdict,
            })
        }
        [Some(Taken::Pairs(Ok(found))), _] => Ok(pairs_alone(model, found)),
        [_, Some(Taken::Boolean(Ok(ended)))] => Ok(refined::verdict(ended, None)),
        // Only a stop ends both before one of them has come to something.
        _ => budget.spend(0).and(Err(Stop::Cancelled)),
    }
}

/// Whether the routes need not go on. A proof by Boolean programs that cannot be lifted waits for one that
/// can be checked.
fn is_enough([pairs, boolean]: [Progress<'_, Taken>; 2]) -> bool {
    let pairs_are = match pairs.0 {
        Some(Taken::Pairs(found)) => !matches!(found, Ok(Found::Alarm { .. })),
        _ => false,
    };
    let boolean_is = match boolean.0 {
        Some(Taken::Boolean(Ok(Ended::Verdict(Verdict::Safe { certificate: None, .. })))) => {
            pairs.1 >= boolean.1.saturating_mul(BOOLEAN_COST * WAITING)
        }
        Some(Taken::Boolean(Ok(Ended::Verdict(Verdict::Safe { .. } | Verdict::Unsafe(_))))) => true,
        Some(Taken::Boolean(ended)) => matches!(ended, Err(_) | Ok(Ended::Disputed(_))),
        _ => false,
    };
    pairs_are || boolean_is
}

/// Passes events of both routes on.
struct SharedEvents<'a, 'e>(&'a Mutex<&'e mut dyn Events>);

impl Events for SharedEvents<'_, '_> {
    fn emit(&mut self, event: Event) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).emit(event);
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

/// A proof that was found in this many rounds, as a certificate.
pub(crate) fn certificate(relation: Arc<Relation>, proof: Arc<Proof>, rounds: usize) -> Certificate {
    let body = Predicates { relation, proof, refinements: rounds.saturating_sub(1) };
    Certificate { scope: Scope::ANY, view: View::default(), body: Body::Predicates(body), passes: vec![] }
}

/// What the prover may do.
fn options(model: &Model, settings: &Settings, start: Option<Start>) -> Options {
    Options {
        machine: model.machine,
        states: usize::try_from(settings.number(&STATES)).unwrap_or(usize::MAX),
        rounds: usize::try_from(settings.number(&ROUNDS)).unwrap_or(usize::MAX),
        exact_bits: u8::try_from(settings.number(&EXACT).ilog2()).unwrap_or(u8::MAX),
        minimise: settings.is_on(&MINIMISE),
        start,
    }
}

/// Looks for a proof; where steps are merged, for one about the merged program first: its predicates are
/// likely to prove the other.
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
    let mut options = options(model, settings, start);
    let prepared = Prepared::new(&model.program, settings, Some(false), budget)?;
    if prepared.is_merged() && !model.machine.races.matter() {
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
