//! What the engine counts.

use base::{Event, Events};

/// Counters of one run, over all numbers of threads tried.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Symbolic states kept.
    pub states: u64,
    /// Symbolic steps executed.
    pub steps: u64,
    /// Nodes that these steps added to the graph of formulas.
    pub nodes: u64,
    /// Choice variables made.
    pub choices: u64,
    /// States dropped because their guard has no model.
    pub empty: u64,
    /// States dropped because an older one covers them.
    pub subsumed: u64,
    /// States that have a canonical form.
    pub canonical: u64,
    /// Comparisons of a new state with an old one.
    pub subsumption_tests: u64,
    /// Comparisons answered without a solver.
    pub filtered: u64,
    /// Calls of the incremental solver, those inside comparisons not counted.
    pub solver_calls: u64,
    /// Questions that random simulation answered.
    pub simulated: u64,
    /// States in which one thread was run alone.
    pub alone: u64,
    /// Threads that were not stepped in these states.
    pub not_expanded: u64,
    /// Threads not stepped because another one is in the same state.
    pub symmetric_steps: u64,
    /// States rewritten over their state bits.
    pub reparameterised: u64,
    /// Formulas of the certificate.
    pub certificate_pieces: u64,
}

impl Statistics {
    /// Tells all counters.
    pub fn emit(&self, events: &mut dyn Events) {
        let counters = [
            ("states", self.states),
            ("steps", self.steps),
            ("formula nodes", self.nodes),
            ("formula nodes per step", self.nodes / self.steps.max(1)),
            ("choice variables", self.choices),
            ("empty states", self.empty),
            ("subsumed states", self.subsumed),
            ("states with a canonical form", self.canonical),
            ("subsumption tests", self.subsumption_tests),
            ("subsumption tests answered by filters", self.filtered),
            ("solver calls", self.solver_calls),
            ("answers by simulation", self.simulated),
            ("threads run alone", self.alone),
            ("threads not stepped (reduction)", self.not_expanded),
            ("threads not stepped (symmetry)", self.symmetric_steps),
            ("states re-parameterised", self.reparameterised),
            ("certificate pieces", self.certificate_pieces),
        ];
        for (name, value) in counters {
            events.emit(Event::Counter { who: "simulate", name, value });
        }
    }
}
