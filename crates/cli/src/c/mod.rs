//! What the command line has for C programs alone: their arguments and the confirmation of their traces.

mod arguments;
mod confirm;
mod predicates;
mod replay;

pub use arguments::{CArguments, WayArgument, of_process};
pub use confirm::confirmed;
pub use predicates::PredicateArguments;

use crate::verdict;
use verify::{Outcome, Report, Source};

/// The failing run of a report as a program, if there is one, or why it cannot be one.
pub fn replay(report: &Report) -> Result<Option<String>, String> {
    match (&report.source, report.outcome()) {
        (Some(Source::C(source)), Some(Outcome::Unsafe { trace: ir::Trace::C(trace), .. })) => {
            let verdict = verdict::line(report).unwrap_or_default();
            let program = replay::write(&report.sources, source, trace, &verdict);
            program.map(Some).map_err(|why| format!("--replay: {why}"))
        }
        (Some(Source::C(_)) | None, _) => Ok(None),
        _ => Err("--replay: only C programs can be run again".to_string()),
    }
}
