//! What the command line has for C programs alone: their arguments and the confirmation of their traces.

mod arguments;
mod confirm;
mod predicates;
mod replay;

pub use arguments::{CArguments, WayArgument, of_process};
pub use confirm::{TraceFile, trace};
pub use predicates::PredicateArguments;

use crate::verdict;
use ir::Model;
use verify::{Outcome, Report, Run, Source};

/// The failing run of a report as a program, if there is one, or why it cannot be one.
pub fn replay(report: &Report) -> Result<Option<String>, String> {
    match (report.source.as_ref().map(Source::model), report.outcome()) {
        (
            Some(Model::C(model)),
            Some(Outcome::Unsafe { trace: ir::Trace::C(trace), run: Run::C(states), .. }),
        ) => {
            let verdict = verdict::line(report).unwrap_or_default();
            let program =
                replay::write(&report.sources, &model, &replay::Failing { trace, states }, &verdict);
            program.map(Some).map_err(|why| format!("--replay: {why}"))
        }
        (Some(Model::C(_)) | None, _) => Ok(None),
        _ => Err("--replay: only C programs can be run again".to_string()),
    }
}
