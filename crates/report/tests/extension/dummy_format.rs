//! An output format: the number of threads that an error takes, and no more.

use report::{Document, Format, Layout, PropertyList, Shows, Text};
use verify::{Outcome, Report};

/// The row of the format.
pub const ROW: Format = Format {
    name: "dummy",
    about: "A number",
    extensions: &["dummy"],
    shows: &[Shows::Answer(answer), Shows::Properties(list), Shows::Trace(trace)],
};

fn answer(report: &Report, _: &Layout) -> Document {
    Text::line(match report.outcome() {
        Some(Outcome::Unsafe { threads, .. }) => format!("dummy: {threads}"),
        _ => "dummy".to_string(),
    })
    .into()
}

fn list(list: &PropertyList<'_>) -> Document {
    list.properties.iter().map(|it| it.class.word()).collect::<Text>().into()
}

fn trace(report: &Report) -> Option<Document> {
    let Outcome::Unsafe { trace, .. } = report.outcome()? else { return None };
    Some(Document::Data(format!("{}", trace.len())))
}
