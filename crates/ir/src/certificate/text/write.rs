//! Writes certificates.

use super::{HEADER, game};
use crate::bp::{Loc, Program, Var};
use crate::certificate::graph::{Graph, Node};
use crate::certificate::{
    Body, Certificate, ClassClosure, Closure, Point, Reached, ReachedMarkings, Summaries, Symbolic,
    ThreadView, TokenClosure, Tokens, View, Who,
};
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
        Body::Symbolic(_) => "symbolic",
        Body::ReachedMarkings(_) => "reached-markings",
        Body::Closure(_) => "closure",
        Body::ClassClosure(_) => "symbolic-closure",
        Body::TokenClosure(_) => "closure-markings",
        Body::Summaries(_) => "summaries",
        Body::Game(_) => "game",
    };
    writeln!(out, "kind {kind}")?;
    let scope = certificate.scope;
    writeln!(out, "scope {} any any # {scope}", bound(scope.threads))?;
    let (program, net) = match model {
        Model::Program(program) => (Some(&**program), None),
        Model::Net(net) => (None, Some(&**net)),
    };
    match &certificate.body {
        Body::Reached(body) => reached(out, body, program),
        Body::Symbolic(body) => symbolic(out, body, program),
        Body::ReachedMarkings(body) => reached_markings(out, body, net),
        Body::Closure(body) => closure(out, body, program),
        Body::ClassClosure(body) => class_closure(out, body, program),
        Body::TokenClosure(body) => token_closure(out, body, net),
        Body::Summaries(body) => summaries(out, body, program),
        Body::Game(body) => {
            writeln!(out, "rounds {}", body.rounds)?;
            view(out, &body.view, &body.threads, program)?;
            game::write(out, body)
        }
    }?;
    writeln!(out, "end")
}

fn bound(bound: Bound) -> String {
    bound.limit().map_or_else(|| "any".to_string(), |n| n.to_string())
}

fn reached(out: &mut dyn Write, body: &Reached, program: Option<&Program>) -> fmt::Result {
    writeln!(out, "bound {}", body.bound)?;
    view(out, &body.view, &body.threads, program)?;
    for state in &body.states {
        out.write_str(if state.initialising { "i " } else { "s " })?;
        bits(out, &state.shared)?;
        state.threads.iter().try_for_each(|&(thread, n)| counted(out, thread, n))?;
        writeln!(out)?;
    }
    Ok(())
}

fn symbolic(out: &mut dyn Write, body: &Symbolic, program: Option<&Program>) -> fmt::Result {
    writeln!(out, "bound {}", body.bound)?;
    view(out, &body.view, &[], program)?;
    graph(out, &body.graph)?;
    for piece in &body.pieces {
        let record = if piece.initialising { "i" } else { "s" };
        write!(out, "{record} {}", piece.formula.index())?;
        piece.points.iter().try_for_each(|&(point, n)| counted(out, point, n))?;
        writeln!(out)?;
    }
    Ok(())
}

/// The nodes of all formulas.
fn graph(out: &mut dyn Write, graph: &Graph) -> fmt::Result {
    graph.nodes().try_for_each(|(_, node)| match node {
        Node::Constant(_) => unreachable!("constants are not listed"),
        Node::Input(input) => writeln!(out, "v {input}"),
        Node::Ite { test, then, other } => {
            writeln!(out, "n {} {} {}", test.index(), then.index(), other.index())
        }
    })
}

/// The view and the threads.
fn view(out: &mut dyn Write, view: &View, threads: &[ThreadView], program: Option<&Program>) -> fmt::Result {
    write!(out, "shared")?;
    view.shared.iter().try_for_each(|id| write!(out, " {}", id.index()))?;
    comment(out, program, |program| {
        let known = view.shared.iter().filter(|&&id| program.shared().get(id).is_some());
        known.map(|&id| program.name(Var::Shared(id)).to_string()).collect()
    })?;
    for it in &view.points {
        point(out, it, program)?;
    }
    for thread in threads {
        write!(out, "t {} ", thread.point)?;
        bits(out, &thread.values)?;
        writeln!(out)?;
    }
    Ok(())
}

