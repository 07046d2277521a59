//! One incremental solver for the questions that the search asks again and again: is this guard satisfiable,
//! and by which choices?
//!
//! Clauses are kept between questions as long as they are of use: a model assigns every variable, so a solver
//! that knows a hundred times more than the question needs is slower than a new one.

use super::statistics::Statistics;
use base::{Budget, Id, Stop};
use solve::aig::{Aig, Input, Lit};
use solve::sat::{Answer, Batsat, Encoder, Literal, SatSolver};

/// A value for each choice variable.
pub type Assignment = Vec<bool>;

/// Formulas may grow by this many nodes before the solver is replaced, beside twice the size of the first
/// question.
const GROWTH: usize = 4_000;

/// The solver.
#[derive(Default)]
pub struct Oracle {
    solver: Batsat,
    encoder: Encoder,
    /// The size of the graph at which the solver is replaced.
    limit: usize,
}

impl Oracle {
    /// Whether a formula has a model. Random simulation often knows one.
    pub fn satisfiable(
        &mut self,
        aig: &Aig,
        lit: Lit,
        statistics: &mut Statistics,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        if let Some(value) = lit.as_constant() {
            return Ok(value);
        }
        if aig.simulation(lit).iter().any(|&word| word != 0) {
            statistics.simulated += 1;
            return Ok(true);
        }
        self.prepare(aig, &[lit]);
        let literal = self.literal(aig, lit, budget)?;
        self.ask(&[literal], statistics, budget)
    }

    /// A model of all formulas together, if there is one.
    pub fn model(
        &mut self,
        aig: &Aig,
        lits: &[Lit],
        statistics: &mut Statistics,
        budget: &Budget,
    ) -> Result<Option<Assignment>, Stop> {
        self.prepare(aig, lits);
        let mut assumptions = vec![];
        for &lit in lits {
            assumptions.push(self.literal(aig, lit, budget)?);
        }
        if !self.ask(&assumptions, statistics, budget)? {
            return Ok(None);
        }
        let value = |index| self.encoder.value(aig, Input::from_index(index), &self.solver);
        Ok(Some((0..aig.input_count()).map(value).collect()))
    }

    /// Prepares for a query about these formulas.
    pub fn prepare(&mut self, aig: &Aig, lits: &[Lit]) {
        if aig.len() > self.limit {
            let size = aig.cone_size(lits.iter().copied());
            *self = Self { limit: aig.len() + 2 * size + GROWTH, ..Self::default() };
        }
    }

    /// The literal of a formula.
    pub fn literal(&mut self, aig: &Aig, lit: Lit, budget: &Budget) -> Result<Literal, Stop> {
        self.encoder.literal(aig, lit, &mut self.solver, budget)
    }

    /// Whether the clauses have a model in which all these hold.
    pub fn ask(
        &mut self,
        assumptions: &[Literal],
        statistics: &mut Statistics,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        statistics.solver_calls += 1;
        Ok(self.solver.solve_under(assumptions, budget)? == Answer::Sat)
    }
}
