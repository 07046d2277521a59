//! From a model of the last guard to a run with a name for every thread: the choices are read off the model, and every step is made by
//! the reference semantics. A state that was rewritten has choices of its own: there the solver is asked once more, for choices of
//! the original that lead to the same values.
//!
//! A thread that the bound refused is created if the question was about any number of threads, and stays idle.

use super::oracle::Model;
use super::search::{Failing, Search, Work};
use super::state::{Born, Member, Origin, State, Via};
use crate::command::Command;
use base::{Id, Stop};
use ir::bp::state::Passive;
use ir::bp::{
    self, Birth, ExprId, Frame, LocalId, LocalScope, Machine, Op, Read, Step, Thread, ThreadId, Values, Var,
    When, Whose,
};
use ir::trace::ProgramTrace;
use solve::aig::{Aig, Lit};
use std::collections::BTreeMap;

/// The run to the error that was found, or `None` if the refused threads, created and idle, stand in its way. Without a bound in the
/// machine the run is one of the program without a bound.
pub fn trace<'p>(
    search: &mut Search<'p>,
    error: Failing,
    (machine, bounded): (Machine<'p>, bool),
    work: &mut Work<'_>,
) -> Result<Option<ProgramTrace>, Stop> {
    let path = path(search, error.state);
    let models = models(search, &path, error.condition, work)?;
    let first = &search.kept[path[0]];
    let start = start(search, first.original.as_ref().unwrap_or(&first.state), &models[0]);
    let names = (0..start.threads.len() as ThreadId).collect();
    let next = start.threads.len() as ThreadId;
    let mut tracer = Tracer { search, machine, bounded, state: start.clone(), names, idle: vec![], next };
    let mut steps = vec![];
    for (&index, model) in path.iter().zip(&models).skip(1) {
        work.budget.spend(1)?;
        let (before, via) =
            tracer.search.kept[index].before.as_ref().expect("only the first has none before");
        let Some(step) = tracer.step(&tracer.search.kept[*before].state.threads, via, model) else {
            return Ok(None);
        };
        match tracer.machine.apply(&tracer.state, &step) {
            Ok(after) => tracer.state = after,
            Err(_) if !tracer.idle.is_empty() => return Ok(None),
            Err(refusal) => panic!("every step of the search is one of the program: {refusal:?}, {step:?}"),
        }
        tracer.follow(&index, &step);
        steps.push(step);
    }
    let failure = tracer.machine.failure(&tracer.state).expect("the path leads to an error");
    Ok(Some(ProgramTrace { start, steps, failure }))
}

fn path(search: &Search<'_>, last: usize) -> Vec<usize> {
    let mut path = vec![last];
    while let Some((before, _)) = &search.kept[path[path.len() - 1]].before {
        path.push(*before);
    }
    path.reverse();
    path
}

