//! The engine `explicit`: breadth-first search over compact counter states, for programs and nets (Basler et
//! al., *Symbolic Counter Abstraction for Concurrent Software*, CAV 2009, sections 4, 5 and 7.3).
//!
//! What differs from the paper: the reduction is the corrected one ([`crate::independence`]); every step of a
//! thread is computed once and looked up from then on; broadcasts, atomic sections and conditions over
//! passive threads are covered; errors are looked for whenever a state is stored, no matter who caused them;
//! and the bound on threads is part of the answer unless it never mattered.

mod certify;
mod compact;
mod fire;
mod net;
mod program;
mod search;
mod settings;
mod split;
mod start;
mod statistics;
mod step;
mod trace;

use crate::bounded;
use crate::command::{self, Commands};
use crate::engine::no_c;
use crate::engine::{Cx, Engine};
use base::{Setting, Stop};
use ir::{Model, Reason, Task, Verdict};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Explicit;

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn about(&self) -> &'static str {
        "at most N threads, and bugs with any number: explicit counter abstraction with partial-order reduction"
    }

    fn paper(&self) -> &'static str {
        "Basler, Mazzucchi, Wahl, Kroening: Symbolic Counter Abstraction for Concurrent Software, CAV 2009"
    }

    fn settings(&self) -> &'static [Setting] {
        settings::SETTINGS
    }

    fn accepts(&self, task: &Task) -> Result<(), Reason> {
        match &task.model {
            Model::Program(program) => command::require_flat(program),
            Model::Net(_) => Ok(()),
            Model::C(_) => Err(no_c()),
        }
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        let options = settings::ExplicitOptions::new(cx.settings);
        let statistics = statistics::Statistics::default();
        let mut work = search::ExplicitWork { budget: cx.budget, events: &mut *cx.events, statistics };
        let (requested, most) = (task.scope.threads, options.most_threads);
        let verdict = match &task.model {
            Model::Program(program) => match Commands::new(program) {
                Ok(commands) => {
                    let mut programs = program::BoundedPrograms::new(program, commands, options);
                    bounded::answer(&mut programs, requested, most, &mut work)
                }
                Err(reason) => Ok(Verdict::Unknown(ir::Why::Because(reason))),
            },
            Model::Net(net) => {
                bounded::answer(&mut net::BoundedNets::new(net, options), requested, most, &mut work)
            }
            Model::C(_) => Ok(Verdict::Unknown(ir::Why::Because(no_c()))),
        };
        work.statistics.emit(work.events);
        verdict
    }
}
