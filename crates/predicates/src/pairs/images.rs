//! Exact images by projected all-solutions: given the predicate bits before a step, which bits after it are
//! possible? A step is cut into components that share no input, so that its image is the product of theirs;
//! each component has a solver of its own, in which the guards are facts and the bits before are assumptions,
//! and remembers its answers.

use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use solve::aig::{Aig, Lit};
use solve::sat::{Answer, Batsat, Encoder, Literal, SatSolver};
use std::rc::Rc;

/// Formulas over common inputs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Question {
    /// What must hold.
    pub facts: Vec<Lit>,
    /// What is given, at most 128.
    pub given: Vec<Lit>,
    /// What is asked for, at most 128.
    pub wanted: Vec<Lit>,
}

/// The questions asked so far and their answers.
pub struct Images {
    /// An answer with more solutions than this is given up: [`Stop::Ticks`], and [`Images::gave_up`].
    most: usize,
    /// Whether an answer was given up.
    pub gave_up: bool,
    components: Vec<Component>,
    index: FxHashMap<Question, usize>,
    /// Calls of the solver.
    pub calls: u64,
}

struct Component {
    solver: Batsat,
    given: Vec<Literal>,
    wanted: Vec<Literal>,
    answers: FxHashMap<u128, Rc<[u128]>>,
    /// Given bits and their values that have no solution, whatever the other bits are.
    refuted: Vec<Refuted>,
}

#[derive(Clone, Copy)]
struct Refuted {
    bits: u128,
    values: u128,
}

impl Images {
    /// No questions yet, and at most this many solutions for each.
    pub fn new(most: usize) -> Self {
        Images { most, gave_up: false, components: vec![], index: FxHashMap::default(), calls: 0 }
    }

    /// The number of a question, the same for the same question.
    pub fn component(&mut self, aig: &Aig, question: Question, budget: &Budget) -> Result<usize, Stop> {
        if let Some(&known) = self.index.get(&question) {
            return Ok(known);
        }
        let mut solver = Batsat::new();
        let mut encoder = Encoder::new();
        let mut literals = |lits: &[Lit], solver: &mut Batsat| -> Result<Vec<Literal>, Stop> {
            lits.iter().map(|&lit| encoder.literal(aig, lit, solver, budget)).collect()
        };
        for fact in literals(&question.facts, &mut solver)? {
            solver.add_clause(&[fact]);
        }
        let given = literals(&question.given, &mut solver)?;
        let wanted = literals(&question.wanted, &mut solver)?;
        let number = self.components.len();
        let (answers, refuted) = (FxHashMap::default(), vec![]);
        self.components.push(Component { solver, given, wanted, answers, refuted });
        self.index.insert(question, number);
        Ok(number)
    }

    /// Gives up if there are more combinations than solutions may be.
    pub fn check_size(&mut self, counts: impl Iterator<Item = usize>) -> Result<(), Stop> {
        let all = counts.fold(1usize, usize::saturating_mul);
        if all > self.most {
            self.gave_up = true;
            return Err(Stop::Ticks);
        }
        Ok(())
    }

    /// All values of what is asked for that are possible with these values of what is given, in order.
    pub fn solutions(&mut self, number: usize, given: u128, budget: &Budget) -> Result<Rc<[u128]>, Stop> {
        let component = &mut self.components[number];
        if let Some(known) = component.answers.get(&given) {
            return Ok(Rc::clone(known));
        }
        let answer: Rc<[u128]> = if component.refuted.iter().any(|it| given & it.bits == it.values) {
            Rc::from([])
        } else {
            let Some(found) = component.enumerate(given, self.most, budget)? else {
                self.gave_up = true;
                return Err(Stop::Ticks);
            };
            self.calls += found.len() as u64 + 1;
            Rc::from(found)
        };
        component.answers.insert(given, Rc::clone(&answer));
        Ok(answer)
    }
}

impl Component {
    /// All solutions, if there are not more than this many.
    fn enumerate(&mut self, given: u128, most: usize, budget: &Budget) -> Result<Option<Vec<u128>>, Stop> {
        let mut found = vec![];
        // Clauses that block what was found hold only while this literal is assumed.
        let active = self.solver.new_var();
        let given_literals = self.given.iter().enumerate();
        let mut assumptions: Vec<Literal> =
            given_literals.map(|(at, &literal)| literal.negate_if(given >> at & 1 == 0)).collect();
        assumptions.push(active.positive());
        while self.solver.solve_under(&assumptions, budget)? == Answer::Sat {
            budget.spend(1)?;
            let values: Vec<bool> = self.wanted.iter().map(|&literal| self.solver.value(literal)).collect();
            found
                .push(values.iter().enumerate().fold(0, |bits, (at, &value)| bits | u128::from(value) << at));
            if found.len() > most {
                return Ok(None);
            }
            if values.is_empty() {
                break;
            }
            let mut clause = vec![active.negative()];
            clause.extend(self.wanted.iter().zip(&values).map(|(&literal, &value)| literal.negate_if(value)));
            self.solver.add_clause(&clause);
        }
        if found.is_empty() {
            self.learn(given);
        }
        self.solver.add_clause(&[active.negative()]);
        found.sort_unstable();
        Ok(Some(found))
    }

    /// Remembers which of the given bits left no solution.
    fn learn(&mut self, given: u128) {
        let failed = self.solver.failed();
        let guilty = self.given.iter().enumerate().filter(|&(at, literal)| {
            let assumed = literal.negate_if(given >> at & 1 == 0);
            failed.binary_search(&assumed).is_ok()
        });
        let bits = guilty.fold(0, |bits, (at, _)| bits | 1 << at);
        self.refuted.push(Refuted { bits, values: given & bits });
    }
}

#[cfg(test)]
mod tests {
    use super::Images;

    #[test]
    fn combinations_of_small_parts_may_be_too_many() {
        let mut images = Images::new(100);
        assert!(images.check_size([10, 5, 2].into_iter()).is_ok() && !images.gave_up);
        assert!(images.check_size([10, 5, 3].into_iter()).is_err() && images.gave_up);
        assert!(Images::new(100).check_size([usize::MAX, 2].into_iter()).is_err());
    }
}
