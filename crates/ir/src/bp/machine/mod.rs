//! The reference semantics: what a program means. Small and slow on purpose; every engine, pass and checker
//! is tested against it.
//!
//! [`Machine::apply`] is the one definition of a step: it takes a step with all choices spelled out and says
//! what state it leads to, or why it is no step. [`Machine::steps`], beside this file, guesses candidates and
//! keeps those that `apply` accepts.

mod births;
mod enumerate;
mod passive;

use super::expr::{ExprId, Read, Var, When, Whose};
use super::program::{Init, Loc, LocalId, LocalScope, Op, ProcId, Program};
use super::state::{Failure, FailureKind, Frame, State, Step, Thread, ThreadId};
use super::values::Values;
use base::Id;

/// Why something is not a step of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(pub String);

fn refuse<T>(why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(why.into()))
}

fn require(holds: bool, why: &str) -> Result<(), Refusal> {
    if holds { Ok(()) } else { refuse(why) }
}

/// A program that runs with at most `bound` threads alive at once, or any number.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    bound: Option<u32>,
}

/// A place to read variables from: an activation of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Activation {
    thread: ThreadId,
    depth: usize,
}

/// What a step may choose, each value on its own; `constrain` and `enforce` may rule out some combinations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// The variables written, in the order of the step.
    pub writes: Vec<(Var, Values)>,
    /// What a broadcast does, in the order of the step.
    pub passive: Vec<Reaction>,
    /// The locals of the thread that `start_thread` creates below the bound.
    pub child: Vec<(LocalId, Values)>,
}

/// What a broadcast may do to one activation of a passive thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reaction {
    /// The thread.
    pub thread: ThreadId,
    /// The activation, counted from the bottom.
    pub depth: usize,
    /// The new values, in the order of the statement's broadcasts.
    pub values: Vec<(LocalId, Values)>,
}

impl<'p> Machine<'p> {
    /// The program under a bound on the threads alive at once.
    pub fn new(program: &'p Program, bound: Option<u32>) -> Self {
        Self { program, bound }
    }

    // ---- one step
    // --------------------------------------------------------------------------------------------------

    /// The state after a step, or why it is impossible.
    pub fn apply(&self, state: &State, step: &Step) -> Result<State, Refusal> {
        let Some(thread) = state.threads.get(&step.thread) else { return refuse("there is no such thread") };
        require(self.may_step(state, step.thread), "another thread is inside an atomic section")?;
        require(thread.loc() == step.at, "the thread is not at this statement")?;
        require(self.enforced(state, step.thread), "`enforce` does not hold before the step")?;
        let mut after = self.execute(state, step)?;
        require(self.follows(&after, step), "control does not go there")?;
        require(self.enforced(&after, step.thread), "`enforce` does not hold after the step")?;
        after.threads.values_mut().for_each(|thread| self.settle(thread));
        Ok(after)
    }

    fn execute(&self, state: &State, step: &Step) -> Result<State, Refusal> {
        let me = self.current(state, step.thread);
        let location = self.program.at(step.at);
        let mut after = state.clone();
        self.thread_mut(&mut after, me).top_mut().loc = location.next;
        if !matches!(location.op, Op::Assign { .. } | Op::Call { .. } | Op::Return(_)) {
            require(step.writes.is_empty(), "the statement writes nothing")?;
        }
        if !matches!(location.op, Op::Assign { .. }) {
            require(step.passive.is_empty(), "the statement is no broadcast")?;
        }
        if !matches!(location.op, Op::Start(_) | Op::Return(_) | Op::End) {
            require(step.births.is_empty(), "the statement creates no thread")?;
        }
        match &location.op {
            Op::Skip | Op::Assert(_) => {}
            Op::Goto(targets) => {
                let target = targets.iter().find(|&&target| Some(target) == step.to);
                let Some(&target) = target else { return refuse("no such target") };
                self.thread_mut(&mut after, me).top_mut().loc = target;
            }
            Op::Branch { cond, target } => {
                let values = self.values(state, me, *cond);
                let jumps = Some(*target) == step.to && values.may_be(true);
                require(jumps || values.may_be(false), "the condition decides otherwise")?;
                if jumps {
                    self.thread_mut(&mut after, me).top_mut().loc = *target;
                }
            }
            Op::Assume(e) => require(self.holds(state, state, me, *e, &[]), "the assumption does not hold")?,
            Op::Assign { targets, broadcast, constrain } => {
                self.write(state, &mut after, me, targets, &step.writes)?;
                self.broadcast(state, &mut after, me, broadcast, &step.passive)?;
                let assigned: Vec<LocalId> = broadcast.iter().map(|&(local, _)| local).collect();
                let holds = constrain.is_none_or(|e| self.holds(state, &after, me, e, &assigned));
                require(holds, "`constrain` does not hold")?;
            }
            Op::Call { procedure, args, .. } => {
                // The caller waits at the call; the return sends it on.
                self.thread_mut(&mut after, me).top_mut().loc = step.at;
                let values: Vec<_> = step
                    .writes
                    .iter()
                    .filter_map(|&(var, value)| local_of(var).map(|v| (v, value)))
                    .collect();
                require(values.len() == step.writes.len(), "a call writes locals only")?;
                let frame = self.activation(state, me, *procedure, args, &values)?;
                self.thread_mut(&mut after, me).stack.push(frame);
            }
            Op::Return(values) if me.depth > 0 => {
                self.give_back(state, &mut after, me, values, &step.writes)?
            }
            Op::Return(_) | Op::End => {
                require(step.writes.is_empty(), "nobody takes the results")?;
                after.threads.remove(&step.thread);
                self.start_others(&mut after, &step.births)?;
            }
            Op::Start(spawn) => self.start(state, &mut after, me, spawn, &step.births)?,
            Op::AtomicBegin => self.thread_mut(&mut after, me).inside = true,
            Op::AtomicEnd => self.thread_mut(&mut after, me).inside = false,
            Op::Lock(id) => {
                let lock = &self.program.locks()[*id];
                require(!state.shared[lock.taken.index()], "the lock is taken")?;
                after.shared[lock.taken.index()] = true;
                self.set(&mut after, me, Var::Local(lock.owner), true);
            }
            Op::Unlock(id) => {
                let lock = &self.program.locks()[*id];
                require(self.get(state, me, Var::Local(lock.owner)), "the thread does not hold the lock")?;
                after.shared[lock.taken.index()] = false;
                self.set(&mut after, me, Var::Local(lock.owner), false);
            }
        }
        Ok(after)
    }

