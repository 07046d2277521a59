//! The engine `simulate`: symbolic simulation with a SAT solver (Cook, Kroening and Sharygina, *Symbolic Model Checking for
//! Asynchronous Boolean Programs*, SPIN 2005, the tool Boppo). Program counters are explicit, data are formulas over choice variables;
//! a state set that lies in an older one is dropped.
//!
//! What differs from the paper: one choice variable per evaluation instead of one per `*` ([`crate::formulas`]); the subsumption test in the
//! right quantifier order, by two SAT solvers instead of a QBF solver ([`solve::inclusion`]); the sound partial-order reduction
//! (`reduction`); threads as a multiset; creation of threads, broadcasts, atomic sections; re-parameterisation, which the paper only proposes.

mod bounded;
mod certify;
mod history;
mod live;
mod oracle;
mod reduction;
mod search;
mod settings;
mod state;
mod statistics;
mod step;
#[cfg(test)]
mod tests;
mod trace;

use crate::bounded::answer;
use crate::command::{self, Commands};
use crate::engine::{Cx, Engine};
use base::{Setting, Stop};
use ir::{Model, Reason, ReasonKind, Task, Verdict, Why};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulate;

impl Engine for Simulate {
    fn name(&self) -> &'static str {
        "simulate"
    }

    fn about(&self) -> &'static str {
        "at most N threads, and bugs with any number: symbolic simulation with a SAT solver, for much data choice"
    }

    fn paper(&self) -> &'static str {
        "Cook, Kroening, Sharygina: Symbolic Model Checking for Asynchronous Boolean Programs, SPIN 2005"
    }

    fn settings(&self) -> &'static [Setting] {
        settings::SETTINGS
    }

    fn accepts(&self, task: &Task) -> Result<(), Reason> {
        match &task.model {
            Model::Program(program) => command::require_flat(program),
            Model::Net(_) => Err(no_nets()),
        }
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        let options = settings::Options::new(cx.settings);
        let unknown = |reason| Ok(Verdict::Unknown(Why::Because(reason)));
        let Model::Program(program) = &task.model else { return unknown(no_nets()) };
        let commands = match Commands::new(program) {
            Ok(commands) => commands,
            Err(reason) => return unknown(reason),
        };
        let statistics = statistics::Statistics::default();
        let mut work = search::Work { budget: cx.budget, events: &mut *cx.events, statistics };
        let mut simulation = bounded::Simulation { program, commands: &commands, options, seed: cx.seed };
        let verdict = answer(&mut simulation, task.scope.threads, options.most_threads, &mut work);
        work.statistics.emit(work.events);
        verdict
    }
}

fn no_nets() -> Reason {
    let message = "symbolic simulation needs variables; a net has only local states without data";
    Reason::new(ReasonKind::Unsupported, message)
}
