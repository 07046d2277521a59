//! What the engine counts.

use base::{Event, Events};

/// Counters of one run, over all numbers of threads tried.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// States stored.
    pub states: u64,
    /// States found again, or inside others.
    pub subsumed: u64,
    /// States joined with another because only the shared set differed.
    pub merged_shared: u64,
    /// States joined with another because only one thread differed.
    pub merged_threads: u64,
    /// States expanded.
    pub expanded: u64,
    /// Steps of threads that were computed, and looked up.
    pub images: u64,
    /// Steps that were looked up.
    pub looked_up: u64,
    /// Images that were no products, and the products that they were split into.
    pub splits: u64,
    /// The products of those images.
    pub cofactors: u64,
    /// Statements, those among them that relate shared and local variables, and the shared variables of these.
    pub statements: u64,
    /// Statements that may make an image that is no product.
    pub splice_statements: u64,
    /// The shared variables that these read or write.
    pub splice_variables: u64,
    /// States in which one thread was run alone.
    pub alone: u64,
    /// Threads that were not stepped in these states.
    pub not_expanded: u64,
    /// The most nodes of decision diagrams.
    pub peak_nodes: u64,
    /// Garbage collections.
    pub collections: u64,
    /// States of the certificate, if it lists them.
    pub certificate_states: u64,
    /// Formulas of the certificate, if it has some.
    pub certificate_pieces: u64,
}

impl Statistics {
    /// Tells all counters.
    pub fn emit(&self, events: &mut dyn Events) {
        let share = |part: u64, whole: u64| (part * 100).checked_div(whole).unwrap_or(0);
        let counters = [
            ("states", self.states),
            ("states subsumed", self.subsumed),
            ("merges of shared sets", self.merged_shared),
            ("merges of threads", self.merged_threads),
            ("states expanded", self.expanded),
            ("images", self.images),
            ("images looked up", self.looked_up),
            ("images split", self.splits),
            ("products of split images", self.cofactors),
            ("statements", self.statements),
            ("splice statements", self.splice_statements),
            ("splice statements (percent)", share(self.splice_statements, self.statements)),
            ("splice variables", self.splice_variables),
            ("threads run alone", self.alone),
            ("threads not stepped (reduction)", self.not_expanded),
            ("decision diagram nodes (peak)", self.peak_nodes),
            ("garbage collections", self.collections),
            ("certificate states", self.certificate_states),
            ("certificate pieces", self.certificate_pieces),
        ];
        for (name, value) in counters {
            events.emit(Event::Counter { who: "counter", name, value });
        }
    }
}

/// What a search works with.
pub type Work<'a> = crate::bounded::Work<'a, Statistics>;
