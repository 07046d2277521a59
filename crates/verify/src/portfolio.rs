//! Puts one question to several engines. They work side by side in rounds of equal ticks: among those that decide in a round the first in
//! the plan's order wins and the others are cancelled, so that the same file, flags and seed give the same answer whatever the
//! machine does meanwhile, unless the clock, the memory or the user stops the run.
//!
//! A proof that nobody has checked is weaker than it looks. It waits for the others, one of which may have a proof that can be checked, or
//! a trace: until a limit is reached, or, where there is no limit of time, for one round more, which is longer than all before together, and
//! not a short one.

use crate::answer::{Answer, Note, Outcome};
use crate::judge::{NONE_WRITTEN, judge};
use crate::limits::stop_kind;
use crate::plan::{Plan, engines};
use crate::starts;
use crate::supervise::{RunContext, message};
use ::engines::{Cx, Engine, Facts, has_much_data};
use base::budget::StopHandle;
use base::{Budget, Event, Events, Stop};
use ir::{Model, Reason, ReasonKind, Task};
use passes::Guided;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Each round has so many times more ticks than the one before that starting anew costs little.
const GROWTH: u64 = 4;
/// How many times the ticks of the others the engine has that most likely finds an error.
const LARGE_SHARE: u64 = 4;
/// Nets with more rules and places than this are large.
const LARGE_NET: usize = 200;
/// Models of less than this size, in locations and variables or rules and places, are small.
const SMALL: u64 = 40;
/// An unchecked proof waits for a round of at least so many ticks: about a second.
const LONG_ROUND: u64 = 1_000_000;
/// Only what is touched costs memory.
const STACK: usize = 1 << 26;

/// A task on its way to the engines.
pub struct Request<'a> {
    /// The task.
    pub task: &'a Task,
    /// The same about the prepared program.
    pub prepared: &'a Task,
    /// The way back.
    pub lift: Option<&'a Guided>,
    /// Who is asked.
    pub plan: &'a Plan,
    /// Whether there is a limit of time.
    pub timed: bool,
}

/// What engines work with.
type Context = RunContext<Note>;

/// Asks the engines of the plan.
pub fn ask(request: &Request<'_>, context: &Context) -> Answer {
    // No start fits into the bound: whatever an engine said would be about no run. `init` runs before the threads are there.
    if let Some(reason) = starts::too_few_threads(request.task).filter(|_| !starts::runs_before(request.task))
    {
        return Answer::unknown(reason);
    }
    let (mut running, mut reasons) = (vec![], vec![]);
    for candidate in order(request) {
        match candidate.engine.accepts(request.prepared) {
            Ok(()) => running.push(candidate),
            Err(reason) => reasons.push((candidate.engine.name(), reason)),
        }
    }
    let alone = match &running[..] {
        [only] => Some(only.engine.name()),
        _ => None,
    };
    let mut facts = Facts::default();
    let most = request.plan.most_ticks;
    let mut ticks = if running.len() > 1 { first_round(request).min(most) } else { most };
    let mut unchecked: Option<Answer> = None;
    while !running.is_empty() && context.stop.reason().is_none() {
        let (mut left, mut answers) = (vec![], vec![]);
        for (candidate, answer) in running.iter().zip(round(request, &running, ticks, &facts, context)) {
            match answer {
                Some(Answer { outcome: Outcome::Unknown(reason), .. }) => {
                    reasons.push((candidate.engine.name(), reason));
                }
                Some(answer) => answers.push(answer),
                None => left.push(*candidate),
            }
        }
        if let Some(settled) = answers.iter().position(|answer| !answer.outcome.is_unchecked()) {
            return answers.swap_remove(settled);
        }
        if unchecked.is_some() && !request.timed && ticks >= LONG_ROUND {
            break;
        }
        if ticks == most {
            unchecked = unchecked.or_else(|| answers.into_iter().next());
            break;
        }
        unchecked = unchecked.or_else(|| answers.into_iter().next());
        running = left;
        ticks = ticks.saturating_mul(GROWTH).min(most);
        // Not before: what an engine reads must not depend on how fast the others are.
        facts.publish();
    }
    let unknown = || Answer { engine: alone, ..Answer::unknown(together(&reasons)) };
    unchecked.unwrap_or_else(unknown)
}

/// An engine that is put the question.
#[derive(Clone, Copy)]
struct Candidate {
    engine: &'static dyn Engine,
    /// It has so many times the ticks of a round.
    share: u64,
}

/// The engines in the order in which they are asked: that of the plan, with equal shares. Where nobody chose it and one of them is most likely to settle
/// the question, it comes first, with a larger share, and the one that lists states last: a round is over when the first one that settles the question is.
fn order(request: &Request<'_>) -> Vec<Candidate> {
    let equal = |&engine: &&'static dyn Engine| Candidate { engine, share: 1 };
    let mut order: Vec<Candidate> = request.plan.engines.iter().map(equal).collect();
    let is_auto = order.iter().map(|it| it.engine.name()).eq(engines().iter().map(|it| it.name()));
    if let Some(first) = most_likely(&request.prepared.model).filter(|_| is_auto) {
        order.sort_by_key(|it| match it.engine.name() {
            name if name == first => 0,
            "explicit" => 2,
            _ => 1,
        });
        order[0].share = LARGE_SHARE;
    }
    order
}

/// The engine that most likely settles the question, if the model tells: decision diagrams find errors where threads have much to choose, and the state
/// equation and the directed search are for large nets.
fn most_likely(model: &Model) -> Option<&'static str> {
    match model {
        Model::Program(program) => has_much_data(program).then_some("counter"),
        Model::Net(net) => (net.rules().len() + net.places().len() > LARGE_NET).then_some("cover"),
    }
}

