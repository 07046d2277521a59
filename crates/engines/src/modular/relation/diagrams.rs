//! Sets of thread states as decision diagrams, one for each location: over the shared variables and the
//! locals kept there.
//!
//! A change is a relation over the old and new values of the shared variables and over the locks that the
//! active thread holds before or after it, which sit in the slot of a passive thread's owner bits.

use super::control::{CommandVariant, ThreadControl};
use super::saturate::{Sets, Stepped, ThreadStates};
use super::{Counters, Options};
use crate::command::Commands;
use crate::encoding::{Encoding, EncodingPlan, Slot, Step};
use base::{Budget, Stop};
use ir::bp::{Loc, LocalId, Op, ProcId, Program, Var};
use solve::bdd::{Bdd, Level, LevelMap, Limits, VarSet};

/// The program, encoded, with what all changes need.
pub struct DiagramSets<'p> {
    encoding: Encoding<'p>,
    owner: bool,
    /// Old and new values of all locals, owner bits' old values left out.
    private: VarSet,
    to_passive: LevelMap,
    to_own: LevelMap,
}

/// What steps by one command are for the others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EnvironmentStep {
    relation: Bdd,
    /// The locks that it may speak of.
    busy: VarSet,
    /// The old values of the shared variables assigned.
    forget: VarSet,
    /// New values of shared variables to the levels of old ones.
    advance: LevelMap,
}

impl<'p> DiagramSets<'p> {
    /// Encodes a program.
    pub fn new(
        program: &'p Program,
        commands: Commands,
        options: Options,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let plan = EncodingPlan { copies: 0, members: 0, limits: Limits::default() };
        let mut encoding = Encoding::new(program, commands, plan, budget)?;
        let is_owner = |local: LocalId| program.locks().iter().any(|lock| lock.owner == local);
        let mut private = vec![];
        for local in program.locals().ids() {
            let now = encoding.space.now(Var::Local(local), Slot::Own);
            private.push(now + 1);
            if !is_owner(local) {
                private.push(now);
            }
        }
        let private = encoding.manager.var_set(&private)?;
        let to_passive = encoding.space.map(&mut encoding.manager, Slot::Own, Slot::Passive);
        let to_own = encoding.space.map(&mut encoding.manager, Slot::Passive, Slot::Own);
        Ok(Self { encoding, owner: options.owner, private, to_passive, to_own })
    }

    /// The relation of a way to step.
    fn relation(
        &mut self,
        step: &Step,
        relation: Bdd,
        way: CommandVariant,
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        debug_assert!(!step.is_passive, "refused before");
        let Some((atomic, value)) = self.encoding.program.atomic_variable().zip(way.atomic) else {
            return Ok(relation);
        };
        let next = self.encoding.space.next(Var::Shared(atomic), Slot::Own);
        let fits = self.encoding.manager.literal(next, value)?;
        self.encoding.manager.and(relation, fits, budget)
    }

    fn step_of(&self, control: ThreadControl, way: CommandVariant) -> Step {
        self.encoding.steps(control.loc)[way.command]
    }

    /// The locks that a thread at a location may be known to hold.
    fn owners(&self, loc: Loc) -> Vec<LocalId> {
        let owners = self.encoding.program.locks().iter().map(|lock| lock.owner);
        owners.filter(|&owner| self.encoding.keeps(loc, owner)).collect()
    }

    /// What an passive thread at a location may hear of a change: condition (2d).
    fn fitting(&mut self, loc: Loc, effect: &EnvironmentStep, budget: &Budget) -> Result<Bdd, Stop> {
        let (space, mut relation) = (&self.encoding.space, effect.relation);
        let known = self.encoding.manager.levels_of(effect.busy);
        let mut pairs = vec![];
        for owner in self.owners(loc).into_iter().filter(|_| self.owner) {
            let busy = space.now(Var::Local(owner), Slot::Passive);
            if known.contains(&busy) {
                pairs.push((space.now(Var::Local(owner), Slot::Own), busy));
            }
        }
        for (own, busy) in pairs {
            let manager = &mut self.encoding.manager;
            let (own, busy) = (manager.var(own)?, manager.var(busy)?);
            let both = manager.and(own, busy, budget)?;
            relation = manager.diff(relation, both, budget)?;
        }
        self.encoding.manager.exists(relation, effect.busy, budget)
    }
}

