//! The options of the engine `counter`.

use crate::options::{self, after, number, settings, switch, word};
use base::Settings;
use solve::bdd::Limits;

const PAPER: &str = "Basler et al., CAV 2009";

settings! {
    MERGING =
        after(PAPER, switch("counter.merging", "join states that differ in the shared set or in one thread"));
    SUBSUMPTION = switch(
        "counter.subsumption",
        "drop states that lie inside any other, not only those with the same threads",
    );
    REDUCTION =
        after(PAPER, switch("counter.reduction", "run a thread alone where no other thread can notice"));
    TRANSITION_MERGING = switch("counter.transition_merging", "do not store states in which a thread is at an invisible transition");
    COLLECT = word(
        "counter.collect",
        "grown",
        &["grown", "always"],
        "collect garbage when the diagrams have doubled, or (to test the engine) after every state",
    );
    MEMORY = number(
        "counter.memory",
        "4096",
        1..=1_000_000,
        "MiB for decision diagrams and as much again for states",
    );
    MOST_THREADS = number(
        "counter.most_threads",
        "1000000",
        1..=1_000_000_000,
        "the number of threads to give up at when any number is requested",
    );
    CERTIFICATE_STATES = number(
        "counter.certificate_states",
        "200000",
        0..=1_000_000_000,
        "list the states of a certificate where there are at most this many",
    );
    CERTIFICATE_PIECES = number(
        "counter.certificate_pieces",
        "20000",
        0..=1_000_000_000,
        "otherwise write formulas, at most this many; 0: write none",
    );
}

/// The options as they were set.
#[derive(Clone, Copy, Debug)]
pub struct CounterOptions {
    /// Whether states are merged.
    pub merging: bool,
    /// Whether states inside any other are dropped.
    pub subsumption: bool,
    /// Partial-order reduction.
    pub reduction: bool,
    /// Transition merging.
    pub merges_transitions: bool,
    /// Whether garbage is collected after every state.
    pub collects_always: bool,
    /// The bytes that decision diagrams may take, and stored states as well.
    pub bytes: usize,
    /// The largest number of threads to try.
    pub most_threads: u32,
    /// The largest certificate that lists states.
    pub certificate_states: usize,
    /// The largest certificate of formulas.
    pub certificate_pieces: usize,
}

impl CounterOptions {
    /// The options that the user set, and the defaults.
    pub fn new(settings: &Settings) -> CounterOptions {
        CounterOptions {
            merging: settings.is_on(&MERGING),
            subsumption: settings.is_on(&SUBSUMPTION),
            reduction: settings.is_on(&REDUCTION),
            merges_transitions: settings.is_on(&TRANSITION_MERGING),
            collects_always: settings.word(&COLLECT) == "always",
            bytes: options::bytes(settings, &MEMORY),
            most_threads: options::threads(settings, &MOST_THREADS),
            certificate_states: options::size(settings, &CERTIFICATE_STATES),
            certificate_pieces: options::size(settings, &CERTIFICATE_PIECES),
        }
    }

    /// How large the decision diagrams may become.
    pub fn limits(&self) -> Limits {
        Limits::within(self.bytes)
    }
}
