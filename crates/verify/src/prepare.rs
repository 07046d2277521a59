//! The task as engines see it: the program is prepared by the passes, which carry the way back.

use crate::chain::Chain;
use crate::plan::Plan;
use base::{Budget, Event, Events, Stop};
use ir::c::Model as CModel;
use ir::{Certificate, Lift, Model, Task, Trace};
use passes::Guided;
use passes::c::CPass;
use std::sync::Arc;

/// A task made ready for engines.
pub struct Prepared {
    /// The task. Of a C program it is the last validated one, which proofs are about.
    pub task: Task,
    /// The way back to the task that it was made from.
    pub back: WayBack,
}

/// The way from what engines say to the task as it was asked.
#[derive(Clone)]
pub enum WayBack {
    /// It is the same task.
    Same,
    /// From a Boolean program.
    Program(Box<Guided>),
    /// From a C program.
    C {
        /// From the program that proofs are about.
        proved: Chain,
        /// From the program in which undefined behaviour is looked for.
        undefined: Option<Chain>,
    },
}

impl WayBack {
    /// A trace of the task as it was asked.
    pub fn trace(&self, trace: Trace) -> Result<Trace, String> {
        match (self, trace) {
            (WayBack::Program(lift), Trace::Program(trace)) => lift.trace(trace).map(Trace::Program),
            (WayBack::C { proved, undefined }, Trace::C(trace)) => {
                let apart = undefined.as_ref().filter(|_| trace.options.faults.any());
                apart.unwrap_or(proved).trace(trace).map(Trace::C)
            }
            (_, trace) => Ok(trace),
        }
    }

    /// The certificate about the task as it was asked, where there is one. A proof about a C program stays as
    /// it is: it names the passes, and the program that they make of the user's is what it is about.
    pub fn certificate(&self, certificate: Certificate) -> Option<Certificate> {
        match self {
            WayBack::Same => Some(certificate),
            WayBack::Program(lift) => lift.certificate(certificate),
            WayBack::C { proved, .. } => Some(Certificate { passes: proved.passes(), ..certificate }),
        }
    }
}

/// Prepares a task. Nets are taken as they are.
pub fn prepare(task: &Task, plan: &Plan, budget: &Budget, events: &mut dyn Events) -> Result<Prepared, Stop> {
    match &task.model {
        Model::Program(program) => {
            let prepared = passes::prepare(program, &plan.settings, budget, events)?;
            let task = Task { model: Model::Program(Arc::new(prepared.program)), ..task.clone() };
            Ok(Prepared { task, back: WayBack::Program(Box::new(prepared.lift)) })
        }
        Model::C(model) if model.wants_passes => of_c(task, model, plan, budget, events),
        Model::Net(_) | Model::C(_) => Ok(Prepared { task: task.clone(), back: WayBack::Same }),
    }
}

fn of_c(
    task: &Task,
    model: &Arc<CModel>,
    plan: &Plan,
    budget: &Budget,
    events: &mut dyn Events,
) -> Result<Prepared, Stop> {
    let wanted: Vec<CPass> =
        plan.passes.iter().filter(|it| plan.settings.is_on(&it.switch)).copied().collect();
    let (proved, undefined) = match &model.literal {
        Some(literal) => {
            let [proved, undefined] = Chain::of_both([model, literal], &wanted, budget, events)?;
            (proved, Some(undefined))
        }
        None => (Chain::new(model, &wanted, budget, events)?, None),
    };
    let counters = [
        ("locations of the program", model.program.locations().len()),
        ("locations prepared", proved.model.program.locations().len()),
        ("passes run", proved.passes().len()),
    ];
    for (name, value) in counters {
        events.emit(Event::Counter { who: "passes", name, value: value as u64 });
    }
    let literal = undefined.as_ref().map(|it| Arc::clone(&it.model));
    let prepared = Arc::new(CModel { literal, ..CModel::clone(&proved.model) });
    // Properties are those of the program as it was read, whose locations nobody asks for here.
    let task = Task { model: Model::C(prepared), ..task.clone() };
    Ok(Prepared { task, back: WayBack::C { proved, undefined } })
}

/// What all passes make of a C program, for those who look at it without asking engines.
pub(crate) fn passed(model: &Arc<CModel>, budget: &Budget) -> Result<Arc<CModel>, Stop> {
    Ok(Chain::new(model, passes::c::PASSES, budget, &mut base::NoEvents)?.model)
}
