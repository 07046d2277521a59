//! From a model of the last guard to a run with a name for every thread: the choices are read off the model,
//! and every step is made by the reference semantics. A state that was rewritten has choices of its own:
//! there the solver is called once more, for choices of the original that lead to the same values.
//!
//! A thread that the bound refused is created if the question was about any number of threads, and stays
//! idle.

use super::oracle::Assignment;
use super::search::{Failing, SimulateSearch, SimulateWork};
use super::state::{State, SymbolicStep, SymbolicThread, ThreadOrigin};
use crate::trace::{TraceBuilder, thread};
use base::{Id, Stop};
use ir::bp::{self, LocalId, ThreadId};
use ir::trace::ProgramTrace;
use solve::aig::{Aig, Lit};
use std::collections::BTreeMap;

/// The run to the error that was found, or `None` if the refused threads, created and idle, stand in its way.
/// With a bound the run is one of the program under this bound.
pub fn trace(
    search: &mut SimulateSearch<'_>,
    error: Failing,
    bound: Option<u32>,
    work: &mut SimulateWork<'_>,
) -> Result<Option<ProgramTrace>, Stop> {
    let path = path(search, error.state);
    let models = models(search, &path, error.condition, work)?;
    let first = &search.kept[path[0]];
    let start = start(search, first.original.as_ref().unwrap_or(&first.state), &models[0]);
    let names = (0..start.threads.len() as ThreadId).collect();
    let trace = TraceBuilder::new(search.simulator.program, bound, start);
    let mut run = TraceRun { search, trace, names };
    for (&index, model) in path.iter().zip(&models).skip(1) {
        work.budget.spend(1)?;
        let (before, via) = run.search.kept[index].before.as_ref().expect("only the first has none before");
        if !run.perform(&run.search.kept[*before].state.threads, via, model) {
            return Ok(None);
        }
    }
    Ok(Some(run.trace.finish().expect("the path leads to an error")))
}

fn path(search: &SimulateSearch<'_>, last: usize) -> Vec<usize> {
    let mut path = vec![last];
    while let Some((before, _)) = &search.kept[path[path.len() - 1]].before {
        path.push(*before);
    }
    path.reverse();
    path
}

/// For each state on the path the choices that lead to it.
fn models(
    search: &mut SimulateSearch<'_>,
    path: &[usize],
    condition: Lit,
    work: &mut SimulateWork<'_>,
) -> Result<Vec<Assignment>, Stop> {
    let mut models = vec![];
    let last = &search.kept[path[path.len() - 1]];
    let mut wanted = vec![last.original.as_ref().unwrap_or(&last.state).guard, condition];
    for &index in path.iter().rev() {
        let kept = &search.kept[index];
        let model = match (&kept.original, models.last()) {
            (None, Some(model)) => Assignment::clone(model),
            (Some(original), Some(model)) => {
                wanted = vec![original.guard];
                let (old, new) = (search.live().bits(original), search.live().bits(&kept.state));
                let values = values(&search.simulator.aig, &new, model);
                wanted.extend(old.iter().zip(values).map(|(&bit, value)| bit.negate_if(!value)));
                ask(search, &wanted, work)?
            }
            (_, None) => ask(search, &wanted, work)?,
        };
        models.push(model);
    }
    models.reverse();
    Ok(models)
}

fn ask(
    search: &mut SimulateSearch<'_>,
    wanted: &[Lit],
    work: &mut SimulateWork<'_>,
) -> Result<Assignment, Stop> {
    let aig = &search.simulator.aig;
    let model = search.oracle.model(aig, wanted, &mut work.statistics, work.budget)?;
    Ok(model.expect("the search found these choices"))
}

fn values(aig: &Aig, lits: &[Lit], model: &Assignment) -> Vec<bool> {
    aig.eval_all(lits, |input| model.get(input.index()).copied().unwrap_or(false))
}

fn start(search: &SimulateSearch<'_>, state: &State, model: &Assignment) -> bp::State {
    let aig = &search.simulator.aig;
    let concrete = |it: &SymbolicThread| {
        let locals = values(aig, &it.locals, model);
        thread(search.simulator.program, it.loc, it.inside, |local| locals[local.index()])
    };
    let threads = state.threads.iter().map(concrete);
    bp::State {
        initialising: state.initialising,
        shared: values(aig, &state.shared, model),
        threads: (0..).zip(threads).collect(),
    }
}

/// A trace that follows symbolic states.
struct TraceRun<'s, 'p> {
    search: &'s SimulateSearch<'p>,
    trace: TraceBuilder<'p>,
    /// The names of the symbolic state's threads.
    names: Vec<ThreadId>,
}

impl TraceRun<'_, '_> {
    /// Adds the step with its choices; false if idle threads stand in the way.
    fn perform(&mut self, threads: &[SymbolicThread], via: &SymbolicStep, model: &Assignment) -> bool {
        let simulator = &self.search.simulator;
        let aig = &simulator.aig;
        let command = &simulator.commands.at(threads[via.thread].loc)[via.command];
        let written = values(aig, &via.writes, model);
        let mut step = self.trace.command(self.names[via.thread], command, written);
        let mut passive: BTreeMap<ThreadId, Vec<(LocalId, bool)>> =
            self.names.iter().map(|&name| (name, vec![])).collect();
        passive.extend(via.passive.iter().map(|(other, it)| (self.names[*other], valued(aig, it, model))));
        if !self.trace.react(&mut step, command, simulator.commands, |name| passive.remove(&name)) {
            return false;
        }
        let mut born = vec![];
        for it in &via.births {
            let given = valued(aig, &it.values, model);
            // A rewritten state has forgotten what nobody reads any more: then the builder finds the value
            // that a child gets a copy of.
            let wanted = |local| given.iter().find(|it| it.0 == local).map(|it| it.1);
            born.push(match command.child {
                Some(_) => self.trace.child(&mut step, wanted, it.refused),
                None => Some(self.trace.starter(&mut step, it.at, wanted)),
            });
        }
        let name = |origin: &ThreadOrigin| match *origin {
            ThreadOrigin::Before(thread) => self.names[thread],
            ThreadOrigin::Birth(birth) => born[birth].expect("a thread of the state was not refused"),
        };
        self.names = via.origins.iter().map(name).collect();
        self.trace.follow(step)
    }
}

fn valued(aig: &Aig, formulas: &[(LocalId, Lit)], model: &Assignment) -> Vec<(LocalId, bool)> {
    let lits: Vec<Lit> = formulas.iter().map(|it| it.1).collect();
    formulas.iter().map(|it| it.0).zip(values(aig, &lits, model)).collect()
}
