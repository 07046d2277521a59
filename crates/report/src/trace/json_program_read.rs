//! From the JSON of a program's run to a trace: every id is looked up, since a file may hold any number.

use super::json_program::{
    BirthJson, BitJson, FrameJson, Kind, Of, PassiveJson, ProgramPlaceJson, ProgramRun, ProgramStartJson,
    ProgramStepJson, ThreadJson, VariableJson,
};
use base::Id;
use ir::Program;
use ir::bp::state::Passive;
use ir::bp::{
    Birth, Failure, FailureKind, Frame, Loc, LocalId, LocalScope, SharedId, State, Step, Thread, Var,
};
use ir::trace::ProgramTrace;
use std::collections::BTreeMap;

impl ProgramRun {
    /// The trace of this program that the run is, or what in it the program does not have.
    pub fn about(&self, program: &Program) -> Result<ProgramTrace, String> {
        let reader = ProgramReader { program };
        let kind = match self.failure.kind {
            Kind::Assertion => FailureKind::Assertion,
            Kind::Label => FailureKind::Label,
        };
        let failure = Failure { kind, thread: self.failure.thread, at: reader.location(&self.failure.at)? };
        let steps = self.steps.iter().map(|step| reader.step(step)).collect::<Result<_, _>>()?;
        Ok(ProgramTrace { start: reader.start(&self.start)?, steps, failure })
    }
}

struct ProgramReader<'p> {
    program: &'p Program,
}

impl ProgramReader<'_> {
    fn location(&self, place: &ProgramPlaceJson) -> Result<Loc, String> {
        let index = place.loc as usize;
        if index < self.program.locations().len() {
            Ok(Loc::from_index(index))
        } else {
            Err(format!("the program has no location {index}"))
        }
    }

    fn local(&self, bit: &BitJson) -> Result<(LocalId, bool), String> {
        if (bit.id as usize) < self.program.locals().len() {
            Ok((LocalId::from_index(bit.id as usize), value(bit)?))
        } else {
            Err(format!("the program has no local variable {}", bit.id))
        }
    }

    fn variable(&self, variable: &VariableJson) -> Result<(Var, bool), String> {
        let bit = &variable.bit;
        match variable.of {
            Of::Local => self.local(bit).map(|(local, value)| (Var::Local(local), value)),
            Of::Shared if (bit.id as usize) < self.program.shared().len() => {
                Ok((Var::Shared(SharedId::from_index(bit.id as usize)), value(bit)?))
            }
            Of::Shared => Err(format!("the program has no shared variable {}", bit.id)),
        }
    }

    fn locals(&self, values: &[BitJson]) -> Result<Vec<(LocalId, bool)>, String> {
        values.iter().map(|bit| self.local(bit)).collect()
    }

    fn birth(&self, birth: &BirthJson) -> Result<Birth, String> {
        let at = self.location(&birth.at)?;
        Ok(Birth { thread: birth.thread, at, values: self.locals(&birth.values)? })
    }

    fn step(&self, step: &ProgramStepJson) -> Result<Step, String> {
        let passive = |it: &PassiveJson| {
            let values = self.locals(&it.values)?;
            Ok(Passive { thread: it.thread, depth: it.depth as usize, values })
        };
        Ok(Step {
            thread: step.thread,
            at: self.location(&step.at)?,
            to: step.to.as_ref().map(|to| self.location(to)).transpose()?,
            writes: step.writes.iter().map(|write| self.variable(write)).collect::<Result<_, _>>()?,
            passive: step.passive.iter().map(passive).collect::<Result<_, String>>()?,
            births: step.births.iter().map(|birth| self.birth(birth)).collect::<Result<_, _>>()?,
        })
    }

    fn start(&self, start: &ProgramStartJson) -> Result<State, String> {
        let ids = start.shared.iter().map(|bit| bit.id as usize);
        if !ids.eq(0..self.program.shared().len()) {
            return Err("the start must list every shared variable once, in order".to_string());
        }
        let shared = start.shared.iter().map(value).collect::<Result<_, _>>()?;
        let mut threads = BTreeMap::new();
        for thread in &start.threads {
            if threads.insert(thread.thread, self.thread(thread)?).is_some() {
                return Err(format!("thread {} starts twice", thread.thread));
            }
        }
        Ok(State { initialising: start.initialising, shared, threads })
    }

    fn thread(&self, thread: &ThreadJson) -> Result<Thread, String> {
        if thread.stack.is_empty() {
            return Err(format!("thread {} stands nowhere", thread.thread));
        }
        let frame = |frame: &FrameJson| {
            let values = self.all_values(&frame.values, |scope| scope != LocalScope::Thread)?;
            Ok(Frame { loc: self.location(&frame.at)?, values })
        };
        Ok(Thread {
            inside: thread.inside,
            values: self.all_values(&thread.values, |scope| scope == LocalScope::Thread)?,
            stack: thread.stack.iter().map(frame).collect::<Result<_, String>>()?,
        })
    }

    /// A value for every local; those listed must be of the right kind.
    fn all_values(&self, bits: &[BitJson], kind: impl Fn(LocalScope) -> bool) -> Result<Vec<bool>, String> {
        let mut values = vec![false; self.program.locals().len()];
        for (local, value) in self.locals(bits)? {
            if !kind(self.program.locals()[local].scope) {
                return Err(format!("local variable {} does not belong there", local.index()));
            }
            values[local.index()] = value;
        }
        Ok(values)
    }
}

fn value(bit: &BitJson) -> Result<bool, String> {
    match bit.value {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("{other} is neither 0 nor 1")),
    }
}
