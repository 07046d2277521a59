//! Closures: what few threads look like together in runs with any number of threads, and, where that is not enough, the minimal
//! elements of a set from which alone the errors can be reached. Programs and nets are both turned into rules over numbers
//! ([`rules`]); one pass over the rules then decides ([`proof`]). Closures that are given by formulas over classes of points are
//! decided by a solver ([`symbolic`]).

mod blocked;
mod nets;
mod programs;
mod proof;
mod rules;
mod symbolic;

pub use nets::check as net;
pub use programs::check as program;
pub use symbolic::check as classes;
