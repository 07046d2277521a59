//! Rows that wait to be stored, with the states that they were found from.
//!
//! Whether a row is there already is a question that waits for memory: the entry in the table, then the row
//! that it names. In a batch the processor can wait for many of them at once.

use crate::explore::{Store, hash};
use base::Stop;

/// This many rows are stored at once.
const FULL: usize = 64;

/// The batch.
#[derive(Debug, Default)]
pub struct Batch {
    words: Vec<u32>,
    entries: Vec<BatchEntry>,
    read: Vec<u64>,
}

/// A row of a batch.
#[derive(Clone, Copy, Debug)]
struct BatchEntry {
    end: u32,
    hash: u32,
    from: u32,
}

impl Batch {
    /// Whether it should be stored.
    pub fn is_full(&self) -> bool {
        self.entries.len() >= FULL
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds the row that is written.
    pub fn add(
        &mut self,
        from: u32,
        write: impl FnOnce(&mut Vec<u32>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let first = self.words.len();
        write(&mut self.words)?;
        let end = u32::try_from(self.words.len()).map_err(|_| Stop::Memory)?;
        self.entries.push(BatchEntry { end, hash: hash(&self.words[first..]), from });
        Ok(())
    }

    /// A row, its hash, and the state that it was found from.
    pub fn get(&self, entry: usize) -> (&[u32], u32, u32) {
        let BatchEntry { end, hash, from } = self.entries[entry];
        let first = if entry == 0 { 0 } else { self.entries[entry - 1].end };
        (&self.words[first as usize..end as usize], hash, from)
    }

    /// Has the processor read what the rows will be compared with.
    pub fn read_ahead(&mut self, states: &Store) {
        states.read_ahead(self.entries.iter().map(|entry| entry.hash), &mut self.read);
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.words.clear();
        self.entries.clear();
    }
}
