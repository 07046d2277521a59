//! Where each variable sits in the order: old value and new value side by side, the active thread's copy
//! beside the passive one's.

use super::EncodingPlan;
use super::order;
use crate::command::Commands;
use base::Id;
use ir::bp::{Program, Read, Var, When, Whose};
use solve::bdd::{Level, LevelMap, Manager};

/// Whose copy of the locals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Slot {
    /// The thread that steps.
    Own,
    /// A passive thread, or one that is created.
    Passive,
    /// A further copy: one thread of a set that tells threads apart.
    Copy(usize),
    /// One of a few threads that are looked at together; their copies stand beside the active thread's.
    Member(usize),
}

/// The levels of all variables.
#[derive(Clone, Debug)]
pub struct Space {
    /// All variables in their order.
    order: Vec<Var>,
    /// The old value of each shared variable; the new value is the next level.
    shared: Vec<Level>,
    /// The old value of each local of the active thread; its new value and the passive thread's two are the
    /// next levels.
    locals: Vec<Level>,
    /// The position of each local among the locals in the order.
    ranks: Vec<Level>,
    /// Where the further copies begin.
    copies: Level,
    first_local: Level,
}

impl Space {
    /// Gives every variable its levels.
    pub fn new(program: &Program, commands: &Commands, plan: &EncodingPlan) -> Space {
        let order = order::arrange(program, commands);
        let mut space = Space {
            shared: vec![0; program.shared().len()],
            locals: vec![0; program.locals().len()],
            ranks: vec![0; program.locals().len()],
            copies: 0,
            first_local: 0,
            order,
        };
        let (mut level, mut rank) = (0, 0);
        for &var in &space.order {
            match var {
                Var::Shared(id) => {
                    space.shared[id.index()] = level;
                    level += 2;
                }
                Var::Local(id) => {
                    space.locals[id.index()] = level;
                    space.ranks[id.index()] = rank;
                    level += 4 + 2 * plan.members as Level;
                    rank += 1;
                }
            }
        }
        space.copies = level;
        space.first_local = space.locals.iter().copied().min().unwrap_or(level);
        debug_assert!(plan.copies < 1 << 20, "copies are threads of a small bound");
        space
    }

    /// The variables in their order.
    pub fn order(&self) -> &[Var] {
        &self.order
    }

    /// The level of the first local: all shared variables lie above it.
    pub fn first_local(&self) -> Level {
        self.first_local
    }

    /// The old value of a variable.
    pub fn now(&self, var: Var, slot: Slot) -> Level {
        match (var, slot) {
            (Var::Shared(id), _) => self.shared[id.index()],
            (Var::Local(id), Slot::Own) => self.locals[id.index()],
            (Var::Local(id), Slot::Passive) => self.locals[id.index()] + 2,
            (Var::Local(id), Slot::Member(member)) => self.locals[id.index()] + 4 + 2 * member as Level,
            // One thread after the other: what two threads do is rarely related, and then sizes add up
            // instead of multiplying.
            (Var::Local(id), Slot::Copy(copy)) => {
                let width = 2 * self.locals.len() as Level;
                self.copies + copy as Level * width + 2 * self.ranks[id.index()]
            }
        }
    }

    /// The new value of a variable.
    pub fn next(&self, var: Var, slot: Slot) -> Level {
        self.now(var, slot) + 1
    }

    /// The level that a reading names.
    pub fn read(&self, read: Read) -> Level {
        let slot = if read.whose == Whose::Own { Slot::Own } else { Slot::Passive };
        match read.when {
            When::Now => self.now(read.var, slot),
            When::Next => self.next(read.var, slot),
        }
    }

    /// The old values of the shared variables.
    pub fn levels_of_shared(&self) -> Vec<Level> {
        self.shared.clone()
    }

    /// The old values of a thread's locals.
    pub fn levels_of_locals(&self, slot: Slot) -> Vec<Level> {
        self.locals().map(|var| self.now(var, slot)).collect()
    }

    /// The map from one thread's locals to another's, old values to old values and new to new.
    pub fn map(&self, manager: &mut Manager, from: Slot, to: Slot) -> LevelMap {
        manager.level_map(&self.pairs(from, to))
    }

    /// The same map as pairs of levels.
    pub fn pairs(&self, from: Slot, to: Slot) -> Vec<(Level, Level)> {
        let both = |var: Var| {
            let (old, new) = (self.now(var, from), self.now(var, to));
            [(old, new), (old + 1, new + 1)]
        };
        self.locals().flat_map(both).collect()
    }

    fn locals(&self) -> impl Iterator<Item = Var> + '_ {
        (0..self.locals.len()).map(|index| Var::Local(Id::from_index(index)))
    }
}
