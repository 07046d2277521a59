//! The JSON of a program's trace. Shared variables are written `s0`, `s1`, …, local ones `v0`, `v1`, …, in the order of the program;
//! locations are numbers.

use base::Id;
use ir::Program;
use ir::bp::state::Passive;
use ir::bp::{
    Birth, Failure, FailureKind, Frame, Loc, LocalId, LocalScope, SharedId, State, Step, Thread, ThreadId,
    Var,
};
use ir::trace::ProgramTrace;
use serde::{Deserialize, Serialize};

type Values = Vec<(String, u8)>;

/// A run of a program.
#[derive(Serialize, Deserialize)]
pub struct Run {
    start: StartJson,
    steps: Vec<StepJson>,
    failure: FailureJson,
}

#[derive(Serialize, Deserialize)]
struct StartJson {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    initialising: bool,
    shared: Vec<u8>,
    threads: Vec<BirthJson>,
}

#[derive(Serialize, Deserialize)]
struct BirthJson {
    thread: ThreadId,
    at: usize,
    values: Values,
}

#[derive(Serialize, Deserialize)]
struct StepJson {
    thread: ThreadId,
    at: usize,
    to: Option<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    writes: Values,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    passive: Vec<PassiveJson>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    births: Vec<BirthJson>,
}

#[derive(Serialize, Deserialize)]
struct PassiveJson {
    thread: ThreadId,
    depth: usize,
    values: Values,
}

#[derive(Serialize, Deserialize)]
struct FailureJson {
    kind: Kind,
    thread: ThreadId,
    at: usize,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Assertion,
    Label,
}

/// The id of a variable in the file.
pub fn id(var: Var) -> String {
    match var {
        Var::Shared(shared) => format!("s{}", shared.index()),
        Var::Local(local) => format!("v{}", local.index()),
    }
}

// ---- to the file ---------------------------------------------------------------------------------------------------

impl From<&ProgramTrace> for Run {
    fn from(trace: &ProgramTrace) -> Run {
        let kind = match trace.failure.kind {
            FailureKind::Assertion => Kind::Assertion,
            FailureKind::Label => Kind::Label,
        };
        let failure = FailureJson { kind, thread: trace.failure.thread, at: trace.failure.at.index() };
        let threads = trace.start.threads.iter().map(|(&id, thread)| at_start(id, thread)).collect();
        let start = StartJson {
            initialising: trace.start.initialising,
            shared: trace.start.shared.iter().map(|&value| u8::from(value)).collect(),
            threads,
        };
        Run { start, steps: trace.steps.iter().map(step).collect(), failure }
    }
}

/// At the start a thread has one activation; what is not 0 is written.
fn at_start(id: ThreadId, thread: &Thread) -> BirthJson {
    let top = thread.top();
    let value = |(index, (&whole, &own)): (usize, (&bool, &bool))| (LocalId::from_index(index), whole || own);
    let all = thread.values.iter().zip(&top.values).enumerate().map(value);
    BirthJson { thread: id, at: top.loc.index(), values: locals(all.filter(|&(_, value)| value)) }
}

fn locals(values: impl Iterator<Item = (LocalId, bool)>) -> Values {
    values.map(|(local, value)| (id(Var::Local(local)), u8::from(value))).collect()
}

fn step(step: &Step) -> StepJson {
    StepJson {
        thread: step.thread,
        at: step.at.index(),
        to: step.to.map(Loc::index),
        writes: step.writes.iter().map(|&(var, value)| (id(var), u8::from(value))).collect(),
        passive: step
            .passive
            .iter()
            .map(|it| PassiveJson {
                thread: it.thread,
                depth: it.depth,
                values: locals(it.values.iter().copied()),
            })
            .collect(),
        births: step
            .births
            .iter()
            .map(|it| BirthJson {
                thread: it.thread,
                at: it.at.index(),
                values: locals(it.values.iter().copied()),
            })
            .collect(),
    }
}

// ---- from the file -------------------------------------------------------------------------------------------------

