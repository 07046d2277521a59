//! The ways side by side. An error or a confirmed proof ends the race. After a proof that nobody has checked only those go on that can
//! give one that is confirmed, until the time ends; without a time limit they have as long again as was spent.

use super::{Found, Request, Way, WayResult, one};
use crate::answer::Note;
use crate::supervise::RunContext;
use base::budget::StopHandle;
use base::{Budget, Stop};
use std::sync::{Condvar, MutexGuard};
use std::time::{Duration, Instant};

/// So long at least others have to confirm a proof.
const AT_LEAST: Duration = Duration::from_millis(500);

/// The ways of a plan at work.
pub struct Race<'a> {
    request: &'a Request,
    context: &'a RunContext<Note>,
    handles: Vec<(Way, StopHandle)>,
    begun: Instant,
    /// The number of results when all have ended.
    all: usize,
    results: &'a Found,
    /// Told when a way has ended.
    ended: Condvar,
}

impl<'a> Race<'a> {
    /// The ways of the request, at work since `begun`; a result may be there already.
    pub fn new(
        request: &'a Request,
        context: &'a RunContext<Note>,
        begun: Instant,
        results: &'a Found,
    ) -> Self {
        let handles: Vec<_> = request.plan.ways.iter().map(|&way| (way, context.stop.part())).collect();
        let race = Self {
            request,
            context,
            handles,
            begun,
            all: request.plan.ways.len() + results.lock().len(),
            results,
            ended: Condvar::new(),
        };
        if race.lock().iter().any(WayResult::decides) {
            race.stop_those_without_certificates();
        }
        race
    }

    /// Asks one way.
    pub fn run(&self, way: Way) {
        let Some((_, handle)) = self.handles.iter().find(|it| it.0 == way) else { return };
        let result = one(way, self.request, &Budget::new(u64::MAX, handle.clone()), self.context);
        let settles = result.settles();
        self.lock().push(result);
        self.ended.notify_all();
        if settles {
            self.handles.iter().for_each(|(_, handle)| handle.stop(Stop::Cancelled));
        } else if self.lock().iter().any(WayResult::decides) {
            self.stop_those_without_certificates();
            self.wait_for_a_certificate();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<WayResult>> {
        self.results.lock()
    }

    fn stop_those_without_certificates(&self) {
        let others = self.handles.iter().filter(|(way, _)| !way.has_certificates());
        others.for_each(|(_, handle)| handle.stop(Stop::Cancelled));
    }

    /// Without a time limit: waits for the ways that are still at work, then stops them.
    fn wait_for_a_certificate(&self) {
        if self.request.limits.time.is_some() {
            return;
        }
        let longest = self.begun.elapsed().max(AT_LEAST);
        let waited = self.ended.wait_timeout_while(self.lock(), longest, |results| results.len() < self.all);
        drop(waited);
        self.handles.iter().for_each(|(_, handle)| handle.stop(Stop::Cancelled));
    }
}
