//! The search for undefined behaviour that happens. It runs beside the proofs, as long as they do; who proves the assertions lets it go on
//! for as many ticks as the proof took. So what is told depends on ticks, not on the clock.

use super::{Known, literal, reporting};
use crate::answer::{Assumption, Note};
use crate::c::rests::Rests;
use crate::c::{Request, confirm};
use crate::supervise::RunContext;
use crate::supervise::message;
use base::budget::StopHandle;
use base::{Budget, NoEvents, Stop};
use engines::concrete::{self, Tolerated};
use front::CProperty;
use ir::Verdict;
use ir::c::{Fault, Loc, Trace};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

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
    /// The run, replayed.
    pub trace: Trace,
    /// The most threads alive at once in it.
    pub threads: u32,
    /// What it took to find it.
    pub ticks: u64,
    /// What external functions give in it.
    pub given: Vec<Assumption>,
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
pub struct Watch {
    request: Option<Request>,
    budget: Budget,
    ended: Mutex<Option<Ended>>,
    /// Told when the search has ended.
    changed: Condvar,
}

impl Watch {
    /// A search that has not begun; there is none where undefined behaviour is an error anyway.
    pub fn new(request: &Request, context: &RunContext<Note>) -> Watch {
        let request = literal(request);
        let ended = request.is_none().then(Ended::default);
        let most = match request.as_ref().map(|it| it.source.property) {
            Some(CProperty::Assert) => BLOCKING,
            _ => AT_MOST,
        };
        Watch {
            request,
            budget: Budget::new(most, context.stop.part()),
            ended: Mutex::new(ended),
            changed: Condvar::new(),
        }
    }

    /// Whether undefined behaviour that happens is an error.
    pub fn tells(&self) -> bool {
        self.request.as_ref().is_some_and(|it| it.source.property == CProperty::Default)
    }

    /// Searches until everything is known or the search is stopped.
    pub fn run(&self) {
        let Some(request) = &self.request else { return };
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let mut ended = Ended::default();
            while let Ok(false) = self.search(request, &mut ended) {}
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
    fn search(&self, request: &Request, ended: &mut Ended) -> Result<bool, Stop> {
        self.budget.spend(1)?;
        let source = &request.source;
        let steps: BTreeSet<Loc> = ended.known.met.keys().copied().collect();
        // Whoever asked for assertions alone wants to know where threads block.
        let kinds: fn(&Fault) -> bool = match source.property {
            CProperty::Assert => |_| true,
            CProperty::Default | CProperty::Memory => |_| false,
        };
        let found = concrete::search(
            concrete::Request {
                program: &source.program,
                machine: source.options(request.scope.threads.limit()),
                settings: &request.plan.settings,
                tolerated: Some(Tolerated { kinds, steps: &steps }),
            },
            &self.budget,
            &mut NoEvents,
        );
        ended.known.met.extend(found.meaningless);
        ended.waiting = found.waiting;
        match found.verdict {
            Verdict::Unsafe(trace) => Ok(self.judge(request, trace, ended)),
            Verdict::Safe { scope, .. } => {
                ended.known.excluded = scope.covers(request.scope);
                Ok(true)
            }
            Verdict::Unknown(_) => Ok(true),
        }
    }

    /// Keeps a run into an error, if it is to be told.
    fn judge(&self, request: &Request, trace: Trace, ended: &mut Ended) -> bool {
        if let ir::c::FailureKind::Meaningless(fault) = &trace.failure.kind
            && reporting::why_not(&request.source, &trace).is_some()
        {
            ended.known.met.insert(trace.failure.step.at, fault.clone());
            ended.known.excuses.extend(Rests::of(&request.source, &trace).excuses());
            return false;
        }
        let ticks = self.budget.spent();
        let replayed = confirm::replay(&request.source, &trace);
        let rests = Rests::of(&request.source, &trace);
        // An assertion that fails only by an approximated value is the business of those who prove it.
        if rests.refusal(&trace.failure.kind).is_none() {
            let given = rests.given();
            ended.finding = replayed.ok().map(|threads| Finding { trace, threads, ticks, given });
        }
        true
    }

    /// Waits until the search has ended or has spent so many ticks.
    pub fn wait(&self, ticks: u64) {
        if !self.tells() {
            return;
        }
        let mut ended = self.lock();
        while ended.is_none() && self.budget.spent() < ticks && self.budget.handle().reason().is_none() {
            let waited = self.changed.wait_timeout(ended, MOMENT).unwrap_or_else(PoisonError::into_inner);
            ended = waited.0;
        }
    }

    /// What stops the search.
    pub fn handle(&self) -> &StopHandle {
        self.budget.handle()
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
