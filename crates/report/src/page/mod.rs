//! The report as one page for a browser: the run into an error step by step, or what was proved and how to
//! check it, or how far the search came. Rust gathers the data here, and the script of the page draws it.

mod digest;
mod failure;
mod html;
mod places;
mod proof;
mod run;
mod snapshot;
mod state_of_c;
mod state_of_model;
mod unknown;

use crate::document::{Document, Paint};
use crate::{diagnostics, progress, stats, trace, verdict};
use base::Severity;
use places::{PageFile, PageFiles, PagePlace};
use serde::Serialize;
use std::cmp::Ordering;
use verify::{Answer, Outcome, Proof, Report, Source};

/// How the report was asked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invocation {
    /// The command, word by word; none, if no command line asked.
    pub command: Vec<String>,
    /// The file that the certificate is written to, if it is.
    pub certificate: Option<String>,
    /// The options of the command that `confirm` takes, too.
    pub confirm: Vec<String>,
}

#[derive(Serialize)]
struct PageData {
    tool: &'static str,
    command: String,
    file: String,
    verdict: &'static str,
    headline: String,
    /// The verdict as the command line says it.
    line: Option<String>,
    evidence: Option<String>,
    facts: Vec<Fact>,
    assumptions: Vec<String>,
    findings: Vec<Finding>,
    properties: Vec<AnsweredProperty>,
    counters: Vec<PageCounter>,
    rounds: Vec<PageRound>,
    input: String,
    seconds: f64,
    memory: Option<u64>,
    run: Option<run::PageRun>,
    proof: Option<proof::PageProof>,
    unknown: Option<unknown::PageUnknown>,
    files: Vec<PageFile>,
}

#[derive(Serialize)]
struct Fact {
    name: &'static str,
    value: String,
}

#[derive(Serialize)]
struct Finding {
    severity: &'static str,
    code: &'static str,
    place: Option<PagePlace>,
    message: String,
    help: Option<String>,
}

#[derive(Serialize)]
struct AnsweredProperty {
    kind: &'static str,
    text: String,
    place: Option<PagePlace>,
    verdict: Option<String>,
    unreached: bool,
}

#[derive(Serialize)]
struct PageCounter {
    who: &'static str,
    name: &'static str,
    value: u64,
}

#[derive(Serialize)]
struct PageRound {
    text: String,
    seconds: f64,
}

/// The page.
pub fn write(report: &Report, invocation: &Invocation) -> Document {
    let data = data(report, invocation);
    let title = format!("{}: {}", data.verdict, report.name);
    let mut plain = trace::story(report)
        .map(|story| trace::text::write(&story, trace::PAGE, None).render(Paint::Plain))
        .unwrap_or_default();
    if let Some(line) = verdict::line(report) {
        plain += &format!("\n{}\n", base::sanitise(&line));
    }
    for found in &report.diagnostics {
        plain += &diagnostics::draw(&report.sources, found, trace::PAGE).render(Paint::Plain);
    }
    let data = serde_json::to_value(&data).expect("plain data can always be written");
    Document::Data(html::write(&title, &plain, data))
}

fn data(report: &Report, invocation: &Invocation) -> PageData {
    let mut files = PageFiles::new(&report.sources);
    main_file(report, &mut files);
    let counters = report.counters.iter();
    let rounds = report.rounds.iter();
    PageData {
        tool: concat!("selvedge ", env!("CARGO_PKG_VERSION")),
        command: quoted(&invocation.command),
        file: report.name.clone(),
        verdict: word(report),
        headline: headline(report),
        line: verdict::line(report),
        evidence: evidence(report),
        facts: facts(report),
        assumptions: report.answer.iter().flat_map(|it| verdict::assumptions(report, it, true)).collect(),
        findings: findings(report, &mut files),
        properties: answered(report, &mut files),
        counters: counters.map(|it| PageCounter { who: it.who, name: it.name, value: it.value }).collect(),
        rounds: rounds
            .map(|it| PageRound { text: progress::round(&it.round), seconds: it.time.as_secs_f64() })
            .collect(),
        input: stats::input(report).render(Paint::Plain).trim().to_string(),
        seconds: report.time.as_secs_f64(),
        memory: report.peak_memory,
        run: run::run(report, &mut files),
        proof: proof::proof(report, invocation, &mut files),
        unknown: unknown::unknown(report, &mut files),
        files: files.texts(),
    }
}

