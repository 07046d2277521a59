//! The counters of a run as a table, and what it cost.

use std::fmt::Write;
use verify::Report;

/// The table, for standard error.
pub fn draw(report: &Report) -> String {
    let rows: Vec<(String, u64)> =
        report.counters.iter().map(|it| (format!("{}: {}", it.who, it.name), it.value)).collect();
    let name = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let number = rows.iter().map(|(_, value)| value.to_string().len()).max().unwrap_or(0);
    let mut out = String::new();
    for (text, value) in rows {
        let _ = writeln!(out, "  {text:name$}  {value:>number$}");
    }
    out + &cost(report)
}

/// Time and memory on one line.
pub fn cost(report: &Report) -> String {
    let time = format!("  {:.3} s", report.time.as_secs_f64());
    match report.peak_memory {
        Some(bytes) => format!("{time}, {:.1} MiB\n", bytes as f64 / f64::from(1 << 20)),
        None => format!("{time}\n"),
    }
}
