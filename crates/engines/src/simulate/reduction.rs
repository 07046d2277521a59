//! Partial-order reduction with a solver (Cook, Kroening and Sharygina, section 3.4), corrected.
//!
//! The paper's condition looks only at the current statements of the other threads, which is unsound; here
//! the sets of [`crate::independence`] say which threads no other can disturb or notice. Such a thread goes
//! alone only if it can step in *every* state of the set: where it is blocked, the others must not wait for
//! it. The solver says whether it can; the paper lets its decision heuristic exclude the threads that do not
//! qualify, here one thread is tried after the other.

use super::oracle::Oracle;
use super::settings::Reduction;
use super::state::{State, SymbolicThread};
use super::statistics::Statistics;
use super::step::{Reading, Simulator};
use crate::command::Command;
use crate::evaluate::Memo;
use crate::independence::{Futures, Independence};
use base::{Budget, Id, Stop};
use ir::bp::{Loc, Program, Read, Var, When};
use solve::aig::Lit;

/// Finds threads that may be run alone.
pub struct Reducer {
    kind: Reduction,
    independence: Independence,
    futures: Futures,
    /// For each location, whether the text alone shows that a thread there can always step.
    never_blocks: Vec<bool>,
}

impl Reducer {
    /// A reducer for a program, if threads are to be run alone at all.
    pub fn new(
        kind: Reduction,
        simulator: &mut Simulator<'_>,
        budget: &Budget,
    ) -> Result<Option<Reducer>, Stop> {
        if kind == Reduction::Off {
            return Ok(None);
        }
        let independence = Independence::new(simulator.program, |loc| simulator.is_merged(loc));
        let futures = independence.futures();
        let mut never_blocks = vec![];
        for loc in simulator.program.locations().ids() {
            let anywhere = anywhere(simulator.program, simulator, loc);
            never_blocks.push(enabled(simulator, &anywhere, 0, budget)? == Lit::TRUE);
        }
        Ok(Some(Reducer { kind, independence, futures, never_blocks }))
    }

    /// A thread that may be run alone from all states of the set.
    pub fn alone(
        &mut self,
        simulator: &mut Simulator<'_>,
        state: &State,
        oracle: &mut Oracle,
        statistics: &mut Statistics,
        budget: &Budget,
    ) -> Result<Option<usize>, Stop> {
        if state.initialising || state.inside().is_some() || state.threads.len() < 2 {
            return Ok(None);
        }
        self.futures.clear();
        state.threads.iter().for_each(|it| self.futures.add(&self.independence, it.loc, false));
        let qualifies = |loc: Loc| self.independence.runs_alone(loc, &self.futures);
        let able: Vec<usize> =
            (0..state.threads.len()).filter(|&thread| qualifies(state.threads[thread].loc)).collect();
        let sure = able.iter().find(|&&thread| self.never_blocks[state.threads[thread].loc.index()]);
        if sure.is_some() || self.kind == Reduction::Static {
            return Ok(sure.copied());
        }
        let mut blocked = vec![];
        for &thread in &able {
            let step = enabled(simulator, state, thread, budget)?;
            if step == Lit::TRUE {
                return Ok(Some(thread));
            }
            if step != Lit::FALSE {
                blocked.push((thread, !step));
            }
        }
        if blocked.is_empty() {
            return Ok(None);
        }
        let formulas: Vec<Lit> = blocked.iter().map(|it| it.1).chain([state.guard]).collect();
        oracle.prepare(&simulator.aig, &formulas);
        let guard = oracle.literal(&simulator.aig, state.guard, budget)?;
        for (thread, is_blocked) in blocked {
            let is_blocked = oracle.literal(&simulator.aig, is_blocked, budget)?;
            if !oracle.ask(&[guard, is_blocked], statistics, budget)? {
                return Ok(Some(thread));
            }
        }
        Ok(None)
    }
}

/// Where a thread can step. Exact unless the command has a condition over passive threads or over a new value
/// that is chosen; such a command counts as one that cannot be made.
fn enabled(
    simulator: &mut Simulator<'_>,
    state: &State,
    thread: usize,
    budget: &Budget,
) -> Result<Lit, Stop> {
    let commands = simulator.commands;
    let mut some = Lit::FALSE;
    for command in commands.at(state.threads[thread].loc) {
        let possible = possible(simulator, state, thread, command, budget)?;
        some = simulator.aig.or(some, possible);
    }
    Ok(some)
}

fn possible(
    simulator: &mut Simulator<'_>,
    state: &State,
    thread: usize,
    command: &Command,
    budget: &Budget,
) -> Result<Lit, Stop> {
    let exprs = simulator.commands.exprs();
    let requires = || command.requires.iter().flat_map(|&e| exprs.reads(e));
    let chosen = |read: Read| {
        let written = command.assign.iter().find(|it| it.0 == read.var);
        read.when == When::Next && written.is_none_or(|it| exprs.has_choice(it.1))
    };
    if command.asks.is_some() || requires().any(chosen) {
        return Ok(Lit::FALSE);
    }
    let (now, mut memo) = (Reading::now(state, thread), Memo::default());
    let (mut shared, mut own) = (state.shared.clone(), state.threads[thread].locals.clone());
    for &(var, e) in &command.assign {
        let range = simulator.range(e, &now, &mut memo, budget)?;
        match var {
            Var::Shared(id) => shared[id.index()] = range.one,
            Var::Local(id) => own[id.index()] = range.one,
        }
    }
    let between = Reading { shared: [&state.shared, &shared], own: [now.own[0], &own], ..now };
    let mut all = Lit::TRUE;
    for &e in &command.requires {
        let may_hold = simulator.range(e, &between, &mut memo, budget)?.one;
        all = simulator.aig.and(all, may_hold);
    }
    Ok(all)
}

/// A thread at a location with any values.
fn anywhere(program: &Program, simulator: &mut Simulator<'_>, loc: Loc) -> State {
    let mut any = |count: usize| -> Vec<Lit> {
        (0..count)
            .map(|index| {
                if index >= simulator.aig.input_count() {
                    simulator.aig.new_input();
                }
                simulator.aig.input(solve::aig::Input::from_index(index))
            })
            .collect()
    };
    let all = any(program.shared().len() + program.locals().len());
    let (shared, locals) = all.split_at(program.shared().len());
    let threads = vec![SymbolicThread { loc, inside: false, locals: locals.to_vec() }];
    State { initialising: false, running: None, threads, shared: shared.to_vec(), guard: Lit::TRUE }
}
