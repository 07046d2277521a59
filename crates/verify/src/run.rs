//! The main job: read a file, prepare the program, ask the engines one after the other, judge what they say.

use crate::input::{self, BadInput, Input, Reading};
use crate::judge::stop_kind;
use crate::load::Origin;
use crate::memory;
use crate::portfolio::{self, Asked};
use crate::report::{Best, Outcome, Report};
use crate::supervise::{Desk, Ended, Limits, Watcher, supervise};
use base::{Diagnostic, Event, Events, Settings, SourceMap, Stop};
use engines::Engine;
use ir::{Model, Reason, ReasonKind, Scope, Task};
use passes::Lifts;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What is asked of a file.
#[derive(Clone)]
pub struct Question {
    /// How the file is to be read.
    pub reading: Reading,
    /// How far.
    pub scope: Scope,
    /// Who is asked, in this order; see [`crate::plan()`].
    pub engines: Vec<&'static dyn Engine>,
    /// The options of engines and passes.
    pub settings: Settings,
    /// What the answer may cost.
    pub limits: Limits,
    /// Where random choices start.
    pub seed: u64,
}

/// Answers a question about one file.
pub fn check(origin: &Origin, question: &Question, watcher: &mut dyn Watcher) -> Report {
    let start = Instant::now();
    memory::forget_peak();
    let desk = Desk::default();
    let draft = Arc::new(Mutex::new(Draft::default()));
    let job = {
        let (origin, question, draft) = (origin.clone(), question.clone(), Arc::clone(&draft));
        move |desk: Desk| work(&origin, &question, &draft, desk)
    };
    let ended = supervise(&question.limits, watcher, &desk, job);
    let mut draft = std::mem::take(&mut *open(&draft));
    match ended {
        Ended::Done(()) => {}
        Ended::Panicked(message) => {
            draft.outcome = Some(Outcome::Unknown(Reason::new(ReasonKind::Fault, message)));
        }
        Ended::Abandoned(stop) => draft.settle(|| stopped(stop, &question.limits)),
    }
    let told = desk.told();
    let best =
        Best { threads: told.safe_up_to_threads, rounds: told.safe_up_to_rounds, width: told.width_reached };
    let outcome = draft.outcome.unwrap_or_else(|| {
        Outcome::Unknown(Reason::new(ReasonKind::Fault, "the work ended without an answer"))
    });
    Report {
        name: origin.name(),
        sources: draft.sources,
        diagnostics: draft.diagnostics,
        model: draft.model,
        asked: question.scope,
        outcome,
        engine: draft.engine,
        best,
        counters: told.counters,
        time: start.elapsed(),
        peak_memory: memory::peak(),
    }
}

/// The report as far as it is written. It outlives a job that is left behind.
#[derive(Default)]
struct Draft {
    sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
    model: Option<Model>,
    engine: Option<&'static str>,
    outcome: Option<Outcome>,
    /// What engines have proved, though nobody has checked it yet.
    claims: Vec<(&'static str, Outcome)>,
}

impl Draft {
    /// Notes what an engine claims now; nothing, if its claim has fallen.
    fn claim(&mut self, engine: &'static str, outcome: Option<Outcome>) {
        self.claims.retain(|it| it.0 != engine);
        self.claims.extend(outcome.map(|it| (engine, it)));
    }

    /// The end of a job that was left behind: what it said, or else the first claim, or else that it was stopped.
    fn settle(&mut self, stopped: impl FnOnce() -> Outcome) {
        if self.outcome.is_none() {
            let claim = self.claims.first().cloned();
            self.engine = claim.as_ref().map(|it| it.0).or(self.engine);
            self.outcome = Some(claim.map_or_else(stopped, |it| it.1));
        }
    }
}

fn open(draft: &Mutex<Draft>) -> MutexGuard<'_, Draft> {
    // A panic elsewhere leaves whole values behind.
    draft.lock().unwrap_or_else(PoisonError::into_inner)
}

fn work(origin: &Origin, question: &Question, draft: &Mutex<Draft>, mut desk: Desk) {
    desk.emit(Event::Progress(format!("reads {}", origin.name())));
    match input::read(origin, &question.reading) {
        Err(BadInput { sources, diagnostics }) => {
            let mut draft = open(draft);
            (draft.sources, draft.diagnostics) = (sources, diagnostics);
            draft.outcome = Some(Outcome::BadInput);
        }
        Ok(input) => {
            let task = input.task(question.scope);
            {
                let mut draft = open(draft);
                let Input { sources, model, warnings } = input;
                (draft.sources, draft.diagnostics, draft.model) = (sources, warnings, Some(model));
            }
            let outcome = answer(&task, question, draft, &mut desk);
            open(draft).outcome = Some(outcome);
        }
    }
}

/// Prepares the program and puts the question to the engines.
fn answer(task: &Task, question: &Question, draft: &Mutex<Draft>, desk: &mut Desk) -> Outcome {
    desk.emit(Event::Progress("prepares the program".to_string()));
    let (prepared, lifts) = prepare(task, &question.settings, desk);
    let meanwhile = |engine: &'static str, outcome: Option<Outcome>| {
        open(draft).claim(engine, outcome);
    };
    let asked = Asked { task, prepared: &prepared, lifts: lifts.as_ref(), question, meanwhile: &meanwhile };
    let answer = portfolio::ask(&asked, desk);
    open(draft).engine = answer.engine;
    match (answer.outcome, desk.handle.reason()) {
        // What an engine says of its end is less than what the limits say.
        (Outcome::Unknown(_), Some(stop)) => stopped(stop, &question.limits),
        (outcome, _) => outcome,
    }
}

/// The prepared task and the way back. What cannot be inlined is left as it is: some engines take it so.
fn prepare(task: &Task, settings: &Settings, desk: &mut Desk) -> (Task, Option<Lifts>) {
    if let Model::Program(program) = &task.model
        && let Ok((program, lifts)) = passes::prepare(program, settings, desk)
    {
        return (Task { model: Model::Program(Arc::new(program)), ..task.clone() }, Some(lifts));
    }
    (task.clone(), None)
}

/// The end of a run that reached a limit, told with the limit.
fn stopped(stop: Stop, limits: &Limits) -> Outcome {
    let message = match (stop, limits.time, limits.bytes()) {
        (Stop::Time, Some(time), _) => format!("time limit {} s reached", time.as_secs_f64()),
        (Stop::Memory, _, Some(bytes)) => format!("memory limit {} reached", size(bytes)),
        _ => stop.to_string(),
    };
    Outcome::Unknown(Reason::new(stop_kind(stop), message))
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let tenths = (bytes as f64 / *unit as f64 * 10.0).round() / 10.0;
            format!("{tenths} {name}")
        }
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        let all = [(900, "900 B"), (4 << 30, "4 GiB"), (1_600_000, "1.5 MiB")];
        for (bytes, text) in all {
            assert_eq!(size(bytes), text);
        }
    }
}
