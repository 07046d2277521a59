//! What the commands of a class do, seen from the slot of the thread that executes them.
//!
//! A move is a relation together with what its image forgets and how new values become old ones, as in
//! [`crate::encoding::step`]; what a class does not keep is forgotten on arrival and was any value before.
//! Commands of a class that do the same are one move.

use super::classes::Classes;
use super::slots::level;
use crate::command::{CommandId, Section};
use crate::encoding::{Encoding, Slot};
use base::{Budget, Stop};
use ir::bp::{Loc, LocalId};
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, Level, LevelMap, VarSet};
use std::rc::Rc;

/// A relation and how to take its image and, where every location is alone in its class, its pre-image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Effect {
    /// Old and new values.
    pub relation: Bdd,
    /// New values, and those of a thread that is created.
    pub made: VarSet,
    forget: VarSet,
    advance: LevelMap,
    retreat: LevelMap,
}

impl Effect {
    /// The set after it.
    pub fn image(&self, encoding: &mut Encoding<'_>, f: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        let after = encoding.manager.and_exists(f, self.relation, self.forget, budget)?;
        encoding.manager.rename(after, self.advance, budget)
    }

    /// A set after it, as one over the new values of what it assigns and the old values of the rest.
    pub fn retreat(&self, encoding: &mut Encoding<'_>, f: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        encoding.manager.rename(f, self.retreat, budget)
    }

    /// The set before it, of one after it that retreated.
    pub fn before(&self, encoding: &mut Encoding<'_>, f: Bdd, budget: &Budget) -> Result<Bdd, Stop> {
        encoding.manager.and_exists(f, self.relation, self.made, budget)
    }
}

/// A thread that a move creates, at the slot after all members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CreatedThread {
    pub class: u32,
    /// The creator and the child.
    pub both: Effect,
    /// The child alone.
    pub alone: Effect,
}

/// A move of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The class that it arrives in; `None` if it ends.
    pub to: Option<u32>,
    /// The atomic section.
    pub section: Section,
    /// Whether shared variables are assigned.
    pub writes: bool,
    /// The command, if what it does depends on the passive threads.
    pub passive: Option<CommandId>,
    /// What the thread and passive threads are like afterwards.
    pub kept: Effect,
    /// What passive threads are like afterwards.
    pub dropped: Effect,
    /// The thread that it creates.
    pub born: Option<CreatedThread>,
}

impl Transition {
    /// Whether a passive thread may be able to tell that a thread at this side of the section made it, while
    /// somebody is inside or nobody.
    pub fn is_noticed(&self, inside: bool, busy: bool) -> bool {
        let after = self.to.is_some() && inside;
        self.writes || self.passive.is_some() || self.section != Section::Keep || after != busy
    }
}

/// What a move forgets and renames, as levels.
#[derive(Clone, Debug, Default)]
struct Levels {
    forget: Vec<Level>,
    written: Vec<Level>,
    /// The locals of a thread that is created.
    born: Vec<Level>,
}

type PassiveThreads = Vec<(usize, u32)>;

/// The moves of all classes at all slots, as far as they were needed.
#[derive(Debug)]
pub struct Transitions {
    /// The slot of a thread that is not in the tuple.
    spare: usize,
    made: FxHashMap<(u32, usize), Rc<[Transition]>>,
    with_passive: FxHashMap<Execution, FxHashMap<PassiveThreads, Effect>>,
}

impl Transitions {
    /// No moves yet; `spare` is the slot after all members.
    pub fn new(spare: usize) -> Transitions {
        Transitions { spare, made: FxHashMap::default(), with_passive: FxHashMap::default() }
    }

