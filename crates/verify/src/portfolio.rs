//! Puts one question to several engines. They work side by side in rounds of equal ticks: among those that decide in a round the first in
//! the plan's order wins and the others are cancelled, so that the same file, flags and seed give the same answer whatever the
//! machine does meanwhile, unless the clock, the memory or the user stops the run.
//!
//! A proof that nobody has checked is weaker than it looks. It waits for the others, one of which may have a proof that can be checked, or
//! a trace: until a limit is reached, or, where there is no limit of time, for one round more, which is longer than all before together.

use crate::judge::{NONE_WRITTEN, judge, stop_kind};
use crate::report::Outcome;
use crate::run::Question;
use crate::starts;
use crate::supervise::{Desk, message};
use base::budget::StopHandle;
use base::{Budget, Event, Events, Stop};
use engines::{Cx, Engine, Facts};
use ir::{Reason, ReasonKind, Task};
use passes::Lifts;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The ticks of the first round. Each round has so many times more than the one before that starting anew costs little.
const FIRST_ROUND: u64 = 300_000;
const GROWTH: u64 = 4;
/// Only what is touched costs memory.
const STACK: usize = 1 << 28;

/// A question on its way to the engines.
pub struct Asked<'a> {
    /// The user's question.
    pub task: &'a Task,
    /// The same about the prepared program.
    pub prepared: &'a Task,
    /// The way back.
    pub lifts: Option<&'a Lifts>,
    /// Its options.
    pub question: &'a Question,
    /// Hears of a proof that the checker has not seen yet, and of its fall.
    pub meanwhile: &'a (dyn Fn(&'static str, Option<Outcome>) + Sync),
}

/// What came out, and who found it.
pub struct Answer {
    /// What came out.
    pub outcome: Outcome,
    /// Who found it; without an answer, who was asked if it was one alone.
    pub engine: Option<&'static str>,
}

/// What one engine says in one round.
enum Said {
    /// An answer.
    Decided(Outcome),
    /// It will never know.
    GaveUp(Reason),
    /// Its ticks ran out.
    Later,
}

/// Asks the engines of the question.
pub fn ask(asked: &Asked<'_>, desk: &mut Desk) -> Answer {
    // No start fits into the bound: whatever an engine said would be about no run. `init` runs before the threads are there.
    if let Some(reason) = starts::too_few_threads(asked.task).filter(|_| !starts::runs_before(asked.task)) {
        return Answer { outcome: Outcome::Unknown(reason), engine: None };
    }
    let (mut running, mut reasons) = (vec![], vec![]);
    for &engine in &asked.question.engines {
        match engine.accepts(asked.prepared) {
            Ok(()) => running.push(engine),
            Err(reason) => reasons.push((engine.name(), reason)),
        }
    }
    let alone = match &running[..] {
        [engine] => Some(engine.name()),
        _ => None,
    };
    let mut facts = Facts::default();
    let mut ticks = if running.len() > 1 { FIRST_ROUND } else { u64::MAX };
    let mut unchecked: Option<Answer> = None;
    while !running.is_empty() && desk.handle.reason().is_none() {
        let (mut left, mut answers) = (vec![], vec![]);
        for (engine, said) in running.iter().zip(round(asked, &running, ticks, &facts, desk)) {
            match said {
                Said::Decided(outcome) => answers.push(Answer { outcome, engine: Some(engine.name()) }),
                Said::GaveUp(reason) => reasons.push((engine.name(), reason)),
                Said::Later => left.push(*engine),
            }
        }
        if let Some(settled) = answers.iter().position(|answer| !answer.outcome.is_unchecked()) {
            return answers.swap_remove(settled);
        }
        if unchecked.is_some() && asked.question.limits.time.is_none() {
            break;
        }
        unchecked = unchecked.or_else(|| answers.into_iter().next());
        running = left;
        ticks = ticks.saturating_mul(GROWTH);
        // Not before: what an engine reads must not depend on how fast the others are.
        facts.publish();
    }
    let unknown = || Answer { outcome: Outcome::Unknown(together(&reasons)), engine: alone };
    unchecked.unwrap_or_else(unknown)
}

