//! How many threads there may be at the start, and how far a proof under a bound reaches. Tokens of a net are
//! threads here.

use crate::{Rejected, reject};
use ir::bp::{Count, Op, ProcId, Program};
use ir::net::Interval;
use ir::{Bound, Scope};

/// The procedures in which threads begin, each with how many threads do.
pub fn pools(program: &Program) -> Vec<(ProcId, Interval)> {
    let mut pools: Vec<(ProcId, Interval)> = vec![];
    for template in &program.start().templates {
        let (least, most) = match template.count {
            Count::Exactly(n) => (n, Some(n)),
            Count::AtLeast(n) => (n, None),
        };
        match pools.iter_mut().find(|it| it.0 == template.procedure) {
            Some((_, found)) => {
                found.least = found.least.saturating_add(least);
                found.most = found.most.zip(most).map(|(a, b)| a.saturating_add(b));
            }
            None => pools.push((template.procedure, Interval { least, most })),
        }
    }
    pools.retain(|it| it.1.most != Some(0));
    pools
}

/// How many threads of each pool there may be, and what the bound kept out.
pub struct Population {
    pools: Vec<Interval>,
    /// Whether a run with fewer threads than the bound is also one with idle threads added up to the bound,
    /// if more may start at all. That is so in a monotone model that creates no threads: where it does, idle
    /// threads would be in the way of children.
    idle: bool,
    /// Whether the bound ever kept out a start or a step.
    pub cut: bool,
    /// The most threads alive in a state in which one may start another.
    busiest: Option<u64>,
}

impl Population {
    /// Nothing was kept out yet.
    pub fn new(pools: Vec<Interval>, idle: bool) -> Population {
        Population { pools, idle, cut: false, busiest: None }
    }

    /// The threads of a program.
    pub fn of(program: &Program) -> Population {
        Population::new(pools(program).into_iter().map(|it| it.1).collect(), is_idle(program))
    }

    /// All numbers of threads for the pools that are at most `capacity` in all, one list after the other.
    /// None if those that must start do not fit.
    pub fn counts(&mut self, capacity: u64) -> Counts {
        let least: u64 = self.pools.iter().map(|it| u64::from(it.least)).sum();
        let possible = self.pools.iter().all(|it| it.most.is_none_or(|most| it.least <= most));
        let spare = capacity.checked_sub(least);
        let width = |it: &Interval| it.most.map_or(0, |most| u64::from(most.saturating_sub(it.least)));
        self.cut |= spare.is_none_or(|spare| self.pools.iter().map(width).sum::<u64>() > spare);
        let counts = (possible && spare.is_some()).then(|| self.pools.iter().map(|it| it.least).collect());
        let filled = self.pools.iter().position(|it| it.most.is_none()).filter(|_| self.idle);
        Counts { pools: self.pools.clone(), counts, spare: spare.unwrap_or(0), filled }
    }

    /// Notes that a thread may create another while this many are alive.
    pub fn note_start(&mut self, alive: u64) {
        self.busiest = self.busiest.max(Some(alive));
    }

    /// How far a proof under `bound` reaches; `asked` is the bound of the task.
    pub fn scope(&self, monotone: bool, bound: u32, requested: Bound) -> Result<Scope, Rejected> {
        let many = self.pools.iter().any(|it| it.most.is_none());
        let skips_at = |bound: u32| self.busiest.is_some_and(|busiest| busiest >= u64::from(bound));
        let any = !many && !self.cut && !skips_at(bound);
        // At the bound `start_thread` is a skip. A smaller bound skips where this one does not, so that the
        // states under it may be others; without a bound the skip is a child that never moves, which disturbs
        // nobody in a monotone program.
        if let Bound::AtMost(n) = requested
            && n < bound
            && skips_at(n)
            && !(any && monotone)
        {
            let why =
                "where `start_thread` is a skip at the bound, one bound says nothing about a smaller one";
            return reject(format!("the certificate is for {bound} threads, not for {n}: {why}"));
        }
        Ok(if any { Scope::ANY } else { Scope::threads(bound) })
    }
}

/// Whether idle threads never are in the way of anything.
pub fn is_idle(program: &Program) -> bool {
    program.monotone() && !program.locations().iter().any(|location| matches!(location.op, Op::Start(_)))
}

/// Numbers of threads, one for each pool.
pub struct Counts {
    pools: Vec<Interval>,
    counts: Option<Vec<u32>>,
    /// How many threads the bound has room for besides.
    spare: u64,
    /// A pool that takes all threads that there is room for.
    filled: Option<usize>,
}

impl Counts {
    /// Counts up like an odometer.
    fn advance(&mut self) {
        let Some(counts) = &mut self.counts else { return };
        for (index, (n, pool)) in counts.iter_mut().zip(&self.pools).enumerate() {
            if Some(index) == self.filled {
                continue;
            }
            if self.spare > 0 && pool.most.is_none_or(|most| *n < most) {
                *n += 1;
                self.spare -= 1;
                return;
            }
            self.spare += u64::from(*n - pool.least);
            *n = pool.least;
        }
        self.counts = None;
    }
}

impl Iterator for Counts {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        let mut counts = self.counts.clone()?;
        if let Some(filled) = self.filled {
            let spare = u32::try_from(self.spare).unwrap_or(u32::MAX);
            counts[filled] = counts[filled].saturating_add(spare);
        }
        self.advance();
        Some(counts)
    }
}
