//! What is shown of a question and its answer: text, JSON, HTML pages, replay programs and diagnostics, and
//! traces as JSON read back. Every output format is a row of [`FORMATS`]. This crate makes documents; its
//! users write them, and decide where they go.

mod answer;
pub mod batch;
pub mod confirmation;
pub mod diagnostics;
mod document;
mod formats;
mod json;
mod noun;
pub mod progress;
mod properties;
mod replay;
pub mod stats;
pub mod trace;
pub mod verdict;

pub use answer::Layout;
pub use document::{Document, Line, Paint, Style, Text};
pub use formats::{FORMATS, Format, Formats, PropertyList, Shows};
pub use json::contradiction;

/// The code of the page on first properties and formats is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/first-property.md")]
pub struct FirstProperty;
