//! Has evidence about a C program checked: a trace is replayed on the reference semantics, a proof is given to its checker.

use crate::confirm::{Request, not_evidence};
use crate::trace::json;
use crate::trace::json_c::Run;
use base::budget::StopHandle;
use base::{Diagnostic, SourceMap};
use verify::{CProgram, Confirmation};

/// Checks evidence; the diagnostic says why it is none that can be checked.
pub fn confirmed(
    evidence: &mut SourceMap,
    sources: &SourceMap,
    source: &CProgram,
    request: &Request,
    stop: &StopHandle,
) -> Result<Confirmation, Diagnostic> {
    let file = verify::load(evidence, &request.evidence)?;
    let text = evidence.file(file).text();
    if !text.trim_start().starts_with('{') {
        if !text.starts_with(verify::c::CERTIFICATE_HEADER) {
            return Err(not_evidence(&request.evidence.name(), text, "its first line is another"));
        }
        let confirmation = verify::c::confirm(source, sources, text, stop);
        return Ok(match (confirmation, request.threads) {
            (Confirmation::Certificate(proved), Some(threads)) if !proved.threads.covers(threads) => {
                Confirmation::Rejected(format!("the certificate proves safety for {proved} only"))
            }
            (confirmation, _) => confirmation,
        });
    }
    let (run, bound) = json::read_c(evidence, file)?;
    let source = run.subject(source);
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
