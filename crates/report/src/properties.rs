//! What there was to check: the list of properties and the answers about each.

use crate::document::{Document, Text};
use crate::formats::PropertyList;
use crate::verdict;
use base::{SourceMap, Span};
use ir::property::{RACE, Site};
use ir::{Class, Model, Property};
use serde::Serialize;
use std::sync::Arc;
use verify::predicates::AccessPair;
use verify::{Answer, Report, Source};

/// The list as text: one line for each, then how many.
pub fn list_text(list: &PropertyList<'_>) -> Document {
    let sources = &list.input.sources;
    let mut lines: Vec<String> = stated(list).map(|it| described(sources, it)).collect();
    lines.extend(list.pairs.into_iter().flatten().map(|it| described_pair(sources, it)));
    let count = counted_properties(lines.len());
    lines.into_iter().chain([count]).collect::<Text>().into()
}

/// The properties that are listed as they are: where the pairs of accesses are known, they stand for that of
/// races.
fn stated<'a>(list: &PropertyList<'a>) -> impl Iterator<Item = &'a Property> {
    let known = list.pairs.is_some();
    list.properties.iter().filter(move |it| !(known && it.site == Site::Race))
}

/// `FILE:LINE:COLUMN: race with FILE:LINE:COLUMN on x`.
fn described_pair(sources: &SourceMap, pair: &AccessPair) -> String {
    let [one, other] = locations(sources, pair);
    format!("{one}: {} with {other} on {}", RACE.word(), pair.object)
}

/// Where the accesses of a pair are.
fn locations(sources: &SourceMap, pair: &AccessPair) -> [String; 2] {
    pair.spans.map(|span| span.map_or_else(|| "somewhere".to_string(), |it| sources.describe(it)))
}

/// `FILE:LINE:COLUMN: assertion assert(x)`.
fn described(sources: &SourceMap, property: &Property) -> String {
    let place = property.span.map(|span| format!("{}: ", sources.describe(span)));
    format!("{}{} {}", place.unwrap_or_default(), property.class.word(), text(sources, property))
}

/// What it says: its own words, or the first line of those of the source.
pub fn text(sources: &SourceMap, property: &Property) -> String {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    locations: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
}

/// A property in JSON.
pub fn json(sources: &SourceMap, property: &Property) -> PropertyJson {
    PropertyJson {
        kind: property.class.word(),
        location: property.span.map(|span| sources.describe(span)),
        text: text(sources, property),
        locations: None,
        object: None,
    }
}

fn pair_json(sources: &SourceMap, pair: &AccessPair) -> PropertyJson {
    let locations = locations(sources, pair);
    PropertyJson {
        kind: RACE.word(),
        location: Some(locations[0].clone()),
        text: format!("no data race on {}", pair.object),
        locations: Some(locations),
        object: Some(pair.object.clone()),
    }
}

#[derive(Serialize)]
struct ListJson<'a> {
    schema: &'static str,
    file: &'a str,
    properties: Vec<PropertyJson>,
}

/// The list as one JSON object on one line.
pub fn list_json(list: &PropertyList<'_>) -> Document {
    let sources = &list.input.sources;
    let mut properties: Vec<PropertyJson> = stated(list).map(|it| json(sources, it)).collect();
    properties.extend(list.pairs.into_iter().flatten().map(|it| pair_json(sources, it)));
    let list = ListJson { schema: "selvedge-properties/1", file: list.file, properties };
    let mut line = serde_json::to_string(&list).expect("plain data can always be written");
    line.push('\n');
    Document::Data(line)
}

/// A number of properties in words.
pub fn counted_properties(n: usize) -> String {
    match n {
        1 => "1 property".to_string(),
        n => format!("{n} properties"),
    }
}

/// One line for each property that was asked about alone.
pub fn lines(report: &Report) -> Text {
    let one = |(property, answer): (&Property, &Answer)| {
        format!("{}: {}", described(&report.sources, property), verdict::of(report, answer))
    };
    report.properties.iter().zip(&report.each).map(one).collect()
}

/// What a verdict line says where the proof is about nothing.
pub fn remark_on_nothing(report: &Report) -> Option<&'static str> {
    let assertions = report.properties.iter().filter(|it| it.class == Class::ASSERTION).count();
    // Behind what cannot be translated there may be an assertion.
    let hides = |source: &&Source| matches!(source.model(), Model::C(model) if !model.refused.is_empty());
    if report.properties.is_empty() {
        return report.source.as_ref().filter(|it| !hides(it)).map(|_| "there was nothing to check");
    }
    let all = assertions == report.properties.len() && report.vacuity.unreached.len() == assertions;
    all.then_some("no run reaches an assertion")
}

/// The program, where nothing but races was asked about.
pub fn model_of_races(report: &Report) -> Option<Arc<ir::c::Model>> {
    let [Property { site: Site::Race, .. }] = &report.properties[..] else { return None };
    match report.source.as_ref()?.model() {
        Model::C(model) => Some(model),
        _ => None,
    }
}
