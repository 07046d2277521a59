//! Has the trace of a C program replayed on the reference semantics.

use crate::confirm::Request;
use crate::trace::json;
use crate::trace::json_c::Run;
use base::{Diagnostic, SourceMap};
use verify::{CProgram, Confirmation};

/// Replays a trace; the diagnostic says why the evidence is none that can be replayed.
pub fn confirmed(
    evidence: &mut SourceMap,
    sources: &SourceMap,
    source: &CProgram,
    request: &Request,
) -> Result<Confirmation, Diagnostic> {
    let file = verify::load(evidence, &request.evidence)?;
    if !evidence.file(file).text().trim_start().starts_with('{') {
        let message = format!("`{}` is no trace: a C program has no other evidence", request.evidence.name());
        return Err(Diagnostic::error("E0910", None, message)
            .help("a trace is written by `selvedge check --trace FILE.json`"));
    }
    let (run, bound) = json::read_c(evidence, file)?;
    let threads = request.threads.map_or(bound, |requested| requested.limit());
    let wrong = |message: String| Diagnostic::error("E0911", None, message);
    let trace = match run.about(source, threads).map_err(wrong)? {
        Ok(trace) => trace,
        Err(why) => return Ok(Confirmation::Rejected(why)),
    };
    if let Some(step) = run.differs(&Run::new(sources, source, &trace)) {
        return Ok(Confirmation::Rejected(format!("step {}: the values are others", step + 1)));
    }
    Ok(match verify::c::replay(source, &trace) {
        Ok(threads) => Confirmation::Trace { threads, steps: trace.len() },
        Err(why) => Confirmation::Rejected(why),
    })
}
