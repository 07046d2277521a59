//! What is shown of a question and its answer: text, JSON, HTML pages, replay programs and diagnostics, and
//! traces as JSON read back. Every output format is a row of [`FORMATS`]. This crate makes documents; its
//! users write them, and decide where they go.

mod answer;
pub mod batch;
pub mod confirmation;
pub mod diagnostics;
mod document;
mod escape;
mod formats;
mod json;
mod noun;
mod page;
pub mod progress;
mod properties;
mod replay;
mod sarif;
pub mod stats;
pub mod trace;
pub mod verdict;
pub mod witness;

pub use answer::Layout;
pub use document::{Document, Line, Paint, Style, Text};
pub use formats::{FORMATS, Format, Formats, PropertyList, Shows};
pub use json::contradiction;
pub use page::Invocation;
pub use sarif::{Sarif, SarifOptions};

/// The code of the page on first properties and formats is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/first-property.md")]
pub struct FirstProperty;
