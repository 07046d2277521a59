//! The options of the engine `explicit`.

use crate::options::{self, after, number, settings, switch};
use base::Settings;

const PAPER: &str = "Basler et al., CAV 2009";

settings! {
    REDUCTION = after(
        PAPER,
        switch("explicit.reduction", "run a thread alone where no other thread can notice (programs only)"),
    );
    SYMMETRY = after(
        PAPER,
        switch(
            "explicit.symmetry",
            "count threads in the same state instead of telling them apart (programs only)",
        ),
    );
    TRANSITION_MERGING = switch("explicit.transition_merging", "do not store states in which a thread is at an invisible transition");
    MOST_THREADS = number(
        "explicit.most_threads",
        "1000000",
        1..=1_000_000_000,
        "the number of threads to give up at when any number is requested",
    );
    CERTIFICATE = number(
        "explicit.certificate_states",
        "2000000",
        0..=1_000_000_000,
        "write no certificate with more states than this",
    );
}

/// The options as they were set.
#[derive(Clone, Copy, Debug)]
pub struct ExplicitOptions {
    /// Partial-order reduction.
    pub reduction: bool,
    /// Counter abstraction.
    pub symmetry: bool,
    /// Transition merging.
    pub merging: bool,
    /// The largest number of threads to try.
    pub most_threads: u32,
    /// The largest certificate.
    pub certificate_states: usize,
}

impl ExplicitOptions {
    /// The options that the user set, and the defaults.
    pub fn new(settings: &Settings) -> ExplicitOptions {
        ExplicitOptions {
            reduction: settings.is_on(&REDUCTION),
            symmetry: settings.is_on(&SYMMETRY),
            merging: settings.is_on(&TRANSITION_MERGING),
            most_threads: options::threads(settings, &MOST_THREADS),
            certificate_states: options::size(settings, &CERTIFICATE),
        }
    }
}
