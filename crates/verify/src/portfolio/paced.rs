//! Rounds in which engines go on where they were. Each has a thread of its own, which waits where it has spent the ticks of the round. Beside
//! them, in the same rounds, undefined behaviour is looked for.

use super::turn::Turn;
use super::{ALONE, Candidate, EngineResult, Request, STACK, settles};
use crate::answer::Answer;
use crate::c;
use crate::undefined::{AT_LEAST, Watch};
use ::engines::Facts;
use base::{Budget, Pace, Stop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Scope;
use std::time::Duration;

/// So often it is looked who waits.
const MOMENT: Duration = Duration::from_millis(1);

/// The first round of those that begin after the search of all states, in ticks of that.
const SHORT_ROUND: u64 = 40_000;
/// The same after a proof for which there is no certificate: about half a second.
const CERTIFICATE_ROUND: u64 = 400_000;

/// After a proof without a certificate it is waited for one as long again as all have worked: fewer are left to work.
const CERTIFICATE_GROWTH: u64 = 5;

/// Engines that go on in each round.
pub struct Paced<'scope, 'env> {
    request: &'env Request<'env>,
    lanes: Vec<Arc<Lane>>,
    is_first: bool,
    facts: &'env Facts,
    watch: &'env Watch<'env>,
    scope: &'scope Scope<'scope, 'env>,
    ended: Arc<Signal>,
}

/// An engine and how far it is.
struct Lane {
    candidate: Candidate,
    budget: Budget,
    pace: Arc<Pace>,
    has_begun: AtomicBool,
    is_done: AtomicBool,
    answer: Mutex<Option<Answer>>,
}

/// Told when somebody has ended.
#[derive(Default)]
struct Signal {
    lock: Mutex<()>,
    changed: Condvar,
}

impl Signal {
    fn wait(&self) {
        let guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        // Whether it was told or not: it is looked again.
        drop(self.changed.wait_timeout(guard, MOMENT));
    }

    fn tell(&self) {
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }
}

impl Lane {
    /// How many ticks the engine may have spent when the search of all states may have spent so many.
    fn limit(&self, ticks: u64) -> u64 {
        match c::ticks_of_the_search(self.candidate.engine) {
            1 => ticks,
            slower => ticks.saturating_sub(ALONE) / slower,
        }
    }

    /// The other way round: where the search of all states was allowed to be when the engine came as far as it is.
    fn time(&self) -> u64 {
        match c::ticks_of_the_search(self.candidate.engine) {
            1 => self.budget.spent(),
            slower => ALONE.saturating_add(self.budget.spent().saturating_mul(slower)),
        }
    }

    fn is_at_work(&self) -> bool {
        !self.is_done.load(Ordering::SeqCst)
    }

    /// Whether the lane has done what it can in this round.
    fn rests(&self) -> bool {
        !self.is_at_work() || self.pace.waits() || self.budget.handle().reason().is_some()
    }

    fn settles(&self) -> bool {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(settles)
    }

    fn stop(&self) {
        self.budget.handle().stop(Stop::Cancelled);
    }
}

impl<'scope, 'env> Paced<'scope, 'env> {
    /// These engines, none of which has begun.
    pub fn new(
        request: &'env Request<'env>,
        candidates: Vec<Candidate>,
        facts: &'env Facts,
        watch: &'env Watch<'env>,
        scope: &'scope Scope<'scope, 'env>,
    ) -> Paced<'scope, 'env> {
        let lane = |candidate| {
            let pace = Arc::new(Pace::default());
            let budget = Budget::paced(u64::MAX, request.host.stop.part(), Arc::clone(&pace));
            let [has_begun, is_done] = [(); 2].map(|()| AtomicBool::new(false));
            Arc::new(Lane { candidate, budget, pace, has_begun, is_done, answer: Mutex::new(None) })
        };
        let lanes = candidates.into_iter().map(lane).collect();
        Paced { request, lanes, is_first: true, facts, watch, scope, ended: Arc::default() }
    }

    /// Whether somebody is at work.
    pub fn is_running(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// The ticks of the first round: all, for one engine alone that nobody watches.
    pub fn first(&self) -> u64 {
        match &self.lanes[..] {
            [_] if !self.watch.tells() => u64::MAX,
            [first, ..] if c::is_concrete(first.candidate.engine) => ALONE,
            _ => ALONE + SHORT_ROUND,
        }
    }

    /// The ticks of the round after one with so many: those that do not begin at once have twice as many. `unchecked`: there is a proof, and it is
    /// waited whether somebody has one with a certificate.
    pub fn next(&self, ticks: u64, unchecked: bool) -> u64 {
        let (growth, least) =
            if unchecked { (CERTIFICATE_GROWTH, CERTIFICATE_ROUND) } else { (2, SHORT_ROUND) };
        ALONE.saturating_add(ticks.saturating_sub(ALONE).saturating_mul(growth).max(least))
    }

    /// One round.
    pub fn round(&mut self, ticks: u64) -> Vec<EngineResult> {
        let is_first = std::mem::replace(&mut self.is_first, false);
        if self.watch.tells() {
            self.watch.grant(ticks.min(AT_LEAST).max(ticks / 2));
            if is_first {
                self.begin_watch();
            }
        }
        // Most errors are found by the search of all states, with few ticks: the others begin after it.
        let is_alone = is_first && c::is_concrete(self.lanes[0].candidate.engine);
        let working = if is_alone { &self.lanes[..1] } else { &self.lanes[..] };
        for lane in working {
            lane.pace.grant(lane.limit(ticks));
            if !lane.has_begun.swap(true, Ordering::SeqCst) {
                self.begin(lane);
            }
        }
        self.wait(working, ticks);
        self.collect()
    }

    fn begin_watch(&self) {
        let (watch, ended) = (self.watch, Arc::clone(&self.ended));
        let body = move || {
            watch.run();
            ended.tell();
        };
        if !base::stack::spawn(self.scope, STACK, body) {
            self.watch.give_up();
        }
    }

    fn begin(&self, lane: &Arc<Lane>) {
        let (request, facts, ended) = (self.request, self.facts, Arc::clone(&self.ended));
        let body = {
            let lane = Arc::clone(lane);
            move || {
                let turn = Turn { engine: lane.candidate.engine, budget: &lane.budget, facts };
                let answer = turn.take(request);
                *lane.answer.lock().unwrap_or_else(PoisonError::into_inner) = answer;
                lane.is_done.store(true, Ordering::SeqCst);
                ended.tell();
            }
        };
        if !base::stack::spawn(self.scope, STACK, body) {
            let reason = self.request.host.limits.reason(Stop::Refused);
            *lane.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(Answer::unknown(reason));
            lane.is_done.store(true, Ordering::SeqCst);
        }
    }

    /// Waits for the end of the round: all have spent their ticks or ended. When one has settled the question, the others go on only as far as
    /// it came.
    fn wait(&self, lanes: &[Arc<Lane>], ticks: u64) {
        let mut last = ticks;
        loop {
            let settled = lanes.iter().filter(|it| it.settles()).map(|it| it.time()).min();
            if let Some(time) = settled.filter(|time| *time < last) {
                // Whoever comes to an answer later has nothing to say.
                last = time;
                lanes.iter().for_each(|it| it.pace.grant(it.limit(time)));
            }
            // Where somebody settles the question, the watch is waited for at the end, for as long as it is owed.
            let is_watched = !self.watch.tells() || settled.is_some() || self.watch.rests();
            if self.request.is_stopped() || (is_watched && lanes.iter().all(|it| it.rests())) {
                break;
            }
            if self.is_found_early() {
                lanes.iter().for_each(|lane| lane.stop());
                break;
            }
            self.ended.wait();
        }
        // Whoever was stopped by a limit says so in a moment.
        while self.request.is_stopped() && lanes.iter().any(|it| it.is_at_work()) {
            self.ended.wait();
        }
    }

    /// Whether undefined behaviour was found so early that only an error which the search of all states finds with as few ticks is told
    /// rather than it.
    fn is_found_early(&self) -> bool {
        let Some(found) = self.watch.found().filter(|ticks| *ticks <= AT_LEAST) else { return false };
        let concrete = self.lanes.iter().find(|it| c::is_concrete(it.candidate.engine));
        concrete.is_none_or(|it| !it.is_at_work() || it.budget.spent() >= found.max(ALONE))
    }

    /// Whether nobody needs to say any more: undefined behaviour was found.
    pub fn is_cut_short(&self) -> bool {
        self.watch.found().is_some()
    }

    /// What those engines say that have ended.
    fn collect(&mut self) -> Vec<EngineResult> {
        let (left, mut done): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.lanes).into_iter().partition(|lane| lane.is_at_work());
        self.lanes = left;
        // The one that needed least comes first.
        done.sort_by_key(|lane| lane.time());
        let result = |lane: Arc<Lane>| {
            let answer = lane.answer.lock().unwrap_or_else(PoisonError::into_inner).take()?;
            Some(EngineResult { engine: lane.candidate.engine.name(), answer, ticks: lane.budget.spent() })
        };
        done.into_iter().filter_map(result).collect()
    }

    /// Ends those engines whose proofs have no certificates.
    pub fn stop_those_without_certificates(&mut self) {
        let (stopped, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.lanes).into_iter().partition(|it| c::is_concrete(it.candidate.engine));
        stopped.iter().for_each(|lane| lane.stop());
        self.lanes = left;
    }

    /// Ends everything. The search for undefined behaviour goes on for as many ticks as it is owed.
    pub fn end(self, results: &[EngineResult]) {
        self.lanes.iter().for_each(|lane| lane.stop());
        self.watch.finish(super::reasons::owed(results));
    }
}
