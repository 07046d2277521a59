//! Evidence about C programs: traces are replayed on the reference semantics, proofs by all states are gone
//! through again. No formula is asked.

pub mod states;

use crate::replay::{Replay, Run};
use crate::{Rejected, reject};
use c::{Machine, Trace};
use ir::c::Model;

/// Replays a run into an error: each step is one of the program, with these values, and the last one fails as
/// it is said to.
pub fn replay(model: &Model, trace: &Trace) -> Result<Replay, Rejected> {
    let program = &model.program;
    if trace.options != model.options(trace.options.threads) {
        return reject("the trace was made under other options");
    }
    let steps = trace.bare();
    if let Some(step) = steps.iter().find(|step| program.locations().get(step.at).is_none()) {
        return reject(format!("the program has no location {:?}", step.at));
    }
    let run = Machine::new(program, trace.options).replay(trace).map_err(|refused| {
        let place = steps.get(refused.at).and_then(|step| program.at(step.at).span);
        Rejected::new(format!("step {}: {}", refused.at + 1, refused.why)).at(place)
    })?;
    Ok(Replay { run: Run::C(run.states), threads: u64::from(run.threads) })
}
