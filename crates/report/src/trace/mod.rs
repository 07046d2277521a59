//! Evidence in files: traces as text or JSON, and certificates. Traces as JSON are read back.

pub(crate) mod c_story;
pub(crate) mod json;
pub(crate) mod json_c;
mod json_net;
mod json_program;
mod json_program_read;
mod json_states;
mod read_c;
pub(crate) mod states;
pub(crate) mod story;
pub(crate) mod text;

pub use json::{read, read_c as read_c_unchecked};
pub use read_c::{TraceFile, read_c};

use crate::document::{Document, Text};
use crate::verdict;
use ir::Model;
use story::Story;
use verify::{Outcome, Report, Run};

/// How wide a page in a file is.
pub const PAGE: usize = 100;

/// The story of an unsafe report.
pub(crate) fn story(report: &Report) -> Option<Story> {
    let Outcome::Unsafe { trace, run, .. } = report.outcome()? else { return None };
    match (report.source.as_ref()?.model(), trace, run) {
        (Model::C(model), ir::Trace::C(trace), Run::C(states)) => {
            Some(c_story::tell(&report.sources, &model, trace, states))
        }
        (model, trace, run) => Some(story::tell(&report.sources, &model, trace, run)),
    }
}

/// What holds at the start of a story.
pub(crate) fn start_line(story: &Story) -> String {
    if let Some(opening) = &story.opening {
        return opening.clone();
    }
    match (story.start.is_empty(), story.threads.is_empty()) {
        (true, true) => "start: no token anywhere".to_string(),
        (true, false) => "start: every variable is 0".to_string(),
        (false, true) => format!("start: {}", story.start.join(", ")),
        (false, false) => format!("start: {} (every other variable is 0)", story.start.join(", ")),
    }
}

/// The trace file of an unsafe report as text, with its verdict.
pub(crate) fn text_file(report: &Report) -> Option<Document> {
    let mut text: Text = text::write(&story(report)?, PAGE, None);
    text.push("");
    text.push(verdict::line(report)?);
    Some(text.into())
}

/// The trace file of an unsafe report as JSON.
pub(crate) fn json_file(report: &Report) -> Option<Document> {
    json::TraceJson::of_report(report).map(|trace| Document::Data(trace.write()))
}

/// The certificate file of a safe report.
pub(crate) fn certificate(report: &Report) -> Option<Document> {
    let certificate = report.outcome()?.proof()?.certificate()?;
    let model = report.source.as_ref()?.model();
    Some(Document::Data(ir::certificate::text::write(certificate, &model)))
}
