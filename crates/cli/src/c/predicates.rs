//! The predicates that a user names, on the command line and in files.

use base::Event;
use clap::Args;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use verify::c::Condition;
use verify::{Ended, Limits, RunContext};

/// The most bytes that a file of predicates may have.
const LONGEST: u64 = 64 << 20;

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
    /// The file, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.predicates.as_deref()
    }

    /// All of them, with where they stand; or why the file cannot be read.
    pub fn conditions(&self, limits: &Limits) -> Result<Vec<Condition>, String> {
        let named =
            self.predicate.iter().map(|text| Condition { text: text.clone(), place: "--predicate".into() });
        let mut conditions: Vec<Condition> = named.collect();
        let Some(path) = &self.predicates else { return Ok(conditions) };
        let text = read(path, limits).map_err(|why| format!("`{}`: {why}", path.display()))?;
        // Some editors begin a file with a mark of its encoding.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
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

/// The text of a file, under limits: it may be a pipe that nobody writes to, or a device without an end.
fn read(path: &Path, limits: &Limits) -> Result<String, String> {
    let file = path.to_path_buf();
    let job = move |_: RunContext<Event>| {
        let mut text = String::new();
        File::open(file)?.take(LONGEST + 1).read_to_string(&mut text).map(|_| text)
    };
    match verify::supervise(limits, &mut |_| {}, job) {
        Ended::Done(Ok(text)) if text.len() as u64 > LONGEST => Err("it has more than 64 MB".into()),
        Ended::Done(Ok(text)) => Ok(text),
        Ended::Done(Err(error)) => Err(verify::plain(&error)),
        Ended::Abandoned(stop) => Err(format!("it was not read, {}", limits.reason(stop).message)),
        Ended::Panicked(message) => Err(message),
    }
}
