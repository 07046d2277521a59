//! From a path of compact states to a run with a name for every thread: the path is replayed forward.
//!
//! A thread that the bound refused is created if the question was about any number of threads, and stays idle.

use super::search::{Exploration, Plan, arranged};
use super::start;
use super::step::Stepper;
use crate::threads::Threads;
use crate::threads::replay::{Replay, Taken};
use base::{Budget, Stop};
use ir::trace::ProgramTrace;

/// The run to the error that was found, or `None` if the refused threads, created and idle, stand in its way. Without `bounded`
/// the run is one of the program without a bound.
pub fn trace(
    threads: &mut Threads<'_>,
    found: &Exploration,
    plan: Plan,
    bounded: bool,
    budget: &Budget,
) -> Result<Option<ProgramTrace>, Stop> {
    let error = found.error.expect("there is an error");
    let path = found.explored.path(error);
    let populations = start::populations(&mut threads.semantics, plan.sizes, budget)?;
    let populations = arranged(populations, plan.symmetry, budget)?;
    let mut stepper = Stepper::new(plan.sizes.bound, plan.symmetry, populations);
    stepper.load(threads, found.explored.states().get(path[0]));
    let bound = bounded.then_some(plan.sizes.bound);
    let mut replay = Replay::new(threads, bound, stepper.shared, &stepper.groups, budget);
    for pair in path.windows(2) {
        let target = found.explored.states().get(pair[1]);
        stepper.load(replay.threads, found.explored.states().get(pair[0]));
        let taken = find(&mut replay, &mut stepper, target)?;
        if !replay.perform(stepper.shared, &taken)? {
            return Ok(None);
        }
    }
    Ok(Some(replay.trace.finish().expect("the path leads to an error")))
}

/// A step from the loaded state to the target.
fn find(replay: &mut Replay<'_, '_>, stepper: &mut Stepper, target: &[u32]) -> Result<Taken, Stop> {
    let mut taken = None;
    for group in stepper.active_groups() {
        let local = stepper.groups[group].0;
        stepper.steps(replay.threads, group, replay.budget, &mut |_, row, via| {
            if taken.is_none() && row == target {
                let (reacted, population) = (via.reacted.to_vec(), via.population.to_vec());
                let (outcome, refused) = (via.outcome, via.refused);
                taken = Some(Taken { local, outcome, refused, reacted, population });
            }
            Ok(())
        })?;
    }
    Ok(taken.expect("the search took a step from one to the other"))
}
