//! The task as engines see it: the program is prepared by the passes, which carry the way back.

use base::{Budget, Events, Settings, Stop};
use ir::{Model, Task};
use passes::Lifts;
use std::sync::Arc;

/// A task made ready for engines.
pub struct Prepared {
    /// The task.
    pub task: Task,
    /// The way back to the task that it was made from, unless it is the same.
    pub lift: Option<Lifts>,
}

/// Prepares a task. What cannot be inlined is left as it is: some engines take it so.
pub fn prepare(
    task: &Task,
    settings: &Settings,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Prepared, Stop> {
    budget.spend(1)?;
    if let Model::Program(program) = &task.model
        && let Ok((program, lifts)) = passes::prepare(program, settings, events)
    {
        let task = Task { model: Model::Program(Arc::new(program)), ..task.clone() };
        return Ok(Prepared { task, lift: Some(lifts) });
    }
    Ok(Prepared { task: task.clone(), lift: None })
}
