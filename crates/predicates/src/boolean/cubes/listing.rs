//! The valuations of predicates before a command, with what several formulas can be in each of them: one
//! enumeration for all the formulas, in which every model says something new about a valuation, and one
//! refutation at its end (projected all-solutions, as Lahiri, Nieuwenhuis and Oliveras do for predicate
//! abstraction, CAV 2006).

use super::cover::{Seen, cover};
use super::{Solver, Split};
use crate::boolean::formulas::Formulas;
use crate::boolean::samples::Sample;
use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use solve::aig::{Aig, Lit};
use solve::sat::{Literal, SatSolver, Var};

/// Formulas and the predicates that are asked about them.
#[derive(Clone, Debug)]
pub struct Joint {
    /// What holds anyway.
    pub facts: Lit,
    /// The predicates, no more than `MOST`.
    pub given: Vec<Lit>,
    /// The formulas, no more than `MOST`.
    pub after: Vec<Lit>,
    /// What is known to be possible.
    pub known: Vec<Sample>,
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
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// The valuations, in the order in which they were found.
    pub rows: Vec<Row>,
    /// Whether these are all, and everything about them.
    pub complete: bool,
    /// The number of the row of each valuation.
    numbers: FxHashMap<u128, usize>,
}

/// The most models for each valuation that may be listed.
const MODELS: usize = 4;

impl Solver {
    /// Lists the valuations that the facts leave, up to a limit.
    pub fn joint(
        &mut self,
        formulas: &mut Formulas<'_>,
        question: &Joint,
        most: usize,
        budget: &Budget,
    ) -> Result<Listed, Stop> {
        let Joint { facts, given, after, known } = question;
        let mut listed = Listed::default();
        let mut open: Vec<usize> = vec![];
        for &sample in known.iter().chain(&formulas.samples().of(*facts, given, after)) {
            open.extend(listed.add(sample));
        }
        let formulas = &*formulas;
        let mut around = None;
        let posed = self.pose(formulas.aig(), question, budget)?;
        for _ in 0..most.saturating_mul(MODELS) {
            if listed.rows.len() > most {
                break;
            }
            open.sort_unstable();
            open.dedup();
            for at in open.drain(..) {
                let clause = posed.other_than(listed.rows[at]);
                self.solver.add_clause(&clause);
            }
            if !self.holds(&[posed.facts, posed.active.positive()], budget)? {
                listed.complete = true;
                break;
            }
            let ones = self.valuation(&posed.after);
            open.extend(listed.add(Sample { valuation: self.valuation(&posed.given), ones }));
            let around = around.get_or_insert_with(|| formulas.around(*facts, given, after));
            let state = |input| self.encoder.value(formulas.aig(), input, &self.solver);
            for sample in around.of(state) {
                open.extend(listed.add(sample));
            }
        }
        self.solver.add_clause(&[posed.active.negative()]);
        Ok(listed)
    }

    fn pose(&mut self, aig: &Aig, question: &Joint, budget: &Budget) -> Result<Posed, Stop> {
        let facts = self.encoder.literal(aig, question.facts, &mut self.solver, budget)?;
        let given = self.literals(aig, &question.given, budget)?;
        let after = self.literals(aig, &question.after, budget)?;
        Ok(Posed { facts, given, after, active: self.solver.new_var() })
    }
}

/// A question as the solver has it.
struct Posed {
    facts: Literal,
    given: Vec<Literal>,
    after: Vec<Literal>,
    /// Clauses that block what was found hold only while this is assumed.
    active: Var,
}

impl Posed {
    /// Another valuation than that of a row, or something new about it.
    fn other_than(&self, row: Row) -> Vec<Literal> {
        let given = self.given.iter().enumerate();
        let differs = given.map(|(at, &it)| it.negate_if(row.valuation >> at & 1 == 1));
        let new = self.after.iter().enumerate().filter_map(|(at, &it)| unseen(row, at, it));
        [self.active.negative()].into_iter().chain(differs).chain(new).collect()
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
    /// Adds what is possible; the number of its row, if that is new.
    fn add(&mut self, sample: Sample) -> Option<usize> {
        let Sample { valuation, ones } = sample;
        let at = *self.numbers.entry(valuation).or_insert_with(|| {
            self.rows.push(Row { valuation, ones: 0, zeros: 0 });
            self.rows.len() - 1
        });
        let row = &mut self.rows[at];
        let new = Row { ones: row.ones | ones, zeros: row.zeros | !ones, ..*row };
        (std::mem::replace(row, new) != new).then_some(at)
    }

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
