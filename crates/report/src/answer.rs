//! The answer as text: the trace, a line for each property that was asked about alone, and the verdict.

use crate::document::{Document, Text};
use crate::trace;
use crate::{properties, verdict};
use verify::Report;

/// The longest trace that is printed whole before the verdict.
const ROWS: usize = 200;

/// What of an answer is shown, and how wide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The width of the page.
    pub width: usize,
    /// Whether the trace is shown before the verdict.
    pub trace: bool,
    /// Whether the verdict names its file.
    pub names_file: bool,
    /// Whether the verdict counts the properties.
    pub counts: bool,
}

/// The answer as text.
pub fn text(report: &Report, layout: &Layout) -> Document {
    let mut text = Text::default();
    if let Some(story) = trace::story(report).filter(|_| layout.trace) {
        text.append(trace::text::write(&story, layout.width, Some(ROWS)));
        text.push("");
    }
    text.append(properties::lines(report));
    if let Some(answer) = &report.answer {
        let name = if layout.names_file { format!("{}: ", report.name) } else { String::new() };
        let line = match layout.counts {
            true => verdict::with_count(report, answer),
            false => verdict::of(report, answer),
        };
        text.push(format!("{name}{line}"));
    }
    text.into()
}
