//! What the command line has for C programs alone: their arguments, the options of C compilers, and the files
//! of a program in a project.

mod arguments;
mod command_line;
pub mod database;
mod flags;
mod predicates;
mod project;

pub use arguments::{AnalysisArgument, CArguments, ProjectArguments};
pub use command_line::of_process;
pub use predicates::PredicateArguments;
pub use project::{NoProject, Project, find as find_project};
