//! The budget of a run. Engines spend ticks; the owner of the clock, the memory gauge or the user's
//! interrupt stops them by raising a flag, so that engines themselves never look at a clock.

use crate::pace::Pace;
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Why a run ended before it had an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stop {
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// All ticks are spent.
    Ticks,
    /// The user interrupted the run.
    Interrupted,
    /// Another engine was faster.
    Cancelled,
    /// The system refuses another thread or process.
    Refused,
}

impl Stop {
    const ALL: [Stop; 6] =
        [Stop::Time, Stop::Memory, Stop::Ticks, Stop::Interrupted, Stop::Cancelled, Stop::Refused];

    fn from_code(code: u8) -> Option<Stop> {
        Self::ALL.get(usize::from(code).checked_sub(1)?).copied()
    }

    fn code(self) -> u8 {
        self as u8 + 1
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Time => "time limit reached",
            Stop::Memory => "memory limit reached",
            Stop::Ticks => "tick limit reached",
            Stop::Interrupted => "interrupted",
            Stop::Cancelled => "cancelled",
            Stop::Refused => "the system refuses another thread or process (ulimit -u, ulimit -v)",
        })
    }
}

/// Raises the flag that ends a run. The first reason given stays. Handles are a tree: what stops a run stops
/// all its parts.
#[derive(Clone, Debug, Default)]
pub struct StopHandle {
    run: Arc<Run>,
}

/// A run that can be stopped, and its parts.
#[derive(Debug, Default)]
struct Run {
    flag: AtomicU8,
    parts: Mutex<Vec<Weak<Run>>>,
    /// What it is a part of lives as long as it does: a stop comes down through it.
    _whole: Option<Arc<Run>>,
}

impl Run {
    /// Stops the run and everything below it.
    fn stop(&self, reason: Stop) {
        // Parts are asked first whether they live, then stopped without the lock: the tree may be deep.
        let mut work = vec![];
        let raise = |run: &Run| {
            let first = run.flag.compare_exchange(0, reason.code(), Ordering::SeqCst, Ordering::SeqCst);
            let parts = run.parts.lock().unwrap_or_else(PoisonError::into_inner);
            first.map_or(vec![], |_| parts.iter().filter_map(Weak::upgrade).collect::<Vec<_>>())
        };
        work.extend(raise(self));
        while let Some(part) = work.pop() {
            work.extend(raise(&part));
        }
    }
}

impl StopHandle {
    /// Asks the run to stop; a run that was asked already keeps its first reason.
    pub fn stop(&self, reason: Stop) {
        self.run.stop(reason);
    }

    /// The reason, if the run was asked to stop.
    pub fn reason(&self) -> Option<Stop> {
        Stop::from_code(self.run.flag.load(Ordering::Relaxed))
    }

    /// A handle for a part of this run, which can be stopped alone.
    pub fn part(&self) -> StopHandle {
        let run = Run { _whole: Some(Arc::clone(&self.run)), ..Run::default() };
        let part = StopHandle { run: Arc::new(run) };
        let mut parts = self.run.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.retain(|it| it.strong_count() > 0);
        parts.push(Arc::downgrade(&part.run));
        drop(parts);
        // A stop before the part was listed did not see it.
        if let Some(reason) = Stop::from_code(self.run.flag.load(Ordering::SeqCst)) {
            part.stop(reason);
        }
        part
    }
}

/// Counts ticks up to a limit.
#[derive(Clone, Debug)]
struct TickCounter {
    spent: Arc<AtomicU64>,
    limit: u64,
    /// Who lets it go on, if it goes in turns.
    pace: Option<Arc<Pace>>,
}

impl TickCounter {
    fn new(limit: u64) -> TickCounter {
        TickCounter { spent: Arc::default(), limit, pace: None }
    }

    /// Whether the ticks were still there; waits for its turn first.
    fn spend(&self, ticks: u64, handle: &StopHandle) -> bool {
        let spent = self.spent.fetch_add(ticks, Ordering::Relaxed).saturating_add(ticks);
        if let Some(pace) = &self.pace {
            pace.keep(spent, handle);
        }
        spent <= self.limit
    }
}

/// What a run may still spend. Every loop whose length depends on the input calls [`Budget::spend`].
#[derive(Debug)]
pub struct Budget {
    handle: StopHandle,
    counter: TickCounter,
    /// The counters that this budget is a part of: what is spent here is spent there too.
    whole: Vec<TickCounter>,
}

impl Budget {
    /// A budget without a limit of its own: only its handle stops it.
    pub fn unlimited() -> Self {
        Self::with_ticks(u64::MAX)
    }

    /// A budget of this many ticks.
    pub fn with_ticks(limit: u64) -> Self {
        Self::new(limit, StopHandle::default())
    }

    /// A budget of this many ticks that `handle` can stop.
    pub fn new(limit: u64, handle: StopHandle) -> Self {
        Self { handle, counter: TickCounter::new(limit), whole: vec![] }
    }

    /// The same, for work that goes in turns: it waits where it has spent what it was granted.
    pub fn paced(limit: u64, handle: StopHandle, pace: Arc<Pace>) -> Self {
        Self { handle, counter: TickCounter { pace: Some(pace), ..TickCounter::new(limit) }, whole: vec![] }
    }

