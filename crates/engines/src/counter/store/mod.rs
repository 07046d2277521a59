//! The states found so far, merged as they come (Basler et al., CAV 2009, section 7.1).
//!
//! Two states become one if they are equal except for the shared set, or except for the local set of exactly
//! one thread: then the merged state means just the states of both. Both partners are found by hashing, never
//! by a scan: by the threads alone, and by the shared set and all threads but one. What was expanded before a
//! merge is not expanded again.
//!
//! For traces every state is also kept as it arrived, with the expansion that it came from, and every merged
//! state knows which arrivals it was made of.

mod twins;

use super::cover::{self, CoverIndex};
use super::group::{Piece, ThreadGroup};
use base::{Budget, Stop};
use rustc_hash::{FxHashMap, FxHashSet};
use solve::bdd::{Bdd, Manager};
use std::collections::VecDeque;
use std::rc::Rc;
use twins::{odd_one, replaced, rest_keys};

/// Where a state comes from.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// The expansion.
    pub expansion: u32,
    /// Which of its groups moved.
    pub group: u32,
}

/// A state that was arrived at, and from where.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// `None` at the start.
    pub from: Option<Departure>,
    /// The state as it arrived.
    pub piece: Piece,
}

/// Two states that become one.
struct Sides {
    old: StoredState,
    new: StoredState,
    /// What of the new side is not in the old one.
    rest: Piece,
}

/// What a state was made of.
#[derive(Clone, Copy, Debug)]
pub enum StateOrigin {
    /// One arrival.
    Arrival(u32),
    /// Two others.
    Join(u32, u32),
}

/// A state whose successors were computed.
#[derive(Clone, Debug)]
pub struct CounterExpansion {
    /// The state.
    pub piece: Piece,
    /// What it was made of, perhaps among others.
    pub origin: u32,
}

/// A state in the store: all of it was expanded or is still to be.
#[derive(Clone, Debug)]
struct StoredState {
    piece: Piece,
    /// The parts that are not expanded yet.
    todo: Vec<Piece>,
    origin: u32,
    /// Whether it has not become part of another.
    alive: bool,
}

impl StoredState {
    /// Whether nothing of it was expanded.
    fn is_new(&self) -> bool {
        self.todo.len() == 1 && self.todo[0] == self.piece
    }
}

type ThreadsKey = (bool, Rc<[ThreadGroup]>);

/// What is done with a new state.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// Joins it with others.
    pub merging: bool,
    /// Drops it if it lies inside any other.
    pub subsumption: bool,
}

/// What an insertion did, for the statistics.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// States that were there already.
    pub subsumed: u64,
    /// Merges of shared sets.
    pub shared: u64,
    /// Merges of one thread.
    pub threads: u64,
}

/// The states.
#[derive(Debug, Default)]
pub struct StateStore {
    how: How,
    /// Each state as it arrived.
    pub arrivals: Vec<Arrival>,
    /// How merged states came about.
    pub origins: Vec<StateOrigin>,
    /// What was expanded, in order.
    pub expansions: Vec<CounterExpansion>,
    /// What happened.
    pub counts: Counts,
    nodes: Vec<StoredState>,
    queue: VecDeque<u32>,
    /// For each combination of threads: every shared valuation that was ever stored with it. It only grows,
    /// and so the search ends.
    seen: FxHashMap<ThreadsKey, Bdd>,
    /// The living node with these threads.
    by_threads: FxHashMap<ThreadsKey, u32>,
    /// By the hash of the shared set and all threads but one; a hint that is checked.
    by_rest: FxHashMap<u64, u32>,
    cover: CoverIndex,
    held: FxHashSet<Bdd>,
    bytes: usize,
}

/// How many states with threads at the same control locations are compared with a new one. Dropping a state
/// is a saving, not a need.
const MOST_LOOKED_AT: usize = 256;

/// How one state relates to another that differs in one thread.
struct Twin {
    node: u32,
    /// The group of the new state that differs, and the other state's set in its place.
    group: usize,
    set: Bdd,
}

impl StateStore {
    /// Nothing yet.
    pub fn new(how: How) -> Self {
        Self { how, ..Self::default() }
    }