    /// The functions that a collection must not take.
    pub fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        let born = |it: &Transition| it.born.map(|born| [born.both.relation, born.alone.relation]);
        let own = self.made.values().flat_map(|moves| moves.iter());
        let own = own.flat_map(move |it| {
            [it.kept.relation, it.dropped.relation].into_iter().chain(born(it).into_iter().flatten())
        });
        own.chain(self.with_passive.values().flat_map(|it| it.values()).map(|effect| effect.relation))
    }

    /// The moves of a thread of the class at a slot.
    pub fn of(
        &mut self,
        encoding: &mut Encoding<'_>,
        classes: &Classes,
        class: u32,
        slot: usize,
        budget: &Budget,
    ) -> Result<Rc<[Transition]>, Stop> {
        if let Some(made) = self.made.get(&(class, slot)) {
            return Ok(Rc::clone(made));
        }
        let mut found: Vec<Transition> = vec![];
        // Relations are handles: equal handles, equal relations.
        let mut seen: FxHashMap<Effect, Vec<Transition>> = FxHashMap::default();
        for &loc in classes.members(class) {
            for index in 0..encoding.steps(loc).len() {
                budget.spend(1)?;
                let made = self.make(encoding, classes, CommandId { loc, index }, slot, budget)?;
                let same = seen.entry(made.kept).or_default();
                if !same.contains(&made) {
                    same.push(made);
                    found.push(made);
                }
            }
        }
        let made: Rc<[Transition]> = found.into();
        self.made.insert((class, slot), Rc::clone(&made));
        Ok(made)
    }

    /// What one command does, for a thread at a slot.
    pub fn make(
        &self,
        encoding: &mut Encoding<'_>,
        classes: &Classes,
        command: CommandId,
        slot: usize,
        budget: &Budget,
    ) -> Result<Transition, Stop> {
        let step = encoding.steps(command.loc)[command.index];
        let levels = own_levels(encoding, classes, command, slot);
        let shared = encoding.space.levels_of_shared();
        let writes = levels.written.iter().any(|&new| shared.contains(&(new - 1)));
        let mut pairs = encoding.space.pairs(Slot::Own, Slot::Member(slot));
        pairs.extend(encoding.space.pairs(Slot::Passive, Slot::Member(self.spare)));
        let map = encoding.manager.level_map(&pairs);
        let relation = encoding.manager.rename(step.relation, map, budget)?;
        let without = without_active(encoding, &levels, slot);
        // A thread that is not in the tuple has no slot for its child.
        let born = match step.child.filter(|_| slot != self.spare) {
            None => None,
            Some(child) => {
                let relation = encoding.manager.rename(child.relation, map, budget)?;
                let class = classes.of(child.at);
                let unkept = encoding.kept(child.at).iter().filter(|&&local| !classes.keeps(class, local));
                let unkept: Vec<Level> = unkept.map(|&local| level(encoding, local, self.spare)).collect();
                let born = encoding.space.levels_of_locals(Slot::Member(self.spare));
                let with_child = Levels { born, ..levels.clone() };
                let both = effect(encoding, relation, &with_child, &unkept)?;
                Some(CreatedThread { class, both, alone: effect(encoding, relation, &without, &unkept)? })
            }
        };
        let dropped = effect(encoding, relation, &without, &[])?;
        Ok(Transition {
            to: step.to.map(|to| classes.of(to)),
            section: step.section,
            writes,
            passive: step.is_passive.then_some(command),
            kept: effect(encoding, relation, &levels, &[])?,
            dropped: trimmed(encoding, dropped, slot, budget)?,
            born,
        })
    }

    /// What a command with a broadcast, or a condition over passive copies, does to the thread that executes
    /// it and to passive threads.
    pub fn with_passive(
        &mut self,
        encoding: &mut Encoding<'_>,
        classes: &Classes,
        execution: Execution,
        passive_threads: &[(usize, u32)],
        budget: &Budget,
    ) -> Result<Effect, Stop> {
        if let Some(&made) = self.with_passive.get(&execution).and_then(|it| it.get(passive_threads)) {
            return Ok(made);
        }
        let Execution { command, slot, drop } = execution;
        let CommandId { loc, index } = command;
        let mut levels = own_levels(encoding, classes, command, slot);
        if drop {
            levels = without_active(encoding, &levels, slot);
        }
        let unconstrained = encoding.unconstrained(loc, index, budget)?;
        let relation = encoding.steps(loc)[index].relation;
        let relation = encoding.manager.and(relation, unconstrained, budget)?;
        let map = encoding.space.map(&mut encoding.manager, Slot::Own, Slot::Member(slot));
        let mut relation = encoding.manager.rename(relation, map, budget)?;
        for &(passive, class) in passive_threads {
            let slots = PairOfSlots { active: slot, passive };
            let seen = passive_relation(encoding, classes.members(class), command, slots, budget)?;
            relation = encoding.manager.and(relation, seen, budget)?;
            levels.add_passive(encoding, classes, command, passive, class);
        }
        let made = effect(encoding, relation, &levels, &[])?;
        self.with_passive.entry(execution).or_default().insert(passive_threads.to_vec(), made);
        Ok(made)
    }
}

/// Who executes a command.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Execution {
    /// The command.
    pub command: CommandId,
    /// Where the locals of the thread are.
    pub slot: usize,
    /// Whether the thread itself is forgotten afterwards.
    pub drop: bool,
}

/// Where the locals of an active and a passive thread are.
#[derive(Clone, Copy)]
struct PairOfSlots {
    active: usize,
    passive: usize,
}