    /// Spends ticks; a tick is about one stored state or one solver step.
    pub fn spend(&self, ticks: u64) -> Result<(), Stop> {
        let mut enough = self.counter.spend(ticks, &self.handle);
        for counter in &self.whole {
            enough &= counter.spend(ticks, &self.handle);
        }
        match self.handle.reason() {
            Some(reason) => Err(reason),
            None if !enough => Err(Stop::Ticks),
            None => Ok(()),
        }
    }

    /// The ticks spent so far.
    pub fn spent(&self) -> u64 {
        self.counter.spent.load(Ordering::Relaxed)
    }

    /// The handle that stops this budget.
    pub fn handle(&self) -> &StopHandle {
        &self.handle
    }

    /// A budget for the evidence of an answer that was found with this one. The answer stands whatever
    /// becomes of it, and it must not go unconfirmed because the ticks of a round were few: so it may cost
    /// several times what the answer did, since a search that leaves nothing out may be much longer than the
    /// one that found the answer.
    pub fn evidence(&self) -> Budget {
        let limit = self.spent().saturating_mul(20).saturating_add(10_000_000);
        Budget::new(limit, self.handle.clone())
    }

    /// At most `limit` ticks of this budget, for a part of the work that may be given up. What the part
    /// spends, the whole has spent; if the whole runs out, so does the part.
    pub fn part(&self, limit: u64) -> Budget {
        let whole = self.whole.iter().chain([&self.counter]).cloned().collect();
        Budget { handle: self.handle.clone(), counter: TickCounter::new(limit), whole }
    }

    /// The same for work that goes in turns with other parts of this budget, and can be stopped alone.
    pub fn part_in_turns(&self, limit: u64, pace: Arc<Pace>) -> Budget {
        let part = self.part(limit);
        let counter = TickCounter { pace: Some(pace), ..part.counter };
        Budget { handle: self.handle.part(), counter, whole: part.whole }
    }
}

/// Ticks of a loop that spends few at a time, taken from a budget in batches: the counters of a budget are
/// shared.
#[derive(Debug)]
pub struct TickBatch<'b> {
    budget: &'b Budget,
    pending: Cell<u64>,
}

impl<'b> TickBatch<'b> {
    /// This many ticks are taken from the budget at once.
    const SIZE: u64 = 256;

    /// Nothing is spent yet.
    pub fn new(budget: &'b Budget) -> Self {
        Self { budget, pending: Cell::new(0) }
    }

    /// Spends ticks.
    pub fn spend(&self, ticks: u64) -> Result<(), Stop> {
        let pending = self.pending.get().saturating_add(ticks);
        self.pending.set(pending);
        if pending < Self::SIZE { Ok(()) } else { self.settle() }
    }

    /// Takes what was spent from the budget.
    pub fn settle(&self) -> Result<(), Stop> {
        self.budget.spend(self.pending.take())
    }

    /// The budget, for work that is rare.
    pub fn budget(&self) -> &'b Budget {
        self.budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_run_out() {
        let budget = Budget::with_ticks(2);
        assert_eq!(budget.spend(2), Ok(()));
        assert_eq!(budget.spend(1), Err(Stop::Ticks));
    }

    #[test]
    fn batches_of_ticks_are_settled() {
        let budget = Budget::with_ticks(TickBatch::SIZE + 1);
        let batch = TickBatch::new(&budget);
        (0..TickBatch::SIZE).for_each(|_| assert_eq!(batch.spend(1), Ok(())));
        assert_eq!(
            (budget.spent(), batch.spend(2), budget.spent()),
            (TickBatch::SIZE, Ok(()), TickBatch::SIZE)
        );
        assert_eq!((batch.settle(), budget.spent()), (Err(Stop::Ticks), TickBatch::SIZE + 2));
    }

    #[test]
    fn a_part_spends_from_the_whole() {
        let whole = Budget::with_ticks(10);
        let part = whole.part(4);
        assert_eq!((part.spend(4), part.spend(1)), (Ok(()), Err(Stop::Ticks)));
        assert_eq!((whole.spent(), whole.spend(1)), (5, Ok(())));
        assert_eq!(whole.part(100).part(100).spend(5), Err(Stop::Ticks));
    }

    #[test]
    fn the_first_reason_stays() {
        let budget = Budget::unlimited();
        for reason in Stop::ALL {
            budget.handle().stop(reason);
        }
        assert_eq!(budget.spend(0), Err(Stop::Time));
        assert_eq!(budget.part(5).spend(0), Err(Stop::Time));
    }

    #[test]
    fn a_part_stops_alone_or_with_the_whole() {
        let whole = StopHandle::default();
        let (one, other) = (whole.part(), whole.part());
        one.stop(Stop::Cancelled);
        assert_eq!((one.reason(), other.reason(), whole.reason()), (Some(Stop::Cancelled), None, None));
        let below = other.part().part();
        whole.stop(Stop::Time);
        assert_eq!((one.reason(), other.reason()), (Some(Stop::Cancelled), Some(Stop::Time)));
        assert_eq!((below.reason(), below.part().reason()), (Some(Stop::Time), Some(Stop::Time)));
    }
}
