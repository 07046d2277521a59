//! The input formats, one module each.

pub mod bp;
pub mod prop;
pub mod spec;
mod spec_rules;
mod spec_text;
pub mod tts;
