//! The engines. Each is a module that takes a [`ir::Task`] and returns a [`ir::Verdict`]; none knows another, the front-ends, the
//! checkers, the terminal or the clock.

pub mod engine;
pub mod facts;
pub mod fixpoint;
pub mod rounds;

pub use engine::{Cx, Engine};
pub use facts::Facts;
