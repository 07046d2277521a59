//! Checks evidence on its own, without any engine.

use crate::starts;
use base::budget::StopHandle;
use base::{Budget, Stop};
use check::Refused;
use ir::{Certificate, Scope, Task, Trace};

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
    Rejected(String),
    /// The check was stopped.
    Stopped(Stop),
}

/// Checks evidence for a task.
pub fn confirm(task: &Task, presented: &Presented, handle: &StopHandle) -> Confirmation {
    match presented {
        Presented::Trace(trace) => match check::trace(task, trace) {
            Ok(replay) => {
                let threads = u32::try_from(replay.threads).unwrap_or(u32::MAX);
                Confirmation::Trace { threads, steps: trace.len() }
            }
            Err(why) => Confirmation::Rejected(why.0),
        },
        Presented::Certificate(certificate) => {
            if let Some(reason) = starts::too_few_threads(task) {
                return Confirmation::Rejected(reason.message);
            }
            let budget = Budget::new(u64::MAX, handle.clone());
            match check_formulas::certificate(task, certificate, &budget) {
                Ok(scope) if scope.covers(task.scope) => Confirmation::Certificate(scope),
                Ok(scope) => {
                    Confirmation::Rejected(format!("it proves {scope} only, {} was asked", task.scope))
                }
                Err(Refused::Rejected(why)) => Confirmation::Rejected(why.0),
                Err(Refused::Stopped(stop)) => Confirmation::Stopped(stop),
            }
        }
    }
}
