//! Traces of compact states: each step picks a thread that is in the right local state. Threads in the same
//! state are interchangeable, so any one will do.

use super::micro::Micro;
use super::{Outcome, Threads};
use crate::bits;
use crate::command::Command;
use crate::explore::NONE;
use crate::trace::{TraceBuilder, thread};
use base::{Budget, Id, Stop};
use ir::bp::{LocalId, State, Step, ThreadId};
use std::collections::BTreeMap;

/// A step between two compact states.
pub struct Taken {
    /// The thread that steps.
    pub local: u32,
    /// What the step leads to.
    pub outcome: Outcome,
    /// Whether the bound refused a thread.
    pub refused: bool,
    /// Old state, new state and number of passive threads that are updated so. Others take the first update
    /// there is.
    pub reacted: Vec<(u32, u32, u32)>,
    /// The threads that come when `init` ends, each state with how many.
    pub population: Vec<(u32, u32)>,
}

/// Builds a trace from steps between compact states.
pub struct Replay<'t, 'p> {
    /// The threads' steps.
    pub threads: &'t mut Threads<'p>,
    /// What replaying may spend.
    pub budget: &'t Budget,
    /// The trace so far.
    pub trace: TraceBuilder<'p>,
    /// The threads that the compact states count, each with its local state.
    names: BTreeMap<ThreadId, u32>,
}

impl<'t, 'p> Replay<'t, 'p> {
    /// A trace that starts in this compact state; with a bound, of the program under this bound.
    pub fn new(
        threads: &'t mut Threads<'p>,
        bound: Option<u32>,
        shared: u32,
        groups: &[(u32, u32)],
        budget: &'t Budget,
    ) -> Self {
        let locals = groups.iter().flat_map(|&(local, count)| (0..count).map(move |_| local));
        let names: BTreeMap<ThreadId, u32> = (0..).zip(locals).collect();
        let semantics = &threads.semantics;
        let row = semantics.shared.get(shared);
        let concrete = |local: u32| {
            let values = semantics.values(local);
            let (loc, inside) = (semantics.loc(local), semantics.inside(local));
            thread(semantics.program, loc, inside, |id| bits::get(values, id.index()))
        };
        let state = State {
            initialising: semantics.initialising(shared),
            shared: (0..semantics.program.shared().len()).map(|index| bits::get(row, index)).collect(),
            threads: names.iter().map(|(&name, &local)| (name, concrete(local))).collect(),
        };
        let trace = TraceBuilder::new(semantics.program, bound, state);
        Self { threads, budget, trace, names }
    }

    /// Adds the machine steps of one step; false if idle threads stand in the way.
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
            if !self.single(active, &run.steps[at].0, taken)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn single(&mut self, active: ThreadId, micro: &Micro, taken: &Taken) -> Result<bool, Stop> {
        let semantics = &self.threads.semantics;
        let command = semantics.commands.at(semantics.loc(self.names[&active]))[micro.command].clone();
        let mut step = self.trace.command(active, &command, micro.writes.iter().copied());
        self.names.remove(&active);
        if micro.passive.is_some() && !self.react(&mut step, &command, taken)? {
            return Ok(false);
        }
        if micro.local != NONE {
            self.names.insert(active, micro.local);
        } else if self.trace.state.initialising {
            self.start_others(&mut step, &taken.population)?;
        }
        if let (Some((local, values)), Some(child)) = (&micro.child, &command.child) {
            let wanted = |id| child.values.iter().position(|it| it.0 == id).map(|at| values[at]);
            let name = self.trace.child(&mut step, wanted, taken.refused);
            self.names.extend(name.filter(|_| !taken.refused).map(|name| (name, *local)));
        }
        Ok(self.trace.follow(step))
    }

    /// The threads that start when `init` ends.
    fn start_others(&mut self, step: &mut Step, population: &[(u32, u32)]) -> Result<(), Stop> {
        for template in &self.threads.semantics.program.start().templates {
            let child = self.threads.semantics.commands.fresh(template.procedure).clone();
            let fresh = self.threads.semantics.fresh(template.procedure, self.budget)?;
            for &(local, count) in population {
                let Some((_, values)) = fresh.iter().find(|it| it.0 == local) else { continue };
                for _ in 0..count {
                    let wanted =
                        |id: LocalId| child.values.iter().position(|it| it.0 == id).map(|at| values[at]);
                    let name = self.trace.starter(step, child.at, wanted);
                    self.names.insert(name, local);
                }
            }
        }
        Ok(())
    }

    /// Gives each passive thread its new values; false if one cannot have any.
    fn react(&mut self, step: &mut Step, command: &Command, taken: &Taken) -> Result<bool, Stop> {
        let mut left = taken.reacted.clone();
        let passive = self.threads.passive(taken.outcome.passive).clone();
        let mut chosen = BTreeMap::new();
        for (&name, local) in &mut self.names {
            let options = self.threads.semantics.reaction(&passive, *local, self.budget)?.options;
            let planned = match left.iter_mut().find(|it| it.0 == *local && it.2 > 0) {
                Some((_, new, count)) => {
                    *count -= 1;
                    Some(*new)
                }
                None => options.first().map(|option| option.0),
            };
            let option = options.into_iter().find(|option| Some(option.0) == planned);
            let Some((new, values)) = option else { return Ok(false) };
            *local = new;
            chosen.insert(name, values);
        }
        let commands = &self.threads.semantics.commands;
        Ok(self.trace.react(step, command, commands, |name| chosen.remove(&name)))
    }
}
