//! The commands of one thread in one step, found backwards through the invisible transitions that follow the
//! first.

use super::super::group::Control;
use super::super::threads::{Joint, Pending};
use super::concrete::{ConcreteStep, Finder, MicroStep};
use super::state::{GlobalState, ThreadState, Values, shared_literals, thread_literals, thread_state};
use crate::command::CommandId;
use crate::encoding::{Slot, Step};
use base::{Id, Stop};
use ir::bp::Var;
use solve::bdd::Bdd;

/// A run of one thread through its commands.
pub struct ThreadRun {
    active_thread: ThreadState,
    shared: Vec<bool>,
    /// Old and new values of its first command.
    pub active: Values,
    micros: Vec<MicroStep>,
}

/// The shared variables and the thread on the way back.
#[derive(Clone)]
struct Between {
    shared: Vec<bool>,
    thread: Option<ThreadState>,
}

/// The first command of a thread's step, and the values that count.
pub struct First {
    /// Where the thread stands.
    pub at: Control,
    /// Which command of the location.
    pub index: usize,
    /// The command.
    pub step: Step,
    /// Old and new values.
    pub active: Bdd,
}

impl ThreadRun {
    /// The step in which these are the other threads, before and after it.
    pub fn concrete(self, initialising: bool, others: Vec<ThreadState>) -> ConcreteStep {
        let mut threads = vec![self.active_thread.clone()];
        threads.extend(others);
        ConcreteStep {
            before: GlobalState { initialising, shared: self.shared, threads },
            active_thread: self.active_thread,
            micros: self.micros,
            child: None,
            refused: false,
            reactions: vec![],
            newborn: vec![],
        }
    }
}

impl Finder<'_, '_> {
    /// The commands that lead a thread from the first one's old values to `own` and these shared values.
    pub fn run(
        &mut self,
        first: &First,
        own: Option<&ThreadState>,
        born: Option<&ThreadState>,
        shared: &[bool],
    ) -> Result<Option<ThreadRun>, Stop> {
        let mut active = first.active;
        if let Some(born) = born {
            let cube = thread_literals(&self.threads.encoding, born, Slot::Passive);
            let cube = self.threads.encoding.manager.cube(&cube)?;
            active = self.threads.encoding.manager.and(active, cube, self.budget)?;
        }
        let mut between = Between { shared: shared.to_vec(), thread: own.cloned() };
        let mut micros = vec![];
        if first.step.to.is_some() {
            let (entries, invisible) = self.forward(first, active)?;
            while !self.is_entry(&entries, &between)? {
                let Some((before, micro)) = self.back(&invisible, &between)? else { return Ok(None) };
                micros.push(micro);
                between = before;
            }
        }
        let cube = self.cube(&between)?;
        let encoding = &mut self.threads.encoding;
        let target = encoding.retreat(&first.step, cube, self.budget)?;
        let all = encoding.manager.and(active, target, self.budget)?;
        let Some(active) = Values::pick(encoding, all) else { return Ok(None) };
        let active_thread = thread_state(encoding, &active, first.at, Slot::Own);
        let before = Between { shared: active.shared(encoding), thread: Some(active_thread.clone()) };
        micros.push(self.micro(
            CommandId { loc: first.at.loc(), index: first.index },
            &before,
            &between,
            Some(&active),
        )?);
        micros.reverse();
        Ok(Some(ThreadRun { active_thread, shared: before.shared, active, micros }))
    }

    /// The sets that the first command leads to, and those where an invisible transition follows.
    fn forward(&mut self, first: &First, active: Bdd) -> Result<(Pending, Vec<(Control, Bdd)>), Stop> {
        let after = self.threads.encoding.image_by(&first.step, Bdd::TRUE, active, self.budget)?;
        let mut pending = Pending::new();
        self.threads.arrive(&first.step, first.at, Joint::Mixed(after), &mut pending, self.budget)?;
        let (entries, mut invisible) = (pending.clone(), vec![]);
        while let Some(((_, at), set)) = pending.pop_first() {
            if !self.threads.is_merged(at.loc()) || self.threads.encoding.program.at(at.loc()).error {
                continue;
            }
            let (_, rest) = self.threads.failing(at, set, self.budget)?;
            invisible.push((at, self.threads.mixed(rest, self.budget)?));
            self.threads.advance(at, rest, &mut pending, self.budget)?;
        }
        Ok((entries, invisible))
    }

