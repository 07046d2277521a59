//! The engine's options.

use crate::symbolic::Order;
use base::settings::Allowed;
use base::{Setting, Settings};
use solve::bdd::Limits;

const PAPER: &str = "Basler et al., CAV 2009";

/// The table of options.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "counter.merging",
        default: "on",
        allowed: Allowed::Switch,
        help: "join states that differ in the shared set or in one thread",
        paper: PAPER,
    },
    Setting {
        name: "counter.subsumption",
        default: "on",
        allowed: Allowed::Switch,
        help: "drop states that lie inside any other, not only those with the same threads",
        paper: "",
    },
    Setting {
        name: "counter.reduction",
        default: "on",
        allowed: Allowed::Switch,
        help: "run a thread alone where no other thread can notice",
        paper: PAPER,
    },
    Setting {
        name: "counter.chains",
        default: "on",
        allowed: Allowed::Switch,
        help: "do not store states in which a thread stands at a silent location",
        paper: "",
    },
    Setting {
        name: "counter.order",
        default: "shared-top",
        allowed: Allowed::Word(&["structure", "declaration", "shared-top"]),
        help: "the order of the variables in decision diagrams",
        paper: "",
    },
    Setting {
        name: "counter.collect",
        default: "grown",
        allowed: Allowed::Word(&["grown", "always"]),
        help: "collect garbage when the diagrams have doubled, or (to test the engine) after every state",
        paper: "",
    },
    Setting {
        name: "counter.memory",
        default: "4096",
        allowed: Allowed::Number { least: 1, most: 1_000_000 },
        help: "MiB for decision diagrams and as much again for states",
        paper: "",
    },
    Setting {
        name: "counter.most_threads",
        default: "1000000",
        allowed: Allowed::Number { least: 1, most: 1_000_000_000 },
        help: "the number of threads to give up at when any number is asked",
        paper: "",
    },
    Setting {
        name: "counter.certificate_states",
        default: "200000",
        allowed: Allowed::Number { least: 0, most: 1_000_000_000 },
        help: "list the states of a certificate where there are at most so many",
        paper: "",
    },
    Setting {
        name: "counter.certificate_pieces",
        default: "20000",
        allowed: Allowed::Number { least: 0, most: 1_000_000_000 },
        help: "otherwise write formulas, at most so many; 0: write none",
        paper: "",
    },
];

/// The options as they were set.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether states are merged.
    pub merging: bool,
    /// Whether states inside any other are dropped.
    pub subsumption: bool,
    /// Partial-order reduction.
    pub reduction: bool,
    /// Running on from silent locations.
    pub chains: bool,
    /// The order of the variables.
    pub order: Order,
    /// Whether garbage is collected after every state.
    pub collects_always: bool,
    /// MiB of decision diagrams.
    pub memory: usize,
    /// The largest number of threads to try.
    pub most_threads: u32,
    /// The largest certificate that lists states.
    pub certificate_states: usize,
    /// The largest certificate of formulas.
    pub certificate_pieces: usize,
}

impl Options {
    /// The options that the user set, and the defaults.
    pub fn new(settings: &Settings) -> Options {
        let [
            merging,
            subsumption,
            reduction,
            chains,
            order,
            collect,
            memory,
            most_threads,
            certificate_states,
            certificate_pieces,
        ] = SETTINGS
        else {
            unreachable!("the table has a row for each option")
        };
        let number = |setting| usize::try_from(settings.number(setting)).unwrap_or(usize::MAX);
        Options {
            merging: settings.is_on(merging),
            subsumption: settings.is_on(subsumption),
            reduction: settings.is_on(reduction),
            chains: settings.is_on(chains),
            order: match settings.word(order) {
                "structure" => Order::Structure,
                "declaration" => Order::Declaration,
                _ => Order::SharedTop,
            },
            collects_always: settings.word(collect) == "always",
            memory: number(memory),
            most_threads: u32::try_from(settings.number(most_threads)).unwrap_or(u32::MAX),
            certificate_states: number(certificate_states),
            certificate_pieces: number(certificate_pieces),
        }
    }

    /// How large the decision diagrams may become.
    pub fn limits(&self) -> Limits {
        Limits::within(self.bytes())
    }

    /// The bytes that decision diagrams may take, and stored states as well.
    pub fn bytes(&self) -> usize {
        self.memory.saturating_mul(1 << 20)
    }
}
