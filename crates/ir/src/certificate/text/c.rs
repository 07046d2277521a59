//! The text forms of proofs about C: by predicates (`docs/formats/c-proof.md`), by an order
//! (`docs/formats/c-order.md`) and by all states (`docs/formats/c-states.md`).

use super::HEADER;
use super::order::{self, read_order};
use crate::certificate::{Body, Certificate, Fingerprint, Predicates, States, View};
use crate::task::{Bound, Scope};
use base::Budget;
use relation::NoRelation;
use relation::proof;
pub use relation::proof::Unread;
use std::fmt::{self, Write};
use std::sync::Arc;

const KIND: &str = "kind states";

/// The record that names passes.
const PASSES: &str = "passes";

/// Adds the record of passes to the text of a proof: it follows the kind.
pub fn with_passes(out: &mut dyn Write, text: &str, passes: &[String]) -> fmt::Result {
    let ends = text.match_indices('\n').nth(1).map_or(text.len(), |it| it.0 + 1);
    out.write_str(&text[..ends])?;
    if !passes.is_empty() {
        writeln!(out, "{PASSES} {}", passes.join(" "))?;
    }
    out.write_str(&text[ends..])
}

/// The passes that a certificate about a C program names.
pub fn passes(text: &str) -> Vec<String> {
    let third = lines(text).nth(2).unwrap_or_default();
    match third.split_once(' ') {
        Some((PASSES, names)) => names.split_whitespace().map(str::to_string).collect(),
        _ => vec![],
    }
}

/// The text without the record of passes; its line stays, so that lines keep their numbers.
fn without_passes(text: &str) -> String {
    let is_record = |line: &&str| line.trim().split_once(' ').is_some_and(|it| it.0 == PASSES);
    let at = text.lines().position(|line| is_record(&line)).filter(|_| !passes(text).is_empty());
    let kept = text.lines().enumerate().map(|(n, line)| if Some(n) == at { "" } else { line });
    kept.flat_map(|line| [line, "\n"]).collect()
}

/// Writes a proof by all states.
pub fn write_states(out: &mut dyn Write, scope: Scope, body: &States) -> fmt::Result {
    let threads = match scope.threads {
        Bound::Any => "any".to_string(),
        Bound::AtMost(most) => most.to_string(),
    };
    let Fingerprint { locations, digest } = body.program;
    let states = body.states;
    writeln!(
        out,
        "{HEADER}\n{KIND}\nprogram {locations} {digest:016x}\nthreads {threads}\nstates {states}\nend"
    )
}

/// The certificate about a C program that a text is the form of; `model` is what the passes that it names
/// made of the program as it was read.
pub fn read_c(text: &str, model: &crate::c::Model, budget: &Budget) -> Result<Certificate, Unread> {
    let certificate = read_bare(&without_passes(text), model, budget)?;
    Ok(Certificate { passes: passes(text), ..certificate })
}

fn read_bare(text: &str, model: &crate::c::Model, budget: &Budget) -> Result<Certificate, Unread> {
    if lines(text).nth(1) == Some(KIND) {
        return read_states(text).map_err(Unread::Wrong);
    }
    if lines(text).nth(1) == Some(order::KIND) {
        return read_order(text, model, budget);
    }
    let relation = model.relation(budget).map_err(unread)?;
    let proof = Arc::new(proof::read(text, &relation, budget)?);
    let body = Predicates { relation, proof, refinements: 0 };
    Ok(Certificate { scope: Scope::ANY, view: View::default(), body: Body::Predicates(body), passes: vec![] })
}

/// There is nothing that a proof could speak of.
pub(super) fn unread(why: NoRelation) -> Unread {
    match why {
        NoRelation::Stopped(stop) => stop.into(),
        NoRelation::Unsupported(why) => Unread::Wrong(format!("no proof can speak of the program: {why}")),
    }
}

/// Lines that say something.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn read_states(text: &str) -> Result<Certificate, String> {
    let mut lines = lines(text);
    let mut next = |what: &str| lines.next().ok_or(format!("the record `{what}` is missing"));
    for fixed in [HEADER, KIND] {
        if next(fixed)? != fixed {
            return Err(format!("the record `{fixed}` is missing"));
        }
    }
    let program = fingerprint(record(next("program")?, "program")?)?;
    let threads = match record(next("threads")?, "threads")? {
        "any" => Bound::Any,
        most => Bound::AtMost(number(most)?),
    };
    let states = number(record(next("states")?, "states")?)?;
    if next("end")? != "end" || lines.next().is_some() {
        return Err("the text does not end with `end`".to_string());
    }
    let body = Body::States(States { program, states });
    Ok(Certificate { scope: Scope { threads }, view: View::default(), body, passes: vec![] })
}

fn fingerprint(words: &str) -> Result<Fingerprint, String> {
    let wrong = || format!("`{words}` is no number of locations and digest");
    let (locations, digest) = words.split_once(' ').ok_or_else(wrong)?;
    let digest = u64::from_str_radix(digest, 16).map_err(|_| wrong())?;
    Ok(Fingerprint { locations: number(locations)?, digest })
}

fn record<'t>(line: &'t str, name: &str) -> Result<&'t str, String> {
    match line.split_once(' ') {
        Some((word, rest)) if word == name => Ok(rest.trim()),
        _ => Err(format!("the record `{name}` is missing")),
    }
}

pub(super) fn number<N: std::str::FromStr>(word: &str) -> Result<N, String> {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| is_plain).ok_or(format!("`{word}` is no number"))
}
