//! What the engine counts.

use base::{Event, Events};

/// Counters of one run, over all numbers of threads tried.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// States stored.
    pub states: u64,
    /// The most states stored for one number of threads.
    pub peak: u64,
    /// Steps taken.
    pub transitions: u64,
    /// Pairs of a shared valuation and a local state whose steps were computed; all other steps were looked up.
    pub thread_states: u64,
    /// Thread-local states.
    pub locals: u64,
    /// Shared valuations.
    pub shared: u64,
    /// States in which one thread was run alone.
    pub alone: u64,
    /// Threads that were not stepped in these states.
    pub not_expanded: u64,
    /// Threads that were not stepped because another one was in the same local state.
    pub symmetric_steps: u64,
    /// States of the certificate.
    pub certificate_states: u64,
}

impl Statistics {
    /// Counts the states of one search.
    pub fn count(&mut self, states: usize) {
        self.states += states as u64;
        self.peak = self.peak.max(states as u64);
    }

    /// Tells all counters.
    pub fn emit(&self, events: &mut dyn Events) {
        let counters = [
            ("states", self.states),
            ("peak states", self.peak),
            ("transitions", self.transitions),
            ("thread states", self.thread_states),
            ("steps looked up", self.transitions.saturating_sub(self.thread_states)),
            ("local states", self.locals),
            ("shared valuations", self.shared),
            ("threads run alone", self.alone),
            ("threads not stepped (reduction)", self.not_expanded),
            ("threads not stepped (symmetry)", self.symmetric_steps),
            ("certificate states", self.certificate_states),
        ];
        for (name, value) in counters {
            events.emit(Event::Counter { who: "explicit", name, value });
        }
    }
}
