//! Writes violation witnesses 1.0: a path of edges in GraphML. Creating a thread is two edges, and that of
//! the new thread names no line: validators that run the program put a change of threads at the line of an
//! edge, and the call is in the creator.

use super::metadata::Metadata;
use super::places::Location;
use super::run::{Waypoint, WaypointKind, Witness};
use std::fmt::Write;

/// A key: its id, name, type, and what it is for.
const KEYS: &[(&str, &str, &str, &str)] = &[
    ("witness-type", "witness-type", "string", "graph"),
    ("sourcecodelang", "sourcecodeLanguage", "string", "graph"),
    ("producer", "producer", "string", "graph"),
    ("specification", "specification", "string", "graph"),
    ("programfile", "programFile", "string", "graph"),
    ("programhash", "programHash", "string", "graph"),
    ("architecture", "architecture", "string", "graph"),
    ("creationtime", "creationTime", "string", "graph"),
    ("entry", "isEntryNode", "boolean", "node"),
    ("violation", "isViolationNode", "boolean", "node"),
    ("threadId", "threadId", "string", "edge"),
    ("createThread", "createThread", "string", "edge"),
    ("startline", "startline", "int", "edge"),
    ("endline", "endline", "int", "edge"),
    ("enterFunction", "enterFunction", "string", "edge"),
    ("control", "control", "string", "edge"),
    ("assumption", "assumption", "string", "edge"),
    ("assumption.scope", "assumption.scope", "string", "edge"),
    ("assumption.resultfunction", "assumption.resultfunction", "string", "edge"),
];

/// The data of an edge, by key.
type Data = Vec<(&'static str, String)>;

/// A violation as a witness; `main` is where that function stands.
pub fn violation(metadata: &Metadata, witness: &Witness, main: Option<&Location>) -> String {
    let mut out = String::from(HEAD);
    for (id, name, ty, of) in KEYS {
        let first = if *ty == "boolean" { "<default>false</default>" } else { "" };
        let _ = writeln!(
            out,
            " <key attr.name=\"{name}\" attr.type=\"{ty}\" for=\"{of}\" id=\"{id}\">{first}</key>"
        );
    }
    out.push_str(" <graph edgedefault=\"directed\">\n");
    for (key, value) in metadata.graph(&witness.formula) {
        let _ = writeln!(out, "  <data key=\"{key}\">{}</data>", escaped(&value));
    }
    out.push_str("  <node id=\"N0\"><data key=\"entry\">true</data></node>\n");
    let mut edges = vec![edge(0, main, [("enterFunction", "main".to_string())])];
    edges.extend(witness.segments.iter().flatten().flat_map(of_waypoint));
    let last = edges.len();
    for (at, data) in edges.into_iter().enumerate() {
        let violation = if at + 1 == last { "<data key=\"violation\">true</data>" } else { "" };
        let _ = writeln!(out, "  <node id=\"N{}\">{violation}</node>", at + 1);
        let _ = writeln!(out, "  <edge source=\"N{at}\" target=\"N{}\">", at + 1);
        for (key, value) in data {
            let _ = writeln!(out, "   <data key=\"{key}\">{}</data>", escaped(&value));
        }
        out.push_str("  </edge>\n");
    }
    out.push_str(" </graph>\n</graphml>\n");
    out
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n";

fn edge(
    thread: u32,
    location: Option<&Location>,
    more: impl IntoIterator<Item = (&'static str, String)>,
) -> Data {
    let line = location.map(|it| it.line.to_string());
    let lines = line.into_iter().flat_map(|it| [("startline", it.clone()), ("endline", it)]);
    [("threadId", thread.to_string())].into_iter().chain(lines).chain(more).collect()
}

fn of_waypoint(waypoint: &Waypoint) -> Vec<Data> {
    let at = |more: Data| edge(waypoint.thread, Some(&waypoint.location), more);
    match &waypoint.kind {
        WaypointKind::Enter { creates: Some((child, begins)) } => vec![
            at(vec![("createThread", child.to_string())]),
            edge(*child, None, [("enterFunction", begins.clone())]),
        ],
        WaypointKind::Enter { creates: None } | WaypointKind::Assumption(_) | WaypointKind::Target => {
            vec![at(vec![])]
        }
        WaypointKind::Branching(outcome) => vec![at(vec![("control", format!("condition-{outcome}"))])],
        WaypointKind::Return { value: (value, Some(name)), .. } => {
            let scope = waypoint.location.function.clone().map(|it| ("assumption.scope", it));
            vec![at([("assumption", format!("{name} == {value};"))].into_iter().chain(scope).collect())]
        }
        WaypointKind::Return { value: (value, None), call, .. } => vec![at(vec![
            ("assumption", format!("\\result == {value};")),
            ("assumption.resultfunction", call.clone()),
        ])],
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no other control characters.
            _ if letter.is_control() && !"\n\t".contains(letter) => out.push('\u{fffd}'),
            _ => out.push(letter),
        }
    }
    out
}
