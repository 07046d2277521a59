//! What there was to check: the list of properties, the answers about each, and what is said where there was nothing to check, or where
//! an assertion holds because no run reaches it.

use crate::args::{Check, Format};
use crate::terminal::{Screen, harmless};
use crate::verdict::{self, SAFE, counted};
use crate::{diagnostics, work, worker};
use base::budget::StopHandle;
use base::{Budget, Diagnostic, Event, Events, SourceMap, Span};
use serde::Serialize;
use verify::{
    Answer, Input, ListedProperty, Origin, Outcome, PropertyKind, Report, RunContext, Source, error_labels,
};

/// The most assertions that are warned of one by one.
const MOST: usize = 20;

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
    let all = verify::properties(&input.source);
    let each = all.iter().map(|it| format!("{}\n", harmless(&described(&input.sources, it))));
    each.chain([format!("{}\n", counted_properties(all.len()))]).collect()
}

/// `FILE:LINE:COLUMN: assertion assert(x)`.
fn described(sources: &SourceMap, property: &ListedProperty) -> String {
    let place = property.span.map(|span| format!("{}: ", sources.describe(span)));
    format!("{}{} {}", place.unwrap_or_default(), property.kind.word(), text(sources, property))
}

/// What it says: its own words, or the first line of those of the source.
fn text(sources: &SourceMap, property: &ListedProperty) -> String {
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
pub fn json(sources: &SourceMap, property: &ListedProperty) -> PropertyJson {
    PropertyJson {
        kind: property.kind.word(),
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
    let all = verify::properties(&input.source);
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
    let one = |(property, answer): (&ListedProperty, &Answer)| {
        let line = format!("{}: {}", described(&report.sources, property), verdict::of(report, answer));
        format!("{}\n", harmless(&line))
    };
    report.properties.iter().zip(&report.each).map(one).collect()
}

/// The answer about all, given those about each: one that fails fails the whole, and if all hold the whole does, as far as the weakest.
pub fn together(report: &mut Report) {
    let open = |answer: &Answer| matches!(answer.outcome, Outcome::Unknown(_));
    if !report.answer.as_ref().is_some_and(open) {
        return;
    }
    let fails = report.each.iter().find(|it| matches!(it.outcome, Outcome::Unsafe { .. }));
    let weakest = || report.each.iter().find(|it| it.outcome.is_unchecked()).or(report.each.first());
    let found = match fails {
        Some(answer) => Some(answer),
        None if report.each.iter().any(open) => None,
        None => weakest(),
    };
    report.answer = found.or(report.answer.as_ref()).cloned();
}

/// What a verdict line says where the proof is about nothing.
pub fn remark_on_nothing(report: &Report) -> Option<&'static str> {
    let assertions = report.properties.iter().filter(|it| it.kind == PropertyKind::Assertion).count();
    // Behind what cannot be translated there may be an assertion.
    let hides = |source: &&Source| matches!(source, Source::C(source) if !source.refused.is_empty());
    if report.properties.is_empty() {
        return report.source.as_ref().filter(|it| !hides(it)).map(|_| "there was nothing to check");
    }
    let all = assertions == report.properties.len() && report.vacuity.unreached.len() == assertions;
    all.then_some("no run reaches an assertion")
}

/// The findings about what there was to check.
pub fn warnings(report: &Report) -> Vec<Diagnostic> {
    let mut found = vec![];
    // The reader of C says it itself.
    if report.properties.is_empty() && !matches!(report.source, Some(Source::C(_)) | None) {
        let message = "there is nothing to check: no assertion, no error label, no target";
        let help = "an error label is named with --error-label; `SLIC_ERROR` always is one";
        found.push(Diagnostic::warning("W0801", None, message).help(help));
    }
    found.extend(unnamed_labels(report));
    let unreached = &report.vacuity.unreached;
    for &index in unreached.iter().take(MOST) {
        let message = "no run reaches this assertion: it holds whatever it says";
        found.push(Diagnostic::warning("W0803", report.properties[index].span, message));
    }
    if unreached.len() > MOST {
        let message = format!("{} more assertions are reached by no run", unreached.len() - MOST);
        found.push(Diagnostic::warning("W0803", None, message));
    }
    let unknown = report.vacuity.unknown.len();
    if unknown > 0 {
        let all = counted_properties(report.properties.len());
        let message =
            format!("it is not known whether a run reaches {}, of {all}", counted(unknown, "assertion"));
        let place = (unknown == 1).then(|| report.properties[report.vacuity.unknown[0]].span).flatten();
        found.push(Diagnostic::warning("W0804", place, message));
    }
    found
}

/// A label that looks like one of an error, and that nobody has named. The reader of C says it itself.
fn unnamed_labels(report: &Report) -> Option<Diagnostic> {
    let Some(Source::Program(program)) = &report.source else { return None };
    let plain = program.locations().iter().filter(|it| !it.error);
    let looks = |label: &&String| error_labels::looks_like_error(label);
    let mut labels = plain.filter_map(|it| Some((it.labels.iter().find(looks)?, it.span)));
    let (label, span) = labels.next()?;
    Some(error_labels::unnamed(label, span))
}
