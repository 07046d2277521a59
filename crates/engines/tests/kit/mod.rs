//! What the tests of all engines share: asking one, and believing no trace that was not replayed.

use base::{Budget, Events, Settings, Stop};
use engines::{Cx, Engine, Facts};
use ir::{Bound, Model, Scope, Task, Trace, Verdict};

/// Whether an error can be reached with this many threads.
pub fn task(model: &Model, threads: Bound) -> Task {
    Task::new(model.clone(), Scope { threads })
}

/// What an engine says with these options.
pub fn ask<'s>(
    engine: &dyn Engine,
    task: &Task,
    options: impl IntoIterator<Item = &'s (&'s str, &'s str)>,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Verdict, Stop> {
    let mut settings = Settings::default();
    for (name, value) in options {
        settings.set(&[engine.settings()], name, value).expect("the option exists");
    }
    engine.run(task, &mut Cx { budget, events, facts: &Facts::default(), settings: &settings, seed: 0 })
}

/// Replays a trace step by step, with at most as many threads as the task has; its length.
pub fn replay(task: &Task, trace: &Trace) -> usize {
    check::trace(task, trace).expect("a trace is a run into the error");
    trace.len()
}
