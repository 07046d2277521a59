//! The engines. Each is a module that takes a [`ir::Task`] and returns a [`ir::Verdict`]; none knows another, the front-ends, the
//! checkers, the terminal or the clock.

pub mod bits;
pub mod code;
pub mod command;
pub mod engine;
pub mod explicit;
pub mod explore;
pub mod facts;
pub mod fixpoint;
pub mod independence;
pub mod rounds;
pub mod simulate;
pub mod symbolic;
pub mod threads;

pub use engine::{Cx, Engine};
pub use explicit::Explicit;
pub use facts::Facts;
pub use rounds::Rounds;
