//! Two parts of an engine's work that take turns on its budget: one of them works at a time and both keep
//! what they have found, so that what either costs depends neither on the clock nor on the number of cores.

use base::{Bell, Budget, Pace, Stop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A part may call itself deeply; only what is touched costs memory.
const STACK: usize = 1 << 26;

/// Some work, on a budget of its own.
pub type Work<'a, T> = Box<dyn FnOnce(&Budget) -> T + Send + 'a>;

/// A part of the work.
pub struct Part<'a, T> {
    /// What it does.
    pub work: Work<'a, T>,
    /// A tick of it counts as this many.
    pub cost: u64,
}

/// What a part came to, if it has ended, and what it has spent.
pub type Progress<'a, T> = (Option<&'a T>, u64);

/// A part and how far it is.
struct Lane<'a, T> {
    work: Mutex<Option<Work<'a, T>>>,
    cost: u64,
    budget: Budget,
    pace: Arc<Pace>,
    result: Mutex<Option<T>>,
    is_done: AtomicBool,
}

impl<'a, T> Lane<'a, T> {
    fn new(part: Part<'a, T>, budget: &Budget, bell: &Arc<Bell>) -> Lane<'a, T> {
        let pace = Arc::new(Pace::with_bell(Arc::clone(bell)));
        let budget = budget.part_in_turns(u64::MAX, Arc::clone(&pace));
        let (work, result) = (Mutex::new(Some(part.work)), Mutex::new(None));
        Lane { work, cost: part.cost, budget, pace, result, is_done: AtomicBool::new(false) }
    }

    fn is_at_work(&self) -> bool {
        !self.is_done.load(Ordering::SeqCst)
    }

    fn stop(&self) {
        self.budget.handle().stop(Stop::Cancelled);
        // A thread that waits looks at once.
        self.pace.grant(0);
    }

    /// Waits until the part has ended or has spent what it was granted.
    fn wait(&self, bell: &Bell) {
        loop {
            let rung = bell.rung();
            if !self.is_at_work() || self.pace.waits() {
                return;
            }
            bell.wait(rung);
        }
    }
}

/// A panic elsewhere leaves whole values behind.
fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets two parts take turns until both have ended or `ends` says that no more is needed. The first turns
/// have `first` ticks; each later one has a quarter of what went before.
pub fn in_turns<T: Send>(
    budget: &Budget,
    parts: [Part<'_, T>; 2],
    first: u64,
    ends: &dyn Fn([Progress<'_, T>; 2]) -> bool,
) -> Result<[Option<T>; 2], Stop> {
    let bell = Arc::new(Bell::default());
    let lanes = parts.map(|part| Lane::new(part, budget, &bell));
    let (mut refused, mut ended) = (false, [true; 2]);
    std::thread::scope(|scope| {
        let mut time = first;
        while lanes.iter().any(Lane::is_at_work) && !refused {
            for lane in lanes.iter().filter(|it| it.is_at_work()) {
                lane.pace.grant(time / lane.cost);
                if let Some(work) = lock(&lane.work).take() {
                    refused |= !base::stack::spawn(scope, STACK, || end(lane, work, &bell));
                }
                if !refused {
                    lane.wait(&bell);
                }
                let results = [lock(&lanes[0].result), lock(&lanes[1].result)];
                let [one, other] = [0, 1].map(|it| (results[it].as_ref(), lanes[it].budget.spent()));
                if refused || ends([one, other]) {
                    // What the other one comes to now is of the stop.
                    ended = [one.0.is_some(), other.0.is_some()];
                    lanes.iter().for_each(Lane::stop);
                    return;
                }
            }
            time = time.saturating_add(time / 4);
        }
    });
    if refused {
        return Err(Stop::Refused);
    }
    let mut results = lanes.map(|it| it.result.into_inner().unwrap_or_else(PoisonError::into_inner));
    results.iter_mut().zip(ended).filter(|it| !it.1).for_each(|it| *it.0 = None);
    Ok(results)
}

/// Does the work of a part. A panic ends the part without a result, and the scope passes it on.
fn end<T>(lane: &Lane<'_, T>, work: Work<'_, T>, bell: &Bell) {
    let ended = Ended { is_done: &lane.is_done, bell };
    let result = work(&lane.budget);
    *lock(&lane.result) = Some(result);
    drop(ended);
}

/// Tells that a part has ended, also by a panic.
struct Ended<'a> {
    is_done: &'a AtomicBool,
    bell: &'a Bell,
}

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::SeqCst);
        self.bell.ring();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spends this many ticks one by one.
    fn spends<'a>(ticks: u64, cost: u64) -> Part<'a, Result<u64, Stop>> {
        let work = move |budget: &Budget| (0..ticks).try_for_each(|_| budget.spend(1)).map(|()| ticks);
        Part { work: Box::new(work), cost }
    }

    #[test]
    fn the_shorter_part_ends_the_longer_one() {
        let budget = Budget::unlimited();
        let ends = |parts: [Progress<'_, _>; 2]| parts.iter().any(|it| it.0.is_some());
        let runs = [(); 3].map(|()| {
            let before = budget.spent();
            let found = in_turns(&budget, [spends(1_000_000, 1), spends(1000, 2)], 100, &ends);
            (found, budget.spent() - before)
        });
        assert_eq!(runs[0].0, Ok([None, Some(Ok(1000))]));
        assert!(runs[0].1 < 5000, "it took {}", runs[0].1);
        assert!(runs.iter().all(|it| *it == runs[0]), "{runs:?}");
    }

    #[test]
    fn both_end_with_the_budget() {
        let budget = Budget::with_ticks(500);
        let found = in_turns(&budget, [spends(1000, 1), spends(1000, 1)], 100, &|_| false);
        assert_eq!(found, Ok([Some(Err(Stop::Ticks)), Some(Err(Stop::Ticks))]));
    }
}
