//! The states of a program and their search: level by level, so that the first error found is a nearest one.

use super::compact::{self, LocalCount};
use super::start::{self, Sizes};
use super::statistics::Statistics;
use super::step::{Stepper, ThreadStep};
use crate::independence::{Futures, Independence};
use crate::search::{Expansion, Order, StateSearch, StateSpace, TurnEnd};
use crate::threads::{INSIDE, Threads, WATCHED, valuations};
use base::{Budget, Stop, TickBatch};

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct SearchPlan {
    /// How many threads.
    pub sizes: Sizes,
    /// Whether threads are kept as a multiset.
    pub symmetry: bool,
    /// Give up after this many states.
    pub most_states: usize,
}

/// What a search works with.
pub type ExplicitWork<'a> = crate::bounded::Work<'a, Statistics>;

/// What the search found, about a state space with these states.
#[derive(Debug)]
pub struct Exploration<S> {
    /// The states.
    pub search: StateSearch<S>,
    /// One with an error, if there is one.
    pub error: Option<u32>,
    /// Whether the bound refused a thread.
    pub refused: bool,
    /// Whether there were more states than allowed; otherwise all were explored, or there is an error.
    pub too_many: bool,
}

/// Says how far the search is whenever this many states were taken up.
const PROGRESS: u64 = 1 << 12;

/// Explores all states of a state space, at most `most` of them.
pub fn explore<M: StateSpace>(
    space: &mut M,
    most: usize,
    bound: u32,
    work: &mut ExplicitWork<'_>,
) -> Result<Exploration<M::State>, Stop> {
    let mut search = StateSearch::new(Order::Levels, most);
    let mut end = Ok(TurnEnd::Paused);
    while end == Ok(TurnEnd::Paused) {
        work.progress(search.expanded(), bound);
        end = search.advance(space, PROGRESS, work.budget);
    }
    work.statistics.transitions += search.transitions();
    let end = end?;
    let error = if let TurnEnd::Error(error) = end { Some(error) } else { None };
    Ok(Exploration { search, error, refused: false, too_many: end == TurnEnd::TooMany })
}

/// Explores the states of a program. With `independence` a thread that no other can disturb goes first.
pub fn search(
    threads: &mut Threads<'_>,
    independence: Option<&Independence>,
    plan: SearchPlan,
    work: &mut ExplicitWork<'_>,
) -> Result<Exploration<Reached>, Stop> {
    let budget = work.budget;
    let init = threads.semantics.program.start().init;
    let populations = start::populations(&mut threads.semantics, plan.sizes, budget)?;
    let starts = match init {
        None => populations.clone(),
        Some(init) => {
            let fresh = threads.semantics.fresh(init, budget)?;
            fresh.into_iter().map(|(local, _)| vec![(local, 1)]).collect()
        }
    };
    let populations = arranged(populations, plan.symmetry, budget)?;
    let starts = arranged(starts, plan.symmetry, budget)?;
    let mut space = ProgramStates {
        threads,
        stepper: Stepper::new(plan.sizes.bound, plan.symmetry, populations),
        starts,
        futures: independence.map(Independence::futures),
        independence,
        counts: StepCounts::default(),
    };
    let found = explore(&mut space, plan.most_states, plan.sizes.bound, work);
    let (counts, refused) = (space.counts, space.stepper.refused);
    work.statistics.alone += counts.alone;
    work.statistics.not_expanded += counts.not_expanded;
    work.statistics.symmetric_steps += counts.symmetric_steps;
    Ok(Exploration { refused, ..found? })
}

/// Without symmetry each thread is a group of its own. The order of the first threads does not matter: one
/// will do.
pub fn arranged(
    populations: Vec<Vec<LocalCount>>,
    symmetry: bool,
    budget: &Budget,
) -> Result<Vec<Vec<LocalCount>>, Stop> {
    if symmetry {
        return Ok(populations);
    }
    let mut arranged = vec![];
    for population in populations {
        let mut threads = vec![];
        for (local, count) in population {
            for _ in 0..count {
                budget.spend(1)?;
                threads.push((local, 1));
            }
        }
        arranged.push(threads);
    }
    Ok(arranged)
}

/// The states of a program.
struct ProgramStates<'a, 'p> {
    threads: &'a mut Threads<'p>,
    stepper: Stepper,
    /// The threads that it starts with.
    starts: Vec<Vec<LocalCount>>,
    independence: Option<&'a Independence>,
    futures: Option<Futures>,
    counts: StepCounts,
}