    /// The functions that must survive a collection.
    pub fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.held.iter().copied().chain(self.seen.values().copied())
    }

    /// The states as they stand after merging.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.nodes.iter().filter(|node| node.alive).map(|node| &node.piece)
    }

    /// The bytes that the states take, decision diagrams aside; roughly.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether all that a state means was stored before: its shared valuations with the same threads, or all
    /// of it inside another state.
    pub fn contains(&mut self, manager: &mut Manager, piece: &Piece, budget: &Budget) -> Result<bool, Stop> {
        if let Some(&seen) = self.seen.get(&(piece.initialising, piece.groups.clone()))
            && manager.leq(piece.shared, seen, budget)?
        {
            return Ok(true);
        }
        if self.how.subsumption { self.covered(manager, piece, budget) } else { Ok(false) }
    }

    /// Whether another state contains this one; the one that does is looked at first the next time.
    fn covered(&mut self, manager: &mut Manager, piece: &Piece, budget: &Budget) -> Result<bool, Stop> {
        let nodes = &self.nodes;
        let Some(beside) = self.cover.beside(piece) else { return Ok(false) };
        for at in 0..beside.len().min(MOST_LOOKED_AT) {
            let other = &nodes[beside[at] as usize];
            if other.alive && cover::covers(manager, &other.piece, piece, budget)? {
                beside[..=at].rotate_right(1);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes out the states that a new one contains: what of them is not expanded yet is expanded with it.
    fn clear_below(&mut self, manager: &mut Manager, piece: &Piece, budget: &Budget) -> Result<(), Stop> {
        let (nodes, counts) = (&mut self.nodes, &mut self.counts);
        let Some(beside) = self.cover.beside(piece) else { return Ok(()) };
        beside.retain(|&id| nodes[id as usize].alive);
        for &id in beside.iter().take(MOST_LOOKED_AT) {
            let node = &mut nodes[id as usize];
            if !node.todo.is_empty() && cover::covers(manager, piece, &node.piece, budget)? {
                node.alive = false;
                node.todo.clear();
                counts.subsumed += 1;
            }
        }
        Ok(())
    }

    /// Adds a state that [`StateStore::contains`] not; its number as an arrival.
    pub fn insert(
        &mut self,
        manager: &mut Manager,
        piece: Piece,
        from: Option<Departure>,
        budget: &Budget,
    ) -> Result<u32, Stop> {
        let arrival = self.arrivals.len() as u32;
        self.hold(&piece);
        self.arrivals.push(Arrival { from, piece: piece.clone() });
        self.origins.push(StateOrigin::Arrival(arrival));
        let origin = self.origins.len() as u32 - 1;
        let node = StoredState { todo: vec![piece.clone()], piece, origin, alive: true };
        if let Some(node) = self.merge(manager, node, budget)? {
            if self.how.subsumption && node.is_new() {
                self.clear_below(manager, &node.piece, budget)?;
            }
            self.add(node);
        }
        Ok(arrival)
    }

    /// The next part of a state to expand, as an expansion.
    pub fn next(&mut self) -> Option<u32> {
        while let Some(&id) = self.queue.front() {
            let node = &mut self.nodes[id as usize];
            match node.todo.pop().filter(|_| node.alive) {
                Some(piece) => {
                    self.expansions.push(CounterExpansion { piece, origin: node.origin });
                    return Some(self.expansions.len() as u32 - 1);
                }
                None => {
                    self.queue.pop_front();
                }
            }
        }
        None
    }

    /// Keeps the functions of a state through collections.
    fn hold(&mut self, piece: &Piece) {
        self.held.insert(piece.shared);
        self.held.extend(piece.groups.iter().map(|group| group.set));
        self.bytes += 400 + 80 * piece.groups.len();
    }

    fn add(&mut self, node: StoredState) {
        let id = self.nodes.len() as u32;
        if self.how.subsumption {
            self.cover.add(&node.piece, id);
        }
        if self.how.merging {
            self.by_threads.insert((node.piece.initialising, node.piece.groups.clone()), id);
            for key in rest_keys(&node.piece) {
                self.by_rest.insert(key, id);
            }
        }
        self.nodes.push(node);
        self.queue.push_back(id);
    }

    /// Merges a state with others for as long as there is one; `None` if another one contains it.
    fn merge(
        &mut self,
        manager: &mut Manager,
        mut new: StoredState,
        budget: &Budget,
    ) -> Result<Option<StoredState>, Stop> {
        loop {
            let key = (new.piece.initialising, new.piece.groups.clone());
            let seen = self.seen.get(&key).copied().unwrap_or(Bdd::FALSE);
            self.seen.insert(key.clone(), manager.or(seen, new.piece.shared, budget)?);
            if !self.how.merging {
                return Ok(Some(new));
            }
            if let Some(&old) = self.by_threads.get(&key).filter(|&&old| self.nodes[old as usize].alive) {
                if manager.leq(new.piece.shared, self.nodes[old as usize].piece.shared, budget)? {
                    return Ok(None);
                }
                new = self.unite_shared(manager, old, new, budget)?;
                self.counts.shared += 1;
                continue;
            }
            let Some(twin) = self.twin(&new.piece) else { return Ok(Some(new)) };
            if manager.leq(new.piece.groups[twin.group].set, twin.set, budget)? {
                self.counts.subsumed += 1;
                return Ok(None);
            }
            new = self.unite_thread(manager, twin, new, budget)?;
            self.counts.threads += 1;
        }
    }

    /// Rule (i): the same threads, another shared set.
    fn unite_shared(
        &mut self,
        manager: &mut Manager,
        old: u32,
        new: StoredState,
        budget: &Budget,
    ) -> Result<StoredState, Stop> {
        let old = self.retire(old);
        let piece = old.piece.with_shared(manager.or(old.piece.shared, new.piece.shared, budget)?);
        let rest = manager.diff(new.piece.shared, old.piece.shared, budget)?;
        let rest = new.piece.with_shared(rest);
        self.joined(manager, piece, Sides { old, new, rest }, budget)
    }

    /// Rule (ii): the same shared set, and one thread in another set.
    fn unite_thread(
        &mut self,
        manager: &mut Manager,
        twin: Twin,
        new: StoredState,
        budget: &Budget,
    ) -> Result<StoredState, Stop> {
        let old = self.retire(twin.node);
        let mine = new.piece.groups[twin.group].set;
        let both = manager.or(mine, twin.set, budget)?;
        let piece = replaced(&new.piece, twin.group, both);
        let rest = manager.diff(mine, twin.set, budget)?;
        let rest = replaced(&new.piece, twin.group, rest);
        self.joined(manager, piece, Sides { old, new, rest }, budget)
    }

    /// Takes a node out of the store: it becomes part of another.
    fn retire(&mut self, id: u32) -> StoredState {
        let node = &mut self.nodes[id as usize];
        let todo = std::mem::take(&mut node.todo);
        let taken = StoredState { todo, ..node.clone() };
        node.alive = false;
        taken
    }

    /// The node of a merged state. Where nothing of either side was expanded the
    /// whole is expanded at once; otherwise what was not.
    fn joined(
        &mut self,
        manager: &mut Manager,
        piece: Piece,
        Sides { old, new, rest }: Sides,
        budget: &Budget,
    ) -> Result<StoredState, Stop> {
        self.origins.push(StateOrigin::Join(old.origin, new.origin));
        let origin = self.origins.len() as u32 - 1;
        let mut todo = vec![piece.clone()];
        if !(old.is_new() && new.is_new()) {
            let fresh = if new.is_new() { vec![rest] } else { new.todo };
            todo = old.todo;
            for part in fresh {
                add_part(manager, &mut todo, part, budget)?;
            }
        }
        self.hold(&piece);
        todo.iter().for_each(|part| self.hold(part));
        Ok(StoredState { piece, todo, origin, alive: true })
    }

    /// A living state that differs in exactly one thread, at the same control location.
    fn twin(&self, piece: &Piece) -> Option<Twin> {
        rest_keys(piece).into_iter().enumerate().find_map(|(group, key)| {
            let node = *self.by_rest.get(&key)?;
            let other = &self.nodes[node as usize];
            let same = other.alive
                && (other.piece.shared, other.piece.initialising) == (piece.shared, piece.initialising);
            let set = same.then(|| odd_one(piece, group, &other.piece)).flatten()?;
            Some(Twin { node, group, set })
        })
    }
}

/// Adds a part that is still to be expanded; joins it with one that has the same threads.
fn add_part(manager: &mut Manager, todo: &mut Vec<Piece>, part: Piece, budget: &Budget) -> Result<(), Stop> {
    match todo.iter_mut().find(|other| other.groups == part.groups) {
        Some(other) => *other = other.with_shared(manager.or(other.shared, part.shared, budget)?),
        None => todo.push(part),
    }
    Ok(())
}
