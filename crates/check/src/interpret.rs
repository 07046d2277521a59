//! What the statements do to the shared variables and the thread that executes them: an abstract interpreter,
//! whatever the sets of values are made of. Steps that involve other threads are completed elsewhere
//! ([`crate::message`]).

use crate::logic::Logic;
use crate::thread::{AbstractThread, Side, ThreadState, slot};
use base::{Id, Stop};
use ir::bp::{
    ExprId, Init, LocalId, LocalScope, Op, ProcId, Program, Read, Role, Spawn, Values, Var, When, Whose,
};

/// Where a statement may lead, and the condition that it does.
pub type Way<L> = (<L as Logic>::Bit, ThreadState<<L as Logic>::Set>);

/// The interpreter.
pub struct Interpreter<'p, L> {
    /// The program.
    pub program: &'p Program,
    /// What values are made of.
    pub logic: L,
}

impl<L: Logic> Interpreter<'_, L> {
    /// What an expression may be in a state.
    pub fn values(&mut self, e: ExprId, now: Side<'_, L::Set>) -> Result<L::Set, Stop> {
        self.values_between(e, now, now)
    }

    /// What an expression may be in a step from one state to another.
    pub fn values_between(
        &mut self,
        e: ExprId,
        now: Side<'_, L::Set>,
        next: Side<'_, L::Set>,
    ) -> Result<L::Set, Stop> {
        let program = self.program;
        let side = |when| if when == When::Now { now } else { next };
        self.logic.values(program, e, &mut |read| side(read.when).read(program, read))
    }

    /// Whether an expression may have the value.
    fn may_be(&mut self, e: ExprId, value: bool, now: Side<'_, L::Set>) -> Result<L::Bit, Stop> {
        let values = self.values(e, now)?;
        Ok(self.logic.may_be(values, value))
    }

    /// Whether the invariant of the thread's current activation may hold.
    pub fn enforced(&mut self, side: Side<'_, L::Set>) -> Result<L::Bit, Stop> {
        match self.program.at(side.me.loc()).enforce {
            Some(e) => self.may_be(e, true, side),
            None => Ok(self.logic.always()),
        }
    }

    /// Whether the thread, if it steps, may fail its assertion; `None` where there is none.
    pub fn failure(&mut self, state: &ThreadState<L::Set>) -> Result<Option<L::Bit>, Stop> {
        match self.program.at(state.me.loc()).op {
            Op::Assert(e) => self.may_be(e, false, state.side()).map(Some),
            _ => Ok(None),
        }
    }

    /// Where the statements lead that change the thread and the shared variables alone; assignments without
    /// what they do to others and ask of them.
    pub fn executed(&mut self, state: &ThreadState<L::Set>) -> Result<Vec<Way<L>>, Stop> {
        let location = self.program.at(state.me.loc());
        let mut next = state.gone(location.next);
        let always = self.logic.always();
        let ways = match &location.op {
            Op::Goto(targets) => targets.iter().map(|&to| (always, state.gone(to))).collect(),
            Op::Branch { cond, target } => {
                let values = self.values(*cond, state.side())?;
                let [yes, no] = [true, false].map(|way| self.logic.may_be(values, way));
                vec![(yes, state.gone(*target)), (no, next)]
            }
            Op::Assume(e) if !self.program.exprs().mentions_passive(*e) => {
                vec![(self.may_be(*e, true, state.side())?, next)]
            }
            Op::Assign { targets, constrain, .. } => self.assigned(state, next, targets, *constrain)?,
            Op::Call { procedure, args, .. } => vec![(always, self.called(state, *procedure, args)?)],
            Op::Return(values) => self.returned(state, values)?,
            Op::AtomicBegin | Op::AtomicEnd => {
                next.me.inside = location.op == Op::AtomicBegin;
                vec![(always, next)]
            }
            Op::Lock(id) | Op::Unlock(id) => {
                let lock = &self.program.locks()[*id];
                let take = location.op == Op::Lock(*id);
                let owner = slot(self.program, state.me.depth(), lock.owner);
                next.shared[lock.taken.index()] = Values::only(take).into();
                next.me.set(owner, Values::only(take).into());
                let guard = if take { state.shared[lock.taken.index()] } else { state.me.get(owner) };
                vec![(self.logic.may_be(guard, !take), next)]
            }
            Op::Skip | Op::Assume(_) | Op::Assert(_) | Op::Start(_) | Op::End => vec![(always, next)],
        };
        Ok(ways.into_iter().filter(|way| self.logic.possible(way.0)).collect())
    }

    fn assigned(
        &mut self,
        state: &ThreadState<L::Set>,
        next: ThreadState<L::Set>,
        targets: &[(Var, ExprId)],
        constrain: Option<ExprId>,
    ) -> Result<Vec<Way<L>>, Stop> {
        let mut writes = vec![];
        for &(var, e) in targets {
            writes.push((var, self.values(e, state.side())?));
        }
        let mut ways = self.written(next, &writes, constrain)?;
        if let Some(e) = constrain.filter(|&e| !self.program.exprs().mentions_passive(e)) {
            for (bit, after) in &mut ways {
                let values = self.values_between(e, state.side(), after.side())?;
                let holds = self.logic.may_be(values, true);
                *bit = self.logic.both(*bit, holds);
            }
        }
        Ok(ways)
    }

    /// All ways to write the values. A variable whose new value `constrain` reads, or that opens and closes
    /// atomic sections, is given each of its values in turn; for the others a set will do.
    fn written(
        &mut self,
        mut state: ThreadState<L::Set>,
        writes: &[(Var, L::Set)],
        constrain: Option<ExprId>,
    ) -> Result<Vec<Way<L>>, Stop> {
        let atomic = self.program.atomic_variable().map(Var::Shared);
        let read = constrain.map_or_else(Vec::new, |e| self.program.exprs().reads(e));
        let next = |var| Read { var, whose: Whose::Own, when: When::Next };
        let pinned = |var: Var| Some(var) == atomic || read.contains(&next(var));
        writes.iter().for_each(|&(var, value)| state.write(self.program, var, value));
        let split: Vec<_> = writes.iter().filter(|write| pinned(write.0)).collect();
        let mut all = vec![];
        for (bit, valuation) in self.logic.valuations(split.iter().map(|write| write.1).collect())? {
            let mut after = state.clone();
            split.iter().zip(valuation).for_each(|(write, value)| after.write(self.program, write.0, value));
            match split.iter().find(|write| Some(write.0) == atomic) {
                Some(_) => all.extend(self.sections(bit, &after)),
                None => all.push((bit, after)),
            }
        }
        Ok(all)
    }

    /// The value of the variable `atomic` says whether the thread is inside.
    fn sections(&mut self, bit: L::Bit, after: &ThreadState<L::Set>) -> [Way<L>; 2] {
        let variable = self.program.atomic_variable().expect("it was written");
        let value = after.shared[variable.index()];
        let way = |inside| {
            let so = self.logic.may_be(value, inside);
            let mut after = after.clone();
            after.me.inside = inside;
            (self.logic.both(bit, so), after)
        };
        [false, true].map(way)
    }

    /// The caller waits at the call; the callee's locals are fresh.
    pub fn called(
        &mut self,
        state: &ThreadState<L::Set>,
        procedure: ProcId,
        args: &[ExprId],
    ) -> Result<ThreadState<L::Set>, Stop> {
        let mut after = state.clone();
        after.me.enter(self.program, self.program.procedures()[procedure].entry);
        let depth = after.me.depth();
        for (local, it) in self.program.locals().enumerate() {
            if it.scope == LocalScope::Procedure(procedure) {
                let value = self.value_at_call(state, procedure, args, local)?;
                after.me.set(slot(self.program, depth, local), value);
            }
        }
        Ok(after)
    }

    /// What a local may be at a call: its argument if it is a parameter, its initial value otherwise.
    pub fn value_at_call(
        &mut self,
        state: &ThreadState<L::Set>,
        procedure: ProcId,
        args: &[ExprId],
        local: LocalId,
    ) -> Result<L::Set, Stop> {
        let params = &self.program.procedures()[procedure].params;
        match params.iter().position(|&param| param == local) {
            Some(index) => self.values(args[index], state.side()),
            None => Ok(start_values(self.program.locals()[local].init).into()),
        }
    }

    /// The caller goes on behind its call, with the results that it takes.
    fn returned(&mut self, state: &ThreadState<L::Set>, given: &[ExprId]) -> Result<Vec<Way<L>>, Stop> {
        let mut caller = state.me.clone();
        caller.leave(self.program);
        self.resumed(caller, state, given)
    }

    /// The caller, as it was when it called, goes on after the callee's return.
    pub fn resumed(
        &mut self,
        caller: AbstractThread<L::Set>,
        state: &ThreadState<L::Set>,
        given: &[ExprId],
    ) -> Result<Vec<Way<L>>, Stop> {
        let mut after = ThreadState { shared: state.shared.clone(), me: caller };
        after.me.inside = state.me.inside;
        let program = self.program;
        let of_thread = |local: &LocalId| program.locals()[*local].scope == LocalScope::Thread;
        for local in program.locals().ids().filter(of_thread) {
            let slot = slot(program, 0, local);
            after.me.set(slot, state.me.get(slot));
        }
        let call = self.program.at(after.me.loc());
        let Op::Call { results, .. } = &call.op else {
            unreachable!("control locations with other callers are rejected")
        };
        after.me.go(call.next);
        let mut taken = vec![];
        for (index, var) in results.iter().enumerate().filter_map(|(index, var)| var.map(|it| (index, it))) {
            let value = match given.get(index) {
                Some(&e) => self.values(e, state.side())?,
                None => Values::ANY.into(),
            };
            taken.push((var, value));
        }
        self.written(after, &taken, None)
    }

    /// A copy without owner bits, or a thread with fresh locals and arguments.
    pub fn child(
        &mut self,
        state: &ThreadState<L::Set>,
        spawn: &Spawn,
    ) -> Result<AbstractThread<L::Set>, Stop> {
        let program = self.program;
        let mut child = match spawn {
            Spawn::Clone(target) => {
                AbstractThread::newborn(program, *target, |local| match program.locals()[local].role {
                    Role::Owner(_) => Values::FALSE.into(),
                    Role::Plain => state.me.get(slot(program, state.me.depth(), local)),
                })
            }
            Spawn::Call(procedure, args) => {
                let locals = program.locals().ids();
                let values = locals.map(|local| self.value_at_call(state, *procedure, args, local));
                let values = values.collect::<Result<Vec<_>, Stop>>()?;
                let entry = program.procedures()[*procedure].entry;
                AbstractThread::newborn(program, entry, |local| values[local.index()])
            }
        };
        child.settle(program);
        Ok(child)
    }
}

/// A thread that begins in a procedure that has no parameters.
pub fn beginner<S: Copy + From<Values>>(program: &Program, procedure: ProcId) -> AbstractThread<S> {
    let entry = program.procedures()[procedure].entry;
    let mut abstract_thread =
        AbstractThread::newborn(program, entry, |local| start_values(program.locals()[local].init).into());
    abstract_thread.settle(program);
    abstract_thread
}

/// Whether the statement that a thread is about to execute is its last.
pub fn ends<S: Copy + From<Values>>(program: &Program, me: &AbstractThread<S>) -> bool {
    match program.at(me.loc()).op {
        Op::End => true,
        Op::Return(_) => me.depth() == 0,
        _ => false,
    }
}

/// What a variable may start with.
pub fn start_values(init: Init) -> Values {
    match init {
        Init::Fixed(value) => Values::only(value),
        Init::Any => Values::ANY,
    }
}
