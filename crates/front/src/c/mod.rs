//! The reader of C: preprocessing, parsing, type checking and linking, down to the typed form that normalisation takes.

pub mod hir;
pub mod layout;
mod library;
pub mod normalise;
pub mod types;

pub use normalise::{Options, Problem, Refused, Translation, translate};
