//! Interned rows of words.
//!
//! Everything lies in flat vectors: the words of all rows one after the other, an end for each row, and an
//! open-addressing table that holds a part of the hash beside the number of the row, so that a probe rarely
//! touches the words and growing never does. Rows are numbered in the order in which they were added.

use base::Stop;

/// No row, no thread, nothing.
pub const NONE: u32 = u32::MAX;

/// Rows are numbered below this, so that the highest bit of a number is free for a mark.
const MOST: usize = 1 << 31;

/// A set of rows of words. Equal rows get equal numbers.
#[derive(Clone, Debug)]
pub struct Store {
    words: Vec<u32>,
    ends: Vec<u32>,
    /// Hash in the high half, number in the low half; `u64::MAX` is free.
    table: Vec<u64>,
}

impl Default for Store {
    fn default() -> Self {
        Self::new()
    }
}

impl Store {
    /// No rows yet.
    pub fn new() -> Self {
        Self { words: vec![], ends: vec![], table: vec![u64::MAX; 64] }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The words of a row.
    pub fn get(&self, id: u32) -> &[u32] {
        let id = id as usize;
        let first = if id == 0 { 0 } else { self.ends[id - 1] as usize };
        &self.words[first..self.ends[id] as usize]
    }

    /// The number of a row, if it is there.
    pub fn find(&self, row: &[u32]) -> Option<u32> {
        let entry = self.table[self.slot(row, hash(row))];
        (entry != u64::MAX).then_some(entry as u32)
    }

    /// The number of a row, and whether it is new. When the numbers are used up the memory is, too.
    pub fn insert(&mut self, row: &[u32]) -> Result<(u32, bool), Stop> {
        self.insert_hashed(row, hash(row))
    }

    /// The same, for a row of which the hash is known.
    pub fn insert_hashed(&mut self, row: &[u32], hash: u32) -> Result<(u32, bool), Stop> {
        let at = self.slot(row, hash);
        if self.table[at] != u64::MAX {
            return Ok((self.table[at] as u32, false));
        }
        let id = self.push(row)?;
        self.table[at] = u64::from(hash) << 32 | u64::from(id);
        if self.ends.len() * 3 > self.table.len() * 2 {
            self.grow();
        }
        Ok((id, true))
    }

    /// Reads what rows with these hashes are compared with first, so that it is near when they are. Nothing
    /// here depends on what was read before, and the processor waits for all of it at once.
    pub fn read_ahead(&self, hashes: impl Iterator<Item = u32>, entries: &mut Vec<u64>) {
        let mask = self.table.len() - 1;
        entries.clear();
        entries.extend(hashes.map(|hash| {
            let entry = self.table[hash as usize & mask];
            if (entry >> 32) as u32 == hash { entry & u64::from(u32::MAX) } else { u64::MAX }
        }));
        let mut seen = 0;
        for &entry in entries.iter().filter(|&&entry| entry != u64::MAX) {
            let first = self.ends[entry as usize] as usize;
            seen ^= self.words.get(first.wrapping_sub(1)).copied().unwrap_or(0);
        }
        std::hint::black_box(seen);
    }

    /// How many bytes the rows take, with everything that belongs to them.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.words[..]) + size_of_val(&self.ends[..]) + size_of_val(&self.table[..])
    }

