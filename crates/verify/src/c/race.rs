//! The ways side by side. An error or a confirmed proof ends the race, and so does undefined behaviour that happens. After a proof that nobody has checked only those go on that can give one that is confirmed, for as long again as was spent: whether there is a time limit or not.

use super::undefined::{AT_LEAST, Watch};
use super::{Found, Request, Way, WayResult, one};
use crate::answer::Note;
use crate::supervise::RunContext;
use base::{Budget, Stop};
use std::sync::{Condvar, MutexGuard};
use std::time::{Duration, Instant};

/// So long at least others have to confirm a proof.
const AT_LEAST_FOR_CERTIFICATES: Duration = Duration::from_millis(500);
/// So often it is looked whether undefined behaviour was found.
const MOMENT: Duration = Duration::from_millis(2);

/// The ways of a plan at work.
pub struct Race<'a> {
    request: &'a Request,
    context: &'a RunContext<Note>,
    budgets: Vec<(Way, Budget)>,
    begun: Instant,
    /// The number of results when all have ended.
    all: usize,
    results: &'a Found,
    watch: &'a Watch,
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
        watch: &'a Watch,
    ) -> Self {
        let budget = |&way: &Way| (way, Budget::new(u64::MAX, context.stop.part()));
        let race = Self {
            request,
            context,
            budgets: request.plan.ways.iter().map(budget).collect(),
            begun,
            all: request.plan.ways.len() + results.lock().len(),
            results,
            watch,
            ended: Condvar::new(),
        };
        if race.lock().iter().any(WayResult::decides) {
            race.stop_those_without_certificates();
        }
        race
    }

    /// Asks one way.
    pub fn run(&self, way: Way) {
        let Some((_, budget)) = self.budgets.iter().find(|it| it.0 == way) else { return };
        let result = one(way, self.request, budget, self.context);
        let settles = result.settles();
        self.lock().push(result);
        self.ended.notify_all();
        if settles {
            self.stop_all();
        } else if self.lock().iter().any(WayResult::decides) {
            self.stop_those_without_certificates();
            self.wait_for_a_certificate();
        }
    }

    /// Ends the race when undefined behaviour was found, unless the concrete way finds a failing assertion with as many ticks.
    pub fn stop_at_undefined(&self) {
        let concrete = self.budgets.iter().find(|it| it.0 == Way::Concrete).map(|it| &it.1);
        while !self.is_over() {
            let found = self.watch.ended().finding.map(|it| it.ticks);
            let later = |ticks: u64| {
                let ended = || self.lock().iter().any(|it| it.way == Way::Concrete);
                ticks <= AT_LEAST || concrete.is_none_or(|it| it.spent() >= ticks || ended())
            };
            if found.is_some_and(later) {
                return self.stop_all();
            }
            std::thread::sleep(MOMENT);
        }
    }

    fn is_over(&self) -> bool {
        self.lock().len() >= self.all
    }

    fn lock(&self) -> MutexGuard<'_, Vec<WayResult>> {
        self.results.lock()
    }

    fn stop_all(&self) {
        self.budgets.iter().for_each(|(_, budget)| budget.handle().stop(Stop::Cancelled));
    }

    fn stop_those_without_certificates(&self) {
        let others = self.budgets.iter().filter(|(way, _)| !way.has_certificates());
        others.for_each(|(_, budget)| budget.handle().stop(Stop::Cancelled));
    }

    /// Waits for the ways that are still at work, then stops them.
    fn wait_for_a_certificate(&self) {
        let longest = self.begun.elapsed().max(AT_LEAST_FOR_CERTIFICATES);
        let waited = self.ended.wait_timeout_while(self.lock(), longest, |results| results.len() < self.all);
        drop(waited);
        self.stop_all();
    }
}
