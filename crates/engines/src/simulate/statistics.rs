//! What the engine counts. Calls of solvers inside comparisons are not counted.

crate::statistics::counters! {
    "simulate" {
        states: "states",
        steps: "steps",
        nodes: "formula nodes",
        choices: "choice variables",
        empty: "empty states",
        subsumed: "subsumed states",
        canonical: "states with a canonical form",
        subsumption_tests: "subsumption tests",
        filtered: "subsumption tests answered by filters",
        solver_calls: "solver calls",
        simulated: "answers by simulation",
        alone: "threads run alone",
        not_expanded: "threads not stepped (reduction)",
        symmetric_steps: "threads not stepped (symmetry)",
        reparameterised: "states re-parameterised",
        certificate_pieces: "certificate pieces",
        unrolled: "nodes of the largest unrolled run",
    }
}
