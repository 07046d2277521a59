//! The worklist of the symbolic closure. When something new in a tuple of classes is taken up, each member moves, and each clique of one
//! more thread that it completes is looked at, in which any thread may be the one that moves.

use super::classes::Classes;
use super::moves::{Effect, Move, Moves};
use super::sets::{Key, Sets, class_of, is_inside, place};
use super::slots::Slots;
use crate::closure::tuples::Tuple;
use crate::command::Section;
use crate::symbolic::{Slot, Symbolic};
use base::{Budget, Stop};
use ir::bp::{Loc, Var};
use solve::bdd::{Bdd, Level};

/// Works on one closure.
pub struct Deriver<'a, 'p> {
    /// The encoded program.
    pub symbolic: &'a mut Symbolic<'p>,
    /// The classes.
    pub classes: &'a Classes,
    /// The most threads of a tuple.
    pub width: usize,
    /// The set so far.
    pub sets: Sets,
    /// How many images were computed.
    pub images: u64,
    pub(super) slots: Slots,
    pub(super) budget: &'a Budget,
    moves: Moves,
}

/// A thread of a tuple that is not in order yet: its place, and where its locals are.
pub(super) type Member = (u32, usize);

/// Threads together, before one of them moves.
pub(super) struct Scene {
    /// The flags; of the threads those that are a tuple already.
    pub key: Key,
    /// All threads.
    pub threads: Vec<Member>,
    /// The functions that they come from.
    pub sources: Vec<u32>,
}

impl<'a, 'p> Deriver<'a, 'p> {
    /// Nothing derived yet.
    pub fn new(
        symbolic: &'a mut Symbolic<'p>,
        classes: &'a Classes,
        width: usize,
        budget: &'a Budget,
    ) -> Result<Self, Stop> {
        let slots = Slots::new(symbolic, width)?;
        let sets = Sets::new(classes.any_coarse());
        Ok(Self { symbolic, classes, width, sets, images: 0, slots, budget, moves: Moves::new(width) })
    }

    /// Derives until nothing new comes, or with `stop_at_error` until a thread is in an error. Gives the number of the first function in
    /// which one is.
    pub fn run(&mut self, stop_at_error: bool) -> Result<Option<u32>, Stop> {
        self.start()?;
        let mut error = None;
        while let Some(number) = self.sets.waiting() {
            self.collect(&[]);
            let fresh = self.sets.take(number);
            if error.is_none() && self.fails(number, fresh)? {
                error = Some(number);
                if stop_at_error {
                    break;
                }
            }
            let fresh = self.own(number, fresh)?;
            let key = self.sets.key(number);
            if key.tuple.as_slice().len() == self.width {
                self.environment(number, fresh)?;
            }
        }
        Ok(error)
    }

    /// Collects garbage where that pays; `held` are further functions that are still needed.
    pub(super) fn collect(&mut self, held: &[Bdd]) {
        if self.symbolic.manager.wants_collection() {
            self.symbolic.forget();
            let roots = self.sets.roots().chain(self.moves.roots()).chain(held.iter().copied());
            self.symbolic.manager.collect(roots);
        }
    }

