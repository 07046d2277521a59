//! The engines. Each is a module that takes a [`ir::Task`] and returns a [`ir::Verdict`]; none knows another, the front-ends, the
//! checkers, the terminal or the clock.

pub mod bits;
pub mod bounded;
pub mod closure;
pub mod code;
pub mod command;
pub mod concrete;
pub mod counter;
pub mod cover;
pub mod engine;
pub mod explicit;
pub mod explore;
pub mod facts;
pub mod fixpoint;
pub mod formulas;
pub mod graphs;
pub mod independence;
pub mod modular;
pub mod reach;
pub mod rounds;
pub mod simulate;
pub mod symbolic;
pub mod threads;

pub use counter::Counter;
pub use cover::Cover;
pub use engine::{Cx, Engine};
pub use explicit::Explicit;
pub use facts::Facts;
pub use modular::Modular;
pub use rounds::Rounds;
pub use simulate::Simulate;
