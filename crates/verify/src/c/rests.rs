//! What may be told of a run into an error, by what it rests on. An input of the program carries an error. What an external function gives does too if the error is an assertion,
//! and is told as an assumption; undefined behaviour that depends on it is no error of the program. What the library only approximates carries
//! nothing: the real function may never give that value.

use super::confirm;
use crate::answer::{Answer, Assumption, Outcome};
use front::CProgram;
use ir::c::{ChoiceOrigin, FailureKind, Machine, Memory, OriginKind, Reliance, Trace, Value, dependence};
use ir::{Reason, ReasonKind};

/// The choices on behalf of functions that a run depends on.
pub struct Rests {
    found: Vec<(ChoiceOrigin, String)>,
}

impl Rests {
    /// What a run rests on.
    pub fn of(source: &CProgram, trace: &Trace) -> Rests {
        let machine = Machine::new(&source.program, trace.options);
        let named = |it: Reliance| {
            let origin = source.program.origins()[it.origin].clone();
            (ChoiceOrigin { stores: it.stored, ..origin }, shown(source, it))
        };
        Rests { found: dependence(&machine, trace).into_iter().map(named).collect() }
    }

    /// The functions of a kind, each once.
    fn functions(&self, kind: OriginKind) -> String {
        let mut names: Vec<String> =
            self.of_kind(kind).map(|(origin, _)| format!("`{}`", origin.function)).collect();
        names.sort();
        names.dedup();
        names.join(", ")
    }

    fn of_kind(&self, kind: OriginKind) -> impl Iterator<Item = &(ChoiceOrigin, String)> {
        self.found.iter().filter(move |(origin, _)| origin.kind == kind)
    }

    /// What external functions are assumed to give, in their order.
    pub fn given(&self) -> Vec<Assumption> {
        let mut given = vec![];
        for (origin, value) in self.of_kind(OriginKind::External) {
            let does = if origin.stores { "stores" } else { "returns" };
            let assumption = Assumption::Given(format!("`{}` {does} {value}", origin.function));
            if !given.contains(&assumption) {
                given.push(assumption);
            }
        }
        given
    }

    /// Why a run is not told as an error, if it is not.
    pub fn refusal(&self, failure: &FailureKind) -> Option<Reason> {
        let why = if self.of_kind(OriginKind::Approximation).next().is_some() {
            let functions = self.functions(OriginKind::Approximation);
            format!(
                "the run into an error that was found depends on a value of {functions}, which is only approximated"
            )
        } else if let (FailureKind::Meaningless(fault), true) =
            (failure, self.of_kind(OriginKind::External).next().is_some())
        {
            let functions = self.functions(OriginKind::External);
            format!("undefined behaviour ({fault}) depends on what {functions} gives, which is not defined")
        } else {
            return None;
        };
        Some(Reason::new(ReasonKind::Approximation, why))
    }
}

fn shown(source: &CProgram, it: Reliance) -> String {
    match it.value {
        Value::Bits(_) => source.program.show(&Memory::default(), it.value, it.ty, it.signed),
        _ => "a valid pointer".to_string(),
    }
}

/// The answer that a run into an error gives.
pub fn told(source: &CProgram, trace: Trace) -> Answer {
    let threads = match confirm::replayed(source, &trace) {
        Ok(threads) => threads,
        Err(why) => {
            let message = format!("the trace cannot be replayed: {why}");
            return Answer::unknown(Reason::new(ReasonKind::Rejected, message));
        }
    };
    let rests = Rests::of(source, &trace);
    if let Some(reason) = rests.refusal(&trace.failure.kind) {
        return Answer::unknown(reason);
    }
    let assumptions = rests.given();
    Answer { assumptions, ..Answer::of(Outcome::Unsafe { trace: ir::Trace::C(trace), threads, run: None }) }
}
