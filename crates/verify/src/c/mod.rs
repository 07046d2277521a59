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
mod undefined;
mod way;

pub use abstraction::{Abstraction, Predicate};
pub use boolean::{BooleanProgram, NoBooleanProgram, boolean_program};
pub use conditions::{Condition, misread};
pub use confirm::{CERTIFICATE_HEADER, confirm, replay, trace_of, write_listing};
pub use opinion::Solver;
pub use refined::BooleanEngines;
pub use undefined::{taken_for_granted, words as undefined_in_words};
pub use way::Way;

use crate::answer::{Answer, Note, Outcome};
use crate::limits::Limits;
use crate::plan::Plan;
use crate::progress::Best;
use crate::supervise::{Ended, RunContext, message, supervise};
use base::{Budget, Events, Span, Stop};
use front::CProgram;
use ir::c::Loc;
use ir::{Reason, ReasonKind, Scope};
use race::Race;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use undefined::Watch;

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
    /// Where threads stand in a state in which all of them wait for each other.
    waiting: Vec<Loc>,
    /// What it took.
    ticks: u64,
}

impl WayResult {
    fn of(way: Way, answer: Answer) -> WayResult {
        let answer = Answer { way: Some(way.name()), ..answer };
        WayResult { way, answer, place: None, span: None, waiting: vec![], ticks: 0 }
    }

    fn decides(&self) -> bool {
        !matches!(self.answer.outcome, Outcome::Unknown(_))
    }

    fn is_safe(&self) -> bool {
        matches!(self.answer.outcome, Outcome::Safe { .. })
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
    let (results, undefined, stop) = match supervise(&request.limits, &mut hear, job) {
        Ended::Done(Worked { undefined, stop }) => (found.take(), undefined, stop),
        Ended::Panicked(message) => return Answer::unknown(Reason::new(ReasonKind::Fault, message)),
        // One way may not react while another has long decided.
        Ended::Abandoned(stop) => (found.take(), undefined::Ended::default(), Some(stop)),
    };
    let teller = together::Teller { source: &request.source, limits: &request.limits, undefined };
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

/// The end of the work.
struct Worked {
    undefined: undefined::Ended,
    stop: Option<Stop>,
}

/// Asks the ways of the plan, and beside them looks for undefined behaviour.
fn work(request: &Request, context: &RunContext<Note>, found: &Found) -> Worked {
    let watch = Watch::new(request, context);
    std::thread::scope(|scope| {
        let watched = || std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || watch.run());
        if watch.tells() && watched().is_err() {
            watch.give_up();
        }
        ask(request, context, found, &watch);
        share(found, &watch);
        if watch.tells() {
            watch.handle().stop(Stop::Cancelled);
        }
    });
    if !watch.tells() && found.lock().iter().any(WayResult::is_safe) {
        watch.run();
    }
    Worked { undefined: watch.ended(), stop: context.stop.reason() }
}

/// Lets the search for undefined behaviour have as many ticks as the ways had, so that it does not depend on the clock what is told. An error
/// that was found early enough is told whatever else there is.
fn share(found: &Found, watch: &Watch) {
    let results = found.lock();
    let ticks = match results.iter().find(|it| it.decides() && !it.is_safe()) {
        Some(error) if error.way == Way::Concrete && error.ticks <= ALONE => 0,
        Some(error) if error.way == Way::Concrete => error.ticks,
        // The ticks of engines for Boolean programs are not counted.
        Some(_) => undefined::AT_LEAST,
        None => results.iter().map(|it| it.ticks).max().unwrap_or(0).max(undefined::AT_LEAST),
    };
    drop(results);
    watch.wait(ticks);
}

/// Asks the ways of the plan.
fn ask(request: &Request, context: &RunContext<Note>, found: &Found, watch: &Watch) {
    let ways = &request.plan.ways;
    let begun = Instant::now();
    if ways.len() > 1 && ways.contains(&Way::Concrete) {
        let budget = Budget::new(ALONE, context.stop.part());
        let alone = one(Way::Concrete, request, &budget, context);
        // An error that is found so early is told whatever else there is.
        let settles = alone.settles();
        found.lock().extend(Some(alone).filter(|alone| settles || alone.decides()));
        if settles {
            return;
        }
    }
    let race = Race::new(request, context, begun, found, watch);
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
        let race = &race;
        let _ = std::thread::Builder::new().spawn_scoped(scope, move || race.stop_at_undefined());
        race.run(ways[0]);
    });
}

/// Asks one way; a fault of it does not end the others.
fn one(way: Way, request: &Request, budget: &Budget, context: &RunContext<Note>) -> WayResult {
    let mut events = context.clone();
    let ask = AssertUnwindSafe(|| match way {
        Way::Concrete => concrete::ask(request, budget, &mut events),
        Way::Abstract => abstraction::ask(request, budget, &mut events),
        Way::Exact => exact::ask(request, budget, &mut events),
    });
    let result = catch_unwind(ask).unwrap_or_else(|payload| {
        let why = message(&*payload);
        WayResult::of(way, Answer::unknown(Reason::new(ReasonKind::Fault, why)))
    });
    WayResult { ticks: budget.spent(), ..result }
}
