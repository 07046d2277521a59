//! The input formats, one module for each family.

pub mod bp;
pub mod prop;
pub mod spec;
mod spec_lexer;
mod spec_rules;
mod spec_text;
pub mod tts;
