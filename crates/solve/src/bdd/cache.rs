//! The computed cache: results of operations, direct-mapped. A newer result simply takes the place of an
//! older one.

use super::Bdd;
use super::table::{FIRST_LOG, Hash, mix};

/// What was computed: three words that name operation and operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key(u32, u32, u32);

/// Operations with at most two operands. The third word of their keys is out of the range of handles.
#[derive(Clone, Copy)]
pub(super) enum Op {
    And = 0,
    Xor,
    Disjoint,
    Exists,
    Cofactor,
    Rename,
}

const OUT_OF_RANGE: u32 = 1 << 31;

impl Key {
    #[inline]
    pub fn two(op: Op, f: Bdd, g: Bdd) -> Key {
        Key(f.0, g.0, OUT_OF_RANGE | op as u32)
    }

    #[inline]
    pub fn rename(f: Bdd, map: u32) -> Key {
        Key(f.0, map, OUT_OF_RANGE | Op::Rename as u32)
    }

    #[inline]
    pub fn ite(f: Bdd, g: Bdd, h: Bdd) -> Key {
        Key(f.0, g.0, h.0)
    }

    #[inline]
    pub fn and_exists(f: Bdd, g: Bdd, cube: Bdd) -> Key {
        Key(OUT_OF_RANGE | f.0, g.0, cube.0)
    }

    /// The functions this key speaks of; the result is only as alive as they are.
    fn operands(self) -> [Bdd; 3] {
        let is_rename = self.2 == OUT_OF_RANGE | Op::Rename as u32;
        let g = if is_rename { 0 } else { self.1 };
        let h = if self.2 & OUT_OF_RANGE != 0 { 0 } else { self.2 };
        [Bdd(self.0 & !OUT_OF_RANGE), Bdd(g), Bdd(h)]
    }

    #[inline]
    fn hash(self) -> Hash {
        mix(self.0, self.1, self.2)
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: Key,
    result: Bdd,
}

/// No operation has this key: the second word of a two-operand key is never out of range.
const EMPTY: Entry = Entry { key: Key(u32::MAX, u32::MAX, u32::MAX), result: Bdd::TRUE };

#[derive(Clone, Debug)]
pub(super) struct Cache {
    entries: Vec<Entry>,
    shift: u32,
    most: usize,
}

impl Cache {
    pub fn new(most: usize) -> Self {
        let most = most.max(1 << FIRST_LOG).next_power_of_two();
        Self { entries: vec![EMPTY; 1 << FIRST_LOG], shift: 64 - FIRST_LOG, most }
    }

    #[inline]
    pub fn get(&self, key: Key) -> Option<Bdd> {
        let entry = self.entries[key.hash().place(self.shift)];
        (entry.key == key).then_some(entry.result)
    }

    #[inline]
    pub fn put(&mut self, key: Key, result: Bdd) {
        self.entries[key.hash().place(self.shift)] = Entry { key, result };
    }

    pub fn bytes(&self) -> usize {
        self.entries.len() * size_of::<Entry>()
    }

    /// Follows the node table as it grows.
    pub fn grow_to(&mut self, wanted: usize) {
        let size = wanted.min(self.most);
        if size <= self.entries.len() {
            return;
        }
        let old = std::mem::replace(&mut self.entries, vec![EMPTY; size]);
        self.shift = 64 - size.trailing_zeros();
        for entry in old.into_iter().filter(|entry| entry.key != EMPTY.key) {
            self.put(entry.key, entry.result);
        }
    }

    /// Forgets results that speak of freed nodes.
    pub fn sweep(&mut self, marked: &[bool]) {
        for entry in &mut self.entries {
            let alive = |f: Bdd| marked.get(f.index()).copied().unwrap_or(false);
            if !(entry.key.operands().into_iter().all(alive) && alive(entry.result)) {
                *entry = EMPTY;
            }
        }
    }
}
