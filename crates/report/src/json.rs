//! The answer as JSON, `selvedge-result/1`. The inner types know nothing of JSON: these mirror them.

use crate::answer::Layout;
use crate::document::Document;
use crate::properties::{self, PropertyJson};
use crate::trace::json::TraceJson;
use crate::{verdict, witness};
use base::{Severity, SourceMap};
use ir::Bound;
use ir::c::Sought;
use ir::certificate::Body;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use verify::predicates::Separated;
use verify::{Answer, Best, Outcome, Proof, Report, Source};

#[derive(Serialize)]
struct ResultJson<'a> {
    schema: &'static str,
    file: &'a str,
    verdict: Option<&'static str>,
    scope: ScopeJson,
    engine: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    #[serde(rename = "asked", skip_serializing_if = "Vec::is_empty")]
    property_set: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    way: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assumptions: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    predicates: Option<Vec<PredicateJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refinements: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    discharged: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<RefusedJson>,
    evidence: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checker: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_unchecked: Option<&'a str>,
    threads_needed: Option<u32>,
    steps: Option<usize>,
    property: Option<ViolatedJson>,
    properties: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreached: Vec<PropertyJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reach_unknown: Vec<PropertyJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    each: Vec<EachJson<'a>>,
    reason: Option<ReasonJson>,
    best: Option<BestJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<&'static str>,
    trace: Option<TraceJson>,
    time_seconds: f64,
    peak_memory_bytes: Option<u64>,
    stats: BTreeMap<&'static str, BTreeMap<&'static str, u64>>,
    warnings: Vec<DiagnosticJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<DiagnosticJson<'a>>,
}

/// The answer about one property.
#[derive(Serialize)]
struct EachJson<'a> {
    #[serde(flatten)]
    property: PropertyJson,
    verdict: &'static str,
    engine: Option<&'static str>,
    evidence: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_unchecked: Option<&'a str>,
    threads_needed: Option<u32>,
    steps: Option<usize>,
    reason: Option<ReasonJson>,
}

/// Something of a C program that cannot be translated; it counts only if a run reaches it.
#[derive(Serialize)]
struct RefusedJson {
    construct: String,
    location: Option<String>,
}

/// A predicate that a C program was proved with.
#[derive(Serialize)]
struct PredicateJson {
    text: String,
    class: &'static str,
}

#[derive(Serialize)]
struct ScopeJson {
    threads: ThreadsJson,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ThreadsJson {
    AtMost(u32),
    Any(&'static str),
}

#[derive(Serialize)]
struct ViolatedJson {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sub: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sv_comp: Option<String>,
    location: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    modes: Vec<&'static str>,
}

impl ViolatedJson {
    fn new(violated: verdict::Violated) -> ViolatedJson {
        let verdict::Violated { kind, location, race, sub, sv_comp, .. } = violated;
        let (object, (locations, modes)) = match race {
            Some(race) => (Some(race.object), (race.locations, race.modes)),
            None => (None, (vec![], vec![])),
        };
        ViolatedJson { kind, sub, sv_comp, location, locations, object, modes }
    }
}

#[derive(Serialize)]
struct ReasonJson {
    kind: &'static str,
    message: String,
}

#[derive(Serialize)]
struct BestJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    safe_up_to_threads: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    safe_up_to_rounds: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    width_reached: Option<u32>,
}

#[derive(Serialize)]
struct DiagnosticJson<'a> {
    code: &'static str,
    severity: &'static str,
    location: Option<String>,
    message: &'a str,
    help: Option<&'a str>,
}

/// The answer as one JSON object on one line.
pub fn answer(report: &Report, _: &Layout) -> Document {
    Document::Data(write(report))
}

