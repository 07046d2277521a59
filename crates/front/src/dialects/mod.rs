//! The input formats, one module for each family.

pub mod bp;
pub mod prop;
pub mod spec;
mod spec_rules;
mod spec_text;
mod spec_words;
pub mod tts;
