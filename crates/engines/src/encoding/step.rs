//! One command as a relation, and images and pre-images under it.
//!
//! The relation reads old values of the shared variables and of the locals kept where the command begins, and
//! speaks of the new values of what the command assigns, no more. An image forgets the old values of assigned
//! variables and of locals that are not kept afterwards, and moves the new values to the levels of the old
//! ones; all other variables are never touched.

use super::Encoding;
use super::space::Slot;
use crate::command::{Child, Command, Section};
use base::{Budget, Stop};
use ir::bp::{ExprId, Loc, LocalId, Var};
use solve::bdd::{Bdd, Level, LevelMap, VarSet};

/// A command, encoded. Its conditions over passive threads and its broadcasts are in [`super::PassiveStep`].
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Where it begins.
    pub from: Loc,
    /// Where control goes; `None` if the thread ends.
    pub to: Option<Loc>,
    /// The atomic section.
    pub section: Section,
    /// Old and new values. New values of locals that are not kept afterwards are quantified away, unless
    /// passive threads may read them.
    pub relation: Bdd,
    /// The old values for which there are new ones.
    pub enabled: Bdd,
    /// Whether it reads or writes a shared variable.
    pub touches_shared: bool,
    /// Whether passive threads have to do with it.
    pub is_passive: bool,
    /// The thread that it creates.
    pub child: Option<ChildStep>,
    /// What an image forgets.
    pub forget: VarSet,
    /// New values to the levels of old ones.
    pub advance: LevelMap,
    retreat: LevelMap,
    written: VarSet,
}

impl Step {
    /// The new values that the relation speaks of.
    pub fn written(&self) -> VarSet {
        self.written
    }
}

/// A thread that a command creates.
#[derive(Clone, Copy, Debug)]
pub struct ChildStep {
    /// Where it begins.
    pub at: Loc,
    /// The command's relation together with the locals of the child, as those of a passive thread.
    pub relation: Bdd,
}

