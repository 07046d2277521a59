//! Source text to programs and nets. This crate knows no solver and no engine.

pub mod c;
pub mod dialects;

pub use dialects::bp::{Dialect, InitReading, ReadOptions, read_program};
