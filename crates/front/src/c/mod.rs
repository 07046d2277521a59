//! The reader of C: preprocessing, parsing, type checking and linking, down to the typed form that normalisation takes.

mod check;
pub mod hir;
pub mod layout;
mod lex;
mod parse;
mod report;
pub mod types;
