//! The engines. Each is a module that takes a [`ir::Task`] and returns a [`ir::Verdict`]; none knows another, the front-ends, the
//! checkers, the terminal or the clock.

mod bits;
mod bounded;
mod closure;
mod code;
mod command;
mod counter;
mod counters;
mod cover;
mod engine;
mod evaluate;
mod explicit;
mod explore;
mod facts;
mod fixpoint;
mod formulas;
mod graphs;
mod independence;
mod modular;
mod options;
mod rounds;
mod simulate;
mod symbolic;
mod threads;
mod trace;

pub use counter::Counter;
pub use cover::Cover;
pub use engine::{Cx, Engine};
pub use explicit::Explicit;
pub use facts::Facts;
pub use modular::Modular;
pub use rounds::Rounds;
pub use simulate::Simulate;

/// Flat programs as decision diagrams: what experiments outside this crate compare the engines with.
pub mod encoding {
    pub use crate::bounded::{Sizes, exact_is_enough, populations};
    pub use crate::command::Commands;
    pub use crate::symbolic::{Order, Plan, Slot, Step, Symbolic};
}
