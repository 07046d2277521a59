//! The predicates that a user names, on the command line and in files.

use base::Stop;
use clap::Args;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use verify::{Condition, Limits};

/// The most bytes that a file of predicates may have.
const LONGEST: u64 = 64 << 20;

/// The heading of their options.
const PREDICATES: &str = "Predicates";

/// Predicates of the analysis `abstract` and of the command `abstract`.
#[derive(Args, Debug)]
pub struct PredicateArguments {
    /// A predicate to begin with: a C condition over shared variables and those of one thread, such as `count
    /// > before` or `worker::k < limit` (repeatable) [default: from the program]
    #[arg(long, value_name = "E", help_heading = PREDICATES)]
    predicate: Vec<String>,

    /// A file with predicates, one a line; `//` and `#` begin comments
    #[arg(long, value_name = "FILE", help_heading = PREDICATES)]
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

/// So often it is looked whether reading was stopped.
const MOMENT: Duration = Duration::from_millis(10);

/// The text of a file, under limits: it may be a pipe that nobody writes to, or a device without an end.
fn read(path: &Path, limits: &Limits) -> Result<String, String> {
    let (file, begun) = (path.to_path_buf(), Instant::now());
    let (sender, read) = channel();
    let job = move || {
        let mut text = String::new();
        let result = File::open(file).and_then(|it| it.take(LONGEST + 1).read_to_string(&mut text));
        // Nobody listens any more if the time is over.
        let _ = sender.send(result.map(|_| text));
    };
    std::thread::Builder::new().spawn(job).map_err(|error| verify::plain(&error))?;
    loop {
        let late = limits.is_soon_late(begun.elapsed(), 0).then_some(Stop::Time);
        match (read.recv_timeout(MOMENT), limits.stop.reason().or(late)) {
            (Ok(Ok(text)), _) if text.len() as u64 > LONGEST => return Err("it has more than 64 MB".into()),
            (Ok(Ok(text)), _) => return Ok(text),
            (Ok(Err(error)), _) => return Err(verify::plain(&error)),
            (Err(_), Some(stop)) => return Err(format!("it was not read, {}", limits.reason(stop).message)),
            (Err(RecvTimeoutError::Timeout), None) => {}
            (Err(RecvTimeoutError::Disconnected), None) => return Err("reading it failed".into()),
        }
    }
}
