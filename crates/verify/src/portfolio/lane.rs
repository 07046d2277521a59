//! One engine at work beside others: how far it is, in its own ticks and in the time that all share.

use super::candidates::Candidate;
use super::{EngineResult, Request, settles};
use crate::answer::Answer;
use base::{Bell, Budget, Pace, Stop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// An engine and how far it is.
pub struct Lane {
    pub candidate: Candidate,
    pub budget: Budget,
    pace: Arc<Pace>,
    has_begun: AtomicBool,
    is_done: AtomicBool,
    answer: Mutex<Option<Answer>>,
}

impl Lane {
    /// An engine that has not begun. It pays for itself, or its caller pays for all of them.
    pub fn new(request: &Request<'_>, candidate: Candidate, bell: &Arc<Bell>) -> Lane {
        let pace = Arc::new(Pace::with_bell(Arc::clone(bell)));
        let most = request.plan.most_ticks;
        let budget = match request.host.budget {
            Some(budget) => budget.part_in_turns(most, Arc::clone(&pace)),
            None => Budget::paced(most, request.host.stop.part(), Arc::clone(&pace)),
        };
        let [has_begun, is_done] = [(); 2].map(|()| AtomicBool::new(false));
        Lane { candidate, budget, pace, has_begun, is_done, answer: Mutex::new(None) }
    }

    /// Lets the engine go on until this time.
    pub fn grant(&self, time: u64) {
        self.pace.grant(self.candidate.ticks(time));
    }

    /// Whether it has to be begun; it has, after that.
    pub fn begins(&self) -> bool {
        !self.has_begun.swap(true, Ordering::SeqCst)
    }

    /// The engine has ended, with or without an answer.
    pub fn end(&self, answer: Option<Answer>) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = answer;
        self.is_done.store(true, Ordering::SeqCst);
    }

    /// The time to which the engine has come.
    pub fn time(&self) -> u64 {
        self.candidate.time(self.budget.spent())
    }

    /// Whether the engine has not ended.
    pub fn is_at_work(&self) -> bool {
        !self.is_done.load(Ordering::SeqCst)
    }

    /// Whether the engine has done what it can in this round.
    pub fn rests(&self) -> bool {
        !self.is_at_work() || self.pace.waits() || self.budget.handle().reason().is_some()
    }

    /// Whether it has an answer than which nothing better can come.
    pub fn settles(&self) -> bool {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(settles)
    }

    /// Ends the engine where it is.
    pub fn stop(&self) {
        self.budget.handle().stop(Stop::Cancelled);
        // A thread that waits looks at once.
        self.pace.grant(0);
    }

    /// What the engine said, if anything.
    pub fn result(&self) -> Option<EngineResult> {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let (engine, ticks) = (self.candidate.engine.name(), self.budget.spent());
        Some(EngineResult { engine, answer, ticks, time: self.time() })
    }
}
