//! Work in turns. A search keeps what it has found where it waits for its turn, so that several can share the machine by ticks without starting
//! anew, and who is how far does not depend on the clock.

use crate::budget::StopHandle;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// So often work that waits looks whether it was stopped.
const MOMENT: Duration = Duration::from_millis(5);

/// How far work may go, and whether it waits there.
#[derive(Debug, Default)]
pub struct Pace {
    granted: AtomicU64,
    /// Whether somebody waits for more.
    waits: Mutex<bool>,
    changed: Condvar,
}

impl Pace {
    /// Lets the work go on until it has spent so many ticks in all.
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
            *waits = true;
            let waited = self.changed.wait_timeout(waits, MOMENT).unwrap_or_else(PoisonError::into_inner);
            waits = waited.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Stop};
    use std::sync::Arc;

    #[test]
    fn work_waits_for_its_turn() {
        let pace = Arc::new(Pace::default());
        pace.grant(10);
        let budget = Budget::paced(100, StopHandle::default(), Arc::clone(&pace));
        std::thread::scope(|scope| {
            let work = scope.spawn(|| (budget.spend(10), budget.part(50).spend(20), budget.spend(80)));
            while !pace.waits() {
                std::thread::yield_now();
            }
            assert_eq!(budget.spent(), 30);
            pace.grant(1000);
            assert_eq!(work.join().expect("it does not panic"), (Ok(()), Ok(()), Err(Stop::Ticks)));
        });
        pace.grant(0);
        budget.handle().stop(Stop::Cancelled);
        assert_eq!(budget.spend(1), Err(Stop::Cancelled), "who was stopped does not wait");
    }
}
