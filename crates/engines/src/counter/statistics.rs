//! What the engine counts.

crate::statistics::counters! {
    "counter" {
        states: "states",
        subsumed: "states subsumed",
        merged_shared: "merges of shared sets",
        merged_threads: "merges of threads",
        expanded: "states expanded",
        images: "images",
        looked_up: "images looked up",
        splits: "images split",
        cofactors: "products of split images",
        statements: "statements",
        splice_statements: "splice statements",
        splice_variables: "splice variables",
        alone: "threads run alone",
        not_expanded: "threads not stepped (reduction)",
        peak_nodes: "decision diagram nodes (peak)",
        collections: "garbage collections",
        certificate_states: "certificate states",
        certificate_pieces: "certificate pieces",
    }
}

/// What a search works with.
pub type CounterWork<'a> = crate::bounded::Work<'a, Statistics>;
