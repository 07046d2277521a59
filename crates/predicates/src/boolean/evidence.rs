//! A proof that others can check, over predicates that are known to be enough: the closure over states of one
//! and of two threads, the cheapest way to look first.

use super::Predicated;
use crate::pairs::basis::Basis;
use crate::pairs::closure::{Closed, Limits, close_with};
use crate::pairs::companions::Companions;
use crate::pairs::tables::proof;
use crate::pairs::templates::Templates;
use base::{Budget, Stop};
use relation::Relation;
use relation::proof::Proof;

/// A proof and how many threads it looks at together.
pub struct Found {
    /// The proof.
    pub proof: Proof,
    /// How many threads.
    pub width: u8,
}

/// What a look may cost; the last has no limit but the budget's.
const TICKS: u64 = 3_000_000;

/// A proof over these predicates, if the closure over them has no alarm. Relations between two threads, if
/// there are some, are known to be needed.
pub fn evidence(
    relation: &Relation,
    predicated: &Predicated,
    states: usize,
    budget: &Budget,
) -> Result<Option<Found>, Stop> {
    let Predicated { exprs, conditions: predicates, pairs } = predicated;
    let basis = Basis::new(relation, exprs.clone(), predicates, pairs);
    let request = EvidenceRequest { relation, basis: &basis, states, budget };
    if !pairs.is_empty()
        && let Some(found) = request.look(2, None)?
    {
        return Ok(Some(found));
    }
    let basis = Basis::new(relation, exprs.clone(), predicates, &[]);
    let request = EvidenceRequest { basis: &basis, ..request };
    if let Some(found) = request.look(1, None)? {
        return Ok(Some(found));
    }
    let mut templates = Templates::new(relation, exprs.clone(), budget);
    templates.small();
    let few = templates.predicates();
    let part = budget.part(TICKS);
    let companions = within(Companions::new(relation, &templates.exprs, few, states, &part), budget)?;
    if let Some(mut companions) = companions.flatten()
        && companions.place(&basis)
        && let Some(mut found) = request.look(1, Some(&companions))?
    {
        found.proof.doubles = Some(companions.doubles(&basis, budget)?);
        return Ok(Some(Found { width: 2, ..found }));
    }
    if let Some(found) = request.look(2, None)? {
        return Ok(Some(found));
    }
    let pairs = templates.pairs(true)?;
    let basis = Basis::new(relation, templates.exprs, predicates, &pairs);
    EvidenceRequest { basis: &basis, ..request }.look(2, None)
}

struct EvidenceRequest<'a> {
    relation: &'a Relation,
    basis: &'a Basis,
    states: usize,
    budget: &'a Budget,
}

impl EvidenceRequest<'_> {
    fn look(&self, width: u8, companions: Option<&Companions>) -> Result<Option<Found>, Stop> {
        let limits = Limits { width, states: self.states, all: false };
        let part = self.budget.part(TICKS);
        let closed = close_with(self.relation, self.basis, companions, limits, &part);
        Ok(match within(closed, self.budget)? {
            Some(Closed::Safe(states)) => {
                Some(Found { proof: proof(self.basis, &states, width, self.budget)?, width })
            }
            _ => None,
        })
    }
}

/// What was found, or nothing if only a part of the budget is at its end.
fn within<T>(found: Result<T, Stop>, budget: &Budget) -> Result<Option<T>, Stop> {
    match found {
        Err(Stop::Ticks) => budget.spend(0).map(|()| None),
        other => other.map(Some),
    }
}
