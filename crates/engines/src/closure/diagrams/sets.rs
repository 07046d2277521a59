//! The set of tuples: for each multiset of at most k classes, and whether `init` runs and somebody is inside
//! an atomic section, one function of the shared variables and the locals of the members. Members of the same
//! class are interchangeable in it. With a tuple all its parts are there, so that runs with fewer threads
//! need no dummies.
//!
//! What is new in a function waits in the worklist. For each function it is kept which others it was derived
//! from.

use crate::closure::tuples::Tuple;
use base::{Budget, Stop};
use rustc_hash::{FxHashMap, FxHashSet};
use solve::bdd::{Bdd, Manager};
use std::collections::VecDeque;

/// A class and a side of the atomic section, as one number.
pub fn control(class: u32, inside: bool) -> u32 {
    class << 1 | u32::from(inside)
}

/// The class of a control.
pub fn class_of(control: u32) -> u32 {
    control >> 1
}

/// Whether a control is inside.
pub fn is_inside(control: u32) -> bool {
    control & 1 == 1
}

/// What names a function of the set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TupleKey {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// Whether some thread, a member or another, is inside an atomic section.
    pub busy: bool,
    /// The controls of the members, sorted.
    pub tuple: Tuple,
}

impl TupleKey {
    /// Whether a thread at the control may step.
    pub fn may_step(&self, control: u32) -> bool {
        !self.busy || is_inside(control)
    }

    fn flags(&self) -> usize {
        usize::from(self.initialising) << 1 | usize::from(self.busy)
    }
}

#[derive(Clone, Debug)]
struct TupleEntry {
    key: TupleKey,
    all: Bdd,
    fresh: Bdd,
    /// What it was first derived from.
    first: Vec<u32>,
    /// All that it was derived from.
    sources: Vec<u32>,
}

/// The set.
#[derive(Clone, Debug, Default)]
pub struct TupleSets {
    index: FxHashMap<TupleKey, u32>,
    entries: Vec<TupleEntry>,
    worklist: VecDeque<u32>,
    /// For each combination of flags the controls of single threads, in the order of discovery.
    singles: [Vec<u32>; 4],
    /// Whether sources are kept.
    keeps_sources: bool,
    edges: FxHashSet<(u32, u32)>,
}

impl TupleSets {
    /// An empty set.
    pub fn new(keeps_sources: bool) -> TupleSets {
        TupleSets { keeps_sources, ..TupleSets::default() }
    }

    /// How many functions there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number of the function with this name.
    pub fn find(&self, key: &TupleKey) -> Option<u32> {
        self.index.get(key).copied()
    }

    /// The name of a function.
    pub fn key(&self, number: u32) -> TupleKey {
        self.entries[number as usize].key
    }

    /// A function.
    pub fn all(&self, number: u32) -> Bdd {
        self.entries[number as usize].all
    }

    /// The controls of single threads with the flags of this name.
    pub fn singles(&self, key: &TupleKey) -> &[u32] {
        &self.singles[key.flags()]
    }

    /// All functions with their names, in the order of discovery.
    pub fn iter(&self) -> impl Iterator<Item = (&TupleKey, Bdd)> {
        self.entries.iter().map(|entry| (&entry.key, entry.all))
    }

    /// Adds tuples and says which of them are new.
    pub fn add(
        &mut self,
        manager: &mut Manager,
        key: TupleKey,
        tuples: Bdd,
        sources: &[u32],
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        budget.spend(1)?;
        let number = match self.index.get(&key) {
            Some(&number) => number,
            None => self.enter(key, sources),
        };
        let entry = &mut self.entries[number as usize];
        let new = manager.diff(tuples, entry.all, budget)?;
        if new.is_false() {
            return Ok(new);
        }
        if entry.fresh.is_false() {
            self.worklist.push_back(number);
        }
        entry.all = manager.or(entry.all, new, budget)?;
        entry.fresh = manager.or(entry.fresh, new, budget)?;
        if self.keeps_sources {
            let unseen = sources.iter().filter(|&&source| self.edges.insert((source, number)));
            entry.sources.extend(unseen);
        }
        Ok(new)
    }

    fn enter(&mut self, key: TupleKey, sources: &[u32]) -> u32 {
        let number = self.entries.len() as u32;
        self.index.insert(key, number);
        let first = if self.keeps_sources { sources.to_vec() } else { vec![] };
        self.entries.push(TupleEntry { key, all: Bdd::FALSE, fresh: Bdd::FALSE, first, sources: vec![] });
        if let [control] = *key.tuple.as_slice() {
            self.singles[key.flags()].push(control);
        }
        number
    }

    /// The next function with something new.
    pub fn waiting(&mut self) -> Option<u32> {
        while let Some(number) = self.worklist.pop_front() {
            if !self.entries[number as usize].fresh.is_false() {
                return Some(number);
            }
        }
        None
    }

    /// Takes up what is new in a function.
    pub fn take(&mut self, number: u32) -> Bdd {
        std::mem::replace(&mut self.entries[number as usize].fresh, Bdd::FALSE)
    }

    /// The functions that a collection must not take.
    pub fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.entries.iter().flat_map(|entry| [entry.all, entry.fresh])
    }

    /// The functions that a function was derived from, itself included: on one way to it, or on all.
    pub fn ancestors(&self, number: u32, all: bool) -> Vec<u32> {
        let mut seen = FxHashSet::from_iter([number]);
        let mut work = vec![number];
        while let Some(number) = work.pop() {
            let entry = &self.entries[number as usize];
            let sources = if all { &entry.sources } else { &entry.first };
            work.extend(sources.iter().filter(|&&source| seen.insert(source)));
        }
        let mut found: Vec<u32> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }
}
