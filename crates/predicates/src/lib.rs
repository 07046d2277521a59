//! Proofs about C programs for any number of threads, by predicate abstraction: the closure over states of
//! one and of two threads ([`pairs`]), Boolean programs and their refinement ([`boolean`]) along paths
//! ([`paths`]), and the terms that all of them speak of ([`terms`]). What comes out is a proof that others
//! can check ([`relation::proof`]).

pub mod boolean;
pub mod order;
pub mod pairs;
pub mod paths;
pub mod terms;

pub use order::prove_order;
pub use pairs::prove::{Options, Outcome, prove, prove_relation};
pub use pairs::start::Start;
pub use pairs::values::{Values, prove_values};
