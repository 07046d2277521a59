//! Runs with a name for every thread: each step of a compact state picks a thread that is in the right local state. Threads in the
//! same state are interchangeable, so any one will do.

use super::micro::Micro;
use super::{Outcome, Threads};
use crate::bits;
use crate::explore::NONE;
use base::{Budget, Id, Stop};
use ir::bp::state::Passive;
use ir::bp::{Birth, Frame, Loc, LocalId, LocalScope, Machine, Op, State, Step, Thread, ThreadId, Var};
use std::collections::BTreeMap;

/// A step between two compact states.
pub struct Taken {
    /// The thread that steps.
    pub local: u32,
    /// What the step leads to.
    pub outcome: Outcome,
    /// Whether the bound refused a thread.
    pub refused: bool,
    /// Old state, new state and number of passive threads that are updated so. Others take the first update there is.
    pub reacted: Vec<(u32, u32, u32)>,
    /// The threads that come when `init` ends, each state with how many.
    pub crowd: Vec<(u32, u32)>,
}

/// A run that grows step by step.
pub struct Tracer<'t, 'p> {
    /// The threads' steps.
    pub threads: &'t mut Threads<'p>,
    /// The reference semantics, which has the last word.
    pub machine: Machine<'p>,
    /// What replaying may spend.
    pub budget: &'t Budget,
    /// The state reached so far.
    pub state: State,
    /// The threads that the compact states count, each with its local state.
    pub names: BTreeMap<ThreadId, u32>,
    /// The threads that the bound refused.
    idle: BTreeMap<ThreadId, u32>,
    next: ThreadId,
    /// Whether a refused thread stays refused.
    pub bounded: bool,
    /// The steps so far.
    pub steps: Vec<Step>,
}

impl<'t, 'p> Tracer<'t, 'p> {
    /// A run that has not made a step yet.
    pub fn new(
        threads: &'t mut Threads<'p>,
        machine: Machine<'p>,
        budget: &'t Budget,
        shared: u32,
        groups: &[(u32, u32)],
    ) -> Self {
        let locals = groups.iter().flat_map(|&(local, count)| (0..count).map(move |_| local));
        let names: BTreeMap<ThreadId, u32> = (0..).zip(locals).collect();
        let semantics = &threads.semantics;
        let row = semantics.shared.get(shared);
        let state = State {
            initialising: semantics.initialising(shared),
            shared: (0..semantics.program.shared().len()).map(|index| bits::get(row, index)).collect(),
            threads: names.iter().map(|(&name, &local)| (name, thread(threads, local))).collect(),
        };
        let next = names.len() as ThreadId;
        let idle = BTreeMap::new();
        Self { threads, machine, budget, state, names, idle, next, bounded: true, steps: vec![] }
    }

