//! Writes certificates: what all kinds have in common, and the words that several of them write.

use super::HEADER;
use super::c::{with_passes, write_states};
use super::form::records;
use super::order::write_order;
use crate::bp::{Loc, Program, Var};
use crate::certificate::graph::{Graph, Node};
use crate::certificate::{Body, Certificate, ControlLocation, ThreadView, View};
use crate::net::Net;
use crate::task::{Bound, Model};
use base::Id;
use relation::proof;
use std::fmt::{self, Write};

/// The text of a certificate; the model gives the names in its comments.
pub fn write(certificate: &Certificate, model: &Model) -> String {
    let mut text = String::new();
    write_to(&mut text, certificate, model).expect("a string takes everything");
    text
}

/// Writes the text piece by piece.
pub fn write_to(out: &mut dyn Write, certificate: &Certificate, model: &Model) -> fmt::Result {
    let records = match (&certificate.body, records(&certificate.body)) {
        (Body::Predicates(it), _) => {
            return with_passes(out, &proof::write(&it.relation, &it.proof), &certificate.passes);
        }
        (Body::Order(it), _) => return with_passes(out, &write_order(it), &certificate.passes),
        (Body::States(it), _) => {
            let mut text = String::new();
            write_states(&mut text, certificate.scope, it)?;
            return with_passes(out, &text, &certificate.passes);
        }
        (_, records) => records.expect("every other kind has records"),
    };
    let form = records.form();
    writeln!(out, "{HEADER}")?;
    writeln!(out, "kind {}", form.word)?;
    let scope = certificate.scope;
    writeln!(out, "scope {} any any # {scope}", bound(scope.threads))?;
    if let Some(number) = form.number {
        writeln!(out, "{number} {}", records.number())?;
    }
    match (form.view, model) {
        (true, Model::Program(program)) => view(out, &certificate.view, Some(program))?,
        (true, Model::Net(_) | Model::C(_)) => view(out, &certificate.view, None)?,
        (false, Model::Net(net)) => names(out, net)?,
        (false, Model::Program(_) | Model::C(_)) => {}
    }
    records.write(out)?;
    writeln!(out, "end")
}

fn bound(bound: Bound) -> String {
    bound.limit().map_or_else(|| "any".to_string(), |n| n.to_string())
}

/// The view.
fn view(out: &mut dyn Write, view: &View, program: Option<&Program>) -> fmt::Result {
    write!(out, "shared")?;
    view.shared.iter().try_for_each(|id| write!(out, " {}", id.index()))?;
    comment(out, program, |program| {
        let known = view.shared.iter().filter(|&&id| program.shared().get(id).is_some());
        known.map(|&id| program.name(Var::Shared(id)).to_string()).collect()
    })?;
    view.controls.iter().try_for_each(|it| control(out, it, program))
}

fn control(out: &mut dyn Write, control: &ControlLocation, program: Option<&Program>) -> fmt::Result {
    out.write_str(if control.inside { "p i " } else { "p o " })?;
    for (depth, loc) in control.stack.iter().enumerate() {
        write!(out, "{}{}", if depth > 0 { "/" } else { "" }, loc.index())?;
    }
    control.kept.iter().try_for_each(|it| write!(out, " {}.{}", it.depth, it.local.index()))?;
    comment(out, program, |program| {
        let known = control.kept.iter().filter(|it| program.locals().get(it.local).is_some());
        let kept = known.map(|it| program.name(Var::Local(it.local)).to_string());
        control.stack.iter().map(|&loc| place(program, loc)).chain(kept).collect()
    })
}

/// A location's procedure and its labels.
fn place(program: &Program, loc: Loc) -> String {
    let Some(location) = program.locations().get(loc) else { return "?".to_string() };
    let labels: String = location.labels.iter().map(|label| format!(":{label}")).collect();
    format!("{}{labels}", program.procedures()[location.procedure].name)
}

/// The names of shared states and places, as comments.
fn names(out: &mut dyn Write, net: &Net) -> fmt::Result {
    for (id, name) in net.shared().enumerate() {
        writeln!(out, "# shared state {}: {}", id.index(), harmless(name))?;
    }
    for (id, place) in net.places().enumerate() {
        writeln!(out, "# place {}: {}", id.index(), harmless(&place.name))?;
    }
    Ok(())
}

/// Ends a line, with names for people where there are any.
fn comment(
    out: &mut dyn Write,
    program: Option<&Program>,
    names: impl Fn(&Program) -> Vec<String>,
) -> fmt::Result {
    let names = program.map_or_else(Vec::new, names);
    if names.is_empty() { writeln!(out) } else { writeln!(out, " # {}", harmless(&names.join(" "))) }
}

/// A name that cannot end the line it stands on.
fn harmless(name: &str) -> String {
    name.chars().map(|it| if it.is_control() { '?' } else { it }).collect()
}

/// The threads.
pub fn threads(out: &mut dyn Write, threads: &[ThreadView]) -> fmt::Result {
    for thread in threads {
        write!(out, "t {} ", thread.control)?;
        bits(out, &thread.values)?;
        writeln!(out)?;
    }
    Ok(())
}

/// The nodes of all formulas.
pub fn graph(out: &mut dyn Write, graph: &Graph) -> fmt::Result {
    graph.nodes().try_for_each(|(_, node)| match node {
        Node::Constant(_) => unreachable!("constants are not listed"),
        Node::Input(input) => writeln!(out, "v {input}"),
        Node::Ite { test, then, other } => {
            writeln!(out, "n {} {} {}", test.index(), then.index(), other.index())
        }
    })
}

/// Whether `init` runs, and whether somebody is inside.
pub fn marks(initialising: bool, busy: bool) -> &'static str {
    match (initialising, busy) {
        (false, false) => "-",
        (false, true) => "i",
        (true, false) => "n",
        (true, true) => "ni",
    }
}

/// Values.
pub fn bits(out: &mut dyn Write, values: &[bool]) -> fmt::Result {
    if values.is_empty() {
        return out.write_char('-');
    }
    values.iter().try_for_each(|&value| out.write_char(if value { '1' } else { '0' }))
}

/// The end of a record: what there is, each with how many of it.
pub fn population(out: &mut dyn Write, population: &[(usize, u32)]) -> fmt::Result {
    population.iter().try_for_each(|&(item, n)| counted(out, item, n))?;
    writeln!(out)
}

/// A number and how many of it.
pub fn counted(out: &mut dyn Write, item: usize, n: u32) -> fmt::Result {
    if n == 1 { write!(out, " {item}") } else { write!(out, " {item}*{n}") }
}
