//! The one trace builder: every engine turns what it found into a trace of machine steps here. Engines say
//! who steps, by which command and with which values; the builder names threads, gives values to what nobody
//! chose, and has the reference semantics accept each step.
//!
//! A thread that the bound refused is created if the question was about any number of threads, and stays
//! idle. Where an idle thread stands in the way of a step there is no trace.

use crate::command::{Command, Commands};
use crate::threads::micro::{first_choice, next_choice};
use base::Id;
use ir::bp::state::Passive;
use ir::bp::{
    Birth, Failure, Frame, Loc, LocalId, LocalScope, Machine, Op, Program, Read, Refusal, Spawn, State, Step,
    Thread, ThreadId, Values, Var, When, Whose,
};
use ir::trace::ProgramTrace;

/// A trace that grows step by step.
pub struct TraceBuilder<'p> {
    program: &'p Program,
    machine: Machine<'p>,
    /// Whether a refused thread stays refused.
    bounded: bool,
    start: State,
    /// The state reached so far.
    pub state: State,
    steps: Vec<Step>,
    next: ThreadId,
    /// The threads that the bound refused.
    idle: Vec<ThreadId>,
}

/// Why a run did not continue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// Idle threads stand in the way.
    ByIdleThreads,
    /// The reference semantics refuses the step.
    Refused(Refusal),
}

impl<'p> TraceBuilder<'p> {
    /// A trace without a step yet; with a bound it is one of the program under this bound.
    pub fn new(program: &'p Program, bound: Option<u32>, start: State) -> Self {
        let next = start.threads.keys().last().map_or(0, |last| last + 1);
        let machine = Machine::new(program, bound);
        let (state, bounded) = (start.clone(), bound.is_some());
        Self { program, machine, bounded, start, state, steps: vec![], next, idle: vec![] }
    }

    /// The error that the state is in.
    pub fn failure(&self) -> Option<Failure> {
        self.machine.failure(&self.state)
    }

    /// Where a thread stands.
    pub fn loc(&self, thread: ThreadId) -> Loc {
        self.state.threads[&thread].loc()
    }

    /// All locals of a thread.
    pub fn locals(&self, thread: ThreadId) -> Vec<bool> {
        let thread = &self.state.threads[&thread];
        self.program.locals().ids().map(|local| thread.value(self.program, 0, local)).collect()
    }

    /// A step that changes nothing but where the thread stands.
    pub fn step(&self, thread: ThreadId, to: Option<Loc>) -> Step {
        Step { thread, at: self.loc(thread), to, writes: vec![], passive: vec![], births: vec![] }
    }

    /// A step by a command, with the values that it assigns.
    pub fn command(
        &self,
        thread: ThreadId,
        command: &Command,
        values: impl IntoIterator<Item = bool>,
    ) -> Step {
        let mut step = self.step(thread, command.to);
        if matches!(self.program.at(step.at).op, Op::Assign { .. }) {
            step.writes = command.assign.iter().map(|it| it.0).zip(values).collect();
        }
        step
    }

    /// Adds the thread that a step creates, if it does, with the values that are wanted as far as they are
    /// possible. Returns its name unless it stays refused.
    pub fn child(
        &mut self,
        step: &mut Step,
        wanted: impl Fn(LocalId) -> Option<bool>,
        refused: bool,
    ) -> Option<ThreadId> {
        let at = match &self.program.at(step.at).op {
            Op::Start(Spawn::Clone(at)) => *at,
            Op::Start(Spawn::Call(procedure, _)) => self.program.procedures()[*procedure].entry,
            _ => return None,
        };
        if refused && self.bounded {
            return None;
        }
        let possible = self.machine.choices(&self.state, step.thread).child;
        let thread = self.born(step, at, &possible, wanted);
        if refused {
            self.idle.push(thread);
        }
        Some(thread)
    }

    /// Adds a thread that is there when `init` has ended.
    pub fn starter(
        &mut self,
        step: &mut Step,
        at: Loc,
        wanted: impl Fn(LocalId) -> Option<bool>,
    ) -> ThreadId {
        let possible = self.machine.fresh_values(at);
        self.born(step, at, &possible, wanted)
    }

    fn born(
        &mut self,
        step: &mut Step,
        at: Loc,
        possible: &[(LocalId, Values)],
        wanted: impl Fn(LocalId) -> Option<bool>,
    ) -> ThreadId {
        let value = |&(local, possible): &(LocalId, Values)| {
            let wanted = wanted(local).filter(|&value| possible.may_be(value));
            (local, wanted.unwrap_or_else(|| !possible.may_be(false)))
        };
        let thread = self.next;
        step.births.push(Birth { thread, at, values: possible.iter().map(value).collect() });
        self.next += 1;
        thread
    }

