//! The JSON of a C program's run. What a replay needs are who steps, where, and the choices; the values that
//! were read and written are compared with those of the replay, and the rest is for people.

use super::json::place;
use super::json_states::StateJson;
use super::states::StateNames;
use ::c::{Choice, FailureKind, InstanceId, Loc, State, Step, ThreadId, Trace};
use base::{Id, SourceMap};
use ir::c::{Model, Sought};
use ir::property::MEMORY;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A run of a C program.
#[derive(Serialize, Deserialize)]
pub struct CRun {
    property: String,
    spurious_wakeups: bool,
    steps: Vec<CStepJson>,
    failure: CFailureJson,
}

#[derive(Serialize, Deserialize)]
struct CStepJson {
    thread: ThreadId,
    at: CPlaceJson,
    #[serde(flatten)]
    choice: ChoiceJson,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    access: Option<AccessJson>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    registers: Vec<ValueJson>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    creates: Option<ThreadId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    holds: Vec<String>,
}

/// What a step may choose; left out where it chooses nothing.
#[derive(Serialize, Deserialize)]
struct ChoiceJson {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chosen: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    fails: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wakes: Option<ThreadId>,
    /// The number of the dead object whose address is used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reuses: Option<u32>,
}

impl ChoiceJson {
    fn of(choice: Choice) -> ChoiceJson {
        let chosen = choice.value.map(|value| value.to_string());
        let reuses = choice.reuses.map(|it| it.index() as u32);
        ChoiceJson { chosen, fails: choice.fails, wakes: choice.thread, reuses }
    }

    fn read(&self) -> Result<Choice, String> {
        let value = match &self.chosen {
            Some(text) => Some(text.parse().map_err(|_| format!("`{text}` is no number to be chosen"))?),
            None => None,
        };
        let reuses = self.reuses.map(|it| InstanceId::from_index(it as usize));
        Ok(Choice { value, fails: self.fails, thread: self.wakes, reuses })
    }
}

#[derive(Serialize, Deserialize)]
struct CPlaceJson {
    loc: u32,
    #[serde(skip_deserializing)]
    procedure: String,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct AccessJson {
    cell: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    read: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written: Option<String>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct ValueJson {
    name: String,
    value: String,
}

#[derive(Serialize, Deserialize)]
struct CFailureJson {
    kind: String,
    thread: ThreadId,
    at: CPlaceJson,
    #[serde(flatten)]
    choice: ChoiceJson,
    says: String,
    #[serde(flatten)]
    states: StateJson,
}

impl CRun {
    /// The run of a trace of this program, with the states that its replay saw.
    pub fn new(sources: &SourceMap, source: &Model, trace: &Trace, states: &[State]) -> CRun {
        let writer = CWriter { sources, source };
        let steps = trace.steps.iter().zip(states.windows(2));
        let steps = steps.map(|(step, pair)| writer.step(&pair[0], step, &pair[1])).collect();
        let Step { thread, at, choice } = trace.failure.step;
        let failure = CFailureJson {
            kind: kind(source, &trace.failure.kind),
            thread,
            at: writer.place(states.last(), thread, at),
            choice: ChoiceJson::of(choice),
            says: says(source, trace),
            states: StateJson::of(sources, source, trace, states),
        };
        let property = property(source);
        CRun { property, spurious_wakeups: trace.options.spurious_wakeups, steps, failure }
    }

    /// The program that the run is about: with nothing dropped, if it may end in undefined behaviour.
    pub fn subject<'a>(&self, source: &'a Arc<Model>) -> &'a Arc<Model> {
        let literal = source.literal.as_ref().filter(|_| self.property == UNDEFINED);
        literal.filter(|it| it.property == Sought::Default).unwrap_or(source)
    }

    /// The trace of this program that the run is, or why it is not one.
    pub fn about(&self, source: &Model, threads: Option<u32>) -> Result<Rerun, String> {
        if self.property != property(source) {
            return Err(match self.property.as_str() {
                UNDEFINED => {
                    "the trace is about undefined behaviour that happens: leave out --property".into()
                }
                other => format!("the trace is about property {other}: say so with --property {other}"),
            });
        }
        if self.spurious_wakeups != source.machine.spurious_wakeups {
            return Err("the trace has another meaning of waiting: see --no-spurious-wakeups".to_string());
        }
        let mut steps = vec![];
        for it in &self.steps {
            steps.push(step(it.thread, it.at.loc, it.choice.read()?));
        }
        let last = &self.failure;
        steps.push(step(last.thread, last.at.loc, last.choice.read()?));
        Ok(verify::c::trace_of(source, threads, &steps))
    }

