//! The search for undefined behaviour that happens. It runs beside the proofs, as long as they do; who proves
//! the assertions lets it go on for as many ticks as the proof took. So what is told depends on ticks, not on
//! the clock.

use super::rests::Rests;
use super::{Known, reporting};
use crate::judge::reaches;
use crate::supervise::message;
use ::c::{Fault, Loc, Trace};
use base::budget::StopHandle;
use base::{Budget, NoEvents, Pace, Settings, Stop};
use engines::concrete::{self, Tolerated};
use ir::c::{Model, Sought};
use ir::{Scope, Verdict};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The search goes on at least so long.
pub const AT_LEAST: u64 = 1_000_000;

/// And at most so long: its states must leave room for those of the proofs.
const AT_MOST: u64 = 100_000_000;
/// Where assertions alone are asked about, it is only there to say where threads block.
const BLOCKING: u64 = 300_000;

/// So often the search is asked how far it is.
const MOMENT: Duration = Duration::from_millis(2);

/// A run into an error of the program with nothing dropped.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The run.
    pub trace: Trace,
    /// What it took to find it.
    pub ticks: u64,
}

/// How the search ended.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// The run that is told.
    pub finding: Option<Finding>,
    /// What is known of other undefined behaviour.
    pub known: Known,
    /// Where threads stand in a state in which all of them wait for each other.
    pub waiting: Vec<Loc>,
    /// What a panic said.
    pub fault: Option<String>,
}

/// A search under way.
pub struct Watch<'a> {
    literal: Option<&'a Model>,
    scope: Scope,
    settings: &'a Settings,
    budget: Budget,
    pace: Arc<Pace>,
    ended: Mutex<Option<Ended>>,
    /// Told when the search has ended.
    changed: Condvar,
}

impl<'a> Watch<'a> {
    /// A search that has not begun; there is none where undefined behaviour is an error anyway.
    pub fn new(model: &'a Model, scope: Scope, settings: &'a Settings, stop: &StopHandle) -> Watch<'a> {
        let literal = model.literal.as_deref();
        let most = match literal.map(|it| it.property) {
            Some(Sought::Assert) => BLOCKING,
            _ => AT_MOST,
        };
        let pace = Arc::new(Pace::default());
        let budget = Budget::paced(most, stop.part(), Arc::clone(&pace));
        let ended = Mutex::new(literal.is_none().then(Ended::default));
        Watch { literal, scope, settings, budget, pace, ended, changed: Condvar::new() }
    }

    /// Whether undefined behaviour that happens is an error.
    pub fn tells(&self) -> bool {
        self.literal.is_some_and(|it| it.property == Sought::Default)
    }

    /// Lets the search go on until it has spent this many ticks.
    pub fn grant(&self, ticks: u64) {
        self.pace.grant(ticks);
    }

    /// Whether the search has done what it can with the ticks that it was granted.
    pub fn rests(&self) -> bool {
        self.lock().is_some() || self.pace.waits()
    }

    /// What it took to find a run into an error, if one was found.
    pub fn found(&self) -> Option<u64> {
        self.lock().as_ref()?.finding.as_ref().map(|it| it.ticks)
    }

    /// Where assertions alone are asked about, it is looked after a proof where threads block.
    pub fn run_after_a_proof(&self) {
        if !self.tells() {
            self.pace.grant(u64::MAX);
            self.run();
        }
    }

    /// Searches until everything is known or the search is stopped.
    pub fn run(&self) {
        let Some(literal) = self.literal else { return };
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let mut ended = Ended::default();
            while let Ok(false) = self.search(literal, &mut ended) {}
            ended
        }));
        self.end(ended.unwrap_or_else(|why| Ended { fault: Some(message(&*why)), ..Ended::default() }));
    }

    /// Nobody searches.
    pub fn give_up(&self) {
        self.end(Ended::default());
    }

    fn end(&self, ended: Ended) {
        *self.lock() = Some(ended);
        self.changed.notify_all();
    }

    /// One search; whether nothing is left to do.
    fn search(&self, literal: &Model, ended: &mut Ended) -> Result<bool, Stop> {
        self.budget.spend(1)?;
        let steps: BTreeSet<Loc> = ended.known.met.keys().copied().collect();
        // A user who asked for assertions alone wants to know where threads block.
        let kinds: fn(&Fault) -> bool = match literal.property {
            Sought::Assert => |_| true,
            Sought::Default | Sought::List(_) => |_| false,
        };
        let found = concrete::search(
            concrete::Request {
                program: &literal.program,
                machine: literal.options(self.scope.threads.limit()),
                settings: self.settings,
                tolerated: Some(Tolerated { kinds, steps: &steps }),
            },
            &self.budget,
            &mut NoEvents,
        );
        ended.known.met.extend(found.undefined);
        ended.waiting = found.waiting;
        match found.verdict {
            Verdict::Unsafe(trace) => Ok(self.judge(literal, trace, ended)),
            Verdict::Safe { scope, .. } => {
                ended.known.excluded = reaches(scope, self.scope);
                Ok(true)
            }
            Verdict::Unknown(_) => Ok(true),
        }
    }

    /// Keeps a run into an error, if it is to be told.
    fn judge(&self, literal: &Model, trace: Trace, ended: &mut Ended) -> bool {
        if let ::c::FailureKind::Undefined(fault) = &trace.failure.kind
            && reporting::why_not(literal, &trace).is_some()
        {
            ended.known.met.insert(trace.failure.step.at, fault.clone());
            ended.known.excuses.extend(Rests::of(literal, &trace).excuses());
            return false;
        }
        // An assertion that fails only by an approximated value is the business of those who prove it.
        if Rests::of(literal, &trace).refusal(&trace.failure.kind).is_none() {
            ended.finding = Some(Finding { trace, ticks: self.budget.spent() });
        }
        true
    }

    /// Lets the search go on until it has ended or has spent this many ticks in all, and ends it.
    pub fn finish(&self, ticks: u64) {
        self.finish_within(ticks, Duration::MAX);
    }

    /// The same, for no longer than this.
    pub fn finish_within(&self, ticks: u64, most: Duration) {
        if !self.tells() {
            return;
        }
        let begun = Instant::now();
        self.pace.grant(ticks.max(1));
        let mut ended = self.lock();
        let goes_on = || !self.pace.waits() && self.budget.handle().reason().is_none();
        while ended.is_none() && goes_on() && begun.elapsed() < most {
            let waited = self.changed.wait_timeout(ended, MOMENT).unwrap_or_else(PoisonError::into_inner);
            ended = waited.0;
        }
        self.budget.handle().stop(Stop::Cancelled);
    }

    /// What came of it; nothing, while the search is under way.
    pub fn ended(&self) -> Ended {
        self.lock().clone().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Ended>> {
        // A panic elsewhere leaves whole values behind.
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