    /// Whether a single thread is at an error label, or violates an assertion and may step.
    fn fails(&mut self, number: u32, fresh: Bdd) -> Result<bool, Stop> {
        let key = self.sets.key(number);
        let [at] = *key.tuple.as_slice() else { return Ok(false) };
        for &loc in self.classes.members(class_of(at)) {
            if self.symbolic.program.at(loc).error {
                return Ok(true);
            }
            let failing = self.symbolic.failing(loc);
            if failing.is_false() || !key.may_step(at) {
                continue;
            }
            let failing = self.moved_to_first(failing, loc)?;
            if !self.symbolic.manager.disjoint(fresh, failing, self.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A function of an active thread at the location, as one of the first member of a tuple.
    fn moved_to_first(&mut self, f: Bdd, loc: Loc) -> Result<Bdd, Stop> {
        let (symbolic, class) = (&mut *self.symbolic, self.classes.of(loc));
        let lost = symbolic.kept(loc).iter().filter(|&&local| !self.classes.keeps(class, local));
        let lost: Vec<Level> = lost.map(|&local| symbolic.space.now(Var::Local(local), Slot::Own)).collect();
        let lost = symbolic.manager.var_set(&lost)?;
        let f = symbolic.manager.exists(f, lost, self.budget)?;
        let map = symbolic.space.map(&mut symbolic.manager, Slot::Own, Slot::Member(0));
        symbolic.manager.rename(f, map, self.budget)
    }

    /// All moves of members, until nothing new comes to the tuple itself. Gives all that is new in it.
    fn own(&mut self, number: u32, fresh: Bdd) -> Result<Bdd, Stop> {
        let key = self.sets.key(number);
        let threads: Vec<Member> = key.tuple.as_slice().iter().copied().zip(0..).collect();
        let scene = Scene { key, threads, sources: vec![number] };
        let (mut all, mut work) = (Bdd::FALSE, fresh);
        while !work.is_false() {
            let mut grown = work;
            for at in key.tuple.positions() {
                if !key.may_step(scene.threads[at].0) {
                    continue;
                }
                for one in self.moves_of(scene.threads[at])?.iter() {
                    self.step(&scene, at, one, grown)?;
                    // What the move adds here the next one can start from: a run through a class takes one pass.
                    let more = self.sets.take(number);
                    grown = self.symbolic.manager.or(grown, more, self.budget)?;
                }
            }
            all = self.symbolic.manager.or(all, grown, self.budget)?;
            work = self.symbolic.manager.diff(grown, work, self.budget)?;
            self.collect(&[all, work]);
        }
        Ok(all)
    }

    pub(super) fn moves_of(&mut self, (at, slot): Member) -> Result<std::rc::Rc<[Move]>, Stop> {
        self.moves.of(self.symbolic, self.classes, (class_of(at), slot), self.budget)
    }

    /// A member moves.
    fn step(&mut self, scene: &Scene, at: usize, one: &Move, set: Bdd) -> Result<(), Stop> {
        let Some(to) = one.to else { return self.leave(scene, at, one, set).map(|_| ()) };
        let (mover, slot) = scene.threads[at];
        let effect = self.effect(scene, at, one, false)?;
        let after = self.image(effect, set)?;
        for (inside, part) in self.symbolic.sides(one.section, is_inside(mover), after, self.budget)? {
            let key = Key { busy: inside, ..scene.key };
            let mut threads = scene.threads.clone();
            threads[at].0 = place(to, inside);
            self.add(key, &threads, part, &scene.sources)?;
            let noticed = one.writes || one.passive.is_some() || inside != scene.key.busy;
            if noticed && threads.len() > 1 {
                threads.remove(at);
                let own = self.slots.locals(slot);
                let part = self.symbolic.manager.exists(part, own, self.budget)?;
                self.add(key, &threads, part, &scene.sources)?;
            }
        }
        let Some(born) = one.born else { return Ok(()) };
        let child = (place(born.class, false), self.width);
        let mut threads = scene.threads.clone();
        if threads.len() < self.width {
            threads[at].0 = place(to, is_inside(mover));
            threads.push(child);
            let after = self.image(born.both, set)?;
            self.add(scene.key, &threads, after, &scene.sources)?;
            threads.pop();
        }
        threads[at] = child;
        let after = self.image(born.alone, set)?;
        self.add(scene.key, &threads, after, &scene.sources).map(|_| ())
    }

    /// A thread moves and is forgotten. Gives what is new in the tuple of the others.
    pub(super) fn leave(&mut self, scene: &Scene, at: usize, one: &Move, set: Bdd) -> Result<Bdd, Stop> {
        let mover = scene.threads[at].0;
        let effect = self.effect(scene, at, one, true)?;
        let after = self.image(effect, set)?;
        let mut threads = scene.threads.clone();
        threads.remove(at);
        let section = if one.to.is_none() { Section::Leave } else { one.section };
        let mut new = Bdd::FALSE;
        for (inside, part) in self.symbolic.sides(section, is_inside(mover), after, self.budget)? {
            let key = Key { busy: inside, ..scene.key };
            if one.to.is_none() && key.initialising {
                // `init` runs alone: nobody looks on.
                let all = (0..=self.width).map(|slot| self.slots.locals(slot));
                let mut shared = part;
                for own in all.collect::<Vec<_>>() {
                    shared = self.symbolic.manager.exists(shared, own, self.budget)?;
                }
                self.populate(shared, &scene.sources)?;
            } else if one.writes || one.passive.is_some() || inside != scene.key.busy || one.to.is_none() {
                let added = self.add(key, &threads, part, &scene.sources)?;
                new = if inside == scene.key.busy { added } else { new };
            }
        }
        Ok(new)
    }

    fn effect(&mut self, scene: &Scene, at: usize, one: &Move, drop: bool) -> Result<Effect, Stop> {
        let Some(command) = one.passive else { return Ok(if drop { one.dropped } else { one.kept }) };
        let mut onlookers: Vec<(usize, u32)> =
            scene.threads.iter().map(|&(at, slot)| (slot, class_of(at))).collect();
        let (slot, _) = onlookers.remove(at);
        let how = (command, slot, drop);
        self.moves.asked(self.symbolic, self.classes, how, &onlookers, self.budget)
    }

    fn image(&mut self, effect: Effect, set: Bdd) -> Result<Bdd, Stop> {
        self.images += 1;
        effect.image(self.symbolic, set, self.budget)
    }

    /// Adds tuples with their threads in any order. Gives what is new.
    pub(super) fn add(
        &mut self,
        key: Key,
        threads: &[Member],
        set: Bdd,
        sources: &[u32],
    ) -> Result<Bdd, Stop> {
        if set.is_false() || threads.is_empty() {
            return Ok(Bdd::FALSE);
        }
        let mut sorted = threads.to_vec();
        sorted.sort_unstable();
        let mut set = self.slots.sorted(self.symbolic, set, &sorted, self.budget)?;
        let mut first = 0;
        for group in sorted.chunk_by(|a, b| a.0 == b.0) {
            set = self.slots.symmetric(self.symbolic, set, first..first + group.len(), self.budget)?;
            first += group.len();
        }
        let tuple: Tuple = sorted.iter().map(|it| it.0).collect();
        self.sets.add(&mut self.symbolic.manager, Key { tuple, ..key }, set, sources, self.budget)
    }
}