impl Encoding<'_> {
    /// The set after a step from `f`, over the shared variables and the locals kept where control goes.
    pub fn image(&mut self, step: &Step, f: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        self.image_by(step, step.relation, f, budget)
    }

    /// The same under another relation in the place of the step's own: with a child, or a part of it.
    pub fn image_by(&mut self, step: &Step, relation: Bdd, f: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        let after = self.manager.and_exists(f, relation, step.forget, budget)?;
        self.manager.rename(after, step.advance, budget)
    }

    /// The parts of a set after a step in which the thread that has moved is inside its section, and outside.
    pub fn sides(
        &mut self,
        section: Section,
        inside: bool,
        f: Bdd,
        budget: &Budget,
    ) -> Result<Vec<(bool, Bdd)>, Stop> {
        if let Some(inside) = section.side(inside) {
            return Ok(vec![(inside, f)]);
        }
        let atomic = self.program.atomic_variable().expect("a command follows it");
        let var = self.manager.var(self.space.now(Var::Shared(atomic), Slot::Own))?;
        Ok(vec![(true, self.manager.and(f, var, budget)?), (false, self.manager.diff(f, var, budget)?)])
    }

    /// Where a step may lead into `f`, a set of the location where control goes.
    pub fn preimage(&mut self, step: &Step, f: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        let after = self.retreat(step, f, budget)?;
        self.manager.and_exists(after, step.relation, step.written, budget)
    }

    /// The set `f` of the location where control goes, as one over the new values of what the step assigns
    /// and the old values of the rest.
    pub fn retreat(&mut self, step: &Step, f: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        self.manager.rename(f, step.retreat, budget)
    }

    /// Old and new values of a command with nothing quantified away: what a trace picks its values from.
    pub fn full_relation(&mut self, loc: Loc, index: usize, budget: &Budget) -> Result<Bdd, Stop> {
        let command = self.commands.at(loc)[index].clone();
        let mut relation = Bdd::TRUE;
        for &e in &command.requires {
            let holds = self.may_be(e, true, budget)?;
            relation = self.manager.and(relation, holds, budget)?;
        }
        for &(var, e) in &command.assign {
            let next = self.space.next(var, Slot::Own);
            let update = self.update(next, e, budget)?;
            relation = self.manager.and(relation, update, budget)?;
        }
        self.with_dead_own(relation, loc, budget)
    }

    /// The variable at `level` has a value that the expression may have.
    pub(super) fn update(&mut self, level: Level, e: ExprId, budget: &Budget) -> Result<Bdd, Stop> {
        let (zero, one) = (self.may_be(e, false, budget)?, self.may_be(e, true, budget)?);
        let var = self.manager.var(level)?;
        self.manager.ite(var, one, zero, budget)
    }

    pub(super) fn encode(&mut self, loc: Loc, index: usize, budget: &Budget) -> Result<Step, Stop> {
        let command = self.commands.at(loc)[index].clone();
        let is_passive = command.asks.is_some() || !command.broadcast.is_empty();
        let ends = Ends::new(self, loc, &command);
        let mut relation = self.full_relation(loc, index, budget)?;
        for &local in &ends.revived {
            let zero = self.manager.literal(self.space.next(Var::Local(local), Slot::Own), false)?;
            relation = self.manager.and(relation, zero, budget)?;
        }
        let hidden = self.manager.var_set(&ends.hidden)?;
        if !is_passive {
            relation = self.manager.exists(relation, hidden, budget)?;
        }
        let relation = self.manager.protect(relation);
        let all_written: Vec<Level> =
            ends.written.iter().map(|&now| now + 1).chain(ends.hidden.clone()).collect();
        let written = self.manager.var_set(&all_written)?;
        let enabled = self.manager.exists(relation, written, budget)?;
        let forget: Vec<Level> = ends.forgotten.iter().chain(&ends.hidden).copied().collect();
        let child = match &command.child {
            Some(child) => Some(self.child_step(loc, child, relation, budget)?),
            None => None,
        };
        let pairs = |back: bool| -> Vec<(Level, Level)> {
            ends.written.iter().map(|&now| if back { (now, now + 1) } else { (now + 1, now) }).collect()
        };
        Ok(Step {
            from: loc,
            to: command.to,
            section: command.section,
            relation,
            enabled: self.manager.protect(enabled),
            touches_shared: self.touches_shared(relation, &command),
            is_passive,
            child,
            forget: self.manager.var_set(&forget)?,
            advance: self.manager.level_map(&pairs(false)),
            retreat: self.manager.level_map(&pairs(true)),
            written,
        })
    }

    /// A variable that may become anything is not in the relation, and yet it is written.
    fn touches_shared(&self, relation: Bdd, command: &Command) -> bool {
        let mut levels = self.space.levels_of_shared();
        levels.sort_unstable();
        command.assign.iter().any(|it| matches!(it.0, Var::Shared(_)))
            || self.manager.support(relation).iter().any(|level| levels.binary_search(level).is_ok())
    }

    fn child_step(
        &mut self,
        loc: Loc,
        child: &Child,
        relation: Bdd,
        budget: &Budget,
    ) -> Result<ChildStep, Stop> {
        let born = self.encode_child(child, budget)?;
        let born = self.with_dead_own(born, loc, budget)?;
        let relation = self.manager.and(relation, born, budget)?;
        Ok(ChildStep { at: child.at, relation: self.manager.protect(relation) })
    }

    /// The locals of a new thread, as those of a passive one; over the creator's old values.
    pub(super) fn encode_child(&mut self, child: &Child, budget: &Budget) -> Result<Bdd, Stop> {
        let mut born = Bdd::TRUE;
        for local in self.kept(child.at).to_vec() {
            let level = self.space.now(Var::Local(local), Slot::Passive);
            let given = child.values.iter().find(|it| it.0 == local);
            let value = match given {
                Some(&(_, e)) => self.update(level, e, budget)?,
                None => self.manager.literal(level, false)?,
            };
            born = self.manager.and(born, value, budget)?;
        }
        Ok(born)
    }
}

/// What a command does to the variables between the sets of its two ends; all levels are of old values unless
/// stated otherwise.
struct Ends {
    /// Assigned, and kept afterwards.
    written: Vec<Level>,
    /// New values of locals that are assigned and not kept afterwards.
    hidden: Vec<Level>,
    /// Old values that an image forgets.
    forgotten: Vec<Level>,
    /// Locals that are dead before and kept afterwards: they come back as 0.
    revived: Vec<LocalId>,
}

impl Ends {
    fn new(encoding: &Encoding<'_>, loc: Loc, command: &Command) -> Ends {
        let mut ends = Ends { written: vec![], hidden: vec![], forgotten: vec![], revived: vec![] };
        let kept_after = |local: LocalId| command.to.is_some_and(|to| encoding.keeps(to, local));
        for &(var, _) in &command.assign {
            let now = encoding.space.now(var, Slot::Own);
            ends.forgotten.push(now);
            match var {
                Var::Local(local) if !kept_after(local) => ends.hidden.push(now + 1),
                _ => ends.written.push(now),
            }
        }
        for &local in encoding.kept(loc).iter().filter(|&&local| !kept_after(local)) {
            ends.forgotten.push(encoding.space.now(Var::Local(local), Slot::Own));
        }
        let assigned = |local: LocalId| command.assign.iter().any(|it| it.0 == Var::Local(local));
        let after = command.to.map_or(&[][..], |to| encoding.kept(to));
        for &local in after.iter().filter(|&&local| !encoding.keeps(loc, local) && !assigned(local)) {
            ends.revived.push(local);
            ends.written.push(encoding.space.now(Var::Local(local), Slot::Own));
        }
        ends
    }
}
