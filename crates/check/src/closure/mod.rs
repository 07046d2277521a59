//! Closures: what few threads look like together in runs with any number of threads, and, where that is not enough, the minimal
//! elements of a set from which alone the errors can be reached. Programs and nets are both turned into rules over numbers
//! ([`rules`]); one pass over the rules then decides ([`proof`]).

mod blocked;
mod nets;
mod programs;
mod proof;
mod rules;

pub use nets::check as net;
pub use programs::check as program;
