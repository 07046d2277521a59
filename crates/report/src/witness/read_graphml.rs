//! Reads violation witnesses 1.0: the path from the entry to the violation. Only as much of XML is known as
//! such files have: elements, attributes, texts, and the five entities.

use super::condition::Condition;
use super::read::{Passage, PassageKind, Place, Segment, ViolationWitness};
use std::collections::BTreeMap;

/// A node or an edge with its data.
struct Element<'t> {
    attributes: BTreeMap<&'t str, String>,
    data: BTreeMap<String, String>,
}

/// A file as nodes, edges and the data of the graph.
#[derive(Default)]
struct Graph<'t> {
    nodes: Vec<Element<'t>>,
    edges: Vec<Element<'t>>,
    data: BTreeMap<String, String>,
}

/// Reads a witness.
pub fn read(text: &str) -> Result<ViolationWitness, String> {
    let graph = graph(text)?;
    let value_of = |key: &str| graph.data.get(key).map(String::as_str).unwrap_or_default();
    if value_of("witness-type") != "violation_witness" {
        return Err("it is no violation witness".to_string());
    }
    let path = path(&graph)?;
    let mut threads: Vec<String> = vec![];
    let mut segments = vec![];
    for (at, edge) in path.iter().enumerate() {
        let is_last = at + 1 == path.len();
        let get = |key: &str| edge.data.get(key).map(String::as_str);
        let thread = get("threadId").unwrap_or("0");
        let number = |name: &str| threads.iter().rposition(|it| it == name);
        // who the first edge names is main.
        let thread = match number(thread) {
            None if threads.is_empty() => {
                threads.push(thread.to_string());
                0
            }
            Some(at) => at,
            None => return Err(format!("thread {thread} was not created")),
        };
        if let Some(name) = get("createThread") {
            threads.push(name.to_string());
        }
        let Some(line) = get("startline").and_then(|it| it.parse().ok()) else {
            if is_last {
                return Err("its last edge names no line".to_string());
            }
            continue;
        };
        let Some(kind) = kind(get, is_last)? else { continue };
        let passage =
            Passage { kind, thread: thread as u32, place: Place { file: None, line, column: None } };
        segments.push(Segment { avoid: vec![], follow: vec![passage] });
    }
    Ok(ViolationWitness { specification: value_of("specification").to_string(), segments })
}

/// What an edge says; nothing, if it only begins a function.
fn kind<'a>(get: impl Fn(&str) -> Option<&'a str>, is_last: bool) -> Result<Option<PassageKind>, String> {
    let holds = || Condition::read("1");
    Ok(Some(match (get("createThread"), get("assumption"), get("control")) {
        _ if is_last => PassageKind::Target,
        (Some(_), ..) => PassageKind::Enter,
        (_, Some(text), _) if get("assumption.resultfunction").is_some() => {
            PassageKind::Return(Condition::read(text)?)
        }
        // It holds behind the edge: a value that was assigned in it.
        (_, Some(text), _) => PassageKind::Behind(Condition::read(text)?),
        (_, _, Some(control)) => PassageKind::Branching(Some(control == "condition-true")),
        _ if get("enterFunction").is_some() || get("returnFrom").is_some() => return Ok(None),
        _ => PassageKind::Assumption(holds()?),
    }))
}

/// The edges from the entry to the violation.
fn path<'g, 't>(graph: &'g Graph<'t>) -> Result<Vec<&'g Element<'t>>, String> {
    let marked = |key: &str| {
        let found = graph.nodes.iter().find(|it| it.data.get(key).is_some_and(|it| it == "true"));
        found.and_then(|it| it.attributes.get("id")).ok_or(format!("it has no {key} node"))
    };
    let (entry, violation) = (marked("entry")?, marked("violation")?);
    let mut before: BTreeMap<&String, &Element<'_>> = BTreeMap::new();
    let sinks: Vec<&String> = graph
        .nodes
        .iter()
        .filter(|it| it.data.get("sink").is_some_and(|it| it == "true"))
        .filter_map(|it| it.attributes.get("id"))
        .collect();
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (edge.attributes.get("source"), edge.attributes.get("target")) else {
            return Err("an edge has no source or no target".to_string());
        };
        if !sinks.contains(&to) && from != to && before.insert(to, edge).is_some() {
            return Err("its edges are no single path".to_string());
        }
    }
    let (mut path, mut at) = (vec![], violation);
    while at != entry {
        let edge = before.remove(at).ok_or("no path leads from its entry to the violation")?;
        path.push(edge);
        at = &edge.attributes["source"];
    }
    path.reverse();
    Ok(path)
}

fn graph(text: &str) -> Result<Graph<'_>, String> {
    let mut graph = Graph::default();
    let mut rest = text;
    // The data of the graph come outside of nodes and edges.
    let mut open: Option<&str> = None;
    while let Some((_, from)) = rest.split_once('<') {
        if from.starts_with("!--") {
            rest = from.split_once("-->").ok_or("a comment does not end")?.1;
            continue;
        }
        let (tag, after) = from.split_once('>').ok_or("an element does not end")?;
        rest = after;
        let (closed, tag) = match tag.strip_suffix('/') {
            Some(tag) => (true, tag),
            None => (false, tag),
        };
        let name = tag.split_whitespace().next().unwrap_or_default();
        match name {
            "node" | "edge" => {
                let element = Element { attributes: attributes(tag), data: BTreeMap::new() };
                let list = if name == "node" { &mut graph.nodes } else { &mut graph.edges };
                list.push(element);
                open = Some(name).filter(|_| !closed);
            }
            "/node" | "/edge" => open = None,
            "data" if !closed => {
                let (value, after) = after.split_once("</data>").ok_or("a value does not end")?;
                rest = after;
                let Some(key) = attributes(tag).remove("key") else { continue };
                let data = match open {
                    Some("node") => graph.nodes.last_mut().map(|it| &mut it.data),
                    Some(_) => graph.edges.last_mut().map(|it| &mut it.data),
                    None => Some(&mut graph.data),
                };
                data.expect("an open element was added").insert(key, unescaped(value.trim()));
            }
            _ => {}
        }
    }
    Ok(graph)
}

fn attributes(tag: &str) -> BTreeMap<&str, String> {
    let mut found = BTreeMap::new();
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once('=') {
        let name = before.split_whitespace().last().unwrap_or_default();
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|it| "\"'".contains(*it)) else { break };
        let Some((value, after)) = after[1..].split_once(quote) else { break };
        found.insert(name, unescaped(value));
        rest = after;
    }
    found
}

fn unescaped(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.into_iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}