    /// The first step whose values differ from those of another run.
    pub fn differs(&self, other: &CRun) -> Option<usize> {
        let same = |(a, b): (&CStepJson, &CStepJson)| {
            a.access == b.access && a.registers == b.registers && a.creates == b.creates && a.holds == b.holds
        };
        let step = self.steps.iter().zip(&other.steps).position(|pair| !same(pair));
        let (mine, theirs) = (&self.failure, &other.failure);
        let fails_otherwise = mine.kind != theirs.kind || mine.states != theirs.states;
        step.or(fails_otherwise.then_some(self.steps.len()))
    }
}

/// What replaying gives: the trace, or why there is none.
pub type Rerun = Result<Trace, String>;

fn step(thread: ThreadId, loc: u32, choice: Choice) -> Step {
    Step { thread, at: Loc::from_index(loc as usize), choice }
}

/// What a run into undefined behaviour is about where nothing else was asked.
const UNDEFINED: &str = "undefined";

/// What a run of the program is about: with nothing dropped, undefined behaviour is an error whatever was
/// asked.
fn property(source: &Model) -> String {
    match source.property {
        Sought::Default if !source.machine.faults.any() => Sought::Assert.word(),
        property => property.word(),
    }
}

/// The word in traces (`docs/formats/trace.md`).
fn kind(source: &Model, kind: &FailureKind) -> String {
    match (kind, source.property) {
        (FailureKind::Property(_), _) => "assertion".to_string(),
        (FailureKind::Undefined(fault), Sought::List(_)) if fault.is_memory() => MEMORY.word().to_string(),
        (FailureKind::Undefined(_), _) => UNDEFINED.to_string(),
        (FailureKind::Race(_), _) => "race".to_string(),
        (FailureKind::Deadlock(_), _) => "deadlock".to_string(),
        (FailureKind::Leak(_), _) => "leak".to_string(),
    }
}

/// What fails, in words.
pub fn says(source: &Model, trace: &Trace) -> String {
    match &trace.failure.kind {
        FailureKind::Property(property) => source.program.properties()[*property].says(),
        FailureKind::Undefined(fault) => verify::undefined::words(source, trace, fault),
        FailureKind::Race(_) => "two accesses race".to_string(),
        FailureKind::Deadlock(_) => "threads wait for each other for ever".to_string(),
        FailureKind::Leak(leak) => format!("memory is {}", leak.kind.word()),
    }
}

struct CWriter<'a> {
    sources: &'a SourceMap,
    source: &'a Model,
}

impl CWriter<'_> {
    /// Where a thread stands: the lines are the user's, the location and its procedure may be the library's.
    fn place(&self, state: Option<&State>, thread: ThreadId, loc: Loc) -> CPlaceJson {
        let program = &self.source.program;
        let location = program.at(loc);
        let sources = self.sources;
        let names = state.map(|state| StateNames { sources, program, state });
        let span = names.map_or(location.span, |it| it.span(thread, loc));
        let file = span.map(|span| self.sources.file(span.file).name().to_string());
        let (line, text) = span.map(|span| place(self.sources, span)).unzip();
        let procedure = program.procedures()[location.procedure].name.clone();
        CPlaceJson { loc: loc.index() as u32, procedure, file, line, text }
    }

    fn step(&self, before: &State, step: &::c::TraceStep, after: &State) -> CStepJson {
        let program = &self.source.program;
        let registers = step.registers.iter().map(|&(local, value)| ValueJson {
            name: program.locals()[local].name.clone(),
            value: program.show_local(&after.memory, local, value),
        });
        CStepJson {
            thread: step.step.thread,
            at: self.place(Some(before), step.step.thread, step.step.at),
            choice: ChoiceJson::of(step.step.choice),
            access: step.access.map(|access| self.access(before, after, access)),
            registers: registers.collect(),
            creates: step.created,
            holds: step.held.iter().map(|held| program.cell_name(&after.memory, held.lock)).collect(),
        }
    }

    fn access(&self, before: &State, after: &State, access: ::c::Access) -> AccessJson {
        let program = &self.source.program;
        let lives = after.memory.get(access.cell.instance).is_some();
        let memory = if lives { &after.memory } else { &before.memory };
        let ty = program.access_type(memory, access).unwrap_or(::c::Type::Bits(64));
        let show = |value| program.show(memory, value, ty, true);
        AccessJson {
            cell: program.cell_name(memory, access.cell),
            read: access.read.map(show),
            written: access.written.map(show),
        }
    }
}
