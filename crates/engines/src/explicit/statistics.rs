//! What the engine counts.

use crate::search::StateSearch;

crate::statistics::counters! {
    "explicit" {
        states: "states",
        peak: "peak states",
        transitions: "transitions",
        thread_states: "thread states",
        looked_up: "steps looked up",
        locals: "local states",
        shared: "shared valuations",
        alone: "threads run alone",
        not_expanded: "threads not stepped (reduction)",
        symmetric_steps: "threads not stepped (symmetry)",
        certificate_states: "certificate states",
        bytes: "bytes of rows",
    }
}

impl Statistics {
    /// Counts the states of one search.
    pub fn count<S>(&mut self, search: &StateSearch<S>) {
        let states = search.states().len() as u64;
        self.states += states;
        self.peak = self.peak.max(states);
        self.bytes = self.bytes.max(search.bytes() as u64);
    }
}
