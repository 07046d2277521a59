//! How threads begin: by `start_thread`, at the start, and when `init` has ended.

use super::super::expr::Var;
use super::super::program::{Count, Init, Loc, LocalId, ProcId, Role, Spawn, Template};
use super::super::state::{Birth, Frame, State, Thread, ThreadId};
use super::super::values::Values;
use super::{Activation, Machine, Refusal, refuse, require, start_values};
use std::collections::BTreeMap;

impl Machine<'_> {
    pub(super) fn start(
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

    pub(super) fn child_location(&self, spawn: &Spawn) -> Loc {
        match spawn {
            Spawn::Clone(target) => *target,
            Spawn::Call(procedure, _) => self.program.procedures()[*procedure].entry,
        }
    }

    /// What the locals of a child may be: a copy without owner bits, or fresh ones with arguments.
    pub(super) fn child_values(
        &self,
        state: &State,
        me: Activation,
        spawn: &Spawn,
    ) -> Vec<(LocalId, Values)> {
        let locals = self.locals_in_scope(self.child_location(spawn));
        let value = |local: LocalId| match spawn {
            Spawn::Clone(_) if self.program.locals()[local].role != Role::Plain => Values::FALSE,
            Spawn::Clone(_) => Values::only(self.get(state, me, Var::Local(local))),
            Spawn::Call(procedure, args) => self.value_at_call(state, me, *procedure, args, local),
        };
        locals.into_iter().map(|local| (local, value(local))).collect()
    }

    pub(super) fn newborn(&self, birth: &Birth, possible: &[(LocalId, Values)]) -> Result<Thread, Refusal> {
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
    pub(super) fn start_others(&self, after: &mut State, births: &[Birth]) -> Result<(), Refusal> {
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
        let fits = |(template, &count): (&Template, &u32)| match template.count {
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

    /// The birth that leads to this thread; what its dead locals were before they were forgotten is up to
    /// their declarations.
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
}
