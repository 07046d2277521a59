//! The JSON of a program's run: the data, and how it is written. [`super::json_program_read`] is the way
//! back.

use super::json::{or_null, place};
use base::{Id, SourceMap};
use ir::Program;
use ir::bp::{Birth, FailureKind, Frame, Loc, LocalId, LocalScope, SharedId, State, Step, ThreadId, Var};
use ir::trace::ProgramTrace;
use serde::{Deserialize, Serialize};

/// A run of a program.
#[derive(Serialize, Deserialize)]
pub struct ProgramRun {
    pub(super) start: ProgramStartJson,
    pub(super) steps: Vec<ProgramStepJson>,
    pub(super) failure: ProgramFailureJson,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ProgramStartJson {
    pub initialising: bool,
    pub shared: Vec<BitJson>,
    pub threads: Vec<ThreadJson>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ThreadJson {
    pub thread: ThreadId,
    pub inside: bool,
    pub values: Vec<BitJson>,
    pub stack: Vec<FrameJson>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct FrameJson {
    pub at: ProgramPlaceJson,
    pub values: Vec<BitJson>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct BitJson {
    pub id: u32,
    pub value: u32,
    #[serde(skip_deserializing)]
    pub name: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct VariableJson {
    pub of: Of,
    #[serde(flatten)]
    pub bit: BitJson,
}

#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Of {
    Shared,
    Local,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ProgramPlaceJson {
    pub loc: u32,
    #[serde(skip_deserializing)]
    pub procedure: String,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ProgramStepJson {
    pub thread: ThreadId,
    pub at: ProgramPlaceJson,
    #[serde(deserialize_with = "or_null")]
    pub to: Option<ProgramPlaceJson>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<VariableJson>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passive: Vec<PassiveJson>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub births: Vec<BirthJson>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct PassiveJson {
    pub thread: ThreadId,
    pub depth: u32,
    pub values: Vec<BitJson>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct BirthJson {
    pub thread: ThreadId,
    pub at: ProgramPlaceJson,
    pub values: Vec<BitJson>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ProgramFailureJson {
    pub kind: Kind,
    pub thread: ThreadId,
    pub at: ProgramPlaceJson,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Assertion,
    Label,
}

impl ProgramRun {
    /// The run of a trace of this program.
    pub fn new(sources: &SourceMap, program: &Program, trace: &ProgramTrace) -> ProgramRun {
        let writer = ProgramWriter { sources, program };
        let kind = match trace.failure.kind {
            FailureKind::Assertion => Kind::Assertion,
            FailureKind::Label => Kind::Label,
        };
        let (thread, at) = (trace.failure.thread, writer.place(trace.failure.at));
        ProgramRun {
            start: writer.start(&trace.start),
            steps: trace.steps.iter().map(|step| writer.step(step)).collect(),
            failure: ProgramFailureJson { kind, thread, at },
        }
    }
}

struct ProgramWriter<'a> {
    sources: &'a SourceMap,
    program: &'a Program,
}

impl ProgramWriter<'_> {
    fn start(&self, state: &State) -> ProgramStartJson {
        let shared = self.program.shared().ids().map(|id| self.shared(id, state.shared[id.index()]));
        let threads = state.threads.iter().map(|(&id, thread)| ThreadJson {
            thread: id,
            inside: thread.inside,
            values: self.ones(&thread.values, |scope| scope == LocalScope::Thread),
            stack: thread.stack.iter().map(|frame| self.frame(frame)).collect(),
        });
        ProgramStartJson {
            initialising: state.initialising,
            shared: shared.collect(),
            threads: threads.collect(),
        }
    }

    fn frame(&self, frame: &Frame) -> FrameJson {
        let values = self.ones(&frame.values, |scope| scope != LocalScope::Thread);
        FrameJson { at: self.place(frame.loc), values }
    }

    /// The locals of a kind that are 1: those not listed are 0.
    fn ones(&self, values: &[bool], kind: impl Fn(LocalScope) -> bool) -> Vec<BitJson> {
        let of_kind = self.program.locals().enumerate().filter(|(_, local)| kind(local.scope));
        of_kind.filter(|(id, _)| values[id.index()]).map(|(id, _)| self.local(id, true)).collect()
    }

    fn shared(&self, id: SharedId, value: bool) -> BitJson {
        let name = self.program.shared()[id].name.clone();
        BitJson { id: id.index() as u32, value: value.into(), name }
    }

    fn local(&self, id: LocalId, value: bool) -> BitJson {
        let name = self.program.locals()[id].name.clone();
        BitJson { id: id.index() as u32, value: value.into(), name }
    }

    fn locals(&self, values: &[(LocalId, bool)]) -> Vec<BitJson> {
        values.iter().map(|&(id, value)| self.local(id, value)).collect()
    }

    fn variable(&self, var: Var, value: bool) -> VariableJson {
        match var {
            Var::Shared(id) => VariableJson { of: Of::Shared, bit: self.shared(id, value) },
            Var::Local(id) => VariableJson { of: Of::Local, bit: self.local(id, value) },
        }
    }

    fn place(&self, loc: Loc) -> ProgramPlaceJson {
        let location = self.program.at(loc);
        let (line, text) = location.span.map(|span| place(self.sources, span)).unzip();
        let procedure = self.program.procedures()[location.procedure].name.clone();
        ProgramPlaceJson { loc: loc.index() as u32, procedure, line, text, labels: location.labels.clone() }
    }

    fn birth(&self, birth: &Birth) -> BirthJson {
        BirthJson { thread: birth.thread, at: self.place(birth.at), values: self.locals(&birth.values) }
    }

    fn step(&self, step: &Step) -> ProgramStepJson {
        let passive = step.passive.iter().map(|it| PassiveJson {
            thread: it.thread,
            depth: it.depth as u32,
            values: self.locals(&it.values),
        });
        ProgramStepJson {
            thread: step.thread,
            at: self.place(step.at),
            to: step.to.map(|to| self.place(to)),
            writes: step.writes.iter().map(|&(var, value)| self.variable(var, value)).collect(),
            passive: passive.collect(),
            births: step.births.iter().map(|birth| self.birth(birth)).collect(),
        }
    }
}
