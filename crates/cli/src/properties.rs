//! What there was to check: the list of properties and the answers about each.

use crate::args::{Check, Format};
use crate::terminal::{Screen, harmless};
use crate::verdict::{self, SAFE};
use crate::{diagnostics, work, worker};
use base::budget::StopHandle;
use base::{Budget, Event, Events, SourceMap, Span};
use ir::property::properties;
use ir::{Class, Model, Property};
use serde::Serialize;
use verify::{Answer, Input, Origin, Report, RunContext, Source};

/// Prints the properties of the files; the exit code.
pub fn list(arguments: &Check, stop: &StopHandle, screen: &mut Screen) -> Result<u8, String> {
    let mut worst = SAFE;
    for file in worker::own_files(&arguments.files) {
        let (origin, options) = (Origin::from_argument(file), arguments.reading.options());
        let format = arguments.format;
        let job = move |mut context: RunContext<Event>| {
            context.emit(Event::Progress(format!("reads {}", origin.name())));
            let input = verify::read_within(&origin, &options, &Budget::new(u64::MAX, context.stop.clone()))?;
            let text = match format {
                Format::Text => in_text(&input),
                Format::Json => in_json(&origin.name(), &input),
            };
            Ok((input, text))
        };
        let code = match work::made(&arguments.limits.limits(stop), screen, work::refused, job) {
            Ok((input, text)) => {
                diagnostics::tell(&input.sources, &input.warnings);
                work::print(&text)?;
                SAFE
            }
            Err(code) => code?,
        };
        worst = verdict::worse(worst, code);
    }
    Ok(worst)
}

fn in_text(input: &Input) -> String {
    let all = properties(&input.source.model());
    let each = all.iter().map(|it| format!("{}\n", harmless(&described(&input.sources, it))));
    each.chain([format!("{}\n", counted_properties(all.len()))]).collect()
}

/// `FILE:LINE:COLUMN: assertion assert(x)`.
fn described(sources: &SourceMap, property: &Property) -> String {
    let place = property.span.map(|span| format!("{}: ", sources.describe(span)));
    format!("{}{} {}", place.unwrap_or_default(), property.class.word(), text(sources, property))
}

/// What it says: its own words, or the first line of those of the source.
fn text(sources: &SourceMap, property: &Property) -> String {
    let written = |span: Span| sources.snippet(span).lines().next().unwrap_or_default().trim().to_string();
    match property.span {
        Some(span) if property.text.is_empty() => written(span),
        _ => property.text.clone(),
    }
}

/// A property in JSON.
#[derive(Serialize)]
pub struct PropertyJson {
    kind: &'static str,
    location: Option<String>,
    text: String,
}

/// A property in JSON.
pub fn json(sources: &SourceMap, property: &Property) -> PropertyJson {
    PropertyJson {
        kind: property.class.word(),
        location: property.span.map(|span| sources.describe(span)),
        text: text(sources, property),
    }
}

#[derive(Serialize)]
struct List<'a> {
    schema: &'static str,
    file: &'a str,
    properties: Vec<PropertyJson>,
}

fn in_json(file: &str, input: &Input) -> String {
    let all = properties(&input.source.model());
    let properties = all.iter().map(|it| json(&input.sources, it)).collect();
    let list = List { schema: "selvedge-properties/1", file, properties };
    let mut line = serde_json::to_string(&list).expect("plain data can always be written");
    line.push('\n');
    line
}

/// A number of properties in words.
pub fn counted_properties(n: usize) -> String {
    match n {
        1 => "1 property".to_string(),
        n => format!("{n} properties"),
    }
}

/// One line for each property that was asked about alone.
pub fn lines(report: &Report) -> String {
    let one = |(property, answer): (&Property, &Answer)| {
        let line = format!("{}: {}", described(&report.sources, property), verdict::of(report, answer));
        format!("{}\n", harmless(&line))
    };
    report.properties.iter().zip(&report.each).map(one).collect()
}

/// What a verdict line says where the proof is about nothing.
pub fn remark_on_nothing(report: &Report) -> Option<&'static str> {
    let assertions = report.properties.iter().filter(|it| it.class == Class::Assertion).count();
    // Behind what cannot be translated there may be an assertion.
    let hides = |source: &&Source| matches!(source.model(), Model::C(model) if !model.refused.is_empty());
    if report.properties.is_empty() {
        return report.source.as_ref().filter(|it| !hides(it)).map(|_| "there was nothing to check");
    }
    let all = assertions == report.properties.len() && report.vacuity.unreached.len() == assertions;
    all.then_some("no run reaches an assertion")
}
