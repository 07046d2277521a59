//! What was read, the counters of a run as a table, and what it cost.

use crate::document::Text;
use crate::progress;
use ir::Model;
use verify::{Outcome, Proof, Report, Source, TimedRound};

/// The table, for standard error.
pub fn counters(report: &Report) -> Text {
    let rows: Vec<(String, u64)> =
        report.counters.iter().map(|it| (format!("{}: {}", it.who, it.name), it.value)).collect();
    let name = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let number = rows.iter().map(|(_, value)| value.to_string().len()).max().unwrap_or(0);
    rows.into_iter().map(|(text, value)| format!("  {text:name$}  {value:>number$}")).collect()
}

/// What was read, on one line.
pub fn input(report: &Report) -> Text {
    let (kind, sizes, monotone) = match report.source.as_ref().map(Source::model) {
        None => return Text::default(),
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
    Text::line(format!("  {}: {kind}, {}{monotone}", report.name, sizes.join(", ")))
}

/// The rounds of refinement, one a line.
pub fn rounds(report: &Report) -> Text {
    let one = |it: &TimedRound| format!("  {}; {:.3} s", progress::round(&it.round), it.time.as_secs_f64());
    report.rounds.iter().map(one).collect()
}

/// Who confirmed the proof, on one line; nothing where there is none.
pub fn checker(report: &Report) -> Text {
    let checker = report.outcome().and_then(Outcome::proof).and_then(Proof::checker);
    checker.into_iter().map(|it| format!("  certificate confirmed by {}", it.word())).collect()
}

/// Time and memory on one line.
pub fn cost(report: &Report) -> Text {
    let time = format!("  {:.3} s", report.time.as_secs_f64());
    Text::line(match report.peak_memory {
        Some(bytes) => format!("{time}, {:.1} MiB", bytes as f64 / f64::from(1 << 20)),
        None => time,
    })
}
