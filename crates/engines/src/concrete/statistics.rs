//! What the concrete way counts.

use base::{Event, Events};

/// Counters of one run, over all searches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    /// Steps of the machine.
    pub steps: u64,
    /// States stored.
    pub states: u64,
    /// States found again.
    pub again: u64,
    /// States in which one thread was run alone.
    pub alone: u64,
    /// Thread states stored.
    pub threads: u64,
    /// Memories stored.
    pub memories: u64,
    /// The bytes of rows, with what is kept for each of them.
    pub bytes: u64,
    /// Searches begun.
    pub searches: u64,
}

impl Statistics {
    /// Adds the counters of one search.
    pub fn add(&mut self, other: Statistics) {
        self.steps += other.steps;
        self.states += other.states;
        self.again += other.again;
        self.alone += other.alone;
        self.threads += other.threads;
        self.memories += other.memories;
        self.bytes += other.bytes;
        self.searches += other.searches;
    }

    /// Tells all counters.
    pub fn emit(&self, events: &mut dyn Events) {
        let counters = [
            ("steps", self.steps),
            ("states", self.states),
            ("states found again", self.again),
            ("threads run alone", self.alone),
            ("thread states", self.threads),
            ("memories", self.memories),
            ("bytes of rows", self.bytes),
            ("searches", self.searches),
        ];
        for (name, value) in counters {
            events.emit(Event::Counter { who: "concrete", name, value });
        }
    }
}
