//! The main job: read a file, prepare the program, ask the engines one after the other, judge what they say.

use crate::input::{self, BadInput, Input, Reading};
use crate::judge::{judge, stop_kind};
use crate::load::Origin;
use crate::memory;
use crate::report::{Best, Outcome, Report};
use crate::supervise::{Desk, Ended, Limits, Watcher, supervise};
use base::{Budget, Diagnostic, Event, Events, Settings, SourceMap, Stop};
use engines::{Cx, Engine, Facts};
use ir::{Model, Property, Reason, ReasonKind, Scope, Task};
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
        // What is in the draft was proved, though perhaps not yet checked.
        Ended::Abandoned(stop) => {
            draft.outcome.get_or_insert_with(|| stopped(stop, &question.limits));
        }
    }
    let told = desk.told();
    let best = Best { threads: told.safe_up_to_threads, rounds: told.safe_up_to_rounds };
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
        Ok(Input { sources, model, warnings }) => {
            {
                let mut draft = open(draft);
                (draft.sources, draft.diagnostics) = (sources, warnings);
                draft.model = Some(model.clone());
            }
            let outcome = answer(model, question, draft, &mut desk);
            open(draft).outcome = Some(outcome);
        }
    }
}

/// Asks the engines in order; the first definite answer counts.
fn answer(model: Model, question: &Question, draft: &Mutex<Draft>, desk: &mut Desk) -> Outcome {
    let task = Task { model, property: Property::NoError, scope: question.scope };
    desk.emit(Event::Progress("prepares the program".to_string()));
    let (prepared, lifts) = match prepare(&task, &question.settings, desk) {
        Ok(prepared) => prepared,
        Err(reason) => return Outcome::Unknown(reason),
    };
    let asked = Asked { task: &task, prepared: &prepared, lifts: lifts.as_ref(), question };
    let (mut refusals, mut unknown) = (vec![], None);
    for &engine in &question.engines {
        if let Some(stop) = desk.handle.reason() {
            return stopped(stop, &question.limits);
        }
        if let Err(reason) = engine.accepts(&prepared) {
            refusals.push((engine.name(), reason));
            continue;
        }
        match ask(engine, &asked, draft, desk) {
            Outcome::Unknown(reason) => unknown.get_or_insert(reason),
            outcome => return outcome,
        };
    }
    Outcome::Unknown(unknown.unwrap_or_else(|| together(refusals)))
}

fn prepare(task: &Task, settings: &Settings, desk: &mut Desk) -> Result<(Task, Option<Lifts>), Reason> {
    match &task.model {
        Model::Program(program) => {
            let (program, lifts) = passes::prepare(program, settings, desk)?;
            Ok((Task { model: Model::Program(Arc::new(program)), ..task.clone() }, Some(lifts)))
        }
        Model::Net(_) => Ok((task.clone(), None)),
    }
}

/// A question on its way to the engines.
struct Asked<'a> {
    task: &'a Task,
    prepared: &'a Task,
    lifts: Option<&'a Lifts>,
    question: &'a Question,
}

fn ask(engine: &'static dyn Engine, asked: &Asked<'_>, draft: &Mutex<Draft>, desk: &mut Desk) -> Outcome {
    open(draft).engine = Some(engine.name());
    desk.emit(Event::Progress(format!("{} starts", engine.name())));
    let budget = Budget::new(u64::MAX, desk.handle.clone());
    let facts = Facts::default();
    let (settings, seed) = (&asked.question.settings, asked.question.seed);
    let mut events = desk.clone();
    let verdict = engine
        .run(asked.prepared, &mut Cx { budget: &budget, events: &mut events, facts: &facts, settings, seed });
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(stop) => return stopped(stop, &asked.question.limits),
    };
    desk.emit(Event::Progress("checks the evidence".to_string()));
    let meanwhile = |outcome: &Outcome| open(draft).outcome = Some(outcome.clone());
    let finding = judge(asked.task, asked.lifts, verdict, &budget, meanwhile);
    if let Some(threads) = finding.safe_up_to {
        desk.emit(Event::SafeUpToThreads(threads));
    }
    match finding.outcome {
        Outcome::Unknown(reason) => {
            // The proof told meanwhile did not stand.
            open(draft).outcome = None;
            match desk.handle.reason() {
                Some(stop) if reason.kind == stop_kind(stop) => stopped(stop, &asked.question.limits),
                _ => Outcome::Unknown(reason),
            }
        }
        outcome => outcome,
    }
}

/// The reason when no engine took the task.
fn together(refusals: Vec<(&'static str, Reason)>) -> Reason {
    let kind = refusals.first().map_or(ReasonKind::Unsupported, |(_, reason)| reason.kind);
    let each: Vec<String> =
        refusals.iter().map(|(name, reason)| format!("{name}: {}", reason.message)).collect();
    match each.len() {
        0 => Reason::new(kind, "no engine was asked"),
        _ => Reason::new(kind, each.join("; ")),
    }
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