    /// Gives every passive thread its values: those that `chosen` says, else the first that the command
    /// allows. False if a thread has none.
    pub fn react(
        &self,
        step: &mut Step,
        command: &Command,
        commands: &Commands,
        mut chosen: impl FnMut(ThreadId) -> Option<Vec<(LocalId, bool)>>,
    ) -> bool {
        if command.asks.is_none() && command.broadcast.is_empty() {
            return true;
        }
        for &thread in self.state.threads.keys().filter(|&&thread| thread != step.thread) {
            let values = match chosen(thread) {
                Some(values) => values,
                None => match self.reaction(step, command, commands, thread) {
                    Some(values) => values,
                    None => return false,
                },
            };
            if !values.is_empty() {
                step.passive.push(Passive { thread, depth: 0, values });
            }
        }
        true
    }

    /// The first values of a passive thread that a step allows.
    fn reaction(
        &self,
        step: &Step,
        command: &Command,
        commands: &Commands,
        passive: ThreadId,
    ) -> Option<Vec<(LocalId, bool)>> {
        let (program, exprs, at) = (self.program, commands.exprs(), self.loc(passive));
        let read = |new: &[(LocalId, bool)], read: Read| {
            let (thread, written) = match read.whose {
                Whose::Own => (step.thread, step.writes.iter().find(|it| it.0 == read.var).map(|it| it.1)),
                Whose::Passive => {
                    (passive, new.iter().find(|it| Var::Local(it.0) == read.var).map(|it| it.1))
                }
            };
            let old = || match read.var {
                Var::Shared(id) => self.state.shared[id.index()],
                Var::Local(id) => self.state.threads[&thread].value(program, 0, id),
            };
            Values::only(written.filter(|_| read.when == When::Next).unwrap_or_else(old))
        };
        let updates = command.broadcast.iter().filter(|it| program.in_scope(at, it.0));
        let (locals, possible): (Vec<LocalId>, Vec<Values>) =
            updates.map(|&(local, e)| (local, exprs.values(e, |it| read(&[], it)))).unzip();
        let constrained = command.asks.filter(|&e| {
            let copies = exprs.reads(e).into_iter().filter(|read| read.whose == Whose::Passive);
            copies.into_iter().all(|it| matches!(it.var, Var::Local(local) if program.in_scope(at, local)))
        });
        let mut values = first_choice(&possible);
        loop {
            let new: Vec<(LocalId, bool)> = locals.iter().copied().zip(values.iter().copied()).collect();
            if constrained.is_none_or(|e| exprs.values(e, |it| read(&new, it)).may_be(true)) {
                return Some(new);
            }
            if !next_choice(&possible, &mut values) {
                return None;
            }
        }
    }

    /// What a step would lead to, or why it is impossible.
    pub fn attempt(&self, step: &Step) -> Result<State, Refusal> {
        self.machine.apply(&self.state, step)
    }

    /// Adds a step.
    pub fn apply(&mut self, step: Step) -> Result<(), Blocked> {
        match self.attempt(&step) {
            Ok(after) => self.state = after,
            Err(_) if !self.idle.is_empty() => return Err(Blocked::ByIdleThreads),
            Err(refusal) => return Err(Blocked::Refused(refusal)),
        }
        self.steps.push(step);
        Ok(())
    }

    /// Adds a step that the search has made on symbolic states; false if idle threads stand in the way.
    pub fn follow(&mut self, step: Step) -> bool {
        match self.apply(step) {
            Ok(()) => true,
            Err(Blocked::ByIdleThreads) => false,
            Err(Blocked::Refused(why)) => panic!("every step of the search is one of the program: {why:?}"),
        }
    }

    /// The trace, if it ends in an error.
    pub fn finish(self) -> Option<ProgramTrace> {
        let failure = self.failure()?;
        Some(ProgramTrace { start: self.start, steps: self.steps, failure })
    }
}

/// A thread as the reference semantics has it, in one activation.
pub fn thread(program: &Program, loc: Loc, inside: bool, value: impl Fn(LocalId) -> bool) -> Thread {
    let values = |of_thread: bool| {
        let all = program.locals().enumerate();
        all.map(|(id, it)| (it.scope == LocalScope::Thread) == of_thread && value(id)).collect()
    };
    let frame = Frame { loc, values: values(false) };
    Thread { inside, values: values(true), stack: vec![frame] }
}
