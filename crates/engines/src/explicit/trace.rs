//! From a path of compact states to a run with a name for every thread: the path is replayed forward.
//!
//! A thread that the bound refused is created if the question was about any number of threads, and stays
//! idle.

use super::search::{Exploration, Reached, SearchPlan, arranged};
use super::start;
use super::step::{Stepper, ThreadStep};
use crate::threads::Threads;
use crate::threads::replay::{Replay, Taken};
use base::{Budget, Stop};
use ir::trace::ProgramTrace;

/// The run to the error that was found, or `None` if the refused threads, created and idle, stand in its way.
/// Without `bounded` the run is one of the program without a bound.
pub fn trace(
    threads: &mut Threads<'_>,
    found: &Exploration<Reached>,
    plan: SearchPlan,
    bounded: bool,
    budget: &Budget,
) -> Result<Option<ProgramTrace>, Stop> {
    let error = found.error.expect("there is an error");
    let path = found.search.path(error);
    let populations = start::populations(&mut threads.semantics, plan.sizes, budget)?;
    let populations = arranged(populations, plan.symmetry, budget)?;
    let mut stepper = Stepper::new(plan.sizes.bound, plan.symmetry, populations);
    stepper.load(threads, found.search.states().get(path[0]));
    let bound = bounded.then_some(plan.sizes.bound);
    let mut replay = Replay::new(threads, bound, stepper.shared, &stepper.groups, budget);
    for pair in path.windows(2) {
        let target = found.search.states().get(pair[1]);
        stepper.load(replay.threads, found.search.states().get(pair[0]));
        let taken = find(&mut replay, &mut stepper, target)?;
        if !replay.perform(stepper.shared, &taken)? {
            return Ok(None);
        }
    }
    Ok(Some(replay.trace.finish().expect("the path leads to an error")))
}

/// A step from the loaded state to the target.
fn find(replay: &mut Replay<'_, '_>, stepper: &mut Stepper, target: &[u32]) -> Result<Taken, Stop> {
    let mut steps = vec![];
    for group in stepper.active_groups() {
        stepper.steps(replay.threads, group, replay.budget, &mut |step| steps.push(step))?;
    }
    let mut row = vec![];
    let leads_there = |step: &&ThreadStep| {
        row.clear();
        stepper.row(**step, &mut row);
        row == target
    };
    let step = *steps.iter().find(leads_there).expect("the search took a step from one to the other");
    Ok(stepper.taken(step))
}