/// The file that the question was about is the first one.
fn main_file(report: &Report, files: &mut PageFiles<'_>) {
    let c = match report.source.as_ref().map(Source::model) {
        Some(ir::Model::C(model)) => Some(model.file),
        _ => None,
    };
    let first = report.properties.iter().filter_map(|it| it.span).map(|span| span.file);
    let found = report.diagnostics.iter().filter_map(|it| it.span).map(|span| span.file);
    if let Some(file) = c.into_iter().chain(first).chain(found).next() {
        files.number(file);
    }
}

fn word(report: &Report) -> &'static str {
    match report.outcome() {
        Some(Outcome::Safe { .. }) => "safe",
        Some(Outcome::Unsafe { .. }) => "unsafe",
        Some(Outcome::Unknown(_)) => "unknown",
        None => "no verdict",
    }
}

/// What came out, in a sentence.
fn headline(report: &Report) -> String {
    let Some(answer) = &report.answer else {
        return "The file cannot be used: see what was found in it".to_string();
    };
    let text = match &answer.outcome {
        Outcome::Safe { .. } => proof::claim(report),
        Outcome::Unsafe { property, trace, run, .. } => verdict::violated(report, property, trace, run).says,
        Outcome::Unknown(reason) => verdict::message(report, answer, reason),
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What stands behind the verdict.
fn evidence(report: &Report) -> Option<String> {
    Some(match report.outcome()? {
        Outcome::Unsafe { .. } => {
            "The run was replayed step by step on the semantics of the program: it is real.".to_string()
        }
        Outcome::Safe { proof: Proof::Confirmed { .. }, .. } => {
            "The proof was confirmed by a checker that shares no code with the engine that found it."
                .to_string()
        }
        Outcome::Safe { proof: Proof::Unchecked { why, .. }, .. } => {
            format!("Nobody has checked the proof: {why}.")
        }
        Outcome::Unknown(_) => return None,
    })
}

fn facts(report: &Report) -> Vec<Fact> {
    let mut facts = vec![];
    let mut add = |name, value: Option<String>| facts.extend(value.map(|value| Fact { name, value }));
    let engine = |it: &Answer| match (it.way, it.engine) {
        (Some(way), Some(engine)) if way != engine => Some(format!("{way}, {engine}")),
        (way, engine) => engine.or(way).map(str::to_string),
    };
    let noun = crate::noun::Noun::of(report);
    if let Some(Outcome::Unsafe { trace, threads, .. }) = report.outcome() {
        add("needs", Some(noun.needed(*threads, trace)));
        let rows = trace::story(report).map_or(0, |story| story.rows.len());
        add("run", Some(length(trace.len(), rows)));
    }
    add("requested", Some(noun.scope(report.requested)));
    let found = !matches!(report.outcome(), Some(Outcome::Unknown(_)));
    let who = report.answer.as_ref().and_then(engine);
    add(if found { "found by" } else { "engine" }, who);
    let properties = report.properties.len();
    add("properties", (properties != 1).then(|| properties.to_string()));
    facts
}

/// How long a run is, and what the page shows of it: steps of one statement are one, and what goes wrong may
/// be no step.
fn length(steps: usize, rows: usize) -> String {
    let count = verdict::counted(steps, "step");
    match rows.cmp(&steps) {
        Ordering::Less => format!("{count}, shown as {rows}"),
        Ordering::Equal => count,
        Ordering::Greater => format!("{count}, then the error"),
    }
}

fn findings(report: &Report, files: &mut PageFiles<'_>) -> Vec<Finding> {
    let mut one = |it: &base::Diagnostic| Finding {
        severity: match it.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        code: it.code,
        place: it.span.and_then(|span| files.place(span)),
        message: it.message.clone(),
        help: it.help.clone(),
    };
    report.diagnostics.iter().map(&mut one).collect()
}

fn answered(report: &Report, files: &mut PageFiles<'_>) -> Vec<AnsweredProperty> {
    let mut one = |(number, it): (usize, &ir::Property)| AnsweredProperty {
        kind: it.class.word(),
        text: crate::properties::text(&report.sources, it),
        place: it.span.and_then(|span| files.place(span)),
        verdict: report.each.get(number).map(|answer| verdict::of(report, answer)),
        unreached: report.vacuity.unreached.contains(&number),
    };
    report.properties.iter().enumerate().map(&mut one).collect()
}

/// A command as a shell takes it.
fn quoted(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@%+".contains(c);
    let one = |word: &String| match word {
        word if !word.is_empty() && word.chars().all(plain) => word.clone(),
        word => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let words = ["selvedge", "check", "a b.c", "--predicate", "it's", ""].map(str::to_string);
        assert_eq!(quoted(&words), r"selvedge check 'a b.c' --predicate 'it'\''s' ''");
    }
}