/// One round: what each engine says, in order. An engine after one that settled the question may be cancelled.
fn round(
    asked: &Asked<'_>,
    engines: &[&'static dyn Engine],
    ticks: u64,
    facts: &Facts,
    desk: &Desk,
) -> Vec<Said> {
    let handles: Vec<StopHandle> = engines.iter().map(|_| desk.handle.part()).collect();
    let said: Vec<Mutex<Said>> = engines.iter().map(|_| Mutex::new(Said::Later)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&engine) = engines.get(index) else { return };
            let turn = Turn { engine, budget: Budget::new(ticks, handles[index].clone()), facts };
            let answer = turn.take(asked, desk.clone());
            if matches!(&answer, Said::Decided(outcome) if !outcome.is_unchecked()) {
                handles[index + 1..].iter().for_each(|later| later.stop(Stop::Cancelled));
            }
            *said[index].lock().unwrap_or_else(PoisonError::into_inner) = answer;
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(engines.len()));
    std::thread::scope(|scope| {
        for _ in 1..workers {
            // Without another thread this one does all the work.
            let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        }
        work();
    });
    said.into_iter().map(|it| it.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// One engine in one round.
struct Turn<'a> {
    engine: &'static dyn Engine,
    budget: Budget,
    facts: &'a Facts,
}

impl Turn<'_> {
    fn take(&self, asked: &Asked<'_>, mut desk: Desk) -> Said {
        if self.budget.handle().reason().is_some() {
            return Said::Later;
        }
        match catch_unwind(AssertUnwindSafe(|| self.work(asked, &mut desk))) {
            Ok(said) => said,
            Err(payload) => Said::GaveUp(Reason::new(ReasonKind::Fault, message(&*payload))),
        }
    }

    fn work(&self, asked: &Asked<'_>, desk: &mut Desk) -> Said {
        let engine = self.engine;
        desk.emit(Event::Progress(format!("{} starts", engine.name())));
        let (settings, seed) = (&asked.question.settings, asked.question.seed);
        let mut events = Listener { desk: desk.clone(), no_certificate: NONE_WRITTEN };
        let mut cx = Cx { budget: &self.budget, events: &mut events, facts: self.facts, settings, seed };
        let verdict = match engine.run(asked.prepared, &mut cx) {
            Ok(verdict) => verdict,
            Err(Stop::Ticks | Stop::Cancelled) => return Said::Later,
            Err(stop) => return Said::GaveUp(Reason::new(stop_kind(stop), stop.to_string())),
        };
        desk.emit(Event::Progress("checks the evidence".to_string()));
        // Evidence is checked without a limit of ticks: a proof that was found must not be lost for being long.
        let patience = Budget::new(u64::MAX, self.budget.handle().clone());
        let why = events.no_certificate;
        let meanwhile =
            |outcome: &Outcome| (asked.meanwhile)(engine.name(), Some(told(outcome.clone(), why)));
        let finding = judge(asked.task, asked.lifts, verdict, &patience, meanwhile);
        if let Some(threads) = finding.safe_up_to {
            desk.emit(Event::SafeUpToThreads(threads));
        }
        match finding.outcome {
            Outcome::Unknown(reason) => {
                (asked.meanwhile)(engine.name(), None);
                Said::GaveUp(reason)
            }
            outcome => Said::Decided(told(outcome, why)),
        }
    }
}

/// Hears why an engine writes no certificate; everything else goes to the desk.
struct Listener {
    desk: Desk,
    no_certificate: &'static str,
}

impl Events for Listener {
    fn emit(&mut self, event: Event) {
        match event {
            Event::NoCertificate(why) => self.no_certificate = why,
            event => self.desk.emit(event),
        }
    }
}

/// The outcome, with what the engine says of a certificate that it did not write.
fn told(mut outcome: Outcome, why: &'static str) -> Outcome {
    if let Outcome::Safe { why_unchecked: Some(told), .. } = &mut outcome
        && told == NONE_WRITTEN
    {
        *told = why.to_string();
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
