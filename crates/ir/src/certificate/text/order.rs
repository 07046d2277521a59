//! The text form of proofs that threads wait in an order (`docs/formats/c-order.md`): the order, and the form
//! of the invariant (`docs/formats/c-proof.md`) behind it.

use super::c::{number, unread};
use crate::certificate::{Body, Certificate, Predicates, View, WaitOrder};
use crate::task::Scope;
use base::{Budget, Id};
use c::program::{ObjectId, ProcId};
use relation::proof::{self, Unread};
use relation::{Direction, Order, Relation, Resource};
use std::sync::Arc;

/// The second line.
pub(super) const KIND: &str = "kind order";

/// That of the invariant alone.
const INVARIANT: &str = "kind predicates";

/// The text; the order follows the kind.
pub(super) fn write_order(body: &WaitOrder) -> String {
    let WaitOrder { order, invariant } = body;
    let mut kind = format!("{KIND}\nslots {}", order.slots);
    for resource in &order.resources {
        kind += &format!("\nrank {}", words(resource));
    }
    proof::write(&invariant.relation, &invariant.proof).replacen(INVARIANT, &kind, 1)
}

fn words(resource: &Resource) -> String {
    let way = |direction: &Direction| if *direction == Direction::Up { "up" } else { "down" };
    match resource {
        Resource::Life(template) => format!("life {}", template.index()),
        Resource::Cell(object, offset) => format!("cell {} {offset}", object.index()),
        Resource::Object(object, direction) => format!("{} {}", way(direction), object.index()),
        Resource::Rest(direction) => format!("{} rest", way(direction)),
    }
}

/// Reads the text of a proof about this program.
pub(super) fn read_order(
    text: &str,
    model: &crate::c::Model,
    budget: &Budget,
) -> Result<Certificate, Unread> {
    let (order, rest) = split(text).map_err(Unread::Wrong)?;
    let relation =
        Arc::new(Relation::ordered(&model.program, &model.machine, &order, budget).map_err(unread)?);
    let proof = Arc::new(proof::read(&rest, &relation, budget)?);
    let body = WaitOrder { order, invariant: Predicates { relation, proof, refinements: 0 } };
    Ok(Certificate { scope: Scope::ANY, view: View::default(), body: Body::Order(body), passes: vec![] })
}

/// The order, and the text of the invariant with its lines where they were.
fn split(text: &str) -> Result<(Order, String), String> {
    let (mut slots, mut resources) = (None, vec![]);
    let mut rest = String::new();
    for (at, line) in text.lines().enumerate() {
        let wrong = |why: String| format!("line {}: {why}", at + 1);
        let (record, words) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match record {
            "kind" => rest += INVARIANT,
            "slots" if slots.is_none() => slots = Some(number(words).map_err(wrong)?),
            "rank" => resources.push(resource(words).map_err(wrong)?),
            _ => rest += line,
        }
        rest.push('\n');
    }
    let slots = slots.ok_or("the record `slots` is missing")?;
    Ok((Order { slots, resources }, rest))
}

fn resource(text: &str) -> Result<Resource, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let object = |word: &str| number::<u32>(word).map(|it| ObjectId::from_index(it as usize));
    Ok(match words[..] {
        ["life", template] => Resource::Life(ProcId::from_index(number::<u32>(template)? as usize)),
        ["cell", of, offset] => Resource::Cell(object(of)?, number(offset)?),
        ["up", "rest"] => Resource::Rest(Direction::Up),
        ["down", "rest"] => Resource::Rest(Direction::Down),
        ["up", of] => Resource::Object(object(of)?, Direction::Up),
        ["down", of] => Resource::Object(object(of)?, Direction::Down),
        _ => return Err(format!("`{text}` is nothing that threads wait for")),
    })
}
