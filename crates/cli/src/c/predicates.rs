//! The predicates that a user names, on the command line and in files.

use clap::Args;
use std::path::PathBuf;
use verify::c::Condition;

/// Predicates of the abstract way and of `abstract`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Predicates")]
pub struct PredicateArguments {
    /// A predicate to begin with: a C condition over shared variables and those of one thread, such as `count > before` or `worker::k < limit` (repeatable) [default: from the program]
    #[arg(long, value_name = "E")]
    predicate: Vec<String>,

    /// A file with predicates, one a line; `//` and `#` begin comments
    #[arg(long, value_name = "FILE")]
    predicates: Option<PathBuf>,
}

impl PredicateArguments {
    /// All of them, with where they stand; or why the file cannot be read.
    pub fn conditions(&self) -> Result<Vec<Condition>, String> {
        let named =
            self.predicate.iter().map(|text| Condition { text: text.clone(), place: "--predicate".into() });
        let mut conditions: Vec<Condition> = named.collect();
        let Some(path) = &self.predicates else { return Ok(conditions) };
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("`{}`: {}", path.display(), verify::plain(&error)))?;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with("//") && !line.starts_with('#') {
                let place = format!("{}:{}", path.display(), number + 1);
                conditions.push(Condition { text: line.into(), place });
            }
        }
        Ok(conditions)
    }
}
