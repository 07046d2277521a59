//! A trace of a C program from a file: the steps that it names, run again, and the values that it says
//! compared with theirs.

use super::json;
use super::json_c::CRun;
use base::{Diagnostic, FileId, SourceMap};
use ir::c::Model;
use ir::{Bound, Scope, Task, Trace};
use std::sync::Arc;
use verify::Rejected;

/// A file with a trace, and what it is about.
pub struct TraceFile<'a> {
    /// The texts of the evidence.
    pub evidence: &'a SourceMap,
    /// The trace's.
    pub file: FileId,
    /// The texts of the program.
    pub sources: &'a SourceMap,
}

/// The trace, with the bound under which it was found, or why it is not one of the program; the diagnostic
/// says why it is no trace at all.
pub fn read_c(
    from: &TraceFile<'_>,
    model: &Arc<Model>,
    requested: Option<Bound>,
) -> Result<Result<(Trace, Bound), Rejected>, Diagnostic> {
    let (run, bound) = json::read_c(from.evidence, from.file)?;
    let subject = run.subject(model);
    let threads = requested.map_or(bound, Bound::limit);
    let wrong = |message: String| Diagnostic::error("E0911", None, message);
    let trace = match run.about(subject, threads).map_err(wrong)? {
        Ok(trace) => trace,
        Err(why) => return Ok(Err(Rejected::new(why))),
    };
    let scope = Scope { threads: threads.map_or(Bound::Any, Bound::AtMost) };
    let task = Task::new(ir::Model::C(Arc::clone(subject)), scope);
    let states = match verify::replay(&task, &Trace::C(trace.clone())) {
        Ok(verify::Run::C(states)) => states,
        Ok(_) => vec![],
        Err(why) => return Ok(Err(why)),
    };
    if let Some(step) = run.differs(&CRun::new(from.sources, subject, &trace, &states)) {
        return Ok(Err(Rejected::new(format!("step {}: the values are others", step + 1))));
    }
    Ok(Ok((Trace::C(trace), scope.threads)))
}
