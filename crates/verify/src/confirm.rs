//! Checks evidence on its own, without any engine.

use crate::judge::reaches;
use crate::starts;
use crate::undefined::Rests;
use base::budget::StopHandle;
use base::{Budget, Stop};
use check::{Refused, Rejected, Run};
use ir::{Certificate, Model, Scope, Task, Trace};

/// Evidence from a file.
#[derive(Clone, Debug)]
pub enum Presented {
    /// A run into an error.
    Trace(Trace),
    /// A proof.
    Certificate(Certificate),
}

/// What the checker says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Confirmation {
    /// The trace is real.
    Trace {
        /// The most threads that are alive at once.
        threads: u32,
        /// Its steps.
        steps: usize,
    },
    /// The certificate proves safety this far.
    Certificate(Scope),
    /// The evidence does not hold.
    Rejected(Rejected),
    /// The check was stopped.
    Stopped(Stop),
}

/// The states that a trace goes through, or why it is not a trace.
pub fn replay(task: &Task, trace: &Trace) -> Result<Run, Rejected> {
    check::trace(task, trace).map(|it| it.run)
}

/// Checks evidence for a task.
pub fn confirm(task: &Task, presented: &Presented, handle: &StopHandle) -> Confirmation {
    match presented {
        Presented::Trace(trace) => match check::trace(task, trace) {
            Ok(replay) => match refusal(task, trace) {
                Some(why) => Confirmation::Rejected(why),
                None => {
                    let threads = u32::try_from(replay.threads).unwrap_or(u32::MAX);
                    Confirmation::Trace { threads, steps: trace.len() }
                }
            },
            Err(why) => Confirmation::Rejected(why),
        },
        Presented::Certificate(certificate) => {
            if let Some(reason) = starts::too_few_threads(task) {
                return Confirmation::Rejected(Rejected::new(reason.message));
            }
            let budget = Budget::new(u64::MAX, handle.clone());
            match check_formulas::certificate(task, certificate, &budget) {
                Ok(scope) if reaches(scope, task.scope) => Confirmation::Certificate(scope),
                Ok(scope) => Confirmation::Rejected(Rejected::new(format!(
                    "it proves {scope} only, {} was asked",
                    task.scope
                ))),
                Err(Refused::Rejected(why)) => Confirmation::Rejected(why),
                Err(Refused::Stopped(stop)) => Confirmation::Stopped(stop),
            }
        }
    }
}

/// Why a run is not told as an error, though it is one of the program: it depends on what nobody knows.
fn refusal(task: &Task, trace: &Trace) -> Option<Rejected> {
    let (Model::C(model), Trace::C(trace)) = (&task.model, trace) else { return None };
    let reason = Rests::of(model.subject(trace), trace).refusal(&trace.failure.kind)?;
    Some(Rejected::new(reason.message))
}
