//! The engine's options.

use crate::options::{self, after, number, settings, switch, word};
use base::Settings;
use solve::inclusion::{self, Quantify};

const PAPER: &str = "Cook, Kroening, Sharygina, SPIN 2005";

settings! {
    ORDER = after(
        PAPER,
        word("simulate.order", "bfs", &["bfs", "dfs"], "which symbolic state to expand next: the oldest or the newest"),
    );
    REDUCTION = after(
        PAPER,
        word(
            "simulate.reduction",
            "solver",
            &["off", "static", "solver"],
            "run a thread alone where no other thread can notice; who says that it can step",
        ),
    );
    SYMMETRY =
        after(PAPER, switch("simulate.symmetry", "keep threads as a multiset instead of telling them apart"));
    TRANSITION_MERGING = after(
        PAPER,
        switch("simulate.transition_merging", "follow invisible transitions of a thread without a step of another"),
    );
    STATE_BITS =
        after(PAPER, switch("simulate.state_bits", "subsumption enumerates state bits instead of choices"));
    LIVE = after(PAPER, switch("simulate.live", "subsumption compares only variables that may still be read"));
    GROUPS = after(
        PAPER,
        switch("simulate.groups", "subsumption compares variables that share no choice on their own"),
    );
    FILTERS = after(
        PAPER,
        switch("simulate.filters", "subsumption looks at equal formulas and simulation words first"),
    );
    CUBES = after(PAPER, switch("simulate.cubes", "subsumption covers cubes of states instead of single ones"));
    UNION = after(
        PAPER,
        switch("simulate.union", "compare with all older states at once where decision diagrams stay small"),
    );
    REPARAMETERISE = after(
        PAPER,
        number(
            "simulate.reparameterise",
            "24",
            0..=1_000_000_000,
            "with union: rewrite states with more choice variables than this over their state bits; 0 for never",
        ),
    );
    CONTEXTS = after(
        "Inverso et al., CAV 2014",
        switch("simulate.contexts", "look by turns for errors within few rounds, each a question to the solver"),
    );
    MOST_THREADS = number(
        "simulate.most_threads",
        "1000000",
        1..=1_000_000_000,
        "the number of threads to give up at when any number is requested",
    );
    CERTIFICATE = number(
        "simulate.certificate_pieces",
        "20000",
        0..=1_000_000_000,
        "write a certificate where the search for it keeps at most this many symbolic states; 0: write none",
    );
}

/// Who decides that a thread that runs alone can step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// No thread runs alone.
    Off,
    /// The program text.
    Static,
    /// The solver, one thread selected after the other by assumption.
    Solver,
}

/// The options as they were set.
#[derive(Clone, Copy, Debug)]
pub struct SimulateOptions {
    /// Depth first.
    pub depth_first: bool,
    /// Partial-order reduction.
    pub reduction: Reduction,
    /// Threads as a multiset.
    pub symmetry: bool,
    /// Transition merging.
    pub merging: bool,
    /// Compare live variables only.
    pub live: bool,
    /// The subsumption test.
    pub inclusion: inclusion::Options,
    /// Compare with the union of older states.
    pub union: bool,
    /// Rewrite states with more choice variables.
    pub reparameterise: Option<usize>,
    /// Look for errors within few rounds.
    pub contexts: bool,
    /// The largest number of threads to try.
    pub most_threads: u32,
    /// The largest search for a certificate.
    pub certificate_pieces: usize,
}

impl SimulateOptions {
    /// The options that the user set, and the defaults.
    pub fn new(settings: &Settings) -> SimulateOptions {
        let inclusion = inclusion::Options {
            filters: settings.is_on(&FILTERS),
            groups: settings.is_on(&GROUPS),
            generalise: settings.is_on(&CUBES),
            quantify: match settings.is_on(&STATE_BITS) {
                true => Quantify::StateBits,
                false => Quantify::Choices,
            },
        };
        let inputs = options::size(settings, &REPARAMETERISE);
        SimulateOptions {
            depth_first: settings.word(&ORDER) == "dfs",
            reduction: match settings.word(&REDUCTION) {
                "off" => Reduction::Off,
                "static" => Reduction::Static,
                _ => Reduction::Solver,
            },
            symmetry: settings.is_on(&SYMMETRY),
            merging: settings.is_on(&TRANSITION_MERGING),
            live: settings.is_on(&LIVE),
            inclusion,
            union: settings.is_on(&UNION),
            reparameterise: (inputs > 0).then_some(inputs),
            contexts: settings.is_on(&CONTEXTS),
            most_threads: options::threads(settings, &MOST_THREADS),
            certificate_pieces: options::size(settings, &CERTIFICATE),
        }
    }
}
