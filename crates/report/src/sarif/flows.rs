//! A run as thread flows: one for each thread, in its order; the number of each step in the whole run
//! interleaves them.

use super::places::Places;
use super::results::FailingRun;
use crate::trace::states::StateNames;
use crate::trace::{self, c_story};
use ::c::{AccessKind, Control, Effects, FailureKind, State, SyncUse, ThreadEffect, ThreadId, TraceStep};
use base::Span;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use verify::Report;

/// One step of a flow.
struct Stop {
    thread: ThreadId,
    order: usize,
    span: Option<Span>,
    says: String,
    kinds: Vec<&'static str>,
    importance: &'static str,
    state: Map<String, Value>,
}

/// The flows of a run of a C program.
pub fn of_c(places: &Places<'_>, run: &FailingRun<'_>) -> Value {
    let mut stops: Vec<Stop> = vec![];
    for (number, (step, pair)) in run.trace.steps.iter().zip(run.states.windows(2)).enumerate() {
        stops.extend(stop(places, run, number + 1, step, [&pair[0], &pair[1]]));
    }
    let mut last: BTreeMap<ThreadId, usize> = BTreeMap::new();
    for (at, stop) in stops.iter().enumerate().filter(|(_, it)| !it.state.is_empty()) {
        last.insert(stop.thread, at);
    }
    last.into_values().for_each(|at| stops[at].importance = "essential");
    stops.extend(failing(places, run));
    let names = names(run);
    let name = |thread: ThreadId| {
        let begins = names.get(&thread).cloned().unwrap_or_default();
        if thread == 0 { begins } else { format!("thread {thread} ({begins})") }
    };
    let flows = by_thread(places, &stops, name);
    json!({ "message": { "text": format!("A run of {}.", threads(names.len())) }, "threadFlows": flows })
}

/// The flows of a run of a program or net that is told line by line.
pub fn of_story(places: &Places<'_>, report: &Report) -> Value {
    let story = trace::story(report).unwrap_or_default();
    let mut flows: BTreeMap<ThreadId, Vec<Value>> = BTreeMap::new();
    for (number, row) in story.rows.iter().enumerate() {
        let says = if row.effects.is_empty() { row.text.clone() } else { row.effects.join(", ") };
        let place = row.line.map_or_else(|| places.file(), |line| places.line(line));
        flows.entry(row.thread).or_default().push(json!({
            "executionOrder": number + 1,
            "importance": if row.error { "essential" } else { "important" },
            "location": { "message": { "text": says }, "physicalLocation": place },
        }));
    }
    let name = |thread: &ThreadId| match story.threads.get(thread) {
        Some(begins) => format!("thread {thread} ({begins})"),
        None => "the net".to_string(),
    };
    let count = flows.len();
    let flows: Vec<Value> =
        flows.iter().map(|(thread, stops)| json!({ "id": name(thread), "locations": stops })).collect();
    let text =
        if story.threads.is_empty() { "A run.".to_string() } else { format!("A run of {}.", threads(count)) };
    json!({ "message": { "text": text }, "threadFlows": flows })
}

fn threads(count: usize) -> String {
    crate::verdict::counted(count, "thread")
}

/// The functions that the threads begin in.
fn names(run: &FailingRun<'_>) -> BTreeMap<ThreadId, String> {
    let mut names = BTreeMap::new();
    for state in run.states {
        for (&id, thread) in &state.threads {
            names.entry(id).or_insert_with(|| run.function(thread.frames[0].loc));
        }
    }
    names
}

fn by_thread(places: &Places<'_>, stops: &[Stop], name: impl Fn(ThreadId) -> String) -> Vec<Value> {
    let mut flows: BTreeMap<ThreadId, Vec<Value>> = BTreeMap::new();
    for stop in stops {
        let mut location = json!({ "message": { "text": stop.says } });
        if let Some(place) = stop.span.and_then(|span| places.physical(span)) {
            location["physicalLocation"] = place;
        }
        let mut shown = json!({
            "executionOrder": stop.order, "importance": stop.importance, "location": location,
        });
        if !stop.kinds.is_empty() {
            shown["kinds"] = json!(stop.kinds);
        }
        if !stop.state.is_empty() {
            shown["state"] = Value::Object(stop.state.clone());
        }
        flows.entry(stop.thread).or_default().push(shown);
    }
    flows.into_iter().map(|(thread, stops)| json!({ "id": name(thread), "locations": stops })).collect()
}

