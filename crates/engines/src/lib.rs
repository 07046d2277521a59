//! The engines. Each is a module that takes a [`ir::Task`] and returns a [`ir::Verdict`]; none knows another,
//! the front-ends, the checkers, the terminal or the clock.

// The kit of the tests names the crate as they do.
#[cfg(test)]
extern crate self as engines;

mod bits;
mod bounded;
mod certificate;
mod closure;
mod code;
mod command;
pub mod concrete;
mod counter;
mod cover;
mod encoding;
mod engine;
mod evaluate;
mod explicit;
mod explore;
mod facts;
mod fewer;
mod fixpoint;
mod formulas;
mod independence;
#[cfg(test)]
#[path = "../tests/kit/mod.rs"]
mod kit;
mod modular;
mod options;
mod rounds;
mod search;
mod sections;
mod simulate;
mod statistics;
mod threads;
mod trace;

pub use command::{Child, Command, Commands, Section};
pub use counter::Counter;
pub use cover::{Cover, has_much_data};
pub use engine::{Cx, Engine};
pub use explicit::Explicit;
pub use facts::{Condition, Facts, Given};
pub use modular::Modular;
pub use rounds::Rounds;
pub use simulate::Simulate;

/// Flat programs as decision diagrams: what experiments outside this crate compare the engines with.
pub mod experiments {
    pub use crate::bounded::{Sizes, exact_is_enough, populations};
    pub use crate::encoding::{Encoding, EncodingPlan, Slot, Step};
}

/// The code of the page on first engines is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/first-engine.md")]
pub struct FirstEngine;
