//! The steps of the baseline: commands in a thread's own copy of the locals.

use super::super::group::Control;
use super::super::statistics::Work;
use super::{Key, Moved, Plain};
use crate::symbolic::{PassiveStep, Slot, Step};
use base::{Budget, Id, Stop};
use ir::bp::{Loc, LocalId, Var};
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, Level};
use std::collections::BTreeMap;

impl Plain<'_> {
    /// All states after one command of a thread.
    pub(super) fn step(
        &mut self,
        key: &Key,
        set: Bdd,
        (thread, at, index): (usize, Control, usize),
        work: &mut Work<'_>,
    ) -> Result<(), Stop> {
        let budget = work.budget;
        work.statistics.images += 1;
        let moved = self.moved(at.loc(), index, thread, budget)?;
        let mut slots = key.1.clone();
        let living = slots.iter().flatten().count();
        let full = living >= self.sizes.bound as usize;
        let after = match moved.step.child {
            Some(child) if !full => {
                let free = slots.iter().position(Option::is_none).expect("below the bound");
                slots[free] = Some(Control::new(child.at, false));
                let relation = self.place(child.relation, Slot::Own, thread, budget)?;
                let relation = self.place(relation, Slot::Passive, free, budget)?;
                self.image(&moved, relation, set, budget)?
            }
            _ if moved.step.is_passive => {
                self.with_passive(&moved, set, (thread, at, index), &slots, budget)?
            }
            _ => self.image(&moved, moved.relation, set, budget)?,
        };
        self.refused |= moved.step.child.is_some() && full && !after.is_false();
        let Some(to) = moved.step.to else {
            slots[thread] = None;
            return self.ended(key.0, slots, after, budget);
        };
        self.run((key.0, slots), thread, (moved.step, at, to), after, budget)
    }

    /// A thread has ended; in `init` the others come.
    fn ended(
        &mut self,
        initialising: bool,
        slots: Vec<Option<Control>>,
        set: Bdd,
        budget: &Budget,
    ) -> Result<(), Stop> {
        if !initialising {
            return self.insert((false, slots), set, budget);
        }
        let present = slots.iter().flatten().count() as u32;
        for crowd in self.crowds.clone() {
            let coming: u32 = crowd.iter().map(|group| group.count).sum();
            if present + coming > self.sizes.bound {
                self.refused |= !set.is_false();
            } else {
                self.populate(false, slots.clone(), set, &crowd, budget)?;
            }
        }
        Ok(())
    }

    /// Runs on through silent locations and stores where the thread stops.
    fn run(
        &mut self,
        key: Key,
        thread: usize,
        (first, from, to): (Step, Control, Loc),
        set: Bdd,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let mut pending: BTreeMap<(u32, Control), Bdd> = BTreeMap::new();
        self.arrive(&mut pending, first, from, to, set, budget)?;
        while let Some(((_, at), set)) = pending.pop_first() {
            let mut slots = key.1.clone();
            slots[thread] = Some(at);
            if !self.threads.runs_on(at.loc()) || self.fails(&(key.0, slots.clone()), set, budget)? {
                self.insert((key.0, slots), set, budget)?;
                continue;
            }
            for index in 0..self.threads.symbolic.steps(at.loc()).len() {
                let moved = self.moved(at.loc(), index, thread, budget)?;
                let after = self.image(&moved, moved.relation, set, budget)?;
                let to = moved.step.to.expect("a thread does not end where it runs on");
                self.arrive(&mut pending, moved.step, at, to, after, budget)?;
            }
        }
        Ok(())
    }

    fn arrive(
        &mut self,
        pending: &mut BTreeMap<(u32, Control), Bdd>,
        step: Step,
        from: Control,
        to: Loc,
        set: Bdd,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let rank = self.threads.rank(to);
        let symbolic = &mut self.threads.symbolic;
        let sides = symbolic.sides(step.section, from.inside(), set, budget)?;
        for (inside, set) in sides.into_iter().filter(|it| !it.1.is_false()) {
            let key = (rank, Control::new(to, inside));
            let old = pending.get(&key).copied().unwrap_or(Bdd::FALSE);
            pending.insert(key, symbolic.manager.or(old, set, budget)?);
        }
        Ok(())
    }

    fn image(&mut self, moved: &Moved, relation: Bdd, set: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        let manager = &mut self.threads.symbolic.manager;
        let after = manager.and_exists(set, relation, moved.forget, budget)?;
        manager.rename(after, moved.advance, budget)
    }

    /// A command in the copy of a thread, made once.
    fn moved(&mut self, loc: Loc, index: usize, thread: usize, budget: &Budget) -> Result<Moved, Stop> {
        if let Some(&known) = self.moved.get(&(loc, index, thread)) {
            return Ok(known);
        }
        let step = self.threads.symbolic.steps(loc)[index];
        let relation = self.place(step.relation, Slot::Own, thread, budget)?;
        let forget = self.threads.symbolic.manager.levels_of(step.forget);
        let forget = self.levels(&forget, thread);
        let written = self.threads.symbolic.manager.levels_of(step.written());
        let pairs: Vec<(Level, Level)> =
            self.levels(&written, thread).into_iter().map(|next| (next, next - 1)).collect();
        let manager = &mut self.threads.symbolic.manager;
        let relation = manager.protect(relation);
        let moved =
            Moved { step, relation, forget: manager.var_set(&forget)?, advance: manager.level_map(&pairs) };
        self.moved.insert((loc, index, thread), moved);
        Ok(moved)
    }

    /// Levels of the active thread as those of a copy; shared ones stay.
    fn levels(&self, levels: &[Level], thread: usize) -> Vec<Level> {
        let space = &self.threads.symbolic.space;
        let mut places: FxHashMap<Level, Level> = FxHashMap::default();
        for index in 0..self.threads.symbolic.program.locals().len() {
            let var = Var::Local(LocalId::from_index(index));
            let (own, copy) = (space.now(var, Slot::Own), space.now(var, Slot::Copy(thread)));
            places.extend([(own, copy), (own + 1, copy + 1)]);
        }
        levels.iter().map(|level| places.get(level).copied().unwrap_or(*level)).collect()
    }

    /// A broadcast: the relations of all passive threads at once.
    fn with_passive(
        &mut self,
        moved: &Moved,
        set: Bdd,
        (thread, at, index): (usize, Control, usize),
        slots: &[Option<Control>],
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        let mut relation = moved.relation;
        let (mut forget, mut pairs) = (vec![], vec![]);
        let mut asked = false;
        for (other, place) in slots.iter().enumerate() {
            let Some(place) = place.filter(|_| other != thread) else { continue };
            let passive: PassiveStep =
                self.threads.symbolic.passive_step(at.loc(), index, place.loc(), budget)?;
            asked |= passive.asked;
            let theirs = self.place(passive.relation, Slot::Own, thread, budget)?;
            let theirs = self.place(theirs, Slot::Passive, other, budget)?;
            relation = self.threads.symbolic.manager.and(relation, theirs, budget)?;
            let levels = self.threads.symbolic.manager.levels_of(passive.forget);
            let levels = self.levels(&levels, other);
            pairs.extend(levels.iter().map(|&now| (now + 1, now)));
            forget.extend(levels);
        }
        if !asked {
            let condition = self.threads.symbolic.unasked(at.loc(), index, budget)?;
            let condition = self.place(condition, Slot::Own, thread, budget)?;
            relation = self.threads.symbolic.manager.and(relation, condition, budget)?;
        }
        let after = self.image(moved, relation, set, budget)?;
        let manager = &mut self.threads.symbolic.manager;
        let (forget, advance) = (manager.var_set(&forget)?, manager.level_map(&pairs));
        let after = manager.exists(after, forget, budget)?;
        manager.rename(after, advance, budget)
    }
}
