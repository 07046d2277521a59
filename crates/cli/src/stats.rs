//! What was read, the counters of a run as a table, and what it cost.

use crate::terminal::harmless;
use ir::Model;
use std::fmt::Write;
use verify::{Outcome, Proof, Report, Source};

/// The table, for standard error.
pub fn counters(report: &Report) -> String {
    let rows: Vec<(String, u64)> =
        report.counters.iter().map(|it| (format!("{}: {}", it.who, it.name), it.value)).collect();
    let name = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let number = rows.iter().map(|(_, value)| value.to_string().len()).max().unwrap_or(0);
    let mut out = String::new();
    for (text, value) in rows {
        let _ = writeln!(out, "  {text:name$}  {value:>number$}");
    }
    out
}

/// What was read, on one line.
pub fn input(report: &Report) -> String {
    let (kind, sizes, monotone) = match report.source.as_ref().map(Source::model) {
        None => return String::new(),
        Some(Model::Program(program)) => {
            let sizes = [
                (program.procedures().len(), "procedures"),
                (program.locations().len(), "locations"),
                (program.shared().len(), "shared variables"),
                (program.locals().len(), "local variables"),
            ];
            ("Boolean program", sizes.to_vec(), Some(program.monotone()))
        }
        Some(Model::Net(net)) => {
            let sizes = [
                (net.shared().len(), "shared states"),
                (net.places().len(), "places"),
                (net.rules().len(), "rules"),
            ];
            ("net", sizes.to_vec(), Some(net.monotone()))
        }
        Some(Model::C(model)) => {
            let program = &model.program;
            let sizes = [
                (program.templates().len(), "kinds of threads"),
                (program.locations().len(), "locations"),
                (program.objects().len(), "objects"),
                (program.locals().len(), "registers"),
            ];
            ("C program", sizes.to_vec(), None)
        }
    };
    let monotone = monotone.map_or("", |it| if it { ", monotone" } else { ", not monotone" });
    let sizes: Vec<String> = sizes.iter().map(|(n, what)| format!("{n} {what}")).collect();
    format!("  {}: {kind}, {}{monotone}\n", harmless(&report.name), sizes.join(", "))
}

/// The rounds of refinement, one a line.
pub fn rounds(report: &Report) -> String {
    let mut out = String::new();
    for round in &report.rounds {
        let _ = writeln!(out, "  {}; {:.3} s", harmless(&round.text), round.time.as_secs_f64());
    }
    out
}

/// Who confirmed the proof, on one line; nothing where there is none.
pub fn checker(report: &Report) -> String {
    let checker = report.outcome().and_then(Outcome::proof).and_then(Proof::checker);
    checker.map_or_else(String::new, |it| format!("  certificate confirmed by {}\n", it.word()))
}

/// Time and memory on one line.
pub fn cost(report: &Report) -> String {
    let time = format!("  {:.3} s", report.time.as_secs_f64());
    match report.peak_memory {
        Some(bytes) => format!("{time}, {:.1} MiB\n", bytes as f64 / f64::from(1 << 20)),
        None => format!("{time}\n"),
    }
}
