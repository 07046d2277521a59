//! The answer about a C program. Several ways lead to one: they run in parallel under the same limits, and the first confirmed decision is the
//! answer. Where none decides, the answer has the reasons of all of them.

mod abstraction;
mod bits;
mod boolean;
mod concrete;
mod conditions;
mod confirm;
mod exact;
mod listing;
mod merged;
mod opinion;
mod race;
mod refined;
mod rests;
mod together;
mod way;

pub use abstraction::{Abstraction, Predicate};
pub use boolean::{BooleanProgram, NoBooleanProgram, boolean_program};
pub use conditions::{Condition, misread};
pub use confirm::{CERTIFICATE_HEADER, confirm, replay, trace_of, write_listing};
pub use opinion::Solver;
pub use refined::BooleanEngines;
pub use way::Way;

use crate::answer::{Answer, Note, Outcome};
use crate::limits::Limits;
use crate::plan::Plan;
use crate::progress::Best;
use crate::supervise::{Ended, RunContext, message, supervise};
use base::{Budget, Events, Span, Stop};
use front::CProgram;
use ir::c::{Fault, Loc};
use ir::{Reason, ReasonKind, Scope};
use race::Race;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What the concrete way may spend before the others begin: most errors are found so, always the same one.
const ALONE: u64 = 300_000;
/// Only what is touched costs memory.
const STACK: usize = 1 << 26;

/// A question about a C program.
#[derive(Clone)]
pub struct Request {
    /// The program.
    pub source: Arc<CProgram>,
    /// How far.
    pub scope: Scope,
    /// Who is asked.
    pub plan: Plan,
    /// What it may cost.
    pub limits: Limits,
}

/// What a way says.
struct WayResult {
    way: Way,
    answer: Answer,
    /// Where something is that it does not take.
    place: Option<Loc>,
    /// The same, as a place in the source.
    span: Option<Span>,
    /// The steps without meaning that it met.
    meaningless: BTreeMap<Loc, Fault>,
    /// Whether there may be others, which it does not tell.
    may_stop: bool,
}

impl WayResult {
    fn of(way: Way, answer: Answer) -> WayResult {
        let answer = Answer { way: Some(way.name()), ..answer };
        WayResult { way, answer, place: None, span: None, meaningless: BTreeMap::new(), may_stop: false }
    }

    fn decides(&self) -> bool {
        !matches!(self.answer.outcome, Outcome::Unknown(_))
    }

    /// Whether nothing better can come: an error, or a proof that was confirmed. A run into an error that is not told excludes every proof.
    fn settles(&self) -> bool {
        match &self.answer.outcome {
            Outcome::Unknown(reason) => reason.kind == ReasonKind::Approximation,
            outcome => !outcome.is_unchecked(),
        }
    }
}

/// Answers a question. `events` hears of progress and counters on the caller's thread.
pub fn answer(request: &Request, events: &mut dyn Events) -> Answer {
    let mut best = Best::default();
    let mut hear = |note: Note| {
        if let Note::Event(event) = note {
            best.note(&event);
            events.emit(event);
        }
    };
    let found = Found::default();
    let job = {
        let (request, found) = (request.clone(), found.clone());
        move |context: RunContext<Note>| work(&request, &context, &found)
    };
    let (results, stop) = match supervise(&request.limits, &mut hear, job) {
        Ended::Done(done) => done,
        Ended::Panicked(message) => return Answer::unknown(Reason::new(ReasonKind::Fault, message)),
        // One way may not react while another has long decided.
        Ended::Abandoned(stop) => (found.take(), Some(stop)),
    };
    let teller = together::Teller { source: &request.source, limits: &request.limits };
    let answer = teller.tell(results, stop);
    Answer { best: answer.best.or(best), ..answer }
}

/// Asks the concrete way alone, with few ticks: for questions that may stay open.
pub(crate) fn briefly(request: &Request, ticks: u64) -> Outcome {
    let job = {
        let request = request.clone();
        move |context: RunContext<Note>| {
            let budget = Budget::new(ticks, context.stop.part());
            one(Way::Concrete, &request, &budget, &context).answer.outcome
        }
    };
    match supervise(&request.limits, &mut |_| {}, job) {
        Ended::Done(outcome) => outcome,
        Ended::Panicked(message) => Outcome::Unknown(Reason::new(ReasonKind::Fault, message)),
        Ended::Abandoned(stop) => Outcome::Unknown(request.limits.reason(stop)),
    }
}

/// What the ways have said so far. It outlives work that is left behind.
#[derive(Clone, Default)]
struct Found(Arc<Mutex<Vec<WayResult>>>);

impl Found {
    fn lock(&self) -> MutexGuard<'_, Vec<WayResult>> {
        // A panic elsewhere leaves whole values behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Vec<WayResult> {
        std::mem::take(&mut *self.lock())
    }
}

/// Asks the ways of the plan; what those say that ended by themselves.
fn work(request: &Request, context: &RunContext<Note>, found: &Found) -> (Vec<WayResult>, Option<Stop>) {
    let ways = &request.plan.ways;
    let begun = Instant::now();
    if ways.len() > 1 && ways.contains(&Way::Concrete) {
        let budget = Budget::new(ALONE, context.stop.part());
        let alone = one(Way::Concrete, request, &budget, context);
        if alone.settles() {
            return (vec![alone], context.stop.reason());
        }
        found.lock().extend(Some(alone).filter(WayResult::decides));
    }
    let race = Race::new(request, context, begun, found);
    std::thread::scope(|scope| {
        for &way in &ways[1..] {
            let race = &race;
            let spawned =
                std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || race.run(way));
            if spawned.is_err() {
                // Without another thread the ways take turns.
                race.run(way);
            }
        }
        race.run(ways[0]);
    });
    (found.take(), context.stop.reason())
}

/// Asks one way; a fault of it does not end the others.
fn one(way: Way, request: &Request, budget: &Budget, context: &RunContext<Note>) -> WayResult {
    let mut events = context.clone();
    let ask = AssertUnwindSafe(|| match way {
        Way::Concrete => concrete::ask(request, budget, &mut events),
        Way::Abstract => abstraction::ask(request, budget, &mut events),
        Way::Exact => exact::ask(request, budget, &mut events),
    });
    catch_unwind(ask).unwrap_or_else(|payload| {
        let why = message(&*payload);
        WayResult::of(way, Answer::unknown(Reason::new(ReasonKind::Fault, why)))
    })
}
