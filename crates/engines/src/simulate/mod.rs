//! The engine `simulate`: symbolic simulation with a SAT solver (Cook, Kroening and Sharygina, *Symbolic
//! Model Checking for Asynchronous Boolean Programs*, SPIN 2005, the tool Boppo). Program counters are
//! explicit, data are formulas over choice variables; a state set that lies in an older one is dropped.
//!
//! What differs from the paper: one choice variable per evaluation instead of one per `*`
//! ([`crate::formulas`]); the subsumption test in the right quantifier order, by two SAT solvers instead of a
//! QBF solver ([`solve::inclusion`]); the sound partial-order reduction (`reduction`); threads as a multiset;
//! creation of threads, broadcasts, atomic sections; re-parameterisation, which the paper only proposes.

mod bounded;
mod certify;
mod contexts;
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
use crate::engine::no_c;
use crate::engine::{Cx, Engine};
use base::{Budget, Setting, Stop};
use ir::{Bound, Model, Reason, ReasonKind, Task, Verdict, Why};
use search::SimulateWork;
use statistics::Statistics;

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
            Model::C(_) => Err(no_c()),
        }
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        let options = settings::SimulateOptions::new(cx.settings);
        let unknown = |reason| Ok(Verdict::Unknown(Why::Because(reason)));
        let Model::Program(program) = &task.model else { return unknown(no_nets()) };
        let commands = match Commands::new(program) {
            Ok(commands) => commands,
            Err(reason) => return unknown(reason),
        };
        let statistics = Statistics::default();
        let mut work = SimulateWork { budget: cx.budget, events: &mut *cx.events, statistics };
        let mut simulation = bounded::Simulation { program, commands: &commands, options, seed: cx.seed };
        let verdict = by_turns(&mut simulation, task.scope.threads, &mut work);
        work.statistics.emit(work.events);
        verdict
    }
}

/// The ticks of the first turn of each search.
const FIRST_TURN: u64 = 20_000;
/// The formulas of a whole run are large, and a conflict in them takes this many times longer than a tick
/// elsewhere.
const TICKS_OF_A_CONFLICT: u64 = 16;
/// Each turn is this many times as long as the one before, so that starting anew costs little.
const GROWTH: u64 = 4;

/// Simulation and the search for errors within few rounds, by turns. The first knows when it is done, the
/// second is the one that gets deep where there is much data.
fn by_turns(
    simulation: &mut bounded::Simulation<'_>,
    requested: Bound,
    work: &mut SimulateWork<'_>,
) -> Result<Verdict, Stop> {
    let most = simulation.options.most_threads;
    let mut contexts = contexts::Contexts::new(simulation.program, simulation.commands, requested);
    let mut ticks = FIRST_TURN;
    while simulation.options.contexts && !contexts.is_done() {
        let limit = work.budget.part(ticks);
        // What counts is the search that ends.
        work.statistics = Statistics { unrolled: work.statistics.unrolled, ..Statistics::default() };
        if let Some(verdict) = turn(work, &limit, |work| answer(simulation, requested, most, work))? {
            return Ok(verdict);
        }
        let limit = work.budget.part(ticks / TICKS_OF_A_CONFLICT);
        let found = turn(work, &limit, |work| contexts.search(simulation, requested, work))?;
        work.budget.spend(limit.spent() * (TICKS_OF_A_CONFLICT - 1))?;
        if let Some(Some(trace)) = found {
            return Ok(Verdict::Unsafe(trace));
        }
        ticks = ticks.saturating_mul(GROWTH);
    }
    answer(simulation, requested, most, work)
}

/// A part of the work; `None` if its ticks did not last.
fn turn<T>(
    work: &mut SimulateWork<'_>,
    limit: &Budget,
    run: impl FnOnce(&mut SimulateWork<'_>) -> Result<T, Stop>,
) -> Result<Option<T>, Stop> {
    let statistics = std::mem::take(&mut work.statistics);
    let mut part = SimulateWork { budget: limit, events: &mut *work.events, statistics };
    let done = run(&mut part);
    work.statistics = part.statistics;
    match done {
        Err(Stop::Ticks) => work.budget.spend(0).map(|()| None),
        done => done.map(Some),
    }
}

fn no_nets() -> Reason {
    let message = "symbolic simulation needs variables; a net has only local states without data";
    Reason::new(ReasonKind::Unsupported, message)
}
