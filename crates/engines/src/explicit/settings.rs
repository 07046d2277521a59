//! The engine's options.

use base::settings::Allowed;
use base::{Setting, Settings};

const PAPER: &str = "Basler et al., CAV 2009";

/// The table of options.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "explicit.reduction",
        default: "on",
        allowed: Allowed::Switch,
        help: "run a thread alone where no other thread can notice (programs only)",
        paper: PAPER,
    },
    Setting {
        name: "explicit.symmetry",
        default: "on",
        allowed: Allowed::Switch,
        help: "count threads in the same state instead of telling them apart (programs only)",
        paper: PAPER,
    },
    Setting {
        name: "explicit.chains",
        default: "on",
        allowed: Allowed::Switch,
        help: "do not store states in which a thread stands at a silent location",
        paper: "",
    },
    Setting {
        name: "explicit.most_threads",
        default: "1000000",
        allowed: Allowed::Number { least: 1, most: 1_000_000_000 },
        help: "the number of threads to give up at when any number is asked",
        paper: "",
    },
    Setting {
        name: "explicit.certificate_states",
        default: "2000000",
        allowed: Allowed::Number { least: 0, most: 1_000_000_000 },
        help: "write no certificate with more states than this",
        paper: "",
    },
];

/// The options as they were set.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Partial-order reduction.
    pub reduction: bool,
    /// Counter abstraction.
    pub symmetry: bool,
    /// Running on from silent locations.
    pub chains: bool,
    /// The largest number of threads to try.
    pub most_threads: u32,
    /// The largest certificate.
    pub certificate_states: usize,
}

impl Options {
    /// The options that the user set, and the defaults.
    pub fn new(settings: &Settings) -> Options {
        let [reduction, symmetry, chains, most_threads, certificate_states] = SETTINGS else {
            unreachable!("the table has a row for each option")
        };
        Options {
            reduction: settings.is_on(reduction),
            symmetry: settings.is_on(symmetry),
            chains: settings.is_on(chains),
            most_threads: u32::try_from(settings.number(most_threads)).unwrap_or(u32::MAX),
            certificate_states: usize::try_from(settings.number(certificate_states)).unwrap_or(usize::MAX),
        }
    }
}
