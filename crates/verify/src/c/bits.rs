//! Has a proof of the exact way confirmed where the program has no end of states: the values that its coding found become predicates of a proof
//! about the C program itself, as the abstract way writes them, which the checker of those checks. Nothing of the Boolean
//! program is trusted, and nothing new.

use super::abstraction::{self, Abstraction};
use super::{Request, listing};
use crate::answer::Answer;
use base::{Budget, Stop};
use cegar::{Options, Outcome, Values, prove_values};
use ir::c::LocalId;
use ir::c::relation::{Home, NoRelation, Relation};
use passes::lower::{Held, Holder, Lowered};
use std::collections::BTreeMap;

/// The most work for it.
const TICKS: u64 = 20_000_000;
/// The most states of two threads.
const STATES: usize = 20_000;

/// The answer, confirmed if it is a proof and can be.
pub fn confirmed(request: &Request, lowered: &Lowered, claimed: Answer, budget: &Budget) -> Answer {
    let answer = listing::confirmed(request, claimed, listing::FEW, budget);
    if !answer.outcome.is_unchecked() {
        return answer;
    }
    if let Ok(Some(abstraction)) = proved(request, lowered, &budget.part(TICKS)) {
        let confirmed = abstraction::confirmed(request, abstraction, budget);
        // A proof by other means stands, whatever comes of this one.
        if confirmed.abstraction.is_some() && !confirmed.outcome.is_unchecked() {
            return confirmed;
        }
    }
    answer
}

fn proved(request: &Request, lowered: &Lowered, budget: &Budget) -> Result<Option<Abstraction>, Stop> {
    let source = &request.source;
    let relation = match Relation::of(&source.program, &source.machine, budget) {
        Ok(relation) => relation,
        Err(NoRelation::Stopped(stop)) => return Err(stop),
        Err(NoRelation::Unsupported(_)) => return Ok(None),
    };
    let values = values(&relation, lowered);
    let options = Options { machine: source.machine, states: STATES, ..Options::default() };
    Ok(match prove_values(relation, &values, &options, budget)? {
        Outcome::Proved { proof, relation, width, rounds, .. } => {
            Some(Abstraction { relation, proof, width, refinements: rounds.saturating_sub(1) })
        }
        _ => None,
    })
}

/// The values of the variables of the relation: registers have the same numbers there, cells the same names.
fn values(relation: &Relation, lowered: &Lowered) -> BTreeMap<LocalId, Values> {
    let mut cells: BTreeMap<&str, LocalId> = BTreeMap::new();
    for (id, variable) in relation.variables.enumerate() {
        if variable.home == Home::Shared && !variable.ghost {
            cells.insert(&variable.name, id);
        }
    }
    let mut found = BTreeMap::new();
    for (holder, held) in lowered.numbers() {
        let variable = match &holder {
            Holder::Register(local) => Some(*local),
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