fn closure(out: &mut dyn Write, body: &Closure, program: Option<&Program>) -> fmt::Result {
    writeln!(out, "width {}", body.width)?;
    view(out, &body.view, &body.threads, program)?;
    for (record, tuples) in [("c", &body.tuples), ("b", &body.blocked)] {
        for tuple in tuples {
            write!(out, "{record} {} ", marks(tuple.initialising, tuple.busy))?;
            bits(out, &tuple.shared)?;
            tuple.threads.iter().try_for_each(|&(thread, n)| counted(out, thread, n))?;
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Whether `init` runs, and whether somebody is inside.
fn marks(initialising: bool, busy: bool) -> &'static str {
    match (initialising, busy) {
        (false, false) => "-",
        (false, true) => "i",
        (true, false) => "n",
        (true, true) => "ni",
    }
}

fn class_closure(out: &mut dyn Write, body: &ClassClosure, program: Option<&Program>) -> fmt::Result {
    writeln!(out, "width {}", body.width)?;
    view(out, &body.view, &[], program)?;
    for class in &body.classes {
        write!(out, "k")?;
        class.iter().try_for_each(|point| write!(out, " {point}"))?;
        writeln!(out)?;
    }
    graph(out, &body.graph)?;
    for (record, tuples) in [("c", &body.tuples), ("b", &body.blocked)] {
        for tuple in tuples {
            write!(out, "{record} {} {}", marks(tuple.initialising, tuple.busy), tuple.formula.index())?;
            tuple.classes.iter().try_for_each(|&(class, n)| counted(out, class, n))?;
            writeln!(out)?;
        }
    }
    Ok(())
}

fn token_closure(out: &mut dyn Write, body: &TokenClosure, net: Option<&Net>) -> fmt::Result {
    writeln!(out, "width {}", body.width)?;
    names(out, net)?;
    body.tuples.iter().try_for_each(|it| tokens(out, "c", it))?;
    body.blocked.iter().try_for_each(|it| tokens(out, "b", it))
}

fn summaries(out: &mut dyn Write, body: &Summaries, program: Option<&Program>) -> fmt::Result {
    view(out, &body.view, &body.threads, program)?;
    for state in &body.states {
        let who = match state.who {
            Who::Init => "n",
            Who::First => "f",
            Who::Other => "o",
        };
        write!(out, "a {who} {} ", if state.busy { "i" } else { "-" })?;
        bits(out, &state.shared)?;
        write!(out, " {}", state.thread)?;
        match state.record {
            None => out.write_str(" -")?,
            Some(record) => write!(out, " {record}")?,
        }
        state.calls.iter().try_for_each(|record| write!(out, " {record}"))?;
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
    names(out, net)?;
    body.markings.iter().try_for_each(|it| tokens(out, "m", it))
}

/// The names of shared states and places, as comments.
fn names(out: &mut dyn Write, net: Option<&Net>) -> fmt::Result {
    if let Some(net) = net {
        for (id, name) in net.shared().enumerate() {
            writeln!(out, "# shared state {}: {}", id.index(), harmless(name))?;
        }
        for (id, place) in net.places().enumerate() {
            writeln!(out, "# place {}: {}", id.index(), harmless(&place.name))?;
        }
    }
    Ok(())
}

fn tokens(out: &mut dyn Write, record: &str, (shared, tokens): &Tokens) -> fmt::Result {
    write!(out, "{record} {}", shared.index())?;
    tokens.iter().try_for_each(|&(place, n)| counted(out, place.index(), n))?;
    writeln!(out)
}

pub(super) fn bits(out: &mut dyn Write, values: &[bool]) -> fmt::Result {
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