impl Sets for DiagramSets<'_> {
    type Set = Bdd;
    type EnvironmentStep = EnvironmentStep;

    fn program(&self) -> &Program {
        self.encoding.program
    }

    fn commands(&self) -> &Commands {
        &self.encoding.commands
    }

    fn begin(&mut self, procedure: ProcId, shared: Option<&Bdd>, budget: &Budget) -> Result<Bdd, Stop> {
        let shared = match shared {
            Some(&shared) => shared,
            None => self.encoding.first_shared()?,
        };
        let (_, fresh) = self.encoding.fresh(procedure, budget)?;
        self.encoding.manager.and(shared, fresh, budget)
    }

    fn step(
        &mut self,
        ThreadStates { control, set: &set }: ThreadStates<'_, Bdd>,
        way: CommandVariant,
        budget: &Budget,
    ) -> Result<Option<Stepped<Bdd>>, Stop> {
        let step = self.step_of(control, way);
        let relation = self.relation(&step, step.relation, way, budget)?;
        let after = self.encoding.image_by(&step, relation, set, budget)?;
        if after.is_false() {
            return Ok(None);
        }
        let child = match step.child {
            Some(child) => {
                let both = self.encoding.image_by(&step, child.relation, set, budget)?;
                let all_own = self.encoding.all_own;
                let born = self.encoding.manager.exists(both, all_own, budget)?;
                Some((child.at, self.encoding.manager.rename(born, self.to_own, budget)?))
            }
            None => None,
        };
        Ok(Some(Stepped { after, child }))
    }

    fn effect(
        &mut self,
        ThreadStates { control, set: &set }: ThreadStates<'_, Bdd>,
        way: CommandVariant,
        budget: &Budget,
    ) -> Result<Option<EnvironmentStep>, Stop> {
        let step = self.step_of(control, way);
        let relation = self.relation(&step, step.relation, way, budget)?;
        let manager = &mut self.encoding.manager;
        let mut seen = manager.and_exists(set, relation, self.private, budget)?;
        seen = manager.rename(seen, self.to_passive, budget)?;
        let program = self.encoding.program;
        if let (Op::Lock(id), Some(to)) = (&program.at(control.loc).op, step.to) {
            // Afterwards the active thread holds it.
            let owner = program.locks()[*id].owner;
            let level = self.encoding.space.now(Var::Local(owner), Slot::Passive);
            let holds = self.encoding.manager.literal(level, self.encoding.keeps(to, owner))?;
            let before = self.encoding.manager.var_set(&[level])?;
            let forgot = self.encoding.manager.exists(seen, before, budget)?;
            seen = self.encoding.manager.and(forgot, holds, budget)?;
        }
        let assign = &self.encoding.commands.at(control.loc)[way.command].assign;
        let shared = assign.iter().filter(|it| matches!(it.0, Var::Shared(_)));
        let levels: Vec<Level> = shared.map(|it| self.encoding.space.now(it.0, Slot::Own)).collect();
        let pairs: Vec<(Level, Level)> = levels.iter().map(|&now| (now + 1, now)).collect();
        let owners = self.owners(control.loc).into_iter();
        let busy = owners.map(|owner| self.encoding.space.now(Var::Local(owner), Slot::Passive));
        let busy: Vec<Level> = busy.collect();
        let manager = &mut self.encoding.manager;
        let (forget, advance) = (manager.var_set(&levels)?, manager.level_map(&pairs));
        let effect = EnvironmentStep { relation: seen, busy: manager.var_set(&busy)?, forget, advance };
        Ok((!seen.is_false()).then_some(effect))
    }

    fn react(
        &mut self,
        ThreadStates { control, set: &set }: ThreadStates<'_, Bdd>,
        effect: &EnvironmentStep,
        _stays: bool,
        budget: &Budget,
    ) -> Result<Option<Bdd>, Stop> {
        let relation = self.fitting(control.loc, effect, budget)?;
        let manager = &mut self.encoding.manager;
        let after = manager.and_exists(set, relation, effect.forget, budget)?;
        let after = manager.rename(after, effect.advance, budget)?;
        Ok((!after.is_false()).then_some(after))
    }

    fn unite(
        &mut self,
        _control: ThreadControl,
        old: Option<&Bdd>,
        new: Bdd,
        budget: &Budget,
    ) -> Result<Option<Bdd>, Stop> {
        let old = old.copied().unwrap_or(Bdd::FALSE);
        let all = self.encoding.manager.or(old, new, budget)?;
        Ok((all != old).then_some(all))
    }

    fn fails(&mut self, control: ThreadControl, &set: &Bdd, budget: &Budget) -> Result<bool, Stop> {
        if self.encoding.program.at(control.loc).error {
            return Ok(true);
        }
        let failing = self.encoding.failing(control.loc);
        Ok(!self.encoding.manager.disjoint(set, failing, budget)?)
    }

    fn wants_collection(&self) -> bool {
        self.encoding.manager.wants_collection()
    }

    fn collect(&mut self, sets: Vec<&Bdd>, effects: Vec<&EnvironmentStep>) {
        self.encoding.forget();
        let roots = sets.into_iter().copied().chain(effects.into_iter().map(|it| it.relation));
        self.encoding.manager.collect(roots);
    }

    fn count(&self, counters: &mut Counters) {
        counters
            .push(("most nodes of decision diagrams", self.encoding.manager.statistics().peak_nodes as u64));
    }
}

#[cfg(test)]
impl DiagramSets<'_> {
    /// The encoding, for tests that look into sets.
    pub fn symbolic(&self) -> &Encoding<'_> {
        &self.encoding
    }
}
