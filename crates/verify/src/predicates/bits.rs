//! Lifts a proof of the Boolean program to the C program where that has no end of states: the values that the
//! coding found become predicates of a proof about the C program itself, as predicate abstraction writes
//! them, which the checker of those checks. Nothing of the Boolean program is trusted, and nothing new.

use ::c::LocalId;
use base::{Budget, Stop};
use ir::c::Model;
use ir::certificate::Certificate;
use passes::lower::{Held, Holder, Lowered};
use predicates::{Options, Outcome, Values, prove_values};
use relation::{Home, NoRelation, Relation};
use std::collections::BTreeMap;

/// The most work for it.
const TICKS: u64 = 20_000_000;
/// The most work without any values.
const LOCKS_TICKS: u64 = 1_000_000;
/// The most states of two threads.
const STATES: usize = 20_000;

/// The certificate about the C program, if there is one. Where races are asked about, locks alone may be
/// enough.
pub fn certificate(model: &Model, lowered: &Lowered, budget: &Budget) -> Result<Option<Certificate>, Stop> {
    if model.machine.races.matter()
        && let Some(found) = within(model, None, LOCKS_TICKS, budget)?
    {
        return Ok(Some(found));
    }
    within(model, Some(lowered), TICKS, budget)
}

fn within(
    model: &Model,
    lowered: Option<&Lowered>,
    ticks: u64,
    budget: &Budget,
) -> Result<Option<Certificate>, Stop> {
    let part = budget.part(ticks);
    match proved(model, lowered, &part) {
        // Only this part of the budget may be at its end.
        Err(Stop::Ticks) => budget.spend(0).map(|()| None),
        other => other,
    }
}

fn proved(model: &Model, lowered: Option<&Lowered>, budget: &Budget) -> Result<Option<Certificate>, Stop> {
    let relation = match model.relation(budget) {
        Ok(relation) => Relation::clone(&relation),
        Err(NoRelation::Stopped(stop)) => return Err(stop),
        Err(NoRelation::Unsupported(_)) => return Ok(None),
    };
    let values = lowered.map(|lowered| values(model, &relation, lowered)).unwrap_or_default();
    let options = Options { machine: model.machine, states: STATES, ..Options::default() };
    Ok(match prove_values(relation, &values, &options, budget)? {
        Outcome::Proved { proof, relation, rounds, .. } => Some(super::certificate(relation, proof, rounds)),
        _ => None,
    })
}

/// The values of the variables of the relation: registers have the same numbers there, cells the same names.
/// Registers that the lowered program has beside those of the model are left out.
fn values(model: &Model, relation: &Relation, lowered: &Lowered) -> BTreeMap<LocalId, Values> {
    let mut cells: BTreeMap<&str, LocalId> = BTreeMap::new();
    for (id, variable) in relation.variables.enumerate() {
        if variable.home == Home::Shared && !variable.ghost {
            cells.insert(&variable.name, id);
        }
    }
    let mut found = BTreeMap::new();
    for (holder, held) in lowered.numbers() {
        let variable = match &holder {
            Holder::Register(local) => model.program.locals().get(*local).map(|_| *local),
            Holder::Cell(name) => cells.get(name.as_str()).copied(),
        };
        let values = match held {
            Held::Few(numbers) => Values::Few(numbers),
            Held::Bits(places) => Values::Bits(places),
        };
        found.extend(variable.map(|variable| (variable, values)));
    }
    found
}
