//! Broadcasts and conditions over passive threads on symbolic counter states (Donaldson et al., CAV 2011,
//! section 4), without expanding the counters.
//!
//! The pairs of old and new states of the active thread are first split until what happens to a passive
//! thread is the same throughout a part. Within a part every passive thread moves on its own, so that a group
//! goes to its image as a set: exactly, also where its threads go to different values.

use super::group::{Control, Piece, ThreadGroup};
use super::threads::{Joint, Pending, SymbolicOutcome, SymbolicThreads};
use crate::command::CommandId;
use crate::encoding::{PassiveStep, Slot, Step};
use base::{Budget, Stop};
use ir::bp::Loc;
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, Level};

/// What is remembered of broadcasts; all of it is protected from collections.
#[derive(Clone, Debug, Default)]
pub struct Broadcasts {
    passive: FxHashMap<(CommandId, Loc), PassiveStep>,
    unconstrained: FxHashMap<(Loc, usize), Bdd>,
}

/// A part of a step: old and new values of the active thread for which the passive threads do the same.
#[derive(Clone, Debug)]
pub struct Part {
    /// Old and new values of the shared variables and the active thread.
    pub active: Bdd,
    /// What each passive group becomes; parallel to the groups of the state.
    pub groups: Vec<ThreadGroup>,
}

impl Broadcasts {
    /// The states after a step of one thread of a group that concerns the passive threads.
    pub fn successors(
        &mut self,
        threads: &mut SymbolicThreads<'_>,
        piece: &Piece,
        active: usize,
        index: usize,
        budget: &Budget,
    ) -> Result<Vec<Piece>, Stop> {
        let at = piece.groups[active].at;
        let step = threads.encoding.steps(at.loc())[index];
        let mut found = vec![];
        for part in self.parts(threads, piece, active, index, budget)? {
            for outcome in outcomes(threads, &step, at, part.active, budget)? {
                let coming = outcome.local.map(|(at, set)| ThreadGroup::one(at, set));
                let groups = part.groups.iter().copied().chain(coming).collect();
                found.push(Piece::new(piece.initialising, outcome.shared, groups));
            }
        }
        Ok(found)
    }

    /// The parts of a step in which every passive group has somewhere to go.
    pub fn parts(
        &mut self,
        threads: &mut SymbolicThreads<'_>,
        piece: &Piece,
        active: usize,
        index: usize,
        budget: &Budget,
    ) -> Result<Vec<Part>, Stop> {
        let (from, set) = (piece.groups[active].at.loc(), piece.groups[active].set);
        let step = threads.encoding.steps(from)[index];
        let mut left = piece.groups.to_vec();
        left[active].count -= 1;
        let mut seen: Vec<Option<PassiveStep>> = vec![];
        for group in &left {
            let passive = match group.count {
                0 => None,
                _ => Some(self.passive(threads, CommandId { loc: from, index }, group.at.loc(), budget)?),
            };
            seen.push(passive);
        }
        let constrained = seen.iter().flatten().any(|passive| passive.constrained);
        let condition =
            if constrained { Bdd::TRUE } else { self.unconstrained(threads, from, index, budget)? };
        let manager = &mut threads.encoding.manager;
        let before = manager.and(piece.shared, set, budget)?;
        let relation = manager.and(step.relation, condition, budget)?;
        let active = manager.and(before, relation, budget)?;
        let relations = seen.iter().map(|it| it.map_or(Bdd::TRUE, |it| it.relation)).collect();
        let mut parts = vec![];
        for (active, relations) in split(threads, active, relations, budget)? {
            if let Some(groups) = react(threads, &left, &seen, &relations, budget)? {
                parts.push(Part { active, groups });
            }
        }
        Ok(parts)
    }

    fn passive(
        &mut self,
        threads: &mut SymbolicThreads<'_>,
        command: CommandId,
        at: Loc,
        budget: &Budget,
    ) -> Result<PassiveStep, Stop> {
        let key = (command, at);
        if let Some(&known) = self.passive.get(&key) {
            return Ok(known);
        }
        let step = threads.encoding.passive_step(command.loc, command.index, at, budget)?;
        self.passive.insert(key, step);
        Ok(step)
    }

