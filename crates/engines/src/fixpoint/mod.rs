//! A small fixed-point calculus over named relations, kept as decision diagrams. It plays the part of Mucke
//! in Getafix (La Torre, Madhusudan and Parlato, PLDI 2009): an algorithm is a list of positive rules, and a
//! page of them reads like the equations of its paper.
//!
//! A relation has a schema of typed [`Column`]s; a [`HornRule`] says `head(…) ← body1(…), body2(…), … ∧
//! constraint`, every variable that the head lacks being existential. [`System::run`] computes the least
//! fixed point by differences: a rule is evaluated only for what is new in one of its bodies, and each body
//! forgets what nobody else mentions *before* it is joined. Every addition is remembered with its time, so
//! that [`System::derive`] can say for any tuple from which earlier tuples it came: traces are read off such
//! derivations.
//!
//! What differs from Mucke: rules are Rust values, not a language of their own; the orders of variables are
//! chosen row by row ([`Layout::row`]), which interleaves the copies of one bit; and derivations.

mod calculus;
mod columns;
mod derive;
mod system;
#[cfg(test)]
mod tests;

pub use calculus::Calculus;
pub use columns::{Column, Layout, LevelPairs, Sort};
pub use derive::RelationElement;
pub use system::{Atom, HornRule, RelationId, RuleId, System};
