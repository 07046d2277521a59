//! A trace that grows by steps whose values were picked from decision diagrams.

use crate::command::CommandId;
use crate::encoding::values::Values;
use crate::encoding::{Encoding, Slot};
use crate::trace::{Blocked, TraceBuilder};
use ir::bp::{LocalId, Step, ThreadId, Var};

/// A step of one member.
pub struct Picked {
    /// The command.
    pub command: CommandId,
    /// Which member steps.
    pub active: usize,
    /// Where the locals of its child are.
    pub spare: usize,
}

/// The trace so far, with the threads that are members of the element.
pub struct Members<'p> {
    pub trace: TraceBuilder<'p>,
    /// The members, in order.
    pub names: Vec<ThreadId>,
}

impl Members<'_> {
    /// Adds a step with its values; `order` says where the members after it are now.
    pub fn perform(
        &mut self,
        picked: &Picked,
        values: &Values,
        order: &[usize],
        encoding: &Encoding<'_>,
    ) -> Result<(), &'static str> {
        let CommandId { loc, index } = picked.command;
        let command = &encoding.commands.at(loc)[index];
        let next = |var: Var, slot: usize| values.get(encoding.space.next(var, Slot::Member(slot)));
        let assigned = command.assign.iter().map(|it| next(it.0, picked.active));
        let mut step = self.trace.command(self.names[picked.active], command, assigned);
        let chosen = |name: ThreadId| {
            let slot = self.names.iter().position(|&member| member == name)?;
            let updates = encoding.updates(loc, index, self.trace.loc(name)).into_iter();
            Some(updates.map(|(local, _)| (local, next(Var::Local(local), slot))).collect())
        };
        if !self.trace.react(&mut step, command, &encoding.commands, chosen) {
            return Err("a thread has no answer to a broadcast");
        }
        let mut names = self.names.clone();
        if let Some(child) = &command.child {
            let wanted_child = order.contains(&picked.spare);
            let wanted = |local: LocalId| {
                let level = encoding.space.now(Var::Local(local), Slot::Member(picked.spare));
                (wanted_child && encoding.keeps(child.at, local)).then(|| values.get(level))
            };
            let name = self.trace.child(&mut step, wanted, false).expect("nobody is refused without a bound");
            names.resize(picked.spare + 1, name);
        }
        self.names = order.iter().map(|&slot| names[slot]).collect();
        self.apply(step)
    }

    /// Adds a step, or says that it is impossible.
    pub fn apply(&mut self, step: Step) -> Result<(), &'static str> {
        self.trace.apply(step).map_err(|_: Blocked| "the program refuses a step")
    }
}