    /// Whether the step names the place where control is after it.
    fn follows(&self, after: &State, step: &Step) -> bool {
        after.threads.get(&step.thread).map(Thread::loc) == step.to
    }

    /// Parallel assignment: every value must be one that its right side may have in the old state.
    fn write(
        &self,
        state: &State,
        after: &mut State,
        me: Activation,
        targets: &[(Var, ExprId)],
        writes: &[(Var, bool)],
    ) -> Result<(), Refusal> {
        let same = targets.iter().map(|target| target.0).eq(writes.iter().map(|write| write.0));
        require(same, "the step writes other variables than the statement")?;
        for (&(var, e), &(_, value)) in targets.iter().zip(writes) {
            require(self.values(state, me, e).may_be(value), "the right side has not this value")?;
            self.set(after, me, var, value);
        }
        self.follow_atomic_variable(after, me, writes);
        Ok(())
    }

    fn follow_atomic_variable(&self, after: &mut State, me: Activation, writes: &[(Var, bool)]) {
        let atomic = self.program.atomic_variable().map(Var::Shared);
        if let Some(&(_, value)) = writes.iter().find(|write| Some(write.0) == atomic) {
            self.thread_mut(after, me).inside = value;
        }
    }

    /// A new activation of `procedure`; `values` gives all its locals.
    fn activation(
        &self,
        state: &State,
        caller: Activation,
        procedure: ProcId,
        args: &[ExprId],
        values: &[(LocalId, bool)],
    ) -> Result<Frame, Refusal> {
        let expected = self.locals_at_call(procedure);
        require(
            expected.iter().eq(values.iter().map(|(local, _)| local)),
            "other locals than the procedure's",
        )?;
        let entry = self.program.procedures()[procedure].entry;
        let mut frame = Frame { loc: entry, values: vec![false; self.program.locals().len()] };
        for &(local, value) in values {
            let possible = self.value_at_call(state, caller, procedure, args, local);
            require(possible.may_be(value), "the local cannot start with this value")?;
            frame.values[local.index()] = value;
        }
        Ok(frame)
    }

    /// What a local may be at a call: its argument if it is a parameter, its initial value otherwise.
    fn value_at_call(
        &self,
        state: &State,
        caller: Activation,
        procedure: ProcId,
        args: &[ExprId],
        local: LocalId,
    ) -> Values {
        let params = &self.program.procedures()[procedure].params;
        match params.iter().position(|&param| param == local) {
            Some(index) => self.values(state, caller, args[index]),
            None => start_values(self.program.locals()[local].init),
        }
    }

    fn give_back(
        &self,
        state: &State,
        after: &mut State,
        me: Activation,
        values: &[ExprId],
        writes: &[(Var, bool)],
    ) -> Result<(), Refusal> {
        let caller = Activation { depth: me.depth - 1, ..me };
        self.thread_mut(after, me).stack.pop();
        let waiting = self.program.at(after.threads[&me.thread].loc());
        self.thread_mut(after, me).top_mut().loc = waiting.next;
        let taken = self.taken_results(state, me, values);
        require(
            taken.iter().map(|it| it.0).eq(writes.iter().map(|it| it.0)),
            "other results than the call takes",
        )?;
        for (&(var, possible), &(_, value)) in taken.iter().zip(writes) {
            require(possible.may_be(value), "the result has not this value")?;
            self.set(after, caller, var, value);
        }
        self.follow_atomic_variable(after, caller, writes);
        Ok(())
    }

