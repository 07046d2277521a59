//! Checks evidence about C programs without any engine: traces are replayed on the reference semantics, proofs are given to their checker.

use super::rests::Rests;
use crate::confirm::Confirmation;
use base::budget::StopHandle;
use base::{Budget, SourceMap};
use check::Refused;
use check_formulas::c::Subject;
use check_formulas::c::states::{self, Listing};
use front::CProgram;
use ir::Scope;
use ir::c::{Machine, Refusal, Step, Trace};

/// How the text of a proof begins.
pub const CERTIFICATE_HEADER: &str = "selvedge-certificate/1";

/// Checks a proof by predicates or by all states, given as a text. `sources` tells places in words.
pub fn confirm(source: &CProgram, sources: &SourceMap, text: &str, handle: &StopHandle) -> Confirmation {
    let budget = Budget::new(u64::MAX, handle.clone());
    let subject = Subject { program: &source.program, options: &source.machine, sources: Some(sources) };
    let proved = if states::is_listing(text) {
        states::confirm(&source.program, &source.machine, text, &budget)
    } else {
        subject.text(text, &budget).map(|_| Scope::ANY)
    };
    match proved {
        Ok(scope) => Confirmation::Certificate(scope),
        Err(Refused::Rejected(why)) => Confirmation::Rejected(why.0),
        Err(Refused::Stopped(stop)) => Confirmation::Stopped(stop),
    }
}

/// The text of a proof by all states.
pub fn write_listing(source: &CProgram, listing: Listing) -> String {
    states::write(&source.program, &source.machine, listing)
}

/// Replays a trace, values included; the most threads that are alive at once in it, or why it is no run into an error, or none that may be
/// told.
pub fn replay(source: &CProgram, trace: &Trace) -> Result<u32, String> {
    let threads = replayed(source, trace)?;
    match Rests::of(source, trace).refusal(&trace.failure.kind) {
        Some(reason) => Err(reason.message),
        None => Ok(threads),
    }
}

/// The same, whatever the run depends on.
pub(super) fn replayed(source: &CProgram, trace: &Trace) -> Result<u32, String> {
    let machine = Machine::new(&source.program, trace.options);
    if trace.options != source.options(trace.options.threads) {
        return Err("the trace was made under other options".to_string());
    }
    let at = |number: usize, why: &str| format!("step {}: {why}", number + 1);
    let again = machine.record(&trace.bare()).map_err(|why| at(why.at, &why.why))?;
    if let Some(number) = again.steps.iter().zip(&trace.steps).position(|(mine, theirs)| mine != theirs) {
        return Err(at(number, "its values are others"));
    }
    if again.failure != trace.failure {
        return Err(at(trace.steps.len(), "it fails otherwise"));
    }
    most_threads(&machine, trace)
}

/// The trace that takes these steps, the last of which must fail.
pub fn trace_of(source: &CProgram, threads: Option<u32>, steps: &[Step]) -> Result<Trace, String> {
    if let Some(step) = steps.iter().find(|step| source.program.locations().get(step.at).is_none()) {
        return Err(format!("the program has no location {:?}", step.at));
    }
    let machine = Machine::new(&source.program, source.options(threads));
    machine.record(steps).map_err(|why| format!("step {}: {}", why.at + 1, why.why))
}

fn most_threads(machine: &Machine<'_>, trace: &Trace) -> Result<u32, String> {
    let mut state = machine.start();
    let mut most = state.threads.len();
    for step in &trace.steps {
        state = machine.apply(&state, &step.step).map_err(|why: Refusal| why.to_string())?;
        most = most.max(state.threads.len());
    }
    Ok(u32::try_from(most).unwrap_or(u32::MAX))
}