/// A state of a program that was reached, before it is a row.
#[derive(Clone, Copy, Debug)]
pub enum Reached {
    /// It starts with these threads.
    Start { shared: u32, number: u32 },
    /// By a step of the state that was loaded.
    Step(ThreadStep),
}

/// What is counted beside states.
#[derive(Clone, Copy, Debug, Default)]
struct StepCounts {
    alone: u64,
    not_expanded: u64,
    symmetric_steps: u64,
}

impl StateSpace for ProgramStates<'_, '_> {
    type State = Reached;

    fn starts(&mut self, ticks: &TickBatch<'_>, found: &mut Vec<Reached>) -> Result<Expansion, Stop> {
        let mut valuations = vec![];
        valuations::valuations(&mut self.threads.semantics, ticks.budget(), &mut |_, shared| {
            valuations.push(shared);
            Ok(())
        })?;
        for &shared in &valuations {
            for number in 0..self.starts.len() as u32 {
                ticks.spend(1)?;
                found.push(Reached::Start { shared, number });
            }
        }
        Ok(Expansion::Full)
    }

    fn load(&mut self, row: &[u32]) {
        self.stepper.load(self.threads, row);
    }

    fn successors(&mut self, ticks: &TickBatch<'_>, found: &mut Vec<Reached>) -> Result<Expansion, Stop> {
        ticks.spend(1)?;
        let groups = match self.alone(ticks.budget())? {
            Some(group) => group..group + 1,
            None => self.stepper.active_groups(),
        };
        for group in groups {
            self.counts.symmetric_steps += u64::from(self.stepper.groups[group].1 - 1);
            let visit = &mut |step| found.push(Reached::Step(step));
            self.stepper.steps(self.threads, group, ticks.budget(), visit)?;
        }
        Ok(Expansion::Full)
    }

    fn row(&mut self, state: Reached, row: &mut Vec<u32>) -> Result<(), Stop> {
        match state {
            Reached::Start { shared, number } => compact::encode(shared, &self.starts[number as usize], row),
            Reached::Step(step) => self.stepper.row(step, row),
        }
        Ok(())
    }

    fn is_error(&mut self, row: &[u32], budget: &Budget) -> Result<bool, Stop> {
        fails(self.threads, row, budget)
    }
}

impl ProgramStates<'_, '_> {
    /// A group with a thread that can be run alone: it can step, and nothing that others may still do has to
    /// do with it.
    fn alone(&mut self, budget: &Budget) -> Result<Option<usize>, Stop> {
        let (Some(independence), Some(futures)) = (self.independence, &mut self.futures) else {
            return Ok(None);
        };
        let (threads, stepper) = (&mut *self.threads, &self.stepper);
        if stepper.inside.is_some() || stepper.total < 2 || threads.semantics.initialising(stepper.shared) {
            return Ok(None);
        }
        futures.clear();
        for &(local, count) in &stepper.groups {
            futures.add(independence, threads.semantics.loc(local), count > 1);
        }
        for (group, &(local, _)) in stepper.groups.iter().enumerate() {
            if !independence.runs_alone(threads.semantics.loc(local), futures) {
                continue;
            }
            // A thread that is blocked may be so for ever, and then the others must not wait for it.
            let entry = threads.entry(stepper.shared, local, budget)?;
            if !entry.outcomes().is_empty() {
                self.counts.alone += 1;
                self.counts.not_expanded += u64::from(stepper.total - 1);
                return Ok(Some(group));
            }
        }
        Ok(None)
    }
}

/// Whether a thread of the state is in an error: at a label, or at an assertion that fails while it may step.
fn fails(threads: &mut Threads<'_>, row: &[u32], budget: &Budget) -> Result<bool, Stop> {
    let all = compact::groups(row).fold(0, |all, (local, _)| all | threads.mark(local));
    if all & WATCHED == 0 {
        return Ok(false);
    }
    for (local, _) in compact::groups(row) {
        let mark = threads.mark(local);
        if mark & WATCHED == 0 {
            continue;
        }
        let entry = threads.entry(row[0], local, budget)?;
        if entry.at_label || entry.fails && (all & INSIDE == 0 || mark & INSIDE != 0) {
            return Ok(true);
        }
    }
    Ok(false)
}
