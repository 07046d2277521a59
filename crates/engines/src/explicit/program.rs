//! The engine on programs, for one number of threads after the other.

use super::certify;
use super::search::{self, ExplicitWork, SearchPlan};
use super::settings::ExplicitOptions;
use super::start::{self, Sizes};
use super::statistics::Statistics;
use super::trace;
use crate::bounded::{Attempt, Bounded};
use crate::certificate::Proof;
use crate::command::Commands;
use crate::fewer;
use crate::independence::Independence;
use crate::threads::Threads;
use base::Stop;
use ir::{Program, Trace};

/// A program and what is known of its threads.
pub struct BoundedPrograms<'p> {
    program: &'p Program,
    commands: Commands,
    options: ExplicitOptions,
    threads: Threads<'p>,
    independence: Option<Independence>,
}

impl<'p> BoundedPrograms<'p> {
    /// A flat program with its commands.
    pub fn new(program: &'p Program, commands: Commands, options: ExplicitOptions) -> Self {
        let threads = Threads::new(program, commands.clone(), options.merging);
        let independence =
            options.reduction.then(|| Independence::new(program, |loc| threads.is_merged(loc)));
        Self { program, commands, options, threads, independence }
    }

    fn unbounded_start(&self, bound: u32) -> bool {
        start::is_unbounded(self.program) || start::fewest(self.program) > bound
    }
}

impl Bounded<Statistics> for BoundedPrograms<'_> {
    fn fewest(&self) -> u32 {
        start::fewest(self.program)
    }

    fn attempt(&mut self, bound: u32, bounded: bool, work: &mut ExplicitWork<'_>) -> Result<Attempt, Stop> {
        let sizes = Sizes { bound, exact: start::exact_is_enough(self.program) };
        let plan = SearchPlan { sizes, symmetry: self.options.symmetry, most_states: usize::MAX };
        let known = self.threads.met();
        let found = search::search(&mut self.threads, self.independence.as_ref(), plan, work)?;
        work.statistics.count(&found.search);
        work.statistics.thread_states += (self.threads.met() - known) as u64;
        work.statistics.looked_up = work.statistics.transitions.saturating_sub(work.statistics.thread_states);
        work.statistics.locals = self.threads.semantics.locals.len() as u64;
        work.statistics.shared = self.threads.semantics.shared.len() as u64;
        if found.error.is_none() {
            let refused = found.refused || self.unbounded_start(bound);
            return Ok(Attempt::Safe { refused });
        }
        let trace = trace::trace(&mut self.threads, &found, plan, bounded, work.budget)?;
        let trace =
            trace.map(|trace| if sizes.exact { fewer::drop_threads(self.program, trace) } else { trace });
        Ok(trace.map_or(Attempt::Blocked, |trace| Attempt::Unsafe(Trace::Program(trace))))
    }

    fn certificate(&mut self, bound: u32, work: &mut ExplicitWork<'_>) -> Result<Option<Proof>, Stop> {
        // All starts, all steps, every state: the search itself may have left out some of each. Starts with
        // fewer threads are left out for nets alone: a program that creates no threads may have been prepared
        // from one that does.
        let mut threads = Threads::new(self.program, self.commands.clone(), false);
        let sizes = Sizes { bound, exact: false };
        let plan = SearchPlan { sizes, symmetry: true, most_states: self.options.certificate_states };
        let (budget, statistics) = (work.budget, Default::default());
        let mut quiet = ExplicitWork { budget, events: &mut *work.events, statistics };
        let found = search::search(&mut threads, None, plan, &mut quiet)?;
        work.statistics.certificate_states = found.search.states().len() as u64;
        if found.too_many {
            return Ok(None);
        }
        assert!(found.error.is_none(), "a search without reduction finds no more errors than one with it");
        certify::reached(&threads, found.search.states(), bound, work.budget).map(Some)
    }
}
