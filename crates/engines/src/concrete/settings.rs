//! The options of the concrete way.

use base::settings::Allowed;
use base::{Setting, Settings};

/// The table of options.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "concrete.reduction",
        default: "on",
        allowed: Allowed::Switch,
        help: "run a thread on, without looking at the others, while no other thread can disturb its steps",
        paper: "Godefroid, LNCS 1032, 1996",
    },
    Setting {
        name: "concrete.symmetry",
        default: "on",
        allowed: Allowed::Switch,
        help: "do not tell apart threads in the same state, nor names of objects and threads",
        paper: "Iosif, SPIN 2001",
    },
    Setting {
        name: "concrete.liveness",
        default: "on",
        allowed: Allowed::Switch,
        help: "forget the values of registers that are written before they are read again",
        paper: "",
    },
    Setting {
        name: "concrete.most_threads",
        default: "1000",
        allowed: Allowed::Number { least: 1, most: 1_000_000 },
        help: "the number of threads to give up at when any number is asked",
        paper: "",
    },
    Setting {
        name: "concrete.values",
        default: "65536",
        allowed: Allowed::Number { least: 2, most: 16_777_216 },
        help: "try all values of a choice that has at most this many; of others only interesting ones",
        paper: "",
    },
    Setting {
        name: "concrete.calls",
        default: "10000",
        allowed: Allowed::Number { least: 1, most: 10_000 },
        help: "follow calls at most so deep",
        paper: "",
    },
];

/// The options as they were set.
#[derive(Clone, Copy, Debug)]
pub struct ConcreteOptions {
    /// Partial-order reduction.
    pub reduction: bool,
    /// Exchangeable threads, objects and names.
    pub symmetry: bool,
    /// Forgetting dead registers.
    pub liveness: bool,
    /// The largest number of threads to try.
    pub most_threads: u32,
    /// The largest number of values of one choice that are all tried.
    pub values: u128,
    /// The deepest call that is followed.
    pub calls: usize,
}

impl ConcreteOptions {
    /// The options that the user set, and the defaults.
    pub fn new(settings: &Settings) -> ConcreteOptions {
        let [reduction, symmetry, liveness, most_threads, values, calls] = SETTINGS else {
            unreachable!("the table has a row for each option")
        };
        ConcreteOptions {
            reduction: settings.is_on(reduction),
            symmetry: settings.is_on(symmetry),
            liveness: settings.is_on(liveness),
            most_threads: u32::try_from(settings.number(most_threads)).unwrap_or(u32::MAX),
            values: u128::from(settings.number(values)),
            calls: usize::try_from(settings.number(calls)).unwrap_or(usize::MAX),
        }
    }
}
