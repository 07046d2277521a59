//! What the command line has for C programs alone: their arguments.

mod arguments;
mod predicates;

pub use arguments::{AnalysisArgument, CArguments, of_process};
pub use predicates::PredicateArguments;