    /// The variables that take a result of the current activation, each with its possible values.
    fn taken_results(&self, state: &State, me: Activation, values: &[ExprId]) -> Vec<(Var, Values)> {
        let caller = &state.threads[&me.thread].stack[me.depth - 1];
        let Op::Call { results, .. } = &self.program.at(caller.loc).op else {
            unreachable!("a caller stands at its call")
        };
        let possible = |index: usize| values.get(index).map_or(Values::ANY, |&e| self.values(state, me, e));
        let taken =
            results.iter().enumerate().filter_map(|(index, var)| var.map(|var| (var, possible(index))));
        taken.collect()
    }

    /// Dead locals are 0.
    fn settle(&self, thread: &mut Thread) {
        let depth = thread.stack.len() - 1;
        for &local in &self.program.at(thread.loc()).dead {
            thread.set(self.program, depth, local, false);
        }
    }

    // ---- what holds in a state
    // -------------------------------------------------------------------------------------

    /// Whether no other thread is inside an atomic section.
    pub fn may_step(&self, state: &State, thread: ThreadId) -> bool {
        state.threads.iter().all(|(&other, it)| other == thread || !it.inside)
    }

    /// Whether the invariant of the thread's current activation holds; it does in a thread that has ended.
    fn enforced(&self, state: &State, thread: ThreadId) -> bool {
        let Some(it) = state.threads.get(&thread) else { return true };
        let enforce = self.program.at(it.loc()).enforce;
        enforce.is_none_or(|e| self.values(state, self.current(state, thread), e).may_be(true))
    }

    /// A thread that fails its assertion or stands at an error label.
    pub fn failure(&self, state: &State) -> Option<Failure> {
        state.threads.keys().find_map(|&thread| {
            let me = self.current(state, thread);
            let at = state.threads[&thread].loc();
            let failure = |kind| Some(Failure { kind, thread, at });
            match self.program.at(at).op {
                _ if self.program.at(at).error => failure(FailureKind::Label),
                Op::Assert(e)
                    if self.may_step(state, thread)
                        && self.enforced(state, thread)
                        && self.values(state, me, e).may_be(false) =>
                {
                    failure(FailureKind::Assertion)
                }
                _ => None,
            }
        })
    }

    // ---- reading and writing
    // ---------------------------------------------------------------------------------------

    fn current(&self, state: &State, thread: ThreadId) -> Activation {
        Activation { thread, depth: state.threads[&thread].stack.len() - 1 }
    }

    fn thread_mut<'s>(&self, state: &'s mut State, copy: Activation) -> &'s mut Thread {
        state.threads.get_mut(&copy.thread).expect("the thread lives")
    }

    fn get(&self, state: &State, copy: Activation, var: Var) -> bool {
        match var {
            Var::Shared(id) => state.shared[id.index()],
            Var::Local(id) => state.threads[&copy.thread].value(self.program, copy.depth, id),
        }
    }

    fn set(&self, state: &mut State, copy: Activation, var: Var, value: bool) {
        match var {
            Var::Shared(id) => state.shared[id.index()] = value,
            Var::Local(id) => self.thread_mut(state, copy).set(self.program, copy.depth, id, value),
        }
    }

    fn read(
        &self,
        state: &State,
        after: &State,
        me: Activation,
        passive: Option<Activation>,
        read: Read,
    ) -> Values {
        let state = if read.when == When::Now { state } else { after };
        let copy = if read.whose == Whose::Own { Some(me) } else { passive };
        copy.map_or(Values::NONE, |copy| Values::only(self.get(state, copy, read.var)))
    }

    fn values_between(
        &self,
        state: &State,
        after: &State,
        me: Activation,
        passive: Option<Activation>,
        e: ExprId,
    ) -> Values {
        self.program.exprs().values(e, |read| self.read(state, after, me, passive, read))
    }

    fn values(&self, state: &State, me: Activation, e: ExprId) -> Values {
        self.values_between(state, state, me, None, e)
    }

    /// The locals of a procedure, parameters included, in order.
    fn locals_at_call(&self, procedure: ProcId) -> Vec<LocalId> {
        let all = self.program.locals().enumerate();
        all.filter(|(_, local)| local.scope == LocalScope::Procedure(procedure)).map(|(id, _)| id).collect()
    }

    fn locals_in_scope(&self, at: Loc) -> Vec<LocalId> {
        self.program.locals().ids().filter(|&local| self.program.in_scope(at, local)).collect()
    }
}

fn local_of(var: Var) -> Option<LocalId> {
    match var {
        Var::Local(local) => Some(local),
        Var::Shared(_) => None,
    }
}

fn start_values(init: Init) -> Values {
    match init {
        Init::Fixed(value) => Values::only(value),
        Init::Any => Values::ANY,
    }
}

/// All ways to pick one value for each key.
fn product<K: Copy>(possible: &[(K, Values)]) -> Vec<Vec<(K, bool)>> {
    possible.iter().fold(vec![vec![]], |lists, &(key, values)| {
        let longer =
            |list: Vec<(K, bool)>| values.iter().map(move |value| [&list[..], &[(key, value)]].concat());
        lists.into_iter().flat_map(longer).collect()
    })
}