    fn unconstrained(
        &mut self,
        threads: &mut SymbolicThreads<'_>,
        loc: Loc,
        index: usize,
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        if let Some(&known) = self.unconstrained.get(&(loc, index)) {
            return Ok(known);
        }
        let condition = threads.encoding.unconstrained(loc, index, budget)?;
        self.unconstrained.insert((loc, index), threads.encoding.manager.protect(condition));
        Ok(condition)
    }
}

/// What the active thread's part of a step leads to.
fn outcomes(
    threads: &mut SymbolicThreads<'_>,
    step: &Step,
    at: Control,
    active: Bdd,
    budget: &Budget,
) -> Result<Vec<SymbolicOutcome>, Stop> {
    let after = threads.encoding.image_by(step, Bdd::TRUE, active, budget)?;
    let (mut list, mut pending) = (vec![], Pending::new());
    threads.arrive(step, at, Joint::Mixed(after), &mut pending, budget)?;
    threads.run(pending, None, budget, &mut list)?;
    Ok(list)
}

/// Splits by the variables of the active thread and the shared ones that the relations read, until none reads
/// any; parts for which all relations are the same are joined again after each variable.
fn split(
    threads: &mut SymbolicThreads<'_>,
    active: Bdd,
    relations: Vec<Bdd>,
    budget: &Budget,
) -> Result<Vec<(Bdd, Vec<Bdd>)>, Stop> {
    let space = &threads.encoding.space;
    let mut passive: Vec<Level> =
        space.levels_of_locals(Slot::Passive).into_iter().flat_map(|now| [now, now + 1]).collect();
    passive.sort_unstable();
    let manager = &mut threads.encoding.manager;
    let read = manager.support_of_all(relations.iter().copied());
    let mut parts = vec![(active, relations)];
    for level in read.into_iter().filter(|level| passive.binary_search(level).is_err()) {
        let mut finer: Vec<(Bdd, Vec<Bdd>)> = vec![];
        let mut numbers: FxHashMap<Vec<Bdd>, usize> = FxHashMap::default();
        for (active, relations) in parts {
            for value in [false, true] {
                let literal = manager.literal(level, value)?;
                let active = manager.and(active, literal, budget)?;
                if active.is_false() {
                    continue;
                }
                let narrow = relations.iter().map(|&it| manager.cofactor(it, &[(level, value)], budget));
                let narrow = narrow.collect::<Result<Vec<Bdd>, Stop>>()?;
                match numbers.get(&narrow) {
                    Some(&number) => finer[number].0 = manager.or(finer[number].0, active, budget)?,
                    None => {
                        numbers.insert(narrow.clone(), finer.len());
                        finer.push((active, narrow));
                    }
                }
            }
        }
        parts = finer;
    }
    parts.retain(|part| !part.0.is_false());
    Ok(parts)
}

/// The images of all passive groups; `None` if one has none.
fn react(
    threads: &mut SymbolicThreads<'_>,
    left: &[ThreadGroup],
    seen: &[Option<PassiveStep>],
    relations: &[Bdd],
    budget: &Budget,
) -> Result<Option<Vec<ThreadGroup>>, Stop> {
    let encoding = &mut threads.encoding;
    let map = encoding.space.map(&mut encoding.manager, Slot::Passive, Slot::Own);
    let mut groups = vec![];
    for ((group, passive), &relation) in left.iter().zip(seen).zip(relations) {
        let mut group = *group;
        if let Some(passive) = passive {
            let relation = encoding.manager.rename(relation, map, budget)?;
            let after = encoding.manager.and_exists(group.set, relation, passive.forget, budget)?;
            group.set = encoding.manager.rename(after, passive.advance, budget)?;
            if group.set.is_false() {
                return Ok(None);
            }
        }
        groups.push(group);
    }
    Ok(Some(groups))
}
