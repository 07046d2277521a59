//! Proofs about C programs for any number of threads, by predicate abstraction: predicates from the program ([`templates`]), the closure
//! over states of one and of two threads by exact images ([`closure`]), and what came out as a proof that others can check
//! ([`ir::c::relation::proof`]).

pub mod alarm;
pub mod basis;
pub mod closure;
pub mod companions;
mod distinct;
pub mod forms;
pub mod images;
pub mod plan;
mod prove;
pub mod refinement;
pub mod rows;
pub mod state;
pub mod templates;
pub mod terms;
pub mod words;

pub use prove::{Options, Outcome, prove, prove_relation};
