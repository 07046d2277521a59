//! What a broadcast, or a condition over passive copies, does to a passive thread.
//!
//! The relation is over the shared variables and the active thread, old and new, and the passive thread, old
//! and new. Which locals it speaks of depends on where the passive thread stands: what is not in scope there
//! is not updated, and a condition that mentions it does not ask this thread.

use super::Encoding;
use super::space::Slot;
use base::{Budget, Stop};
use ir::bp::{ExprId, Loc, LocalId, Var, Whose};
use solve::bdd::{Bdd, Level, LevelMap, VarSet};

/// A command as a passive thread at some location sees it.
#[derive(Clone, Copy, Debug)]
pub struct PassiveStep {
    /// Whether the command's condition speaks of the thread.
    pub constrained: bool,
    /// Old and new values of everybody.
    pub relation: Bdd,
    /// Old values of the passive thread's updated locals, in the slot of the active thread.
    pub forget: VarSet,
    /// New values to the levels of old ones, in the slot of the active thread.
    pub advance: LevelMap,
}

impl Encoding<'_> {
    /// The command `index` at `loc` as a passive thread at `at` sees it.
    pub fn passive_step(
        &mut self,
        loc: Loc,
        index: usize,
        at: Loc,
        budget: &Budget,
    ) -> Result<PassiveStep, Stop> {
        let relation = self.full_passive_relation(loc, index, at, budget)?;
        let updates = self.updates(loc, index, at);
        let now = |local: LocalId, slot: Slot| self.space.now(Var::Local(local), slot);
        let (kept, dead): (Vec<LocalId>, Vec<LocalId>) =
            updates.iter().map(|it| it.0).partition(|&local| self.keeps(at, local));
        let hidden: Vec<Level> = dead.iter().map(|&local| now(local, Slot::Passive) + 1).collect();
        let levels: Vec<Level> = kept.iter().map(|&local| now(local, Slot::Own)).collect();
        let pairs: Vec<(Level, Level)> = levels.iter().map(|&now| (now + 1, now)).collect();
        let constrained = self.asks_at(loc, index, at);
        let hidden = self.manager.var_set(&hidden)?;
        let relation = self.manager.exists(relation, hidden, budget)?;
        Ok(PassiveStep {
            constrained,
            relation: self.manager.protect(relation),
            forget: self.manager.var_set(&levels)?,
            advance: self.manager.level_map(&pairs),
        })
    }

    /// The same with nothing quantified away: what a trace picks its values from.
    pub fn full_passive_relation(
        &mut self,
        loc: Loc,
        index: usize,
        at: Loc,
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        let mut relation = Bdd::TRUE;
        for (local, e) in self.updates(loc, index, at) {
            let level = self.space.next(Var::Local(local), Slot::Passive);
            let update = self.update(level, e, budget)?;
            relation = self.manager.and(relation, update, budget)?;
        }
        if let Some(e) = self.commands.at(loc)[index].asks.filter(|_| self.asks_at(loc, index, at)) {
            let holds = self.may_be(e, true, budget)?;
            relation = self.manager.and(relation, holds, budget)?;
        }
        let relation = self.with_dead_own(relation, loc, budget)?;
        // What the thread does not have is 0, like what is dead: sets at its location do not mention it.
        let locals = self.program.locals().ids().filter(|&local| !self.keeps(at, local));
        let zeros: Vec<(Level, bool)> =
            locals.map(|local| (self.space.now(Var::Local(local), Slot::Passive), false)).collect();
        self.manager.cofactor(relation, &zeros, budget)
    }

    /// Where the command's condition holds for some values of the copies, old and new, whatever the threads
    /// are.
    pub fn unconstrained(&mut self, loc: Loc, index: usize, budget: &Budget) -> Result<Bdd, Stop> {
        let Some(e) = self.commands.at(loc)[index].asks else { return Ok(Bdd::TRUE) };
        let holds = self.may_be(e, true, budget)?;
        let levels: Vec<Level> =
            self.space.levels_of_locals(Slot::Passive).into_iter().flat_map(|now| [now, now + 1]).collect();
        let copies = self.manager.var_set(&levels)?;
        let holds = self.manager.exists(holds, copies, budget)?;
        self.with_dead_own(holds, loc, budget)
    }

    /// The broadcasts that reach a passive thread at `at`.
    pub fn updates(&self, loc: Loc, index: usize, at: Loc) -> Vec<(LocalId, ExprId)> {
        let all = self.commands.at(loc)[index].broadcast.iter();
        all.filter(|it| self.program.in_scope(at, it.0)).copied().collect()
    }

    /// Whether the command has a condition that speaks of a passive thread at `at`: the thread has every
    /// local that it mentions.
    pub fn asks_at(&self, loc: Loc, index: usize, at: Loc) -> bool {
        self.commands.at(loc)[index].asks.is_some_and(|e| {
            let reads = self.commands.exprs().reads(e).into_iter();
            reads.filter(|read| read.whose == Whose::Passive).all(|read| match read.var {
                Var::Local(local) => self.program.in_scope(at, local),
                Var::Shared(_) => true,
            })
        })
    }
}