fn write(report: &Report) -> String {
    let is_c = matches!(report.source.as_ref().map(Source::model), Some(ir::Model::C(_)));
    let result = ResultJson {
        schema: "selvedge-result/1",
        file: &report.name,
        verdict: report.outcome().map(verdict_word),
        scope: scope(report),
        engine: report.answer.as_ref().and_then(|answer| answer.engine),
        language: is_c.then_some("c"),
        property_set: property_set(report),
        way: report.answer.as_ref().and_then(|answer| answer.way),
        assumptions: report
            .answer
            .as_ref()
            .filter(|_| is_c)
            .map(|answer| verdict::assumptions(report, answer, true)),
        predicates: None,
        refinements: None,
        pairs: None,
        discharged: None,
        open: None,
        refused: refused(report),
        evidence: report.outcome().and_then(evidence),
        checker: report
            .outcome()
            .and_then(Outcome::proof)
            .and_then(Proof::checker)
            .map(verify::Checker::word),
        why_unchecked: None,
        threads_needed: None,
        steps: None,
        property: None,
        properties: report.properties.len(),
        unreached: listed(report, &report.vacuity.unreached),
        reach_unknown: listed(report, &report.vacuity.unknown),
        each: each(report),
        reason: None,
        best: None,
        witness: None,
        trace: None,
        time_seconds: (report.time.as_secs_f64() * 1e6).round() / 1e6,
        peak_memory_bytes: report.peak_memory,
        stats: stats(report),
        warnings: warnings(report),
        diagnostics: diagnostics(report),
    };
    let result = match &report.answer {
        Some(answer) => with_answer(result, report, answer),
        None => result,
    };
    let mut line = serde_json::to_string(&result).expect("plain data can always be written");
    line.push('\n');
    line
}

/// Two answers that contradict each other, each as one JSON object on one line.
pub fn contradiction(report: &Report) -> Document {
    let both = report.answer.as_ref().and_then(|it| it.contradiction.as_deref());
    let one =
        |answer: &Answer| write(&Report { answer: Some(answer.clone()), each: vec![], ..report.clone() });
    Document::Data(both.into_iter().flatten().map(one).collect())
}

fn with_answer<'a>(mut result: ResultJson<'a>, report: &'a Report, answer: &'a Answer) -> ResultJson<'a> {
    if let Some(Body::Predicates(by)) = answer.outcome.proof().and_then(Proof::certificate).map(|it| &it.body)
    {
        let model = c_model(report);
        let mirrored = verify::predicates::predicates(by, model.as_deref());
        let mirrored = mirrored.into_iter().map(|it| PredicateJson { text: it.text, class: it.class });
        (result.predicates, result.refinements) = (Some(mirrored.collect()), Some(by.refinements));
    }
    match &answer.outcome {
        Outcome::Unsafe { property, trace, threads, run } => {
            result.threads_needed = Some(*threads);
            result.steps = Some(trace.len());
            let violated = verdict::violated(report, property, trace, run);
            result.property = Some(ViolatedJson::new(violated));
            result.witness = witness::is_coarse(report).then_some("coarse");
            result.trace = TraceJson::of_report(report);
        }
        Outcome::Unknown(reason) => {
            result.reason = Some(ReasonJson {
                kind: reason.kind.word(),
                message: verdict::message(report, answer, reason),
            });
            let Best { threads, rounds, width } = answer.best;
            let best =
                BestJson { safe_up_to_threads: threads, safe_up_to_rounds: rounds, width_reached: width };
            result.best = Some(best).filter(|_| answer.best != Best::default());
        }
        Outcome::Safe { proof, .. } => {
            result.why_unchecked = proof.why_unchecked();
            if let Some(Separated { pairs, .. }) = answer.separated {
                (result.pairs, result.discharged, result.open) = (Some(pairs), Some(pairs), Some(0));
            }
        }
    }
    result
}

fn verdict_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Safe { .. } => "safe",
        Outcome::Unsafe { .. } => "unsafe",
        Outcome::Unknown(_) => "unknown",
    }
}

