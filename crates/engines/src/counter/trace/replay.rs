//! The forward half: gives every thread a name, and builds the trace.

use super::concrete::ConcreteStep;
use super::state::{GlobalState, ThreadState};
use crate::command::Command;
use crate::encoding::Encoding;
use crate::trace::{TraceBuilder, thread};
use base::Id;
use ir::bp::{LocalId, State, Step, ThreadId};
use ir::trace::ProgramTrace;
use std::collections::BTreeMap;

/// The run, or `None` if idle threads stand in its way. With a bound it is one of the program under this
/// bound.
pub fn replay(
    encoding: &Encoding<'_>,
    start: &GlobalState,
    steps: &[ConcreteStep],
    bound: Option<u32>,
) -> Option<ProgramTrace> {
    let names: BTreeMap<ThreadId, ThreadState> = (0..).zip(start.threads.iter().cloned()).collect();
    let concrete = |it: &ThreadState| {
        thread(encoding.program, it.at.loc(), it.at.inside(), |local| it.values[local.index()])
    };
    let state = State {
        initialising: start.initialising,
        shared: start.shared.clone(),
        threads: names.iter().map(|(&name, it)| (name, concrete(it))).collect(),
    };
    let trace = TraceBuilder::new(encoding.program, bound, state);
    let mut replay = CounterReplay { encoding, trace, names };
    for step in steps {
        if !replay.perform(step) {
            return None;
        }
    }
    Some(replay.trace.finish().expect("the run leads to an error"))
}

struct CounterReplay<'a, 'p> {
    encoding: &'a Encoding<'p>,
    trace: TraceBuilder<'p>,
    /// The threads that the search counts.
    names: BTreeMap<ThreadId, ThreadState>,
}

impl CounterReplay<'_, '_> {
    /// Adds the commands of a step; false if idle threads stand in the way.
    fn perform(&mut self, concrete: &ConcreteStep) -> bool {
        let active = self.names.iter().find(|it| *it.1 == concrete.active_thread);
        let active = *active.expect("a thread is in the state that steps").0;
        for (number, micro) in concrete.micros.iter().enumerate() {
            let command = &self.encoding.commands.at(micro.loc)[micro.index];
            let mut step = self.trace.command(active, command, micro.writes.iter().copied());
            self.names.remove(&active);
            if number == 0 && !self.others(&mut step, command, concrete) {
                return false;
            }
            self.names.extend(micro.after.iter().map(|after| (active, after.clone())));
            if !self.trace.follow(step) {
                return false;
            }
        }
        true
    }

    /// What the first command does to other threads; false if an idle one cannot react.
    fn others(&mut self, step: &mut Step, command: &Command, concrete: &ConcreteStep) -> bool {
        let encoding = self.encoding;
        let mut planned = concrete.reactions.clone();
        let mut chosen = BTreeMap::new();
        let concerns = !planned.is_empty();
        for (&name, it) in self.names.iter_mut().filter(|_| concerns) {
            let at = planned.iter().position(|reaction| reaction.before == *it);
            let reaction = planned.swap_remove(at.expect("every thread of the run was planned for"));
            *it = reaction.after;
            chosen.insert(name, reaction.values);
        }
        if !self.trace.react(step, command, &encoding.commands, |name| chosen.remove(&name)) {
            return false;
        }
        let wanted = |it: &ThreadState, local: LocalId| {
            encoding.keeps(it.at.loc(), local).then(|| it.values[local.index()])
        };
        let child = concrete.child.as_ref();
        let name = self.trace.child(step, |local| wanted(child?, local), concrete.refused);
        self.names.extend(name.zip(child.cloned()));
        for it in &concrete.newborn {
            let name = self.trace.starter(step, it.at.loc(), |local| wanted(it, local));
            self.names.insert(name, it.clone());
        }
        true
    }
}
