//! Writes witnesses in YAML: 2.2 for violations, 2.1 for proofs.

use super::metadata::Metadata;
use super::places::Location;
use super::run::{Waypoint, WaypointKind, Witness};
use std::fmt::Write;

/// A violation as a witness.
pub fn violation(metadata: &Metadata, witness: &Witness) -> String {
    let mut content = String::new();
    for segment in &witness.segments {
        content.push_str("  - segment:\n");
        for waypoint in segment {
            write_waypoint(&mut content, waypoint);
        }
    }
    let formula = &witness.formula;
    format!(
        "- entry_type: violation_sequence\n{}  content:\n{content}",
        metadata.yaml("2.2", formula, &content)
    )
}

fn write_waypoint(out: &mut String, waypoint: &Waypoint) {
    let (word, constraint) = match &waypoint.kind {
        WaypointKind::Assumption(condition) => {
            ("assumption", Some((condition.clone(), Some("c_expression"))))
        }
        WaypointKind::Branching(outcome) => ("branching", Some((outcome.to_string(), None))),
        WaypointKind::Enter { .. } => ("function_enter", None),
        WaypointKind::Return { constraint, .. } => {
            ("function_return", Some((constraint.clone(), Some("acsl_expression"))))
        }
        WaypointKind::Target => ("target", None),
    };
    let _ = writeln!(out, "    - waypoint:");
    let _ = writeln!(out, "        type: {word}");
    let _ = writeln!(out, "        action: follow");
    let _ = writeln!(out, "        thread_id: {}", waypoint.thread);
    if let Some((value, format)) = constraint {
        let _ = writeln!(out, "        constraint:");
        let _ = writeln!(out, "          value: {}", quoted(&value));
        if let Some(format) = format {
            let _ = writeln!(out, "          format: {format}");
        }
    }
    write_location(out, "        ", &waypoint.location);
}

/// A place, as the field `location`.
pub fn write_location(out: &mut String, indent: &str, location: &Location) {
    let _ = writeln!(out, "{indent}location:");
    let _ = writeln!(out, "{indent}  file_name: {}", quoted(&location.file));
    let _ = writeln!(out, "{indent}  line: {}", location.line);
    if let Some(column) = location.column {
        let _ = writeln!(out, "{indent}  column: {column}");
    }
    if let Some(function) = &location.function {
        let _ = writeln!(out, "{indent}  function: {}", quoted(function));
    }
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                out.push('\\');
                out.push(letter);
            }
            '\n' => out.push_str("\\n"),
            _ if letter.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}
