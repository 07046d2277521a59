//! The engine's options.

use base::settings::Allowed;
use base::{Setting, Settings};
use solve::inclusion::{self, Quantify};

const PAPER: &str = "Cook, Kroening, Sharygina, SPIN 2005";

/// A switch of the table.
const fn switch(name: &'static str, help: &'static str) -> Setting {
    Setting { name, default: "on", allowed: Allowed::Switch, help, paper: PAPER }
}

/// The table of options.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "simulate.order",
        default: "bfs",
        allowed: Allowed::Word(&["bfs", "dfs"]),
        help: "which symbolic state to expand next: the oldest or the newest",
        paper: PAPER,
    },
    Setting {
        name: "simulate.reduction",
        default: "solver",
        allowed: Allowed::Word(&["off", "static", "solver", "clauses"]),
        help: "run a thread alone where no other thread can notice; who says that it can step",
        paper: PAPER,
    },
    switch("simulate.symmetry", "keep threads as a multiset instead of telling them apart"),
    switch("simulate.chains", "run a thread on from a silent location without a step of another"),
    switch("simulate.state_bits", "subsumption enumerates state bits instead of choices"),
    switch("simulate.live", "subsumption compares only variables that may still be read"),
    switch("simulate.groups", "subsumption compares variables that share no choice on their own"),
    switch("simulate.filters", "subsumption looks at equal formulas and simulation words first"),
    switch("simulate.cubes", "subsumption covers cubes of states instead of single ones"),
    switch("simulate.union", "compare with all older states at once where decision diagrams stay small"),
    Setting {
        name: "simulate.reparameterise",
        default: "24",
        allowed: Allowed::Number { least: 0, most: 1_000_000_000 },
        help: "with union: rewrite states with more choice variables than this over their state bits; 0 for never",
        paper: PAPER,
    },
    Setting {
        name: "simulate.most_threads",
        default: "1000000",
        allowed: Allowed::Number { least: 1, most: 1_000_000_000 },
        help: "the number of threads to give up at when any number is asked",
        paper: "",
    },
    Setting {
        name: "simulate.certificate_pieces",
        default: "20000",
        allowed: Allowed::Number { least: 0, most: 1_000_000_000 },
        help: "write a certificate where the search for it keeps at most so many symbolic states; 0: write none",
        paper: "",
    },
];

/// Who decides that a thread that runs alone can step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// No thread runs alone.
    Off,
    /// The program text.
    Static,
    /// The solver, one thread selected after the other by assumption.
    Solver,
    /// The solver, which selects the threads itself under clauses that exclude the others.
    Clauses,
}

/// The options as they were set.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Depth first.
    pub depth_first: bool,
    /// Partial-order reduction.
    pub reduction: Reduction,
    /// Threads as a multiset.
    pub symmetry: bool,
    /// Running on from silent locations.
    pub chains: bool,
    /// Compare live variables only.
    pub live: bool,
    /// The subsumption test.
    pub inclusion: inclusion::Options,
    /// Compare with the union of older states.
    pub union: bool,
    /// Rewrite states with more choice variables.
    pub reparameterise: Option<usize>,
    /// The largest number of threads to try.
    pub most_threads: u32,
    /// The largest search for a certificate.
    pub certificate_pieces: usize,
}

impl Options {
    /// The options that the user set, and the defaults.
    pub fn new(settings: &Settings) -> Options {
        let [
            order,
            reduction,
            symmetry,
            chains,
            state_bits,
            live,
            groups,
            filters,
            cubes,
            union,
            inputs,
            most,
            pieces,
        ] = SETTINGS
        else {
            unreachable!("the table has a row for each option")
        };
        let bits = settings.is_on(state_bits);
        let inclusion = inclusion::Options {
            filters: settings.is_on(filters),
            groups: settings.is_on(groups),
            generalise: settings.is_on(cubes),
            quantify: if bits { Quantify::StateBits } else { Quantify::Choices },
        };
        let inputs = usize::try_from(settings.number(inputs)).unwrap_or(usize::MAX);
        Options {
            depth_first: settings.word(order) == "dfs",
            reduction: match settings.word(reduction) {
                "off" => Reduction::Off,
                "static" => Reduction::Static,
                "clauses" => Reduction::Clauses,
                _ => Reduction::Solver,
            },
            symmetry: settings.is_on(symmetry),
            chains: settings.is_on(chains),
            live: settings.is_on(live),
            inclusion,
            union: settings.is_on(union),
            reparameterise: (inputs > 0).then_some(inputs),
            most_threads: u32::try_from(settings.number(most)).unwrap_or(u32::MAX),
            certificate_pieces: usize::try_from(settings.number(pieces)).unwrap_or(usize::MAX),
        }
    }
}
