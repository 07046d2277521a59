//! Evidence in files: traces as text, JSON or a page, and certificates.

mod c_story;
pub mod html;
pub mod json;
pub mod json_c;
mod json_net;
mod json_program;
mod json_program_read;
pub mod story;
pub mod text;

use crate::terminal::PAGE;
use crate::verdict;
use ir::Model;
use std::path::Path;
use story::Story;
use verify::{Outcome, Report, Run};

/// The form of a trace file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// For people.
    Text,
    /// For `confirm` and other tools.
    Json,
    /// For a browser.
    Html,
}

impl Form {
    /// The form that an extension asks for; a name without one gets text.
    pub fn of(path: &Path) -> Result<Form, String> {
        match path.extension().and_then(|it| it.to_str()) {
            None if path.extension().is_none() => Ok(Form::Text),
            Some("txt") => Ok(Form::Text),
            Some("json") => Ok(Form::Json),
            Some("html" | "htm") => Ok(Form::Html),
            _ => Err(format!("--trace {}: the name must end in .txt, .json or .html", path.display())),
        }
    }
}

/// The story of an unsafe report.
pub fn story(report: &Report) -> Option<Story> {
    let Outcome::Unsafe { trace, run, .. } = report.outcome()? else { return None };
    match (report.source.as_ref()?.model(), trace, run) {
        (Model::C(model), ir::Trace::C(trace), Run::C(states)) => {
            Some(c_story::tell(&report.sources, &model, trace, states))
        }
        (model, trace, run) => Some(story::tell(&report.sources, &model, trace, run)),
    }
}

/// What holds at the start of a story.
fn start_line(story: &Story) -> String {
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

/// The trace file of an unsafe report.
pub fn write(report: &Report, form: Form) -> Option<String> {
    let story = story(report)?;
    let line = verdict::line(report)?;
    match form {
        Form::Text => Some(format!("{}\n{line}\n", text::write(&story, PAGE, None))),
        Form::Html => Some(html::write(&story, &line)),
        Form::Json => json::Trace::of_report(report).map(|trace| trace.write()),
    }
}

/// The certificate file of a safe report.
pub fn certificate(report: &Report) -> Option<String> {
    let certificate = report.outcome()?.proof()?.certificate()?;
    Some(ir::certificate::text::write(certificate, &report.source.as_ref()?.model()))
}