/// What a thread at one of the locations makes of the command: the union, because the class does not say
/// where it stands.
fn passive_relation(
    encoding: &mut Encoding<'_>,
    locs: &[Loc],
    command: CommandId,
    slots: PairOfSlots,
    budget: &Budget,
) -> Result<Bdd, Stop> {
    let mut all = Bdd::FALSE;
    // All have the same locals in scope; only which of them are dead can differ.
    let mut seen: Vec<&[LocalId]> = vec![];
    let program = encoding.program;
    for &at in locs {
        let dead = &program.at(at).dead[..];
        if !seen.contains(&dead) {
            seen.push(dead);
            let one = encoding.full_passive_relation(command.loc, command.index, at, budget)?;
            all = encoding.manager.or(all, one, budget)?;
        }
    }
    let mut pairs = encoding.space.pairs(Slot::Own, Slot::Member(slots.active));
    pairs.extend(encoding.space.pairs(Slot::Passive, Slot::Member(slots.passive)));
    let map = encoding.manager.level_map(&pairs);
    encoding.manager.rename(all, map, budget)
}

impl Levels {
    /// Adds what a command forgets and writes of a passive thread of a class.
    fn add_passive(
        &mut self,
        encoding: &Encoding<'_>,
        classes: &Classes,
        command: CommandId,
        slot: usize,
        class: u32,
    ) {
        for local in encoding.program.locals().ids().filter(|&local| !classes.keeps(class, local)) {
            let now = level(encoding, local, slot);
            self.forget.extend([now, now + 1]);
        }
        for (local, _) in encoding.updates(command.loc, command.index, classes.members(class)[0]) {
            let now = level(encoding, local, slot);
            self.forget.push(now);
            self.written.push(now + 1);
        }
    }
}

/// What a command forgets and writes, for the thread at a slot.
fn own_levels(encoding: &Encoding<'_>, classes: &Classes, command: CommandId, slot: usize) -> Levels {
    let CommandId { loc, index } = command;
    let step = encoding.steps(loc)[index];
    let moved: FxHashMap<Level, Level> =
        encoding.space.pairs(Slot::Own, Slot::Member(slot)).into_iter().collect();
    let shift = |level: Level| moved.get(&level).copied().unwrap_or(level);
    let mut forget: Vec<Level> = encoding.manager.levels_of(step.forget).into_iter().map(shift).collect();
    let written = encoding.manager.levels_of(step.written()).into_iter().map(shift).collect();
    let from = classes.of(loc);
    let unknown = encoding.kept(loc).iter().filter(|&&local| !classes.keeps(from, local));
    forget.extend(unknown.map(|&local| level(encoding, local, slot)));
    if let Some(to) = step.to {
        let lost = encoding.kept(to).iter().filter(|&&local| !classes.keeps(classes.of(to), local));
        forget.extend(lost.map(|&local| level(encoding, local, slot)).flat_map(|now| [now, now + 1]));
    }
    Levels { forget, written, born: vec![] }
}

/// The same with the thread itself forgotten.
fn without_active(encoding: &Encoding<'_>, levels: &Levels, slot: usize) -> Levels {
    let mut levels = levels.clone();
    let own = encoding.space.levels_of_locals(Slot::Member(slot));
    levels.forget.extend(own.into_iter().flat_map(|now| [now, now + 1]));
    levels
}

fn effect(
    encoding: &mut Encoding<'_>,
    relation: Bdd,
    levels: &Levels,
    further: &[Level],
) -> Result<Effect, Stop> {
    let forget: Vec<Level> = levels.forget.iter().chain(further).copied().collect();
    let forgotten: rustc_hash::FxHashSet<Level> = forget.iter().copied().collect();
    let new = levels.written.iter().filter(|new| !forgotten.contains(new));
    let (advance, retreat): (Vec<_>, Vec<_>) = new.map(|&new| ((new, new - 1), (new - 1, new))).unzip();
    let made: Vec<Level> = levels.written.iter().chain(&levels.born).copied().collect();
    let made = encoding.manager.var_set(&made)?;
    let forget = encoding.manager.var_set(&forget)?;
    let (advance, retreat) = (encoding.manager.level_map(&advance), encoding.manager.level_map(&retreat));
    Ok(Effect { relation, made, forget, advance, retreat })
}

/// The effect with the new values of the thread itself gone from the relation already.
fn trimmed(
    encoding: &mut Encoding<'_>,
    effect: Effect,
    slot: usize,
    budget: &Budget,
) -> Result<Effect, Stop> {
    let new = encoding.space.levels_of_locals(Slot::Member(slot)).into_iter().map(|now| now + 1);
    let new = encoding.manager.var_set(&new.collect::<Vec<Level>>())?;
    let relation = encoding.manager.exists(effect.relation, new, budget)?;
    Ok(Effect { relation, ..effect })
}
