//! Proofs about C programs for any number of threads, by predicate abstraction: predicates from the program, the closure
//! over states of one and of two threads by exact images ([`closure`]), and what came out as a proof that others can check
//! ([`ir::c::relation::proof`]).

pub mod basis;
pub mod closure;
pub mod forms;
pub mod images;
pub mod plan;
pub mod rows;
pub mod state;
pub mod words;