    /// Adds the single steps; false if idle threads stand in the way.
    pub fn perform(&mut self, shared: u32, taken: &Taken) -> Result<bool, Stop> {
        let run = self.threads.run(shared, taken.local, self.budget)?;
        let fits = |&end: &usize| {
            let (begun, last) = (&run.steps[run.path(end)[0]].0, &run.steps[end].0);
            let child = begun.child.as_ref().map_or(NONE, |child| child.0);
            let number = taken.outcome.passive;
            let passive = (number != NONE).then(|| self.threads.passive(number));
            (last.shared, last.local, child)
                == (taken.outcome.shared, taken.outcome.local, taken.outcome.child)
                && begun.passive.as_ref() == passive
        };
        let end = *run.ends.iter().find(|end| fits(end)).expect("the outcome was computed from such a run");
        let active = self.names.iter().find(|&(_, &local)| local == taken.local);
        let active = *active.expect("the compact state counts such a thread").0;
        for at in run.path(end) {
            let micro = run.steps[at].0.clone();
            if !self.single(active, &micro, taken)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn single(&mut self, active: ThreadId, micro: &Micro, taken: &Taken) -> Result<bool, Stop> {
        let semantics = &self.threads.semantics;
        let at = semantics.loc(self.names[&active]);
        let command = semantics.commands.at(at)[micro.command].clone();
        let assigns = matches!(semantics.program.at(at).op, Op::Assign { .. });
        let targets = command.assign.iter().map(|&(var, _)| var).zip(micro.writes.iter().copied());
        let writes: Vec<(Var, bool)> = if assigns { targets.collect() } else { vec![] };
        let mut step = Step { thread: active, at, to: command.to, writes, passive: vec![], births: vec![] };
        self.names.remove(&active);
        if micro.passive.is_some() && !self.react(&mut step, &command.broadcast, taken)? {
            return Ok(false);
        }
        if micro.local != NONE {
            self.names.insert(active, micro.local);
        } else if self.state.initialising {
            self.start_others(&mut step, &taken.crowd)?;
        }
        if let (Some((local, values)), Some(child)) = (&micro.child, &command.child) {
            let values = child.values.iter().map(|&(local, _)| local).zip(values.iter().copied()).collect();
            self.create(&mut step, child.at, values, *local, taken.refused);
        }
        self.apply(step)
    }

    fn apply(&mut self, step: Step) -> Result<bool, Stop> {
        match self.machine.apply(&self.state, &step) {
            Ok(after) => {
                self.state = after;
                self.steps.push(step);
                Ok(true)
            }
            Err(_) if !self.idle.is_empty() => Ok(false),
            Err(refusal) => panic!("every step of the search is one of the program: {refusal:?}, {step:?}"),
        }
    }

    /// Names a new thread; at the bound only where the run has none.
    fn create(&mut self, step: &mut Step, at: Loc, values: Vec<(LocalId, bool)>, local: u32, refused: bool) {
        if refused && self.bounded {
            return;
        }
        let names = if refused { &mut self.idle } else { &mut self.names };
        names.insert(self.next, local);
        step.births.push(Birth { thread: self.next, at, values });
        self.next += 1;
    }

    /// The threads that start when `init` ends.
    fn start_others(&mut self, step: &mut Step, crowd: &[(u32, u32)]) -> Result<(), Stop> {
        for template in self.threads.semantics.program.start().templates.clone() {
            let child = self.threads.semantics.commands.fresh(template.procedure).clone();
            let fresh = self.threads.semantics.fresh(template.procedure, self.budget)?;
            for &(local, count) in crowd {
                let Some((_, values)) = fresh.iter().find(|it| it.0 == local) else { continue };
                let values: Vec<(LocalId, bool)> =
                    child.values.iter().map(|&(local, _)| local).zip(values.iter().copied()).collect();
                for _ in 0..count {
                    self.create(step, child.at, values.clone(), local, false);
                }
            }
        }
        Ok(())
    }

    /// Gives each passive thread its new values; false if an idle one cannot have any.
    fn react(
        &mut self,
        step: &mut Step,
        broadcast: &[(LocalId, ir::bp::ExprId)],
        taken: &Taken,
    ) -> Result<bool, Stop> {
        let mut left = taken.reacted.clone();
        let passive = self.threads.passive(taken.outcome.passive).clone();
        let all: BTreeMap<ThreadId, u32> =
            self.names.iter().chain(&self.idle).map(|(&n, &l)| (n, l)).collect();
        for (name, old) in all {
            let reaction = self.threads.semantics.reaction(&passive, old, self.budget)?;
            let planned = left.iter_mut().find(|it| it.0 == old && it.2 > 0);
            let new = match planned {
                Some((_, new, count)) if self.names.contains_key(&name) => {
                    *count -= 1;
                    Some(*new)
                }
                _ => reaction.options.first().map(|option| option.0),
            };
            let chosen = reaction.options.iter().find(|option| Some(option.0) == new);
            let Some((new, values)) = chosen else { return Ok(false) };
            let names = if self.names.contains_key(&name) { &mut self.names } else { &mut self.idle };
            names.insert(name, *new);
            let loc = self.threads.semantics.loc(old);
            if broadcast.iter().any(|&(local, _)| self.threads.semantics.program.in_scope(loc, local)) {
                step.passive.push(Passive { thread: name, depth: 0, values: values.clone() });
            }
        }
        Ok(true)
    }
}

/// A thread-local state as the reference semantics has it.
fn thread(threads: &Threads<'_>, local: u32) -> Thread {
    let semantics = &threads.semantics;
    let row = semantics.values(local);
    let value = |thread: bool| {
        let all = semantics.program.locals().enumerate();
        all.map(|(id, it)| (it.scope == LocalScope::Thread) == thread && bits::get(row, id.index())).collect()
    };
    let frame = Frame { loc: semantics.loc(local), values: value(false) };
    Thread { inside: semantics.inside(local), values: value(true), stack: vec![frame] }
}
