//! The worklist of the symbolic closure. Popping what is new in a tuple of classes lets each member step, and
//! each clique of one more thread that it completes is looked at, in which any thread may be the one that
//! moves.

use super::classes::Classes;
use super::sets::{TupleKey, TupleSets, class_of, control, is_inside};
use super::slots::Slots;
use super::transitions::{Effect, Execution, Transition, Transitions};
use crate::closure::tuples::Tuple;
use crate::command::Section;
use crate::encoding::{Encoding, Slot};
use base::{Budget, Stop};
use ir::bp::{Loc, Var};
use solve::bdd::{Bdd, Level};

/// Works on one closure.
pub struct DiagramDeriver<'a, 'p> {
    /// The encoded program.
    pub encoding: &'a mut Encoding<'p>,
    pub classes: &'a Classes,
    /// The most threads of a tuple.
    pub width: usize,
    /// The set so far.
    pub sets: TupleSets,
    /// How many images were computed.
    pub images: u64,
    pub(super) slots: Slots,
    pub(super) budget: &'a Budget,
    transitions: Transitions,
}

/// A thread of a tuple that is not in order yet: its control, and where its locals are.
pub(super) type Member = (u32, usize);

/// Threads together, before one of them moves.
pub(super) struct Together {
    /// The flags; of the threads those that are a tuple already.
    pub key: TupleKey,
    pub threads: Vec<Member>,
    /// The functions that they come from.
    pub sources: Vec<u32>,
}

impl<'a, 'p> DiagramDeriver<'a, 'p> {
    /// Nothing derived yet.
    pub fn new(
        encoding: &'a mut Encoding<'p>,
        classes: &'a Classes,
        width: usize,
        budget: &'a Budget,
    ) -> Result<Self, Stop> {
        let slots = Slots::new(encoding, width)?;
        let sets = TupleSets::new(classes.any_coarse());
        Ok(Self {
            encoding,
            classes,
            width,
            sets,
            images: 0,
            slots,
            budget,
            transitions: Transitions::new(width),
        })
    }

