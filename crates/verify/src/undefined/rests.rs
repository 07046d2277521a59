//! What may be told of a run into an error, by what it rests on. An input of the program carries an error.
//! What an external function gives does too if the error is an assertion, and is told as an assumption;
//! undefined behaviour that depends on it is no error of the program. What the library only approximates
//! carries nothing: the real function may never give that value.

use crate::answer::Assumption;
use ::c::{ChoiceOrigin, FailureKind, Machine, Memory, OriginKind, Reliance, Trace, Type, Value, dependence};
use front::CProgram;
use ir::{Reason, ReasonKind};

/// The choices on behalf of functions that a run depends on.
pub struct Rests {
    found: Vec<Given>,
}

/// A value that was chosen on behalf of a function.
struct Given {
    origin: ChoiceOrigin,
    is_pointer: bool,
    is_zero: bool,
    value: String,
}

impl Given {
    /// What the function does in the run.
    fn says(&self) -> String {
        let ChoiceOrigin { kind, function, stores } = &self.origin;
        match (kind, stores) {
            (OriginKind::Argument, _) => format!("`{function}` is {}", self.value),
            (OriginKind::Failure, _) => format!("`{function}` fails"),
            (_, true) => format!("`{function}` stores {}", self.value),
            (_, false) => format!("`{function}` returns {}", self.value),
        }
    }

    /// What it must do instead for a run without undefined behaviour.
    fn excuse(&self) -> String {
        let ChoiceOrigin { kind, function, stores } = &self.origin;
        match (kind, stores, self.is_pointer) {
            (OriginKind::Failure, ..) => format!("`{function}` succeeds"),
            (OriginKind::Argument, ..) => format!("`{function}` does not lead to undefined behaviour"),
            (_, true, true) => format!("`{function}` stores a valid pointer"),
            (_, false, true) => format!("`{function}` returns a valid pointer"),
            (_, true, false) => format!("`{function}` stores no value that leads to undefined behaviour"),
            (_, false, false) => format!("`{function}` returns no value that leads to undefined behaviour"),
        }
    }
}

impl Rests {
    /// What a run rests on.
    pub fn of(source: &CProgram, trace: &Trace) -> Rests {
        let machine = Machine::new(&source.program, trace.options);
        let given = |it: Reliance| {
            let origin = source.program.origins()[it.origin].clone();
            let origin = ChoiceOrigin { stores: it.stored, ..origin };
            let is_zero = it.value == Value::Bits(0);
            Given { origin, is_pointer: it.ty == Type::Pointer, is_zero, value: shown(source, it) }
        };
        Rests { found: dependence(&machine, trace).into_iter().map(given).collect() }
    }

    fn approximated(&self) -> Vec<&Given> {
        self.found.iter().filter(|it| it.origin.kind == OriginKind::Approximation).collect()
    }

    /// What undefined behaviour is not told for, and what is told of a failing assertion: values of which
    /// nothing is known, and functions of the library that fail.
    fn excusing(&self) -> Vec<&Given> {
        let fails = |it: &&Given| it.origin.kind == OriginKind::Failure && !it.is_zero;
        self.found.iter().filter(|it| it.origin.kind.is_unknown() || fails(it)).collect()
    }

    /// What functions are assumed to give in a run into a failing assertion, in their order.
    pub fn given(&self) -> Vec<Assumption> {
        distinct(self.excusing().into_iter().map(Given::says)).into_iter().map(Assumption::Given).collect()
    }

    /// What external functions are assumed to give instead of what leads to undefined behaviour.
    pub fn excuses(&self) -> Vec<String> {
        distinct(self.excusing().into_iter().map(Given::excuse))
    }

    /// Why a run is not told as an error, if it is not.
    pub fn refusal(&self, failure: &FailureKind) -> Option<Reason> {
        let approximated = self.approximated();
        let why = match failure {
            _ if !approximated.is_empty() => {
                let functions = functions(&approximated);
                format!(
                    "an error was found that depends on a value of {functions}, which is only approximated"
                )
            }
            FailureKind::Undefined(fault) if !self.excusing().is_empty() => {
                let (functions, excuses) = (functions(&self.excusing()), self.excuses().join(" and "));
                format!(
                    "whether there is undefined behaviour ({fault}) depends on {functions}: there is none assuming that {excuses}"
                )
            }
            _ => return None,
        };
        Some(Reason::new(ReasonKind::Approximation, why))
    }
}

fn functions(given: &[&Given]) -> String {
    distinct(given.iter().map(|it| format!("`{}`", it.origin.function))).join(", ")
}

fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = vec![];
    for it in all {
        if !found.contains(&it) {
            found.push(it);
        }
    }
    found
}

fn shown(source: &CProgram, it: Reliance) -> String {
    match it.value {
        Value::Bits(_) => source.program.show(&Memory::default(), it.value, it.ty, it.signed),
        _ => "a valid pointer".to_string(),
    }
}
