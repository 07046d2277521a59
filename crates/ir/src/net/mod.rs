//! Nets: a finite shared state, threads (tokens) in local states (places), and rules that take some threads,
//! make some, and move the rest by a relation. Thread transition systems and Petri nets with transfers are
//! both nets.

pub mod machine;
pub mod rules;

pub use machine::{Machine, Marking, Move};
pub use rules::{
    Interval, Move as Transfer, Net, NetStart, Place, PlaceId, Rule, RuleId, SharedStateId, Target,
};
