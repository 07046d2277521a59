//! The search over the states of a program: breadth first, so that the first error found is a nearest one.

use super::compact::{self, Group};
use super::start::{self, Sizes};
use super::statistics::Statistics;
use super::step::{StepTaken, Stepper};
use crate::explore::{Explored, NONE};
use crate::independence::{Futures, Independence};
use crate::threads::{INSIDE, Threads, WATCHED, valuations};
use base::{Budget, Stop};

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How many threads.
    pub sizes: Sizes,
    /// Whether threads are kept as a multiset.
    pub symmetry: bool,
    /// Give up after so many states.
    pub most_states: usize,
}

/// What a search works with.
pub type Work<'a> = crate::bounded::Work<'a, Statistics>;

/// What the search found.
#[derive(Debug)]
pub struct Exploration {
    /// The states.
    pub explored: Explored,
    /// One with an error, if there is one; otherwise all states were explored.
    pub error: Option<u32>,
    /// Whether the bound refused a thread.
    pub refused: bool,
    /// Whether there were more states than allowed.
    pub too_many: bool,
}

/// Explores the states of a program. With `independence` a thread that no other can disturb goes first.
pub fn search(
    threads: &mut Threads<'_>,
    independence: Option<&Independence>,
    plan: Plan,
    work: &mut Work<'_>,
) -> Result<Exploration, Stop> {
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
    let mut search = Search {
        stepper: Stepper::new(plan.sizes.bound, plan.symmetry, populations),
        explored: Explored::new(),
        error: None,
        futures: independence.map(Independence::futures),
        independence,
        work,
    };
    search.start(threads, &starts)?;
    while search.error.is_none()
        && search.explored.states().len() <= plan.most_states
        && let Some(state) = search.explored.take()
    {
        search.work.progress(u64::from(state), plan.sizes.bound);
        search.expand(threads, state)?;
    }
    let Search { explored, error, stepper, .. } = search;
    let too_many = explored.states().len() > plan.most_states;
    Ok(Exploration { explored, error, refused: stepper.refused, too_many })
}

/// Without symmetry each thread is a group of its own. The order of the first threads does not matter: one will do.
pub fn arranged(
    populations: Vec<Vec<Group>>,
    symmetry: bool,
    budget: &Budget,
) -> Result<Vec<Vec<Group>>, Stop> {
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

struct Search<'a, 'b> {
    stepper: Stepper,
    explored: Explored,
    error: Option<u32>,
    independence: Option<&'a Independence>,
    futures: Option<Futures>,
    work: &'a mut Work<'b>,
}

impl Search<'_, '_> {
    fn start(&mut self, threads: &mut Threads<'_>, populations: &[Vec<Group>]) -> Result<(), Stop> {
        let mut valuations = vec![];
        valuations::valuations(&mut threads.semantics, self.work.budget, &mut |_, shared| {
            valuations.push(shared);
            Ok(())
        })?;
        let mut row = vec![];
        for &shared in &valuations {
            for population in populations {
                self.work.budget.spend(1)?;
                compact::encode(shared, population, &mut row);
                if let Some(id) = self.explored.add(&row, NONE)?
                    && self.error.is_none()
                    && fails(threads, &row, self.work.budget)?
                {
                    self.error = Some(id);
                }
            }
        }
        Ok(())
    }

    fn expand(&mut self, threads: &mut Threads<'_>, state: u32) -> Result<(), Stop> {
        self.work.budget.spend(1)?;
        self.stepper.load(threads, self.explored.states().get(state));
        let groups = match self.alone(threads)? {
            Some(group) => group..group + 1,
            None => self.stepper.active_groups(),
        };
        for group in groups {
            let (explored, error) = (&mut self.explored, &mut self.error);
            let (budget, statistics) = (self.work.budget, &mut self.work.statistics);
            statistics.symmetric_steps += u64::from(self.stepper.groups[group].1 - 1);
            self.stepper.steps(threads, group, budget, &mut |threads, row, _: StepTaken<'_>| {
                statistics.transitions += 1;
                if let Some(id) = explored.add(row, state)?
                    && error.is_none()
                    && fails(threads, row, budget)?
                {
                    *error = Some(id);
                }
                Ok(())
            })?;
            if self.error.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// A group with a thread that can be run alone: it can step, and nothing that others may still do has to do with it.
    fn alone(&mut self, threads: &mut Threads<'_>) -> Result<Option<usize>, Stop> {
        let (Some(independence), Some(futures)) = (self.independence, &mut self.futures) else {
            return Ok(None);
        };
        let stepper = &self.stepper;
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
            let entry = threads.entry(stepper.shared, local, self.work.budget)?;
            if !entry.outcomes().is_empty() {
                self.work.statistics.alone += 1;
                self.work.statistics.not_expanded += u64::from(stepper.total - 1);
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