/// For each state on the path the choices that lead to it.
fn models(
    search: &mut Search<'_>,
    path: &[usize],
    condition: Lit,
    work: &mut Work<'_>,
) -> Result<Vec<Model>, Stop> {
    let mut models = vec![];
    let last = &search.kept[path[path.len() - 1]];
    let mut wanted = vec![last.original.as_ref().unwrap_or(&last.state).guard, condition];
    for &index in path.iter().rev() {
        let kept = &search.kept[index];
        let model = match (&kept.original, models.last()) {
            (None, Some(model)) => Model::clone(model),
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

fn ask(search: &mut Search<'_>, wanted: &[Lit], work: &mut Work<'_>) -> Result<Model, Stop> {
    let aig = &search.simulator.aig;
    let model = search.oracle.model(aig, wanted, &mut work.statistics, work.budget)?;
    Ok(model.expect("the search found these choices"))
}

fn values(aig: &Aig, lits: &[Lit], model: &Model) -> Vec<bool> {
    aig.eval_all(lits, |input| model.get(input.index()).copied().unwrap_or(false))
}

fn start(search: &Search<'_>, state: &State, model: &Model) -> bp::State {
    let aig = &search.simulator.aig;
    let threads = state.threads.iter().map(|it| concrete(search, it, &values(aig, &it.locals, model)));
    bp::State {
        initialising: state.initialising,
        shared: values(aig, &state.shared, model),
        threads: (0..).zip(threads).collect(),
    }
}

fn concrete(search: &Search<'_>, member: &Member, values: &[bool]) -> Thread {
    let locals = search.simulator.program.locals();
    let of = |thread: bool| {
        let all = locals.enumerate();
        all.map(|(id, it)| (it.scope == LocalScope::Thread) == thread && values[id.index()]).collect()
    };
    let frame = Frame { loc: member.loc, values: of(false) };
    Thread { inside: member.inside, values: of(true), stack: vec![frame] }
}

/// A run that grows step by step.
struct Tracer<'s, 'p> {
    search: &'s Search<'p>,
    machine: Machine<'p>,
    bounded: bool,
    state: bp::State,
    /// The names of the symbolic state's threads.
    names: Vec<ThreadId>,
    /// The threads that the bound refused.
    idle: Vec<ThreadId>,
    next: ThreadId,
}

impl Tracer<'_, '_> {
    /// The step with its choices; `None` if an idle thread has no values.
    fn step(&self, threads: &[Member], via: &Via, model: &Model) -> Option<Step> {
        let simulator = &self.search.simulator;
        let aig = &simulator.aig;
        let at = threads[via.thread].loc;
        let command = &simulator.commands.at(at)[via.command];
        let assigned = command.assign.iter().map(|it| it.0).zip(values(aig, &via.writes, model));
        let assigned: Vec<(Var, bool)> = assigned.collect();
        let mut passive: BTreeMap<ThreadId, Vec<(LocalId, bool)>> = BTreeMap::new();
        for (other, updates) in &via.passive {
            passive.insert(self.names[*other], valued(aig, updates, model));
        }
        let active = self.names[via.thread];
        for &idle in &self.idle {
            let values = self.reaction(command, (active, idle), &assigned)?;
            if !values.is_empty() {
                passive.insert(idle, values);
            }
        }
        let to_passive = |(thread, values)| Passive { thread, depth: 0, values };
        let created = via.births.iter().filter(|born| self.is_created(born));
        let births = (self.next..).zip(created).map(|(thread, born)| {
            let values = self.inherited(active, valued(aig, &born.values, model));
            Birth { thread, at: born.at, values }
        });
        let assigns = matches!(simulator.program.at(at).op, Op::Assign { .. });
        Some(Step {
            thread: active,
            at,
            to: command.to,
            writes: if assigns { assigned } else { vec![] },
            passive: passive.into_iter().map(to_passive).collect(),
            births: births.collect(),
        })
    }

    /// A rewritten state has forgotten what nobody reads any more; a child may still get a copy of it.
    fn inherited(&self, creator: ThreadId, mut values: Vec<(LocalId, bool)>) -> Vec<(LocalId, bool)> {
        let possible = self.machine.choices(&self.state, creator).child;
        for ((_, value), (_, possible)) in values.iter_mut().zip(possible) {
            *value = if possible.may_be(*value) { *value } else { !*value };
        }
        values
    }

    fn is_created(&self, born: &Born) -> bool {
        !(born.refused && self.bounded)
    }

    /// Names the threads of the next symbolic state.
    fn follow(&mut self, index: &usize, step: &Step) {
        let (_, via) = self.search.kept[*index].before.as_ref().expect("a step led here");
        let born: Vec<ThreadId> = step.births.iter().map(|birth| birth.thread).collect();
        let created = via.births.iter().filter(|born| self.is_created(born)).zip(&born);
        let refused: Vec<ThreadId> = created.filter(|(it, _)| it.refused).map(|(_, &name)| name).collect();
        self.idle.extend(refused);
        self.next += born.len() as ThreadId;
        // Refused threads are in no state, and where one is refused there is no other birth.
        let name = |origin: &Origin| match *origin {
            Origin::Before(thread) => self.names[thread],
            Origin::Birth(birth) => born[birth],
        };
        self.names = via.origins.iter().map(name).collect();
    }

    /// New values for an idle thread: the first that the step allows.
    fn reaction(
        &self,
        command: &Command,
        (active, idle): (ThreadId, ThreadId),
        assigned: &[(Var, bool)],
    ) -> Option<Vec<(LocalId, bool)>> {
        let program = self.search.simulator.program;
        let at = self.state.threads[&idle].loc();
        let mut updates: Vec<(LocalId, ExprId)> = command.broadcast.clone();
        updates.retain(|it| program.in_scope(at, it.0));
        let look = |chosen: &[(LocalId, bool)], read: Read| {
            let thread = if read.whose == Whose::Own { active } else { idle };
            let old = match read.var {
                Var::Shared(id) => self.state.shared[id.index()],
                Var::Local(id) => self.state.threads[&thread].value(program, 0, id),
            };
            let own = assigned.iter().find(|it| it.0 == read.var).map(|it| it.1);
            let other = chosen.iter().find(|it| Var::Local(it.0) == read.var).map(|it| it.1);
            let new = if read.whose == Whose::Own { own } else { other };
            Values::only(new.filter(|_| read.when == When::Next).unwrap_or(old))
        };
        let exprs = self.search.simulator.commands.exprs();
        let possible: Vec<Values> =
            updates.iter().map(|it| exprs.values(it.1, |read| look(&[], read))).collect();
        let sees = |read: &Read| matches!(read.var, Var::Local(it) if program.in_scope(at, it));
        let copies = |e: ExprId| exprs.reads(e).into_iter().filter(|read| read.whose == Whose::Passive);
        let asks = command.asks.filter(|&e| copies(e).all(|read| sees(&read)));
        let mut all: Vec<Vec<(LocalId, bool)>> = vec![vec![]];
        for (&(local, _), values) in updates.iter().zip(possible) {
            let longer = |list: Vec<(LocalId, bool)>| {
                values.iter().map(move |value| [&list[..], &[(local, value)]].concat()).collect::<Vec<_>>()
            };
            all = all.into_iter().flat_map(longer).collect();
        }
        all.into_iter().find(|it| asks.is_none_or(|e| exprs.values(e, |read| look(it, read)).may_be(true)))
    }
}

fn valued(aig: &Aig, formulas: &[(LocalId, Lit)], model: &Model) -> Vec<(LocalId, bool)> {
    let lits: Vec<Lit> = formulas.iter().map(|it| it.1).collect();
    formulas.iter().map(|it| it.0).zip(values(aig, &lits, model)).collect()
}