fn evidence(outcome: &Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Safe { proof, .. } if !proof.is_confirmed() => Some("unchecked"),
        Outcome::Safe { .. } | Outcome::Unsafe { .. } => Some("confirmed"),
        Outcome::Unknown(_) => None,
    }
}

/// What was proved, for `safe`; what was asked, otherwise.
fn scope(report: &Report) -> ScopeJson {
    let scope = match report.outcome() {
        Some(Outcome::Safe { scope, .. }) => *scope,
        _ => report.requested,
    };
    let threads = match scope.threads {
        Bound::Any => ThreadsJson::Any("any"),
        Bound::AtMost(n) => ThreadsJson::AtMost(n),
    };
    ScopeJson { threads }
}

fn stats(report: &Report) -> BTreeMap<&'static str, BTreeMap<&'static str, u64>> {
    let mut stats: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for counter in &report.counters {
        stats.entry(counter.who).or_default().insert(counter.name, counter.value);
    }
    stats
}

/// The C program of a report, if it is about one.
fn c_model(report: &Report) -> Option<Arc<ir::c::Model>> {
    match report.source.as_ref()?.model() {
        ir::Model::C(model) => Some(model),
        _ => None,
    }
}

/// The list of properties that was asked about, where there is one with races or deadlocks.
fn property_set(report: &Report) -> Vec<String> {
    let list = c_model(report).map(|it| it.property);
    let Some(Sought::List(set)) = list else { return vec![] };
    set.to_string().split(',').map(str::to_string).collect()
}

fn refused(report: &Report) -> Vec<RefusedJson> {
    let Some(model) = c_model(report) else { return vec![] };
    let each = model.refused.iter().map(|it| RefusedJson {
        construct: it.construct.clone(),
        location: it.span.map(|span| report.sources.describe(span)),
    });
    each.collect()
}

fn listed(report: &Report, indices: &[usize]) -> Vec<PropertyJson> {
    indices.iter().map(|&index| properties::json(&report.sources, &report.properties[index])).collect()
}

fn each<'a>(report: &'a Report) -> Vec<EachJson<'a>> {
    let one = |(property, answer): (&ir::Property, &'a Answer)| {
        let mut it = EachJson {
            property: properties::json(&report.sources, property),
            verdict: verdict_word(&answer.outcome),
            engine: answer.engine,
            evidence: evidence(&answer.outcome),
            why_unchecked: None,
            threads_needed: None,
            steps: None,
            reason: None,
        };
        match &answer.outcome {
            Outcome::Unsafe { trace, threads, .. } => {
                (it.threads_needed, it.steps) = (Some(*threads), Some(trace.len()));
            }
            Outcome::Unknown(reason) => {
                let message = verdict::message(report, answer, reason);
                it.reason = Some(ReasonJson { kind: reason.kind.word(), message });
            }
            Outcome::Safe { proof, .. } => it.why_unchecked = proof.why_unchecked(),
        }
        it
    };
    report.properties.iter().zip(&report.each).map(one).collect()
}

/// Every warning, also beside errors.
fn warnings(report: &Report) -> Vec<DiagnosticJson<'_>> {
    let all = report.diagnostics.iter().filter(|it| it.severity == Severity::Warning);
    all.map(|it| diagnostic(&report.sources, it)).collect()
}

/// For bad input only: what is said beside an answer are warnings.
fn diagnostics(report: &Report) -> Vec<DiagnosticJson<'_>> {
    match report.answer {
        None => report.diagnostics.iter().map(|it| diagnostic(&report.sources, it)).collect(),
        Some(_) => vec![],
    }
}

fn diagnostic<'a>(sources: &SourceMap, found: &'a base::Diagnostic) -> DiagnosticJson<'a> {
    DiagnosticJson {
        code: found.code,
        severity: match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        location: found.span.map(|span| sources.describe(span)),
        message: &found.message,
        help: found.help.as_deref(),
    }
}
