//! The engine `cover`: backward coverability on upward-closed sets, the complete engine for monotone programs
//! and nets (Abdulla, Cerans, Jonsson and Tsay, LICS 1996). It searches backward from the errors with minimal
//! elements only.
//!
//! What differs: the width-2 closure ([`crate::closure`]) is computed first. It says which thread states and
//! rules there are, often has the proof itself, and prunes: an element of which some two threads cannot be
//! there together is dropped. Elements are listed one by one, or kept in sets ([`sets`]) where threads have
//! much data.

mod accelerate;
mod backward;
mod basis;
mod directed;
mod equation;
mod forward;
mod listed;
mod nets;
mod search;
mod sets;
mod settings;
#[cfg(test)]
mod tests;
mod unroll;

use crate::command;
use crate::engine::no_c;
use crate::engine::{Cx, Engine};
use crate::fewer;
use base::{Setting, Stop};
use ir::bp::Program;
use ir::{Bound, Model, Reason, ReasonKind, Task, Trace, Verdict, Why};
use settings::{CHOICES, SETS, SETTINGS};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cover;

/// This many free bits at once are few.
const MUCH_DATA: u64 = 4;

const PAPER: &str = "Abdulla, Cerans, Jonsson and Tsay, LICS 1996";

impl Engine for Cover {
    fn name(&self) -> &'static str {
        "cover"
    }

    fn about(&self) -> &'static str {
        "any number of threads, proofs and bugs: backward coverability, for monotone programs and nets"
    }

    fn paper(&self) -> &'static str {
        PAPER
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn accepts(&self, task: &Task) -> Result<(), Reason> {
        if let Model::C(_) = &task.model {
            return Err(no_c());
        }
        if !task.model.monotone() {
            let why = "more threads may disable a step, and backward coverability needs that they never do";
            return Err(Reason::new(ReasonKind::NonMonotone, why));
        }
        match &task.model {
            Model::Program(program) => command::require_flat(program),
            Model::Net(_) => Ok(()),
            Model::C(_) => Err(no_c()),
        }
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        if let Err(reason) = self.accepts(task) {
            return Ok(Verdict::Unknown(Why::Because(reason)));
        }
        let (kind, choices) = (cx.settings.word(&SETS), cx.settings.number(&CHOICES));
        let program = match &task.model {
            Model::Program(program) if kind != "explicit" => program,
            _ => return Ok(listed::run(task, false, cx)?.expect("nothing is given up")),
        };
        if kind == "bdd" || sets::has_many_choices(program, choices) {
            return sets::run(task, program, cx);
        }
        match listed::run(task, true, cx)? {
            Some(verdict) => Ok(verdict),
            None => sets::run(task, program, cx),
        }
    }
}

/// Whether threads of a program have much to choose, so that engines that list states have little hope.
pub fn has_much_data(program: &Program) -> bool {
    sets::has_many_choices(program, MUCH_DATA)
}

/// The error, if it needs no more threads than were requested.
fn within(task: &Task, trace: Trace) -> Verdict {
    let Bound::AtMost(bound) = task.scope.threads else { return Verdict::Unsafe(trace) };
    let fits = match (&task.model, &trace) {
        (Model::Program(program), Trace::Program(trace)) => fewer::end(program, trace, Some(bound)).is_some(),
        (Model::Net(net), Trace::Net(trace)) => {
            let machine = ir::net::Machine::new(net, Some(bound));
            let steps = trace.steps.iter();
            machine.starts_in(&trace.start)
                && steps.clone().try_fold(trace.start.clone(), |it, step| machine.apply(&it, step)).is_ok()
        }
        _ => false,
    };
    if fits {
        return Verdict::Unsafe(trace);
    }
    let why = "the error found needs more threads than were requested";
    Verdict::Unknown(Why::Because(Reason::new(ReasonKind::Bound, why)))
}