    /// Derives until nothing new comes, or with `stop_at_error` until a thread is in an error. Gives the
    /// number of the first function in which one is.
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
        if self.encoding.manager.wants_collection() {
            self.encoding.forget();
            let roots = self.sets.roots().chain(self.transitions.roots()).chain(held.iter().copied());
            self.encoding.manager.collect(roots);
        }
    }

    /// Whether a single thread is at an error label, or violates an assertion and may step.
    fn fails(&mut self, number: u32, fresh: Bdd) -> Result<bool, Stop> {
        let key = self.sets.key(number);
        let [at] = *key.tuple.as_slice() else { return Ok(false) };
        for &loc in self.classes.members(class_of(at)) {
            if self.encoding.program.at(loc).error {
                return Ok(true);
            }
            let failing = self.encoding.failing(loc);
            if failing.is_false() || !key.may_step(at) {
                continue;
            }
            let failing = self.moved_to_first(failing, loc)?;
            if !self.encoding.manager.disjoint(fresh, failing, self.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A function of an active thread at the location, as one of the first member of a tuple.
    fn moved_to_first(&mut self, f: Bdd, loc: Loc) -> Result<Bdd, Stop> {
        let (encoding, class) = (&mut *self.encoding, self.classes.of(loc));
        let lost = encoding.kept(loc).iter().filter(|&&local| !self.classes.keeps(class, local));
        let lost: Vec<Level> = lost.map(|&local| encoding.space.now(Var::Local(local), Slot::Own)).collect();
        let lost = encoding.manager.var_set(&lost)?;
        let f = encoding.manager.exists(f, lost, self.budget)?;
        let map = encoding.space.map(&mut encoding.manager, Slot::Own, Slot::Member(0));
        encoding.manager.rename(f, map, self.budget)
    }

    /// All moves of members, until nothing new comes to the tuple itself. Gives all that is new in it.
    fn own(&mut self, number: u32, fresh: Bdd) -> Result<Bdd, Stop> {
        let key = self.sets.key(number);
        let threads: Vec<Member> = key.tuple.as_slice().iter().copied().zip(0..).collect();
        let together = Together { key, threads, sources: vec![number] };
        let (mut all, mut work) = (Bdd::FALSE, fresh);
        while !work.is_false() {
            let mut grown = work;
            for at in key.tuple.positions() {
                if !key.may_step(together.threads[at].0) {
                    continue;
                }
                for one in self.transitions_of(together.threads[at])?.iter() {
                    self.step(&together, at, one, grown)?;
                    // What the move adds here the next one can start from: a run through a class takes one
                    // pass.
                    let more = self.sets.take(number);
                    grown = self.encoding.manager.or(grown, more, self.budget)?;
                }
            }
            all = self.encoding.manager.or(all, grown, self.budget)?;
            work = self.encoding.manager.diff(grown, work, self.budget)?;
            self.collect(&[all, work]);
        }
        Ok(all)
    }

    pub(super) fn transitions_of(&mut self, (at, slot): Member) -> Result<std::rc::Rc<[Transition]>, Stop> {
        self.transitions.of(self.encoding, self.classes, class_of(at), slot, self.budget)
    }

    /// A member moves.
    fn step(&mut self, together: &Together, at: usize, one: &Transition, set: Bdd) -> Result<(), Stop> {
        let Some(to) = one.to else { return self.leave(together, at, one, set).map(|_| ()) };
        let (active, slot) = together.threads[at];
        let effect = self.effect(together, at, one, false)?;
        let after = self.image(effect, set)?;
        for (inside, part) in self.encoding.sides(one.section, is_inside(active), after, self.budget)? {
            let key = TupleKey { busy: inside, ..together.key };
            let mut threads = together.threads.clone();
            threads[at].0 = control(to, inside);
            self.add(key, &threads, part, &together.sources)?;
            let noticed = one.writes || one.passive.is_some() || inside != together.key.busy;
            if noticed && threads.len() > 1 {
                threads.remove(at);
                let own = self.slots.locals(slot);
                let part = self.encoding.manager.exists(part, own, self.budget)?;
                self.add(key, &threads, part, &together.sources)?;
            }
        }
        let Some(born) = one.born else { return Ok(()) };
        let child = (control(born.class, false), self.width);
        let mut threads = together.threads.clone();
        if threads.len() < self.width {
            threads[at].0 = control(to, is_inside(active));
            threads.push(child);
            let after = self.image(born.both, set)?;
            self.add(together.key, &threads, after, &together.sources)?;
            threads.pop();
        }
        threads[at] = child;
        let after = self.image(born.alone, set)?;
        self.add(together.key, &threads, after, &together.sources).map(|_| ())
    }

    /// A thread moves and is forgotten. Gives what is new in the tuple of the others.
    pub(super) fn leave(
        &mut self,
        together: &Together,
        at: usize,
        one: &Transition,
        set: Bdd,
    ) -> Result<Bdd, Stop> {
        let active = together.threads[at].0;
        let effect = self.effect(together, at, one, true)?;
        let after = self.image(effect, set)?;
        let mut threads = together.threads.clone();
        threads.remove(at);
        let section = if one.to.is_none() { Section::Leave } else { one.section };
        let mut new = Bdd::FALSE;
        for (inside, part) in self.encoding.sides(section, is_inside(active), after, self.budget)? {
            let key = TupleKey { busy: inside, ..together.key };
            if one.to.is_none() && key.initialising {
                // `init` runs alone: there is no passive thread.
                let all = (0..=self.width).map(|slot| self.slots.locals(slot));
                let mut shared = part;
                for own in all.collect::<Vec<_>>() {
                    shared = self.encoding.manager.exists(shared, own, self.budget)?;
                }
                self.populate(shared, &together.sources)?;
            } else if one.writes || one.passive.is_some() || inside != together.key.busy || one.to.is_none() {
                let added = self.add(key, &threads, part, &together.sources)?;
                new = if inside == together.key.busy { added } else { new };
            }
        }
        Ok(new)
    }

    fn effect(
        &mut self,
        together: &Together,
        at: usize,
        one: &Transition,
        drop: bool,
    ) -> Result<Effect, Stop> {
        let Some(command) = one.passive else { return Ok(if drop { one.dropped } else { one.kept }) };
        let mut passive_threads: Vec<(usize, u32)> =
            together.threads.iter().map(|&(at, slot)| (slot, class_of(at))).collect();
        let (slot, _) = passive_threads.remove(at);
        let execution = Execution { command, slot, drop };
        self.transitions.with_passive(self.encoding, self.classes, execution, &passive_threads, self.budget)
    }

    fn image(&mut self, effect: Effect, set: Bdd) -> Result<Bdd, Stop> {
        self.images += 1;
        effect.image(self.encoding, set, self.budget)
    }

    /// Adds tuples with their threads in any order. Gives what is new.
    pub(super) fn add(
        &mut self,
        key: TupleKey,
        threads: &[Member],
        set: Bdd,
        sources: &[u32],
    ) -> Result<Bdd, Stop> {
        if set.is_false() || threads.is_empty() {
            return Ok(Bdd::FALSE);
        }
        let mut sorted = threads.to_vec();
        sorted.sort_unstable();
        let mut set = self.slots.sorted(self.encoding, set, &sorted, self.budget)?;
        let mut first = 0;
        for group in sorted.chunk_by(|a, b| a.0 == b.0) {
            set = self.slots.symmetric(self.encoding, set, first..first + group.len(), self.budget)?;
            first += group.len();
        }
        let tuple: Tuple = sorted.iter().map(|it| it.0).collect();
        self.sets.add(&mut self.encoding.manager, TupleKey { tuple, ..key }, set, sources, self.budget)
    }
}