    fn is_entry(&mut self, entries: &Pending, between: &Between) -> Result<bool, Stop> {
        let cube = self.cube(between)?;
        let at = between.thread.as_ref().map(|thread| thread.at);
        for (key, set) in entries {
            let set = self.threads.mixed(*set, self.budget)?;
            if Some(key.1) == at && !self.threads.encoding.manager.disjoint(set, cube, self.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// One invisible transition back.
    fn back(
        &mut self,
        invisible: &[(Control, Bdd)],
        between: &Between,
    ) -> Result<Option<(Between, MicroStep)>, Stop> {
        let Some(thread) = &between.thread else { return Ok(None) };
        let cube = self.cube(between)?;
        for &(at, set) in invisible {
            for index in 0..self.threads.encoding.steps(at.loc()).len() {
                let step = self.threads.encoding.steps(at.loc())[index];
                if step.to != Some(thread.at.loc()) || !self.leads_to(&step, at, between, thread) {
                    continue;
                }
                let encoding = &mut self.threads.encoding;
                let before = encoding.preimage(&step, cube, self.budget)?;
                let before = encoding.manager.and(before, set, self.budget)?;
                if let Some(values) = Values::pick(encoding, before) {
                    let thread = thread_state(encoding, &values, at, Slot::Own);
                    let before = Between { shared: values.shared(encoding), thread: Some(thread) };
                    let command = CommandId { loc: at.loc(), index };
                    let micro = self.micro(command, &before, between, None)?;
                    return Ok(Some((before, micro)));
                }
            }
        }
        Ok(None)
    }

    /// Whether a command leads to the right side of the atomic section.
    fn leads_to(&self, step: &Step, at: Control, between: &Between, thread: &ThreadState) -> bool {
        let atomic = self.threads.encoding.program.atomic_variable();
        let follows = || atomic.is_some_and(|variable| between.shared[variable.index()]);
        step.section.side(at.inside()).unwrap_or_else(follows) == thread.at.inside()
    }

    fn cube(&mut self, between: &Between) -> Result<Bdd, Stop> {
        let encoding = &mut self.threads.encoding;
        let mut literals = shared_literals(encoding, &between.shared);
        if let Some(thread) = &between.thread {
            literals.extend(thread_literals(encoding, thread, Slot::Own));
        }
        encoding.manager.cube(&literals)
    }

    /// The command between two states. Values that are forgotten at once are picked so that all conditions
    /// hold, or taken from `chosen`.
    fn micro(
        &mut self,
        CommandId { loc, index }: CommandId,
        before: &Between,
        after: &Between,
        chosen: Option<&Values>,
    ) -> Result<MicroStep, Stop> {
        let encoding = &mut self.threads.encoding;
        let relation = encoding.full_relation(loc, index, self.budget)?;
        let mut fixed = shared_literals(encoding, &before.shared);
        let active = before.thread.as_ref().expect("a thread that steps is there before");
        fixed.extend(thread_literals(encoding, active, Slot::Own));
        let command = encoding.commands.at(loc)[index].clone();
        let passive = command.asks.is_some() || !command.broadcast.is_empty();
        for &(var, _) in &command.assign {
            let next = encoding.space.next(var, Slot::Own);
            let value = match (var, &after.thread) {
                (Var::Shared(id), _) => Some(after.shared[id.index()]),
                (Var::Local(id), Some(thread)) if encoding.keeps(thread.at.loc(), id) => {
                    Some(thread.values[id.index()])
                }
                _ => chosen.filter(|_| passive).map(|values| values.get(next)),
            };
            fixed.extend(value.map(|value| (next, value)));
        }
        let cube = encoding.manager.cube(&fixed)?;
        let all = encoding.manager.and(relation, cube, self.budget)?;
        let values = Values::pick(encoding, all).expect("the two states are related by this command");
        let write = |var: Var| values.get(encoding.space.next(var, Slot::Own));
        let writes = command.assign.iter().map(|&(var, _)| write(var)).collect();
        Ok(MicroStep { loc, index, writes, after: after.thread.clone() })
    }
}