    /// Where the row is in the table, or would be put.
    fn slot(&self, row: &[u32], hash: u32) -> usize {
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let entry = self.table[at];
            if entry == u64::MAX || (entry >> 32) as u32 == hash && self.get(entry as u32) == row {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    fn push(&mut self, row: &[u32]) -> Result<u32, Stop> {
        let id = self.ends.len();
        let end = u32::try_from(self.words.len() + row.len()).map_err(|_| Stop::Memory)?;
        if id >= MOST {
            return Err(Stop::Memory);
        }
        self.words.extend_from_slice(row);
        self.ends.push(end);
        Ok(id as u32)
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        let old = std::mem::replace(&mut self.table, vec![u64::MAX; mask + 1]);
        for entry in old.into_iter().filter(|&entry| entry != u64::MAX) {
            let mut at = (entry >> 32) as usize & mask;
            while self.table[at] != u64::MAX {
                at = (at + 1) & mask;
            }
            self.table[at] = entry;
        }
    }
}

/// Multiply and rotate (FxHash) over pairs of words, with a last mixing step because the table uses the low
/// bits.
pub fn hash(row: &[u32]) -> u32 {
    const K: u64 = 0x517c_c1b7_2722_0a95;
    let mut hash = row.len() as u64;
    let mut pairs = row.chunks_exact(2);
    for pair in &mut pairs {
        let word = u64::from(pair[0]) << 32 | u64::from(pair[1]);
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(K);
    }
    if let [word] = pairs.remainder() {
        hash = (hash.rotate_left(5) ^ u64::from(*word)).wrapping_mul(K);
    }
    let mixed = (hash ^ hash >> 32).wrapping_mul(K);
    // The bit pattern of a free entry must not arise: numbers stay below it.
    (mixed >> 32) as u32
}

/// A map from pairs of numbers to numbers.
#[derive(Clone, Debug)]
pub struct Pairs {
    table: Vec<(u64, u32)>,
    len: usize,
}

impl Default for Pairs {
    fn default() -> Self {
        Self { table: vec![(u64::MAX, NONE); 64], len: 0 }
    }
}

impl Pairs {
    /// What was put for the pair.
    pub fn get(&self, a: u32, b: u32) -> Option<u32> {
        let (key, value) = self.table[self.slot(a, b)];
        (key != u64::MAX).then_some(value)
    }

    /// Puts a value for a pair that has none; (`NONE`, `NONE`) is no pair.
    pub fn put(&mut self, a: u32, b: u32, value: u32) {
        let slot = self.slot(a, b);
        self.table[slot] = (u64::from(a) << 32 | u64::from(b), value);
        self.len += 1;
        if self.len * 2 > self.table.len() {
            let twice = self.table.len() * 2;
            let old = std::mem::replace(&mut self.table, vec![(u64::MAX, NONE); twice]);
            for (key, value) in old.into_iter().filter(|&(key, _)| key != u64::MAX) {
                let slot = self.slot((key >> 32) as u32, key as u32);
                self.table[slot] = (key, value);
            }
        }
    }

    /// Where the pair is, or would be put.
    fn slot(&self, a: u32, b: u32) -> usize {
        let key = u64::from(a) << 32 | u64::from(b);
        let mask = self.table.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.table[at].0 != u64::MAX && self.table[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }
}

/// Sorts groups, each a local state and how many threads are in it, and joins those of the same local state.
pub fn normalise(groups: &mut Vec<(u32, u32)>) {
    groups.sort_unstable();
    groups.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = kept.1.saturating_add(next.1);
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;
    use std::collections::HashMap;

    #[test]
    fn equal_rows_get_equal_numbers() {
        let mut random = Random::new(7);
        let (mut store, mut expected) = (Store::new(), HashMap::new());
        for _ in 0..20_000 {
            let row: Vec<u32> = (0..random.below(5)).map(|_| random.below(8) as u32).collect();
            let fresh = expected.len() as u32;
            let id = *expected.entry(row.clone()).or_insert(fresh);
            assert_eq!(store.insert(&row), Ok((id, id == fresh)));
            assert_eq!(store.get(id), row);
        }
    }

    #[test]
    fn pairs_keep_what_was_put() {
        let mut pairs = Pairs::default();
        for a in 0..100 {
            for b in 0..100 {
                assert_eq!(pairs.get(a, b), None);
                pairs.put(a, b, a * b);
                assert_eq!(pairs.get(a, b), Some(a * b));
            }
        }
        assert_eq!(pairs.get(99, 98), Some(99 * 98));
    }
}