impl Run {
    /// The run as one of this program, or what in it the program does not have.
    pub fn about(&self, program: &Program) -> Result<ProgramTrace, String> {
        let reader = Reader { program };
        let kind = match self.failure.kind {
            Kind::Assertion => FailureKind::Assertion,
            Kind::Label => FailureKind::Label,
        };
        let failure = Failure { kind, thread: self.failure.thread, at: reader.location(self.failure.at)? };
        let steps = self.steps.iter().map(|step| reader.step(step)).collect::<Result<_, _>>()?;
        Ok(ProgramTrace { start: reader.start(&self.start)?, steps, failure })
    }
}

struct Reader<'p> {
    program: &'p Program,
}

impl Reader<'_> {
    fn location(&self, index: usize) -> Result<Loc, String> {
        if index < self.program.locations().len() {
            Ok(Loc::from_index(index))
        } else {
            Err(format!("the program has no location {index}"))
        }
    }

    fn variable(&self, text: &str) -> Result<Var, String> {
        let number = |rest: &str, most: usize| rest.parse::<usize>().ok().filter(|&index| index < most);
        let shared = text.strip_prefix('s').and_then(|rest| number(rest, self.program.shared().len()));
        let local = text.strip_prefix('v').and_then(|rest| number(rest, self.program.locals().len()));
        let shared = shared.map(|index| Var::Shared(SharedId::from_index(index)));
        let local = local.map(|index| Var::Local(LocalId::from_index(index)));
        shared.or(local).ok_or_else(|| format!("the program has no variable `{text}`"))
    }

    fn writes(&self, values: &Values) -> Result<Vec<(Var, bool)>, String> {
        values.iter().map(|(var, value)| Ok((self.variable(var)?, bit(*value)?))).collect()
    }

    fn locals(&self, values: &Values) -> Result<Vec<(LocalId, bool)>, String> {
        let local = |(var, value)| match var {
            Var::Local(local) => Ok((local, value)),
            Var::Shared(_) => Err(format!("`{}` is no local variable", id(var))),
        };
        self.writes(values)?.into_iter().map(local).collect()
    }

    fn birth(&self, birth: &BirthJson) -> Result<Birth, String> {
        let (thread, at) = (birth.thread, self.location(birth.at)?);
        Ok(Birth { thread, at, values: self.locals(&birth.values)? })
    }

    fn step(&self, step: &StepJson) -> Result<Step, String> {
        let passive = |it: &PassiveJson| {
            Ok(Passive { thread: it.thread, depth: it.depth, values: self.locals(&it.values)? })
        };
        Ok(Step {
            thread: step.thread,
            at: self.location(step.at)?,
            to: step.to.map(|to| self.location(to)).transpose()?,
            writes: self.writes(&step.writes)?,
            passive: step.passive.iter().map(passive).collect::<Result<_, String>>()?,
            births: step.births.iter().map(|birth| self.birth(birth)).collect::<Result<_, _>>()?,
        })
    }

    fn start(&self, start: &StartJson) -> Result<State, String> {
        let shared = start.shared.iter().map(|&value| bit(value)).collect::<Result<_, _>>()?;
        let mut state =
            State { initialising: start.initialising, shared, threads: std::collections::BTreeMap::new() };
        for birth in &start.threads {
            let birth = self.birth(birth)?;
            if state.threads.insert(birth.thread, self.thread(&birth)).is_some() {
                return Err(format!("thread {} starts twice", birth.thread));
            }
        }
        Ok(state)
    }

    fn thread(&self, birth: &Birth) -> Thread {
        let none = vec![false; self.program.locals().len()];
        let stack = vec![Frame { loc: birth.at, values: none.clone() }];
        let mut thread = Thread { inside: false, values: none, stack };
        for &(local, value) in &birth.values {
            match self.program.locals()[local].scope {
                LocalScope::Thread => thread.values[local.index()] = value,
                LocalScope::Procedure(_) => thread.stack[0].values[local.index()] = value,
            }
        }
        thread
    }
}

fn bit(value: u8) -> Result<bool, String> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(format!("{value} is neither 0 nor 1")),
    }
}
