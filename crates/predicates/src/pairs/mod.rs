//! Proofs over states of one thread and of pairs of threads: predicates from the program ([`templates`]), the
//! closure over their states by exact images ([`closure`], [`images`]), new predicates from alarms
//! ([`refinement`]), and the proof as tables ([`tables`]).

mod alarm;
pub mod basis;
pub mod closure;
pub(crate) mod companions;
mod counting;
mod counts;
pub(crate) mod distinct;
pub(crate) mod formulas;
mod images;
mod ownership;
mod plan;
pub(crate) mod prove;
mod races;
mod refinement;
pub(crate) mod start;
mod state;
mod sums;
pub mod tables;
pub(crate) mod templates;
pub(crate) mod values;
