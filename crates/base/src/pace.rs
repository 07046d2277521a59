//! Work in turns. A search keeps what it has found where it waits for its turn, so that several can share the
//! machine by ticks without starting anew, and who is how far does not depend on the clock.

use crate::budget::StopHandle;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// So often work that waits looks whether it was stopped.
const MOMENT: Duration = Duration::from_millis(5);

/// Rung whenever work that a scheduler looks after has come to where it waits, or to its end.
#[derive(Debug, Default)]
pub struct Bell {
    rung: Mutex<u64>,
    changed: Condvar,
}

impl Bell {
    /// Wakes the listeners.
    pub fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// How often it was rung.
    pub fn rung(&self) -> u64 {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it was rung more often than so, but no longer than a moment: stops come without a bell.
    pub fn wait(&self, seen: u64) {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_timeout_while(rung, MOMENT, |rung| *rung == seen));
    }
}

/// How far work may go, and whether it waits there.
#[derive(Debug, Default)]
pub struct Pace {
    granted: AtomicU64,
    /// Whether somebody waits for more.
    waits: Mutex<bool>,
    changed: Condvar,
    bell: Option<Arc<Bell>>,
}

impl Pace {
    /// Work that rings when it waits.
    pub fn with_bell(bell: Arc<Bell>) -> Pace {
        Pace { bell: Some(bell), ..Pace::default() }
    }

    /// Lets the work go on until it has spent this many ticks in all.
    pub fn grant(&self, ticks: u64) {
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        self.granted.store(ticks, Ordering::SeqCst);
        *waits = false;
        self.changed.notify_all();
    }

    /// Whether the work has spent what it was granted.
    pub fn waits(&self) -> bool {
        *self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while more was spent than was granted, unless the work is stopped.
    pub(crate) fn keep(&self, spent: u64, handle: &StopHandle) {
        if spent <= self.granted.load(Ordering::Relaxed) {
            return;
        }
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        while spent > self.granted.load(Ordering::SeqCst) && handle.reason().is_none() {
            if !std::mem::replace(&mut *waits, true) {
                self.bell.iter().for_each(|bell| bell.ring());
            }
            let waited = self.changed.wait_timeout(waits, MOMENT).unwrap_or_else(PoisonError::into_inner);
            waits = waited.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Stop};

    #[test]
    fn work_waits_for_its_turn() {
        let bell = Arc::new(Bell::default());
        let pace = Arc::new(Pace::with_bell(Arc::clone(&bell)));
        pace.grant(10);
        let budget = Budget::paced(100, StopHandle::default(), Arc::clone(&pace));
        std::thread::scope(|scope| {
            let work = scope.spawn(|| (budget.spend(10), budget.part(50).spend(20), budget.spend(80)));
            while !pace.waits() {
                bell.wait(0);
            }
            assert_eq!((budget.spent(), bell.rung()), (30, 1));
            pace.grant(1000);
            assert_eq!(work.join().expect("it does not panic"), (Ok(()), Ok(()), Err(Stop::Ticks)));
        });
        pace.grant(0);
        budget.handle().stop(Stop::Cancelled);
        assert_eq!(budget.spend(1), Err(Stop::Cancelled), "who was stopped does not wait");
    }

    #[test]
    fn a_part_in_turns_spends_from_the_whole_and_stops_alone() {
        let whole = Budget::with_ticks(10);
        let pace = Arc::new(Pace::default());
        pace.grant(100);
        let part = whole.part_in_turns(50, pace);
        assert_eq!((part.spend(4), whole.spent()), (Ok(()), 4));
        part.handle().stop(Stop::Cancelled);
        assert_eq!((part.spend(1), whole.spend(1)), (Err(Stop::Cancelled), Ok(())));
    }
}
