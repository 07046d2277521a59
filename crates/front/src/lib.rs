//! Source text to programs and nets.

pub mod dialects;
