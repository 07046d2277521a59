//! Leaves out predicates that a proof does not need (fewer are easier to read, and to check): half of them at
//! once, then quarters, then one by one, as long as what is left is a proof and it costs no more than a
//! quarter of finding the first one.

use super::{Cost, Look, Prover, Tried};
use crate::pairs::basis::Basis;
use crate::pairs::closure::{Closed, Limits, close_with};
use crate::pairs::tables::proof;
use base::{Budget, Stop};
use c::ExprId;
use relation::proof::{Column, Count, PairPredicate, Proof, Table};

/// So much may be spent at least.
const LEAST: u64 = 150_000;

impl Prover<'_> {
    /// A proof with fewer predicates, if there is one; `tried` is what the proof was found with.
    pub(super) fn minimised(&mut self, first: Box<Proof>, tried: Tried) -> Result<Box<Proof>, Stop> {
        let spent = self.budget.spent().saturating_sub(self.begun);
        let part = self.budget.part((spent / 4).max(LEAST));
        let size = |it: &Tried| it.predicates.len() + it.pairs.len() + it.counts.len();
        let before = size(&tried);
        let mut smaller = Smaller { best: first, tried, attempts: 0 };
        let found = match self.shrink(&mut smaller, &part) {
            // Only this part of the budget may be at its end.
            Err(Stop::Ticks) => self.budget.spend(0),
            other => other,
        };
        found?;
        let after = size(&smaller.tried);
        self.tell_smaller(before, after, smaller.attempts);
        Ok(smaller.best)
    }

    fn shrink(&mut self, smaller: &mut Smaller, budget: &Budget) -> Result<(), Stop> {
        let unread = unread(&smaller.best);
        let predicates: Vec<ExprId> =
            smaller.tried.predicates.iter().filter(|it| !unread.contains(it)).copied().collect();
        if predicates.len() < smaller.tried.predicates.len() {
            self.without(smaller, predicates, smaller.tried.pairs.clone(), budget)?;
        }
        let mut size = smaller.tried.predicates.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            while at < smaller.tried.predicates.len() {
                let mut fewer = smaller.tried.predicates.clone();
                // Those that were found last are the least likely to matter.
                let end = fewer.len() - at;
                fewer.drain(end.saturating_sub(size)..end);
                if !self.without(smaller, fewer, smaller.tried.pairs.clone(), budget)? {
                    at += size;
                }
            }
            size /= 2;
        }
        for pair in smaller.tried.pairs.clone() {
            let fewer = smaller.tried.pairs.iter().filter(|it| **it != pair).copied().collect();
            self.without(smaller, smaller.tried.predicates.clone(), fewer, budget)?;
        }
        for count in smaller.tried.counts.clone() {
            let counts: Vec<Count> =
                smaller.tried.counts.iter().filter(|it| **it != count).cloned().collect();
            self.try_smaller(smaller, Tried { counts, ..smaller.tried.clone() }, budget)?;
        }
        Ok(())
    }

    /// Tries these predicates instead; whether they are a proof.
    fn without(
        &mut self,
        smaller: &mut Smaller,
        predicates: Vec<ExprId>,
        pairs: Vec<PairPredicate>,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let tried = Tried { predicates, pairs, ..smaller.tried.clone() };
        self.try_smaller(smaller, tried, budget)
    }

    fn try_smaller(&mut self, smaller: &mut Smaller, tried: Tried, budget: &Budget) -> Result<bool, Stop> {
        smaller.attempts += 1;
        let found = self.proof_of(&tried, Cost { ticks: u64::MAX, states: self.options.states }, budget)?;
        let Some(found) = found else { return Ok(false) };
        smaller.best = found;
        smaller.tried = tried;
        Ok(true)
    }

    fn proof_of(&mut self, tried: &Tried, cost: Cost, budget: &Budget) -> Result<Option<Box<Proof>>, Stop> {
        let basis = Basis::new(self.relation, self.exprs.clone(), &tried.predicates, &tried.pairs)
            .counting(&tried.counts);
        let among = tried.look == Look::Companions;
        if among && !self.find_companions(&basis)? {
            return Ok(None);
        }
        let companions = self.companions.as_ref().filter(|_| among);
        let width = tried.look.width();
        let limits = Limits { width, states: cost.states, all: false };
        let Closed::Safe(states) = close_with(self.relation, &basis, companions, limits, budget)? else {
            return Ok(None);
        };
        let mut made = proof(&basis, &states, width, budget)?;
        made.races = self.relation.accesses.is_some();
        if let Some(companions) = companions {
            made.doubles = Some(companions.doubles(&basis, budget)?);
        }
        Ok(Some(Box::new(made)))
    }
}

struct Smaller {
    best: Box<Proof>,
    tried: Tried,
    attempts: usize,
}

/// The predicates that no row of the proof speaks of.
fn unread(proof: &Proof) -> Vec<ExprId> {
    let mut read = vec![false; proof.predicates.len()];
    let mut note = |table: &Table| {
        for (at, column) in table.columns.iter().enumerate() {
            if let Column::First(number) | Column::Second(number) = column {
                read[*number] |= table.rows.iter().any(|row| row[at].is_some());
            }
        }
    };
    proof.singles.iter().for_each(|it| note(&it.table));
    proof.doubles.iter().flatten().for_each(|it| note(&it.table));
    let unread = proof.predicates.iter().zip(read).filter(|(_, read)| !read);
    unread.map(|(predicate, _)| *predicate).collect()
}
