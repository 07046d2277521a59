//! The manager: node table, computed cache, garbage collection, and the account of work done.

use super::cache::{Cache, Key};
use super::substitute::Maps;
use super::table::{BddNode, MOST_NODES, TERMINAL, Table};
use super::{Bdd, Level};
use base::{Budget, Stop};
use std::collections::BTreeMap;

/// How large a manager may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most nodes, living or not yet collected; one more is [`Stop::Memory`]. A node costs 30 to 50 bytes
    /// in all.
    pub nodes: usize,
    /// The most entries of the computed cache, 16 bytes each.
    pub cache_entries: usize,
}

impl Limits {
    /// About this many bytes: a node takes 30 to 50, its share of the computed cache included.
    pub fn within(bytes: usize) -> Limits {
        let nodes = bytes / 50;
        Limits { nodes, cache_entries: (nodes / 8).clamp(1 << 10, 1 << 23) }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { nodes: 1 << 26, cache_entries: 1 << 23 }
    }
}

/// What a manager has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Nodes in use, garbage included.
    pub nodes: usize,
    /// The most nodes ever in use.
    pub peak_nodes: usize,
    /// Steps of operations that the computed cache could not answer.
    pub steps: u64,
    /// Garbage collections.
    pub collections: u64,
    /// Bytes held by node table and computed cache.
    pub bytes: usize,
}

/// Owns the nodes of all functions made with it.
#[derive(Clone, Debug)]
pub struct Manager {
    pub(super) table: Table,
    pub(super) cache: Cache,
    pub(super) maps: Maps,
    protected: BTreeMap<Bdd, u32>,
    /// Steps done but not yet charged to a budget.
    pending: u32,
    steps: u64,
    collections: u64,
    peak: usize,
    /// Nodes that survived the last collection.
    survivors: usize,
    slots_seen: usize,
}

/// Steps between two looks at the budget: a few hundred microseconds of work.
const STEPS_PER_CHARGE: u32 = 1 << 12;
/// Below this many nodes a collection is not worth its time.
const SMALL: usize = 1 << 14;

impl Default for Manager {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Manager {
    /// An empty manager.
    pub fn new(limits: Limits) -> Self {
        let limits = Limits { nodes: limits.nodes.min(MOST_NODES), ..limits };
        Self {
            table: Table::new(limits.nodes),
            cache: Cache::new(limits.cache_entries),
            maps: Maps::default(),
            protected: BTreeMap::new(),
            pending: 0,
            steps: 0,
            collections: 0,
            peak: 1,
            survivors: 1,
            slots_seen: 0,
        }
    }

    /// The function that is true when the variable at `level` is.
    pub fn var(&mut self, level: Level) -> Result<Bdd, Stop> {
        self.make(level, Bdd::FALSE, Bdd::TRUE)
    }

    /// The variable at `level`, or its negation.
    pub fn literal(&mut self, level: Level, value: bool) -> Result<Bdd, Stop> {
        Ok(self.var(level)?.signed(u32::from(!value)))
    }

    /// The level tested first, `None` for a constant.
    pub fn top_level(&self, f: Bdd) -> Option<Level> {
        (!f.is_constant()).then(|| self.table.level(f))
    }

    /// The cofactors of `f` by its top variable, for 0 and for 1; a constant has itself for both.
    pub fn children(&self, f: Bdd) -> (Bdd, Bdd) {
        let node = self.table.node(f);
        if node.level == TERMINAL { (f, f) } else { (node.low.signed(f.sign()), node.high.signed(f.sign())) }
    }

    /// Keeps a function through every collection, until released as often as protected.
    pub fn protect(&mut self, f: Bdd) -> Bdd {
        *self.protected.entry(f).or_insert(0) += 1;
        f
    }

    /// Takes back one [`Manager::protect`].
    pub fn release(&mut self, f: Bdd) {
        let count = self.protected.get_mut(&f).expect("only a protected function is released");
        *count -= 1;
        if *count == 0 {
            self.protected.remove(&f);
        }
    }

    /// Whether a collection is likely to pay: the nodes have doubled since the last one.
    pub fn wants_collection(&self) -> bool {
        self.table.len() > SMALL.max(2 * self.survivors)
    }

    /// Frees every node that neither `roots` nor a protected function needs. All other handles become
    /// invalid: using one panics in debug builds and gives some wrong function otherwise.
    pub fn collect(&mut self, roots: impl IntoIterator<Item = Bdd>) {
        let mut marked = vec![false; self.table.capacity()];
        marked[0] = true;
        let mut stack: Vec<Bdd> = roots.into_iter().chain(self.protected.keys().copied()).collect();
        while let Some(f) = stack.pop() {
            if !std::mem::replace(&mut marked[f.index()], true) {
                let BddNode { low, high, .. } = self.table.node(f);
                stack.extend([high, low]);
            }
        }
        self.table.sweep(&marked);
        self.cache.sweep(&marked);
        self.survivors = self.table.len();
        self.collections += 1;
    }

    /// The nodes in use, garbage included.
    pub fn nodes_in_use(&self) -> usize {
        self.table.len()
    }

    /// What this manager has done so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            nodes: self.table.len(),
            peak_nodes: self.peak,
            steps: self.steps + u64::from(self.pending),
            collections: self.collections,
            bytes: self.table.bytes() + self.cache.bytes(),
        }
    }

    /// The node `level ? high : low`, both children below `level`.
    #[inline]
    pub(super) fn make(&mut self, level: Level, low: Bdd, high: Bdd) -> Result<Bdd, Stop> {
        if low == high {
            return Ok(low);
        }
        let sign = high.sign();
        let index =
            self.table.find_or_insert(BddNode { level, low: low.signed(sign), high: high.regular() })?;
        Ok(Bdd(index << 1 | sign))
    }

    /// The cofactors of `f` by the variable at `level`, which is at or above the top of `f`.
    #[inline]
    pub(super) fn branch(f: Bdd, node: BddNode, level: Level) -> (Bdd, Bdd) {
        if node.level == level { (node.low.signed(f.sign()), node.high.signed(f.sign())) } else { (f, f) }
    }

    /// One step that the cache could not answer.
    #[inline]
    pub(super) fn step(&mut self, budget: &Budget) -> Result<(), Stop> {
        self.pending += 1;
        if self.pending >= STEPS_PER_CHARGE { self.charge(budget) } else { Ok(()) }
    }

    /// Remembers a result.
    #[inline]
    pub(super) fn remember(&mut self, key: Key, result: Bdd) -> Result<Bdd, Stop> {
        self.cache.put(key, result);
        Ok(result)
    }

    /// Charges the steps of a finished operation.
    #[inline]
    pub(super) fn settle<T>(&mut self, result: T, budget: &Budget) -> Result<T, Stop> {
        if self.pending > 0 {
            self.charge(budget)?;
        }
        Ok(result)
    }

    fn charge(&mut self, budget: &Budget) -> Result<(), Stop> {
        let steps = u64::from(std::mem::take(&mut self.pending));
        self.steps += steps;
        self.peak = self.peak.max(self.table.len());
        if self.slots_seen != self.table.slot_count() {
            self.slots_seen = self.table.slot_count();
            // Measured: twice as many entries cost more in cache misses than they save in steps.
            self.cache.grow_to(self.slots_seen / 2);
        }
        budget.spend(steps)
    }
}
