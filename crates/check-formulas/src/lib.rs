//! Checkers whose proof obligations are formulas. They ask a SAT solver of their own ([`sat`]), and believe it only where it says that
//! a formula has a model: when it says that there is none, it writes a proof, and [`proof`] checks every step of it.

pub mod proof;
pub mod sat;
