//! The run into an error, step by step, with the states that its replay saw.

use super::failure::{self, PageFailure};
use super::places::{PageFiles, PagePlace};
use super::snapshot::{Recorder, States};
use super::{state_of_c::ShownOfC, state_of_model};
use crate::trace::story::{Row, Story};
use crate::trace::{start_line, story};
use ir::{Model, Trace};
use serde::Serialize;
use verify::{Outcome, Report, Run};

/// A run.
#[derive(Serialize)]
pub struct PageRun {
    /// Whether its threads have names; the tokens of a net have none.
    threads: Vec<NamedThread>,
    start: String,
    steps: Vec<PageStep>,
    states: States,
    failure: PageFailure,
}

#[derive(Serialize)]
struct NamedThread {
    id: u32,
    name: String,
}

#[derive(Serialize)]
struct PageStep {
    thread: u32,
    place: Option<PagePlace>,
    text: String,
    effects: Vec<String>,
    switch: bool,
    inside: bool,
    error: bool,
}

/// The run of an unsafe report.
pub fn run(report: &Report, files: &mut PageFiles<'_>) -> Option<PageRun> {
    let Outcome::Unsafe { trace, run, .. } = report.outcome()? else { return None };
    let story = story(report)?;
    let steps = story.rows.iter().map(|row| step(row, files)).collect();
    let (states, failure) = match (report.source.as_ref()?.model(), trace, run) {
        (Model::C(model), Trace::C(trace), Run::C(states)) => {
            let shown = ShownOfC::new(&report.sources, &model.program, trace, states);
            let recorded = record(&story, states, |state| shown.snapshot(state, files));
            (recorded, failure::of_c(&report.sources, &model, trace, states.last(), files))
        }
        (Model::Program(program), _, Run::Program(states)) => {
            let shown = |state: &_| state_of_model::of_program(&program, state, files);
            (record(&story, states, shown), PageFailure::Step)
        }
        (Model::Net(net), _, Run::Net(markings)) => {
            let used = state_of_model::used(&net, markings);
            let shown = |marking: &_| state_of_model::of_net(&net, marking, &used);
            (record(&story, markings, shown), PageFailure::Step)
        }
        // Replay lets no such pair through.
        _ => return None,
    };
    let threads = story.threads.iter().map(|(&id, name)| NamedThread { id, name: name.clone() });
    Some(PageRun { threads: threads.collect(), start: start_line(&story), steps, states, failure })
}

fn step(row: &Row, files: &mut PageFiles<'_>) -> PageStep {
    PageStep {
        thread: row.thread,
        place: row.span.and_then(|span| files.place(span)),
        text: row.text.clone(),
        effects: row.effects.clone(),
        switch: row.switch,
        inside: row.inside,
        error: row.error,
    }
}

/// The first state, and the one after each step.
fn record<S>(
    story: &Story,
    states: &[S],
    mut snapshot: impl FnMut(&S) -> super::snapshot::Snapshot,
) -> States {
    let mut recorder = Recorder::default();
    let numbers = std::iter::once(0).chain(story.rows.iter().map(|row| row.after));
    for number in numbers {
        recorder.take(states.get(number).map(&mut snapshot).unwrap_or_default());
    }
    recorder.states()
}
