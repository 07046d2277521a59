//! The node table: all nodes in one vector, found again through one open-addressed hash table for all levels.
//!
//! A slot holds the upper half of the hash beside the node's index, so that a probe that ends at another node
//! is turned down without touching that node: one cache miss for a new node, two for an old one.

use super::{Bdd, Level};
use base::Stop;

/// The level of the terminal: below every variable.
pub(super) const TERMINAL: Level = u32::MAX;
/// Marks a node that the last collection freed.
const FREE: Level = u32::MAX - 1;
/// Handles must leave their top bit to the computed cache, and one more to the sign.
pub(super) const MOST_NODES: usize = 1 << 30;

/// A node: if the variable at `level` then `high` else `low`. `high` is never complemented: this makes the
/// form unique.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BddNode {
    pub level: Level,
    pub low: Bdd,
    pub high: Bdd,
}

impl BddNode {
    #[inline]
    fn hash(&self) -> Hash {
        mix(self.low.0, self.high.0, self.level)
    }
}

/// The low bits of a handle that tell near neighbours apart: the sign and a few of the index.
const NEAR_BITS: u32 = 5;
const NEAR: u32 = (1 << NEAR_BITS) - 1;

/// The smallest table, as a power of two, in which the pairs of a neighbourhood have a place each.
pub(super) const FIRST_LOG: u32 = 2 * NEAR_BITS;

/// A hash that keeps neighbours together. Nodes are made in the order in which operations walk, so handles
/// met one after the other are close. The hash scatters only their upper bits and lays the pairs of one
/// neighbourhood side by side: the two cache misses of a step, here and in the computed cache, were most of
/// its time.
#[inline]
pub(super) fn mix(a: u32, b: u32, c: u32) -> Hash {
    let pair = u64::from(a >> NEAR_BITS) | u64::from(b >> NEAR_BITS) << 32;
    let first = (pair ^ u64::from(c).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let far = (first ^ (first >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Hash { far, near: (a & NEAR) | (b & NEAR) << NEAR_BITS }
}

/// A hash, to be cut to the size of a table.
#[derive(Clone, Copy)]
pub(super) struct Hash {
    far: u64,
    near: u32,
}

impl Hash {
    /// A place in a table of 2^(64 - `shift`) places.
    #[inline]
    pub fn place(self, shift: u32) -> usize {
        (self.far >> shift) as usize ^ self.near as usize
    }

    /// Bits that tell most hashes of one place apart, in the upper half.
    #[inline]
    fn tag(self) -> u64 {
        (self.far ^ u64::from(self.near) << 20) << 32
    }
}

#[derive(Clone, Debug)]
pub(super) struct Table {
    nodes: Vec<BddNode>,
    /// Hash tag in the upper half, node index in the lower; 0 is empty, for the terminal is never looked up.
    slots: Vec<u64>,
    /// `64 - log2(slots)`.
    shift: u32,
    /// The first free node; free nodes are linked by `low`. 0 ends the list.
    free: u32,
    in_use: usize,
    limit: usize,
}

impl Table {
    pub fn new(limit: usize) -> Self {
        let terminal = BddNode { level: TERMINAL, low: Bdd::TRUE, high: Bdd::TRUE };
        Self {
            nodes: vec![terminal],
            slots: vec![0; 1 << FIRST_LOG],
            shift: 64 - FIRST_LOG,
            free: 0,
            in_use: 1,
            limit: limit.min(MOST_NODES),
        }
    }

    /// The nodes in use, the terminal included.
    pub fn len(&self) -> usize {
        self.in_use
    }

    /// One more than the largest index in use.
    pub fn capacity(&self) -> usize {
        self.nodes.len()
    }

    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }

    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<BddNode>() + self.slots.len() * size_of::<u64>()
    }

    #[inline]
    pub fn node(&self, f: Bdd) -> BddNode {
        let node = self.nodes[f.index()];
        debug_assert!(node.level != FREE, "{f:?} was collected: it was no root of the last collection");
        node
    }

    #[inline]
    pub fn level(&self, f: Bdd) -> Level {
        self.node(f).level
    }

    /// The index of a node whose `high` is regular, made if it is new.
    #[inline]
    pub fn find_or_insert(&mut self, node: BddNode) -> Result<u32, Stop> {
        let hash = node.hash();
        let tag = hash.tag();
        let mask = self.slots.len() - 1;
        let mut at = hash.place(self.shift);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return self.insert(node, at, tag);
            }
            let index = slot as u32;
            if slot & !0xffff_ffff == tag && self.nodes[index as usize] == node {
                return Ok(index);
            }
            at = (at + 1) & mask;
        }
    }

    fn insert(&mut self, node: BddNode, at: usize, tag: u64) -> Result<u32, Stop> {
        if self.in_use >= self.limit {
            return Err(Stop::Memory);
        }
        let index = self.allocate(node);
        self.slots[at] = tag | u64::from(index);
        if self.in_use * 4 > self.slots.len() * 3 {
            self.rehash(self.slots.len() * 2);
        }
        Ok(index)
    }

    fn allocate(&mut self, node: BddNode) -> u32 {
        self.in_use += 1;
        if self.free == 0 {
            self.nodes.push(node);
            return (self.nodes.len() - 1) as u32;
        }
        let index = self.free;
        self.free = self.nodes[index as usize].low.0;
        self.nodes[index as usize] = node;
        index
    }

    fn rehash(&mut self, slot_count: usize) {
        self.shift = 64 - slot_count.trailing_zeros();
        self.slots.clear();
        self.slots.resize(slot_count, 0);
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            if node.level == FREE {
                continue;
            }
            let hash = node.hash();
            let mut at = hash.place(self.shift);
            while self.slots[at] != 0 {
                at = (at + 1) & (slot_count - 1);
            }
            self.slots[at] = hash.tag() | index as u64;
        }
    }

    /// Frees every node that is not marked. Marks are indexed like nodes.
    pub fn sweep(&mut self, marked: &[bool]) {
        self.free = 0;
        self.in_use = 1;
        // Backwards, so that the free list hands out the smallest index first.
        for index in (1..self.nodes.len()).rev() {
            if marked[index] {
                self.in_use += 1;
            } else {
                self.nodes[index] = BddNode { level: FREE, low: Bdd(self.free), high: Bdd::TRUE };
                self.free = index as u32;
            }
        }
        self.rehash(self.slots.len());
    }
}
