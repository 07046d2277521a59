//! The valuations of predicates before a command, with what several formulas can be in each of them: one enumeration for all the formulas, in which every model says
//! something new about a valuation, and one refutation at its end (projected all-solutions, as Lahiri, Nieuwenhuis and Oliveras do for predicate abstraction, CAV 2006).

use super::cover::{Seen, cover};
use super::{Solver, Split};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use solve::aig::{Aig, Lit};
use solve::sat::{Literal, SatSolver};

/// Formulas and the predicates that are asked about them.
#[derive(Clone, Debug)]
pub struct Joint {
    /// What holds anyway.
    pub facts: Lit,
    /// The predicates, no more than `MOST`.
    pub given: Vec<Lit>,
    /// The formulas, no more than `MOST`.
    pub after: Vec<Lit>,
}

/// A valuation of the predicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its bits.
    pub valuation: u128,
    /// Which formulas can hold in it.
    pub ones: u128,
    /// Which of them can fail.
    pub zeros: u128,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The valuations, in the order in which they were found.
    pub rows: Vec<Row>,
    /// Whether these are all, and everything about them.
    pub complete: bool,
}

/// The most models for each valuation that may be listed.
const MODELS: usize = 4;

impl Solver {
    /// Lists the valuations that the facts leave, up to a limit.
    pub fn joint(
        &mut self,
        aig: &Aig,
        question: &Joint,
        most: usize,
        budget: &Budget,
    ) -> Result<Listed, Stop> {
        let facts = self.encoder.literal(aig, question.facts, &mut self.solver, budget)?;
        let given = self.literals(aig, &question.given, budget)?;
        let after = self.literals(aig, &question.after, budget)?;
        let mut listed = Listed { rows: vec![], complete: false };
        let mut number: FxHashMap<u128, usize> = FxHashMap::default();
        // Clauses that block what was found hold only while this literal is assumed.
        let active = self.solver.new_var();
        let assumptions = [facts, active.positive()];
        for _ in 0..most.saturating_mul(MODELS) {
            if !self.holds(&assumptions, budget)? {
                listed.complete = true;
                break;
            }
            let (valuation, ones) = (self.valuation(&given), self.valuation(&after));
            let at = *number.entry(valuation).or_insert_with(|| {
                listed.rows.push(Row { valuation, ones: 0, zeros: 0 });
                listed.rows.len() - 1
            });
            if listed.rows.len() > most {
                break;
            }
            let row = &mut listed.rows[at];
            row.ones |= ones;
            row.zeros |= !ones;
            let mut clause = vec![active.negative()];
            clause.extend(given.iter().enumerate().map(|(at, &it)| it.negate_if(valuation >> at & 1 == 1)));
            clause.extend(after.iter().enumerate().filter_map(|(at, &it)| unseen(*row, at, it)));
            self.solver.add_clause(&clause);
        }
        self.solver.add_clause(&[active.negative()]);
        Ok(listed)
    }
}

/// The value of a formula that was not seen in a row.
fn unseen(row: Row, at: usize, literal: Literal) -> Option<Literal> {
    match (row.ones >> at & 1 == 1, row.zeros >> at & 1 == 1) {
        (false, _) => Some(literal),
        (_, false) => Some(!literal),
        _ => None,
    }
}

impl Listed {
    /// The valuations in which a formula can hold, and those in which it can fail.
    pub fn sides(&self, formula: usize) -> [Seen; 2] {
        let mut sides = [Seen::default(), Seen::default()];
        for row in &self.rows {
            for (side, which) in sides.iter_mut().zip([row.ones, row.zeros]) {
                if which >> formula & 1 == 1 {
                    side.add(row.valuation);
                }
            }
        }
        sides
    }

    /// What the predicates say about one of the formulas, if everything was listed.
    pub fn split(&self, formula: usize, predicates: usize, budget: &Budget) -> Result<Split, Stop> {
        let [ones, zeros] = self.sides(formula);
        let first = cover(&ones, &zeros, predicates, budget)?;
        let second = cover(&zeros, &ones, predicates, budget)?;
        Ok(Split { first, second, decided: ones.is_disjoint(&zeros) })
    }
}
