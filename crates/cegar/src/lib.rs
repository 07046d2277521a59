//! Proofs about C programs for any number of threads, by predicate abstraction: predicates from the program ([`templates`]), the closure
//! over states of one and of two threads by exact images ([`closure`]), and what came out as a proof that others can check
//! ([`ir::c::relation::proof`]).

mod alarm;
pub mod basis;
pub mod boolean;
pub mod closure;
mod companions;
mod counting;
mod distinct;
mod forms;
mod images;
pub mod paths;
mod plan;
mod prove;
mod refinement;
pub mod rows;
pub mod smt;
mod start;
mod state;
mod sums;
mod templates;
mod terms;
mod values;
mod words;

pub use prove::{Options, Outcome, prove, prove_relation};
pub use start::Start;
pub use values::{Values, prove_values};
