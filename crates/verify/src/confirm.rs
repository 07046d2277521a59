//! Checks evidence on its own, without any engine.

use crate::chain::Chain;
use crate::judge::reaches;
use crate::starts;
use crate::undefined::Rests;
use base::budget::StopHandle;
use base::{Budget, Stop};
use check::{Refused, Rejected, Run};
use ir::c::Model as CModel;
use ir::certificate::text::{self, Unread};
use ir::{Bound, Certificate, Model, Scope, Task, Trace};
use passes::c::PASSES;
use std::sync::Arc;

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
            proved(task, certificate, &budget).unwrap_or_else(Confirmation::from)
        }
    }
}

/// What a certificate proves. If it names passes, they are run again, and the result of each is validated:
/// then a proof about the last program is one about the task's.
fn proved(task: &Task, certificate: &Certificate, budget: &Budget) -> Result<Confirmation, Refused> {
    let about = match &task.model {
        Model::C(model) => Model::C(after(model, &certificate.passes, budget)?),
        model => model.clone(),
    };
    checked(&Task { model: about, ..task.clone() }, certificate, budget)
}

/// The program that these passes make of one, each of them validated; none, if one of them is not valid.
pub fn after_passes(model: &Arc<CModel>, passes: &[String], budget: &Budget) -> Option<Arc<CModel>> {
    after(model, passes, budget).ok()
}

/// The same, or what is wrong with it.
fn after(model: &Arc<CModel>, passes: &[String], budget: &Budget) -> Result<Arc<CModel>, Refused> {
    Ok(Chain::named(model, passes, PASSES, budget)?.model)
}

/// Checks a certificate about the task's own program.
fn checked(task: &Task, certificate: &Certificate, budget: &Budget) -> Result<Confirmation, Refused> {
    let scope = check_formulas::certificate(task, certificate, budget)?;
    if reaches(scope, task.scope) {
        return Ok(Confirmation::Certificate(scope));
    }
    Err(Rejected::new(format!("it proves {scope} only, {} was asked", task.scope)).into())
}

/// Checks the text of a certificate about a C program; what is asked is what it claims, unless somebody says
/// how far it must reach.
pub fn confirm_text(
    model: &Arc<CModel>,
    text: &str,
    threads: Option<Bound>,
    handle: &StopHandle,
) -> Confirmation {
    let budget = Budget::new(u64::MAX, handle.clone());
    let done = || -> Result<Confirmation, Refused> {
        let about = after(model, &text::passes(text), &budget)?;
        let certificate = text::read_c(text, &about, &budget).map_err(|why| match why {
            Unread::Wrong(why) => Refused::Rejected(Rejected::new(why)),
            Unread::Stopped(stop) => stop.into(),
        })?;
        let scope = threads.map_or(certificate.scope, |threads| Scope { threads });
        let task = Task::new(Model::C(about), scope);
        match starts::too_few_threads(&task) {
            Some(reason) => Err(Rejected::new(reason.message).into()),
            None => checked(&task, &certificate, &budget),
        }
    };
    done().unwrap_or_else(Confirmation::from)
}

impl From<Refused> for Confirmation {
    fn from(refused: Refused) -> Confirmation {
        match refused {
            Refused::Rejected(why) => Confirmation::Rejected(why),
            Refused::Stopped(stop) => Confirmation::Stopped(stop),
        }
    }
}

/// Why a run is not told as an error, though it is one of the program: it depends on what nobody knows.
fn refusal(task: &Task, trace: &Trace) -> Option<Rejected> {
    let (Model::C(model), Trace::C(trace)) = (&task.model, trace) else { return None };
    let reason = Rests::of(model.subject(trace), trace).refusal(&trace.failure.kind)?;
    Some(Rejected::new(reason.message))
}
