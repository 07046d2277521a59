//! The reference semantics: what a program means. Small and slow on purpose; every engine, pass and checker is tested against it.
//!
//! [`Machine::apply`] is the one definition of a step: it takes a step with all choices spelled out and says what state it
//! leads to, or why it is no step. [`Machine::steps`] guesses candidates and keeps those that `apply` accepts.

use super::expr::{ExprId, Read, Var, When, Whose};
use super::program::{Count, Init, Loc, LocalId, LocalScope, Op, ProcId, Program, Role, Spawn};
use super::state::{Birth, Failure, FailureKind, Frame, Passive, State, Step, Thread, ThreadId};
use super::values::Values;
use base::Id;
use std::collections::{BTreeMap, HashSet};

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

    // ---- one step --------------------------------------------------------------------------------------------------

    /// The state after a step, or why it is none.
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

    fn broadcast(
        &self,
        state: &State,
        after: &mut State,
        me: Activation,
        broadcast: &[(LocalId, ExprId)],
        passive: &[Passive],
    ) -> Result<(), Refusal> {
        let copies = self.receivers(state, me, broadcast);
        require(copies.len() == passive.len(), "a broadcast reaches every passive thread")?;
        for ((copy, updates), given) in copies.into_iter().zip(passive) {
            let named = (given.thread, given.depth) == (copy.thread, copy.depth);
            let same = updates.iter().map(|update| update.0).eq(given.values.iter().map(|value| value.0));
            require(named && same, "the broadcast reaches another thread or variable")?;
            for (&(local, e), &(_, value)) in updates.iter().zip(&given.values) {
                let values = self.values_between(state, state, me, Some(copy), e);
                require(values.may_be(value), "the passive thread cannot get this value")?;
                self.set(after, copy, Var::Local(local), value);
            }
        }
        Ok(())
    }

    /// The activations of passive threads that a broadcast reaches, with the updates for each.
    fn receivers(
        &self,
        state: &State,
        me: Activation,
        broadcast: &[(LocalId, ExprId)],
    ) -> Vec<(Activation, Vec<(LocalId, ExprId)>)> {
        let passive = self.activations(state, me);
        let with = passive.into_iter().map(|copy| {
            let reached = broadcast.iter().filter(|&&(local, _)| self.sees(state, copy, local));
            (copy, reached.copied().collect::<Vec<_>>())
        });
        with.filter(|(_, updates)| !updates.is_empty()).collect()
    }

    /// All activations of the threads other than `me`, the oldest first.
    fn activations(&self, state: &State, me: Activation) -> Vec<Activation> {
        let others = state.threads.iter().filter(|&(&thread, _)| thread != me.thread);
        others
            .flat_map(|(&thread, it)| (0..it.stack.len()).map(move |depth| Activation { thread, depth }))
            .collect()
    }

    /// Whether an activation has the local; a local of the whole thread counts for its current activation alone.
    fn sees(&self, state: &State, copy: Activation, local: LocalId) -> bool {
        let stack = &state.threads[&copy.thread].stack;
        match self.program.locals()[local].scope {
            LocalScope::Thread => copy.depth + 1 == stack.len(),
            LocalScope::Procedure(_) => self.program.in_scope(stack[copy.depth].loc, local),
        }
    }

    /// Whether a condition holds for some choice of its `*`: for each passive thread on its own where it speaks of passive copies.
    /// Without a thread to ask it must hold for some values of the copies; `assigned` are the locals whose new copies are free.
    fn holds(&self, state: &State, after: &State, me: Activation, e: ExprId, assigned: &[LocalId]) -> bool {
        let reads = self.program.exprs().reads(e);
        let asked: Vec<Read> = reads.into_iter().filter(|read| read.whose == Whose::Passive).collect();
        if asked.is_empty() {
            return self.values_between(state, after, me, None, e).may_be(true);
        }
        // A local of the whole thread is there beside each of its activations.
        let sees_all = |copy: &Activation| {
            let at = state.threads[&copy.thread].stack[copy.depth].loc;
            asked.iter().all(|read| local_of(read.var).is_some_and(|v| self.program.in_scope(at, v)))
        };
        let copies: Vec<Activation> = self.activations(state, me).into_iter().filter(sees_all).collect();
        if !copies.is_empty() {
            return copies
                .iter()
                .all(|&copy| self.values_between(state, after, me, Some(copy), e).may_be(true));
        }
        let free = |read: &Read| match read.when {
            When::Next if !local_of(read.var).is_some_and(|v| assigned.contains(&v)) => {
                Read { when: When::Now, ..*read }
            }
            _ => *read,
        };
        let mut unknowns: Vec<Read> = asked.iter().map(free).collect();
        unknowns.sort();
        unknowns.dedup();
        product(&unknowns.iter().map(|&read| (read, Values::ANY)).collect::<Vec<_>>()).into_iter().any(
            |guess| {
                let read = |read: Read| match read.whose {
                    Whose::Own => self.read(state, after, me, None, read),
                    Whose::Passive => {
                        Values::only(guess.iter().any(|&(it, value)| it == free(&read) && value))
                    }
                };
                self.program.exprs().values(e, read).may_be(true)
            },
        )
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

    fn start(
        &self,
        state: &State,
        after: &mut State,
        me: Activation,
        spawn: &Spawn,
        births: &[Birth],
    ) -> Result<(), Refusal> {
        let [birth] = births else {
            let full = self.bound.is_some_and(|bound| state.threads.len() >= bound as usize);
            return require(births.is_empty() && full, "`start_thread` creates one thread below the bound");
        };
        let possible = self.child_values(state, me, spawn);
        require(birth.at == self.child_location(spawn), "the new thread starts elsewhere")?;
        let child = self.newborn(birth, &possible)?;
        self.admit(after, birth.thread, child)
    }

    fn child_location(&self, spawn: &Spawn) -> Loc {
        match spawn {
            Spawn::Clone(target) => *target,
            Spawn::Call(procedure, _) => self.program.procedures()[*procedure].entry,
        }
    }

    /// What the locals of a child may be: a copy without owner bits, or fresh ones with arguments.
    fn child_values(&self, state: &State, me: Activation, spawn: &Spawn) -> Vec<(LocalId, Values)> {
        let locals = self.locals_in_scope(self.child_location(spawn));
        let value = |local: LocalId| match spawn {
            Spawn::Clone(_) if self.program.locals()[local].role != Role::Plain => Values::FALSE,
            Spawn::Clone(_) => Values::only(self.get(state, me, Var::Local(local))),
            Spawn::Call(procedure, args) => self.value_at_call(state, me, *procedure, args, local),
        };
        locals.into_iter().map(|local| (local, value(local))).collect()
    }

    fn newborn(&self, birth: &Birth, possible: &[(LocalId, Values)]) -> Result<Thread, Refusal> {
        let same = possible.iter().map(|it| it.0).eq(birth.values.iter().map(|it| it.0));
        require(same, "the new thread has other locals")?;
        let none = vec![false; self.program.locals().len()];
        let mut thread = Thread {
            inside: false,
            values: none.clone(),
            stack: vec![Frame { loc: birth.at, values: none }],
        };
        for (&(local, possible), &(_, value)) in possible.iter().zip(&birth.values) {
            require(possible.may_be(value), "a local of the new thread cannot have this value")?;
            thread.set(self.program, 0, local, value);
        }
        Ok(thread)
    }

    fn admit(&self, after: &mut State, name: ThreadId, thread: Thread) -> Result<(), Refusal> {
        require(after.threads.insert(name, thread).is_none(), "a new thread needs a new name")?;
        let fits = self.bound.is_none_or(|bound| after.threads.len() <= bound as usize);
        require(fits, "more threads than the bound allows")
    }

    /// When `init` has ended, the templates' threads are there.
    fn start_others(&self, after: &mut State, births: &[Birth]) -> Result<(), Refusal> {
        if !after.initialising {
            return require(births.is_empty(), "the statement creates no thread");
        }
        after.initialising = false;
        self.populate(after, births)
    }

    fn populate(&self, state: &mut State, births: &[Birth]) -> Result<(), Refusal> {
        let mut count = vec![0u32; self.program.start().templates.len()];
        for birth in births {
            let templates = self.program.start().templates.iter();
            let entry = |procedure: ProcId| self.program.procedures()[procedure].entry;
            let found = templates.enumerate().find(|(_, template)| entry(template.procedure) == birth.at);
            let Some((index, _)) = found else { return refuse("no thread starts here") };
            count[index] += 1;
            let thread = self.newborn(birth, &self.fresh_values(birth.at))?;
            self.admit(state, birth.thread, thread)?;
        }
        let fits = |(template, &count): (&super::program::Template, &u32)| match template.count {
            Count::Exactly(n) => count == n,
            Count::AtLeast(n) => count >= n,
        };
        require(
            self.program.start().templates.iter().zip(&count).all(fits),
            "another number of threads starts",
        )
    }

    /// What the locals of a thread may be that begins at `at` when the program or its templates start.
    pub fn fresh_values(&self, at: Loc) -> Vec<(LocalId, Values)> {
        let locals = self.locals_in_scope(at).into_iter();
        locals.map(|local| (local, start_values(self.program.locals()[local].init))).collect()
    }

    /// Dead locals are 0.
    fn settle(&self, thread: &mut Thread) {
        let depth = thread.stack.len() - 1;
        for &local in &self.program.at(thread.loc()).dead {
            thread.set(self.program, depth, local, false);
        }
    }

    // ---- what holds in a state -------------------------------------------------------------------------------------

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

    // ---- all starts and all steps ----------------------------------------------------------------------------------

    /// Whether the program may start in this state.
    pub fn starts_in(&self, state: &State) -> Result<(), Refusal> {
        let shared = self.program.shared().iter().map(|shared| shared.init);
        require(shared.len() == state.shared.len(), "other shared variables")?;
        let fits = shared.zip(&state.shared).all(|(init, &value)| init.admits(value));
        require(fits, "a shared variable starts with another value")?;
        require(state.initialising == self.program.start().init.is_some(), "`init` runs first")?;
        require(state.threads.values().all(|it| it.stack.len() == 1 && !it.inside), "threads start afresh")?;
        let births: Vec<Birth> = state.threads.iter().map(|(&name, it)| self.birth_of(name, it)).collect();
        let mut expected = State { threads: BTreeMap::new(), ..state.clone() };
        match self.program.start().init {
            None => self.populate(&mut expected, &births)?,
            Some(init) => {
                let [birth] = &births[..] else { return refuse("`init` runs alone") };
                require(birth.at == self.program.procedures()[init].entry, "`init` starts elsewhere")?;
                expected.threads.insert(birth.thread, self.newborn(birth, &self.fresh_values(birth.at))?);
            }
        }
        expected.threads.values_mut().for_each(|thread| self.settle(thread));
        require(expected == *state, "locals out of scope are 0")
    }

    /// The birth that leads to this thread; what its dead locals were before they were forgotten is up to their declarations.
    fn birth_of(&self, name: ThreadId, thread: &Thread) -> Birth {
        let at = thread.loc();
        let first = |local: LocalId| {
            if self.program.at(at).dead.contains(&local) {
                return self.program.locals()[local].init == Init::Fixed(true);
            }
            thread.value(self.program, 0, local)
        };
        let values = self.locals_in_scope(at).into_iter().map(|local| (local, first(local))).collect();
        Birth { thread: name, at, values }
    }

    /// All states the program may start in. Where any number of threads may start there must be a bound.
    pub fn starts(&self) -> Vec<State> {
        let shared: Vec<(usize, Values)> =
            self.program.shared().iter().map(|shared| start_values(shared.init)).enumerate().collect();
        let births = match self.program.start().init {
            Some(init) => self.newborns(&[(0, self.program.procedures()[init].entry)]),
            None => self.populations(0),
        };
        let mut states = vec![];
        for shared in product(&shared) {
            let shared: Vec<bool> = shared.into_iter().map(|(_, value)| value).collect();
            for births in &births {
                let mut state = State {
                    initialising: self.program.start().init.is_some(),
                    shared: shared.clone(),
                    threads: BTreeMap::new(),
                };
                for birth in births {
                    let thread = self.newborn(birth, &self.fresh_values(birth.at)).expect("made to fit");
                    state.threads.insert(birth.thread, thread);
                }
                state.threads.values_mut().for_each(|thread| self.settle(thread));
                states.push(state);
            }
        }
        states
    }

    /// All ways to start the templates' threads, named from `first` on.
    fn populations(&self, first: ThreadId) -> Vec<Vec<Birth>> {
        let mut crowds: Vec<Vec<Loc>> = vec![vec![]];
        for template in &self.program.start().templates {
            let entry = self.program.procedures()[template.procedure].entry;
            let (least, most) = match template.count {
                Count::Exactly(n) => (n, n),
                Count::AtLeast(n) => {
                    (n, self.bound.expect("any number may start: enumerating needs a bound"))
                }
            };
            let longer = |crowd: Vec<Loc>| {
                (least..=most).map(move |n| [crowd.clone(), vec![entry; n as usize]].concat())
            };
            crowds = crowds.into_iter().flat_map(longer).collect();
        }
        crowds.retain(|crowd| self.bound.is_none_or(|bound| crowd.len() <= bound as usize));
        let named = |crowd: Vec<Loc>| (first..).zip(crowd).collect::<Vec<_>>();
        crowds.into_iter().flat_map(|crowd| self.newborns(&named(crowd))).collect()
    }

    /// All fresh threads with these names and locations, one list of births for each choice of their locals.
    fn newborns(&self, crowd: &[(ThreadId, Loc)]) -> Vec<Vec<Birth>> {
        crowd.iter().fold(vec![vec![]], |lists, &(thread, at)| {
            let choices = product(&self.fresh_values(at));
            let longer = |list: Vec<Birth>| {
                let births = choices.iter().map(|values| Birth { thread, at, values: values.clone() });
                births.map(|birth| [list.clone(), vec![birth]].concat()).collect::<Vec<_>>()
            };
            lists.into_iter().flat_map(longer).collect()
        })
    }

    /// All steps of a thread, with the states they lead to.
    pub fn steps(&self, state: &State, thread: ThreadId) -> Vec<(Step, State)> {
        let candidates = self.candidates(state, thread).into_iter();
        candidates.filter_map(|step| self.apply(state, &step).ok().map(|after| (step, after))).collect()
    }

    /// What the next step of a thread may choose, part by part; everything that `apply` accepts is made of these.
    pub fn choices(&self, state: &State, thread: ThreadId) -> Choices {
        let me = self.current(state, thread);
        match &self.program.at(state.threads[&thread].loc()).op {
            Op::Assign { targets, broadcast, .. } => {
                let writes = targets.iter().map(|&(var, e)| (var, self.values(state, me, e))).collect();
                Choices { writes, passive: self.reactions(state, me, broadcast), ..Choices::default() }
            }
            Op::Call { procedure, args, .. } => {
                let value = |local| self.value_at_call(state, me, *procedure, args, local);
                let locals = self.locals_at_call(*procedure).into_iter();
                Choices { writes: locals.map(|v| (Var::Local(v), value(v))).collect(), ..Choices::default() }
            }
            Op::Return(values) if me.depth > 0 => {
                Choices { writes: self.taken_results(state, me, values), ..Choices::default() }
            }
            Op::Start(spawn) => Choices { child: self.child_values(state, me, spawn), ..Choices::default() },
            _ => Choices::default(),
        }
    }

    /// What a broadcast may do to the activations that it reaches.
    fn reactions(&self, state: &State, me: Activation, broadcast: &[(LocalId, ExprId)]) -> Vec<Reaction> {
        let reached = self.receivers(state, me, broadcast).into_iter();
        reached
            .map(|(copy, updates)| {
                let value = |e| self.values_between(state, state, me, Some(copy), e);
                let values = updates.iter().map(|&(local, e)| (local, value(e))).collect();
                Reaction { thread: copy.thread, depth: copy.depth, values }
            })
            .collect()
    }

    /// Steps that `apply` may accept, all steps of the thread among them.
    fn candidates(&self, state: &State, thread: ThreadId) -> Vec<Step> {
        let depth = self.current(state, thread).depth;
        let at = state.threads[&thread].loc();
        let location = self.program.at(at);
        let choices = self.choices(state, thread);
        let plain =
            Step { thread, at, to: Some(location.next), writes: vec![], passive: vec![], births: vec![] };
        let newest = state.threads.keys().last().map_or(0, |last| last + 1);
        match &location.op {
            Op::Goto(_) | Op::Branch { .. } => {
                let mut targets = self.program.successors(at);
                targets.sort();
                targets.dedup();
                targets.into_iter().map(|to| Step { to: Some(to), ..plain.clone() }).collect()
            }
            Op::Assign { .. } => {
                let passives = all_reactions(&choices.passive);
                let with = |writes: Vec<(Var, bool)>| {
                    let step = Step { writes, ..plain.clone() };
                    passives.iter().map(move |passive| Step { passive: passive.clone(), ..step.clone() })
                };
                product(&choices.writes).into_iter().flat_map(with).collect()
            }
            Op::Call { procedure, .. } => {
                let to = Some(self.program.procedures()[*procedure].entry);
                let all = product(&choices.writes).into_iter();
                all.map(|writes| Step { to, writes, ..plain.clone() }).collect()
            }
            Op::Return(_) if depth > 0 => {
                let caller = &state.threads[&thread].stack[depth - 1];
                let to = Some(self.program.at(caller.loc).next);
                let all = product(&choices.writes).into_iter();
                all.map(|writes| Step { to, writes, ..plain.clone() }).collect()
            }
            Op::Return(_) | Op::End => {
                let crowds = if state.initialising { self.populations(newest) } else { vec![vec![]] };
                crowds.into_iter().map(|births| Step { to: None, births, ..plain.clone() }).collect()
            }
            Op::Start(_) if self.bound.is_some_and(|bound| state.threads.len() >= bound as usize) => {
                vec![plain]
            }
            Op::Start(spawn) => {
                let at = self.child_location(spawn);
                let birth = |values| Birth { thread: newest, at, values };
                let all = product(&choices.child).into_iter();
                all.map(|values| Step { births: vec![birth(values)], ..plain.clone() }).collect()
            }
            _ => vec![plain],
        }
    }

    // ---- reading and writing ---------------------------------------------------------------------------------------

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

    /// All states reachable from the starts, up to the names of threads; `None` if there are more than `most`.
    pub fn reachable(&self, most: usize) -> Option<HashSet<State>> {
        let mut seen: HashSet<State> = self.starts().iter().map(State::canonical).collect();
        let mut work: Vec<State> = seen.iter().cloned().collect();
        while let Some(state) = work.pop() {
            for &thread in state.threads.keys() {
                for (_, after) in self.steps(&state, thread) {
                    let after = after.canonical();
                    if !seen.contains(&after) {
                        seen.insert(after.clone());
                        work.push(after);
                    }
                }
            }
            if seen.len() > most {
                return None;
            }
        }
        Some(seen)
    }
}

/// All combinations of what a broadcast may do to the passive threads.
fn all_reactions(reactions: &[Reaction]) -> Vec<Vec<Passive>> {
    reactions.iter().fold(vec![vec![]], |lists, it| {
        let choices = product(&it.values);
        let longer = |list: Vec<Passive>| {
            let each = choices.iter().cloned();
            let passive = each.map(|values| Passive { thread: it.thread, depth: it.depth, values });
            passive.map(|it| [list.clone(), vec![it]].concat()).collect::<Vec<_>>()
        };
        lists.into_iter().flat_map(longer).collect()
    })
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