/// The ticks of the first round: more for large models, for which only starting anew is dear.
fn first_round(request: &Request<'_>) -> u64 {
    let size = match &request.prepared.model {
        Model::Program(program) => program.locations().len() + program.shared().len(),
        Model::Net(net) => net.rules().len() + net.places().len(),
    };
    request.plan.first_round.saturating_mul(1 + size as u64 / SMALL)
}

/// One round: what each engine says, in order; nothing, if its ticks ran out. An engine after one that settled the question may be
/// cancelled.
fn round(
    request: &Request<'_>,
    engines: &[Candidate],
    ticks: u64,
    facts: &Facts,
    context: &Context,
) -> Vec<Option<Answer>> {
    let handles: Vec<StopHandle> = engines.iter().map(|_| context.stop.part()).collect();
    let answers: Vec<Mutex<Option<Answer>>> = engines.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = |context: Context| {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&Candidate { engine, share }) = engines.get(index) else { return };
            let ticks = ticks.saturating_mul(share).min(request.plan.most_ticks);
            let turn = Turn { engine, budget: Budget::new(ticks, handles[index].clone()), facts };
            let answer = turn.take(request, &context);
            if answer.as_ref().is_some_and(settles) {
                handles[index + 1..].iter().for_each(|later| later.stop(Stop::Cancelled));
            }
            *answers[index].lock().unwrap_or_else(PoisonError::into_inner) = answer;
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(engines.len()));
    std::thread::scope(|scope| {
        for _ in 1..workers {
            let (work, context) = (&work, context.clone());
            // Without another thread this one does all the work.
            let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || work(context));
        }
        work(context.clone());
    });
    answers.into_iter().map(|it| it.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Whether no other engine needs to be asked.
fn settles(answer: &Answer) -> bool {
    !answer.outcome.is_unchecked() && !matches!(answer.outcome, Outcome::Unknown(_))
}

/// One engine in one round.
struct Turn<'a> {
    engine: &'static dyn Engine,
    budget: Budget,
    facts: &'a Facts,
}

impl Turn<'_> {
    fn take(&self, request: &Request<'_>, context: &Context) -> Option<Answer> {
        if self.budget.handle().reason().is_some() {
            return None;
        }
        match catch_unwind(AssertUnwindSafe(|| self.work(request, context))) {
            Ok(answer) => answer,
            Err(payload) => Some(Answer::unknown(Reason::new(ReasonKind::Fault, message(&*payload)))),
        }
    }

    fn work(&self, request: &Request<'_>, context: &Context) -> Option<Answer> {
        let engine = self.engine.name();
        let mut events = Listener { context: context.clone(), no_certificate: NONE_WRITTEN };
        events.emit(Event::Progress(format!("{engine} starts")));
        let Plan { settings, seed, .. } = request.plan;
        let (budget, facts) = (&self.budget, self.facts);
        let mut cx = Cx { budget, events: &mut events, facts, settings, seed: *seed };
        let verdict = match self.engine.run(request.prepared, &mut cx) {
            Ok(verdict) => verdict,
            Err(Stop::Ticks | Stop::Cancelled) => return None,
            Err(stop) => return Some(Answer::unknown(Reason::new(stop_kind(stop), stop.to_string()))),
        };
        events.emit(Event::Progress("checks the evidence".to_string()));
        // Evidence is checked without a limit of ticks: a proof that was found must not be lost for being long.
        let budget = Budget::new(u64::MAX, self.budget.handle().clone());
        let why = events.no_certificate;
        let claim =
            |outcome: Option<Outcome>| context.send(Note::Claim { engine, outcome: outcome.map(Box::new) });
        let meanwhile = |outcome: &Outcome| claim(Some(explained(outcome.clone(), why)));
        let answer = judge(request.task, request.lift, verdict, &budget, meanwhile);
        if let Some(threads) = answer.best.threads {
            events.emit(Event::SafeUpToThreads(threads));
        }
        if matches!(answer.outcome, Outcome::Unknown(_)) {
            claim(None);
        }
        Some(Answer { outcome: explained(answer.outcome, why), engine: Some(engine), ..answer })
    }
}

/// Hears why an engine writes no certificate; everything else is passed on.
struct Listener {
    context: Context,
    no_certificate: &'static str,
}

impl Events for Listener {
    fn emit(&mut self, event: Event) {
        match event {
            Event::NoCertificate(why) => self.no_certificate = why,
            event => self.context.emit(event),
        }
    }
}

/// The outcome, with what the engine says of a certificate that it did not write.
fn explained(mut outcome: Outcome, why: &'static str) -> Outcome {
    if let Outcome::Safe { why_unchecked: Some(unsaid), .. } = &mut outcome
        && unsaid == NONE_WRITTEN
    {
        *unsaid = why.to_string();
    }
    outcome
}

/// Why nobody knows: a fault or refused evidence first, then what engines that worked say, then why others did not.
fn together(reasons: &[(&'static str, Reason)]) -> Reason {
    let rank = |reason: &Reason| match reason.kind {
        ReasonKind::Fault => 0,
        ReasonKind::Rejected => 1,
        ReasonKind::Unsupported | ReasonKind::NonMonotone => 3,
        _ => 2,
    };
    let Some(best) = reasons.iter().map(|(_, reason)| rank(reason)).min() else {
        return Reason::new(ReasonKind::Unsupported, "no engine was asked");
    };
    let chosen: Vec<_> = reasons.iter().filter(|(_, reason)| rank(reason) == best).collect();
    match &chosen[..] {
        [(_, reason)] => reason.clone(),
        _ => {
            let each: Vec<String> =
                chosen.iter().map(|(name, it)| format!("{name}: {}", it.message)).collect();
            Reason::new(chosen[0].1.kind, each.join("; "))
        }
    }
}
