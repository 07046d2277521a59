//! How many threads there may be at the start, and how far a proof under a bound reaches.

use crate::picks::Splits;
use crate::{Rejected, reject};
use ir::bp::{Count, Op, ProcId, Program};
use ir::{Bound, Scope};

/// The procedures in which threads begin, each with the most threads that do; `None` for any number.
pub fn pools(program: &Program) -> Vec<(ProcId, Option<u32>)> {
    let mut pools: Vec<(ProcId, Option<u32>)> = vec![];
    for template in &program.start().templates {
        let most = match template.count {
            Count::Exactly(n) => Some(n),
            Count::AtLeast(_) => None,
        };
        match pools.iter_mut().find(|it| it.0 == template.procedure) {
            Some(found) => found.1 = found.1.zip(most).map(|(a, b)| a.saturating_add(b)),
            None => pools.push((template.procedure, most)),
        }
    }
    pools.retain(|it| it.1 != Some(0));
    pools
}

/// How many threads of each template there may be.
pub struct Population {
    /// The fewest of each template, and whether there may be more.
    templates: Vec<(u32, bool)>,
    /// Whether only full crowds need to be looked at.
    full: bool,
    /// Whether the bound ever left no room for the threads that must start.
    pub cut: bool,
    /// The most threads alive in a state in which one may start another.
    pub busiest: Option<u64>,
}

impl Population {
    /// The templates of the program.
    ///
    /// In a monotone program that creates no threads, a run with fewer threads than the bound is also one with idle threads added
    /// up to the bound, if more of them may start at all. A program that creates threads is different: idle threads leave no room
    /// for children.
    pub fn new(program: &Program) -> Population {
        let count = |count| match count {
            Count::Exactly(n) => (n, false),
            Count::AtLeast(n) => (n, true),
        };
        let templates: Vec<(u32, bool)> =
            program.start().templates.iter().map(|it| count(it.count)).collect();
        let creates = program.locations().iter().any(|location| matches!(location.op, Op::Start(_)));
        let full = templates.iter().any(|it| it.1) && program.monotone() && !creates;
        Population { templates, full, cut: false, busiest: None }
    }

    /// All numbers of threads for the templates that leave at most `room` free, one list after the other; `None` if those that
    /// must start do not fit.
    pub fn counts(&self, room: u64) -> Option<Counts> {
        let least: Vec<u32> = self.templates.iter().map(|it| it.0).collect();
        let total: u64 = least.iter().map(|&n| u64::from(n)).sum();
        let spare = u32::try_from(room.checked_sub(total)?).unwrap_or(u32::MAX);
        let open: Vec<usize> = (0..least.len()).filter(|&index| self.templates[index].1).collect();
        // One outcome more than there are open templates: a place that does not start.
        let outcomes = open.len() + usize::from(!self.full);
        let spare = if open.is_empty() { 0 } else { spare };
        Some(Counts { least, open, splits: Splits::new([(spare, outcomes)]) })
    }

    /// Notes that a thread may create another while so many are alive.
    pub fn note_start(&mut self, alive: u64) {
        self.busiest = self.busiest.max(Some(alive));
    }

    /// How far a proof under `bound` reaches; `asked` is the bound of the task.
    pub fn scope(&self, program: &Program, bound: u32, asked: Bound) -> Result<Scope, Rejected> {
        let many = self.templates.iter().any(|it| it.1);
        let skips_at = |bound: u32| self.busiest.is_some_and(|busiest| busiest >= u64::from(bound));
        let any = !many && !self.cut && !skips_at(bound);
        // At the bound `start_thread` is a skip. A smaller bound skips where this one does not, so that the states under it may
        // be others; without a bound the skip is a child that never moves, which disturbs nobody in a monotone program.
        if let Bound::AtMost(n) = asked
            && n < bound
            && skips_at(n)
            && !(any && program.monotone())
        {
            let why =
                "where `start_thread` is a skip at the bound, one bound says nothing about a smaller one";
            return reject(format!("the certificate is for {bound} threads, not for {n}: {why}"));
        }
        Ok(if any { Scope::ANY } else { Scope::threads(bound) })
    }
}

/// Numbers of threads, one for each template.
pub struct Counts {
    least: Vec<u32>,
    open: Vec<usize>,
    splits: Splits,
}

impl Iterator for Counts {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        let split = self.splits.current()?;
        let mut counts = self.least.clone();
        self.open.iter().zip(&split[0]).for_each(|(&index, &n)| counts[index] += n);
        self.splits.advance();
        Some(counts)
    }
}
