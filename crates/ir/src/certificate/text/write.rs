//! Writes certificates.

use super::HEADER;
use crate::bp::{Loc, Program, Var};
use crate::certificate::{Body, Certificate, Point, Reached, ReachedMarkings};
use crate::net::Net;
use crate::task::{Bound, Model};
use base::Id;
use std::fmt::{self, Write};

/// The text of a certificate; the model gives the names in its comments.
pub fn write(certificate: &Certificate, model: &Model) -> String {
    let mut text = String::new();
    write_to(&mut text, certificate, model).expect("a string takes everything");
    text
}

/// Writes the text piece by piece.
pub fn write_to(out: &mut dyn Write, certificate: &Certificate, model: &Model) -> fmt::Result {
    writeln!(out, "{HEADER}")?;
    let kind = match &certificate.body {
        Body::Reached(_) => "reached",
        Body::ReachedMarkings(_) => "reached-markings",
    };
    writeln!(out, "kind {kind}")?;
    let scope = certificate.scope;
    let [threads, rounds, depth] = [scope.threads, scope.rounds, scope.depth].map(bound);
    writeln!(out, "scope {threads} {rounds} {depth} # {scope}")?;
    match (&certificate.body, model) {
        (Body::Reached(body), Model::Program(program)) => reached(out, body, Some(program)),
        (Body::Reached(body), Model::Net(_)) => reached(out, body, None),
        (Body::ReachedMarkings(body), Model::Net(net)) => reached_markings(out, body, Some(net)),
        (Body::ReachedMarkings(body), Model::Program(_)) => reached_markings(out, body, None),
    }?;
    writeln!(out, "end")
}

fn bound(bound: Bound) -> String {
    bound.limit().map_or_else(|| "any".to_string(), |n| n.to_string())
}

fn reached(out: &mut dyn Write, body: &Reached, program: Option<&Program>) -> fmt::Result {
    writeln!(out, "bound {}", body.bound)?;
    write!(out, "shared")?;
    body.view.shared.iter().try_for_each(|id| write!(out, " {}", id.index()))?;
    comment(out, program, |program| {
        let known = body.view.shared.iter().filter(|&&id| program.shared().get(id).is_some());
        known.map(|&id| program.name(Var::Shared(id)).to_string()).collect()
    })?;
    for it in &body.view.points {
        point(out, it, program)?;
    }
    for thread in &body.threads {
        write!(out, "t {} ", thread.point)?;
        bits(out, &thread.values)?;
        writeln!(out)?;
    }
    for state in &body.states {
        out.write_str(if state.initialising { "i " } else { "s " })?;
        bits(out, &state.shared)?;
        state.threads.iter().try_for_each(|&(thread, n)| counted(out, thread, n))?;
        writeln!(out)?;
    }
    Ok(())
}

fn point(out: &mut dyn Write, point: &Point, program: Option<&Program>) -> fmt::Result {
    out.write_str(if point.inside { "p i " } else { "p o " })?;
    for (depth, loc) in point.stack.iter().enumerate() {
        write!(out, "{}{}", if depth > 0 { "/" } else { "" }, loc.index())?;
    }
    point.kept.iter().try_for_each(|it| write!(out, " {}.{}", it.depth, it.local.index()))?;
    comment(out, program, |program| {
        let known = point.kept.iter().filter(|it| program.locals().get(it.local).is_some());
        let kept = known.map(|it| program.name(Var::Local(it.local)).to_string());
        point.stack.iter().map(|&loc| place(program, loc)).chain(kept).collect()
    })
}

/// A location's procedure and its labels.
fn place(program: &Program, loc: Loc) -> String {
    let Some(location) = program.locations().get(loc) else { return "?".to_string() };
    let labels: String = location.labels.iter().map(|label| format!(":{label}")).collect();
    format!("{}{labels}", program.procedures()[location.procedure].name)
}

fn reached_markings(out: &mut dyn Write, body: &ReachedMarkings, net: Option<&Net>) -> fmt::Result {
    writeln!(out, "bound {}", body.bound)?;
    if let Some(net) = net {
        for (id, name) in net.shared().enumerate() {
            writeln!(out, "# shared state {}: {}", id.index(), harmless(name))?;
        }
        for (id, place) in net.places().enumerate() {
            writeln!(out, "# place {}: {}", id.index(), harmless(&place.name))?;
        }
    }
    for (shared, tokens) in &body.markings {
        write!(out, "m {}", shared.index())?;
        tokens.iter().try_for_each(|&(place, n)| counted(out, place.index(), n))?;
        writeln!(out)?;
    }
    Ok(())
}

fn bits(out: &mut dyn Write, values: &[bool]) -> fmt::Result {
    if values.is_empty() {
        return out.write_char('-');
    }
    values.iter().try_for_each(|&value| out.write_char(if value { '1' } else { '0' }))
}

fn counted(out: &mut dyn Write, item: usize, n: u32) -> fmt::Result {
    if n == 1 { write!(out, " {item}") } else { write!(out, " {item}*{n}") }
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