/// A step that shows something.
fn stop(
    places: &Places<'_>,
    run: &FailingRun<'_>,
    order: usize,
    step: &TraceStep,
    [before, after]: [&State; 2],
) -> Option<Stop> {
    let program = &run.model.program;
    let effects = program.effects(step.step.at);
    let changes = c_story::effects(places.sources, run.model, before, step, after);
    let kinds = kinds(&effects);
    if changes.is_empty() && kinds.is_empty() {
        return None;
    }
    let names = StateNames { sources: places.sources, program, state: before };
    let says = if changes.is_empty() { "goes on".to_string() } else { changes.join(", ") };
    let threads = matches!(effects.threads, Some(ThreadEffect::Create(_) | ThreadEffect::Join(_)));
    let importance = if threads || uses(&effects).next().is_some() {
        "essential"
    } else if program.at(step.step.at).private || step.access.is_none() {
        "unimportant"
    } else {
        "important"
    };
    let span = names.span(step.step.thread, step.step.at);
    Some(Stop {
        thread: step.step.thread,
        order,
        span,
        says,
        kinds,
        importance,
        state: values(run, step, [before, after]),
    })
}

/// What a step does to synchronisation objects.
fn uses(effects: &Effects) -> impl Iterator<Item = SyncUse> {
    effects
        .accesses
        .iter()
        .filter_map(|it| if let AccessKind::Sync(done) = it.kind { Some(done) } else { None })
}

/// What kind of step it is, in the words of the format.
fn kinds(effects: &Effects) -> Vec<&'static str> {
    let does = |wanted: fn(&SyncUse) -> bool| uses(effects).any(|it| wanted(&it));
    if effects.begins().is_some() {
        vec!["call"]
    } else if matches!(effects.control, Control::Branch(_)) {
        vec!["branch"]
    } else if does(|it| matches!(it, SyncUse::Acquire(_) | SyncUse::AcquireShared(_))) {
        vec!["acquire"]
    } else if does(|it| matches!(it, SyncUse::Release)) {
        vec!["release"]
    } else {
        vec![]
    }
}

/// The values that a step read or wrote.
fn values(run: &FailingRun<'_>, step: &TraceStep, [before, after]: [&State; 2]) -> Map<String, Value> {
    let program = &run.model.program;
    let mut values = Map::new();
    if let Some(access) = step.access {
        let lives = after.memory.get(access.cell.instance).is_some();
        let memory = if lives { &after.memory } else { &before.memory };
        let ty = program.cell_type(memory, access.cell);
        if let (Some(value), Some(ty)) = (access.written.or(access.read), ty) {
            let text = program.show(memory, value, ty, true);
            values.insert(program.cell_name(memory, access.cell), json!({ "text": text }));
        }
    }
    for &(local, value) in &step.registers {
        let register = &program.locals()[local];
        if !register.temporary {
            values.insert(
                register.name.clone(),
                json!({ "text": program.show_local(&after.memory, local, value) }),
            );
        }
    }
    values
}

/// What goes wrong, as the last steps.
fn failing(places: &Places<'_>, run: &FailingRun<'_>) -> Vec<Stop> {
    let Some(state) = run.states.last() else { return vec![] };
    let names = StateNames { sources: places.sources, program: &run.model.program, state };
    let failure = &run.trace.failure;
    let order = run.trace.steps.len() + 1;
    let stop = |thread, at, order, says| Stop {
        thread,
        order,
        span: names.span(thread, at),
        says,
        kinds: vec![],
        importance: "essential",
        state: Map::new(),
    };
    match &failure.kind {
        FailureKind::Race(race) => {
            let one = |(number, it): (usize, &::c::RacingAccess)| {
                let object = names.object(&it.access);
                let says = format!("{} of {object}; either access may come first", it.access.mode.word());
                stop(it.thread, it.at, order + number, says)
            };
            race.accesses.iter().enumerate().map(one).collect()
        }
        FailureKind::Property(_) | FailureKind::Undefined(_) => {
            let says = trace::json_c::says(run.model, run.trace);
            vec![stop(failure.step.thread, failure.step.at, order, format!("error: {says}"))]
        }
        FailureKind::Deadlock(_) | FailureKind::Leak(_) => {
            let rows = trace::states::rows(&names, run.trace);
            let rows = rows.into_iter().enumerate();
            rows.map(|(number, (thread, at, says))| stop(thread, at, order + number, says)).collect()
        }
    }
}
