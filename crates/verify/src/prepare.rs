//! The task as engines see it: the program is prepared by the passes, which carry the way back.

use base::{Budget, Events, Settings, Stop};
use ir::{Model, Task};
use passes::Guided;
use std::sync::Arc;

/// A task made ready for engines.
pub struct Prepared {
    /// The task.
    pub task: Task,
    /// The way back to the task that it was made from, unless it is the same.
    pub lift: Option<Guided>,
}

/// Prepares a task. Nets are taken as they are.
pub fn prepare(
    task: &Task,
    settings: &Settings,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Prepared, Stop> {
    let Model::Program(program) = &task.model else {
        return Ok(Prepared { task: task.clone(), lift: None });
    };
    let prepared = passes::prepare(program, settings, budget, events)?;
    let task = Task { model: Model::Program(Arc::new(prepared.program)), ..task.clone() };
    Ok(Prepared { task, lift: Some(prepared.lift) })
}
