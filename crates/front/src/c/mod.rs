//! The reader of C: preprocessing, parsing, type checking and linking, down to the typed form that normalisation takes.

pub mod hir;
pub mod types;
