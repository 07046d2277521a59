//! What the engine counts.

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
    }
}

impl Statistics {
    /// Counts the states of one search.
    pub fn count(&mut self, states: usize) {
        self.states += states as u64;
        self.peak = self.peak.max(states as u64);
    }
}
