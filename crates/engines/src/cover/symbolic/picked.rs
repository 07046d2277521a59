//! A run that grows by steps whose values were picked, with a name for every thread; the reference semantics accepts each step.

use super::forward::Found;
use crate::command::Child;
use crate::symbolic::values::{Values, local_literals};
use crate::symbolic::{Slot, Symbolic};
use base::{Budget, Id, Stop};
use ir::bp::state::Passive;
use ir::bp::{Birth, Failure, Loc, LocalId, Machine, Op, Program, State, Step, ThreadId, Var};
use solve::bdd::Level;

/// A step of one member.
pub struct Deed {
    /// The command, by its location and number.
    pub command: (Loc, usize),
    /// Which member steps.
    pub mover: usize,
    /// Where the locals of its child are.
    pub spare: usize,
}

/// The run so far.
pub struct Player<'p> {
    machine: Machine<'p>,
    program: &'p Program,
    /// The state reached.
    pub state: State,
    /// The members of the element, in order.
    pub members: Vec<ThreadId>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The name of the next thread.
    pub next: ThreadId,
}

impl<'p> Player<'p> {
    /// No step yet.
    pub fn new(program: &'p Program, state: State, members: Vec<ThreadId>) -> Self {
        let next = state.threads.len() as ThreadId;
        Self { machine: Machine::new(program, None), program, state, members, steps: vec![], next }
    }

    /// The error that the state is in.
    pub fn failure(&self) -> Option<Failure> {
        self.machine.failure(&self.state)
    }

    /// Where a thread stands.
    pub fn loc(&self, name: ThreadId) -> Loc {
        self.state.threads[&name].loc()
    }

    /// All locals of a thread.
    pub fn locals(&self, name: ThreadId) -> Vec<bool> {
        let thread = &self.state.threads[&name];
        self.program.locals().ids().map(|local| thread.value(self.program, 0, local)).collect()
    }

    /// The last step of `init`; the first of the threads that come are the members.
    pub fn start(&mut self, births: Vec<Birth>, members: usize) -> Result<(), &'static str> {
        let thread = self.members[0];
        let step = Step { births, ..self.bare(thread, None) };
        self.members = step.births.iter().take(members).map(|birth| birth.thread).collect();
        self.next += step.births.len() as ThreadId;
        self.apply(step)
    }

    /// A step with its values; `order` says where the members after it are now.
    pub fn perform(
        &mut self,
        deed: &Deed,
        values: &Values,
        order: &[usize],
        symbolic: &mut Symbolic<'_>,
        budget: &Budget,
    ) -> Found<()> {
        let (loc, index) = deed.command;
        let command = symbolic.commands.at(loc)[index].clone();
        let active = self.members[deed.mover];
        let mut step = self.bare(active, command.to);
        if matches!(self.program.at(loc).op, Op::Assign { .. }) {
            let next = |var: Var| values.get(symbolic.space.next(var, Slot::Member(deed.mover)));
            step.writes = command.assign.iter().map(|&(var, _)| (var, next(var))).collect();
        }
        if command.asks.is_some() || !command.broadcast.is_empty() {
            let Some(passive) = self.passive(deed, values, symbolic, budget)? else {
                return Ok(Err("a thread has no answer to a broadcast"));
            };
            step.passive = passive;
        }
        let mut names = self.members.clone();
        names.resize(deed.spare + 1, self.next);
        if let Some(child) = &command.child {
            let asked = order.contains(&deed.spare);
            step.births = vec![self.birth(child, asked.then_some((values, deed)), active, symbolic)];
            self.next += 1;
        }
        self.members = order.iter().map(|&slot| names[slot]).collect();
        Ok(self.apply(step))
    }

    /// A step without its effects.
    fn bare(&self, thread: ThreadId, to: Option<Loc>) -> Step {
        Step { thread, at: self.loc(thread), to, writes: vec![], passive: vec![], births: vec![] }
    }

    fn apply(&mut self, step: Step) -> Result<(), &'static str> {
        self.state = self.machine.apply(&self.state, &step).map_err(|_| "the program refuses a step")?;
        self.steps.push(step);
        Ok(())
    }

    /// A thread that is created: with the values that were picked, or any if nobody asks for it.
    fn birth(
        &self,
        child: &Child,
        asked: Option<(&Values, &Deed)>,
        creator: ThreadId,
        symbolic: &Symbolic<'_>,
    ) -> Birth {
        let locals = self.locals(creator);
        let value = |var: Var| match var {
            Var::Shared(id) => self.state.shared[id.index()],
            Var::Local(id) => locals[id.index()],
        };
        let born = |&(local, e): &(LocalId, ir::bp::ExprId)| {
            let any = symbolic.commands.exprs().values(e, |read| ir::bp::Values::only(value(read.var)));
            let picked = asked.filter(|_| symbolic.keeps(child.at, local)).map(|(values, deed)| {
                values.get(symbolic.space.now(Var::Local(local), Slot::Member(deed.spare)))
            });
            (local, picked.unwrap_or_else(|| !any.may_be(false)))
        };
        Birth { thread: self.next, at: child.at, values: child.values.iter().map(born).collect() }
    }

    /// What each other thread becomes; `None` if one has no answer.
    fn passive(
        &self,
        deed: &Deed,
        values: &Values,
        symbolic: &mut Symbolic<'_>,
        budget: &Budget,
    ) -> Result<Option<Vec<Passive>>, Stop> {
        let (loc, index) = deed.command;
        let mut all = vec![];
        for (&name, thread) in &self.state.threads {
            let updates = symbolic.updates(loc, index, thread.loc());
            if name == self.members[deed.mover] || updates.is_empty() {
                continue;
            }
            let member = self.members.iter().position(|&member| member == name);
            let answer = match member {
                Some(_) => None,
                None => match self.answer(deed, values, name, symbolic, budget)? {
                    Some(answer) => Some(answer),
                    None => return Ok(None),
                },
            };
            let slot = member.map_or(Slot::Passive, Slot::Member);
            let picked = answer.as_ref().unwrap_or(values);
            let new = |local| (local, picked.get(symbolic.space.next(Var::Local(local), slot)));
            all.push(Passive {
                thread: name,
                depth: 0,
                values: updates.iter().map(|it| new(it.0)).collect(),
            });
        }
        Ok(Some(all))
    }

    /// What a thread that is no member may become.
    fn answer(
        &self,
        deed: &Deed,
        values: &Values,
        name: ThreadId,
        symbolic: &mut Symbolic<'_>,
        budget: &Budget,
    ) -> Result<Option<Values>, Stop> {
        let ((loc, index), at) = (deed.command, self.loc(name));
        let relation = symbolic.full_passive_relation(loc, index, at, budget)?;
        let space = &symbolic.space;
        let shared = space.levels_of_shared().into_iter().flat_map(|now| [now, now + 1]);
        let mut fixed: Vec<(Level, bool)> = shared.map(|level| (level, values.get(level))).collect();
        let own = space.pairs(Slot::Own, Slot::Member(deed.mover)).into_iter();
        fixed.extend(own.map(|(own, member)| (own, values.get(member))));
        fixed.extend(local_literals(symbolic, at, &self.locals(name), Slot::Passive));
        let cube = symbolic.manager.cube(&fixed)?;
        let all = symbolic.manager.and(relation, cube, budget)?;
        Ok(Values::pick(symbolic, all))
    }
}
