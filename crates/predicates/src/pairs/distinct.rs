//! Leaves out predicates that say the same as an earlier one, or nothing.

use crate::terms::circuits::{Circuits, Reading, View};
use base::{Budget, Stop};
use c::{ExprId, Exprs};
use relation::Relation;
use rustc_hash::FxHashMap;
use solve::aig::Lit;
use solve::sat::{Answer, Batsat, Encoder, SatSolver};

/// Conflicts are not worth more than this: two predicates that are the same beyond it are kept twice.
const TICKS: u64 = 20_000;

/// What is known of formulas that were compared. The same expression gives the same formula in each round, so
/// that a pair is compared once, however often its predicates are asked about.
pub struct Distinct {
    circuits: Circuits,
    solver: Batsat,
    encoder: Encoder,
    same: FxHashMap<(Lit, Lit), bool>,
}

impl Distinct {
    /// Nothing was compared yet.
    pub fn new() -> Self {
        let (circuits, encoder) = (Circuits::new(), Encoder::new());
        Distinct { circuits, solver: Batsat::new(), encoder, same: FxHashMap::default() }
    }

    /// The predicates that differ from all before them and from their negations, and are neither always true
    /// nor always false.
    pub fn among(
        &mut self,
        relation: &Relation,
        exprs: &Exprs,
        predicates: &[ExprId],
        budget: &Budget,
    ) -> Result<Vec<ExprId>, Stop> {
        let mut view = View::before(0);
        let mut kept = vec![];
        // Formulas by what simulation says, with the sign that makes its first bit 0.
        let mut classes: FxHashMap<[u64; solve::aig::SIMULATION_WORDS], Vec<Lit>> = FxHashMap::default();
        classes.entry([0; solve::aig::SIMULATION_WORDS]).or_default().push(Lit::FALSE);
        for &id in predicates {
            let mut reading = Reading { relation, exprs, view: &mut view, budget };
            let lit = self.circuits.truth(&mut reading, id)?;
            let lit = lit.negate_if(self.circuits.aig.simulation(lit)[0] & 1 == 1);
            let class = classes.entry(self.circuits.aig.simulation(lit)).or_default();
            let mut is_new = true;
            for &other in class.iter() {
                is_new &= !self.are_same(lit, other, budget)?;
            }
            if is_new {
                class.push(lit);
                kept.push(id);
            }
        }
        Ok(kept)
    }

    fn are_same(&mut self, lit: Lit, other: Lit, budget: &Budget) -> Result<bool, Stop> {
        if let Some(&known) = self.same.get(&(lit, other)) {
            return Ok(known);
        }
        let differ = self.circuits.aig.xor(lit, other);
        let literal = self.encoder.literal(&self.circuits.aig, differ, &mut self.solver, budget)?;
        let answer = self.solver.solve_under(&[literal], &budget.part(TICKS));
        budget.spend(0)?;
        let same = answer == Ok(Answer::Unsat);
        self.same.insert((lit, other), same);
        Ok(same)
    }
}

/// The same for predicates that are asked about once.
pub fn distinct(
    relation: &Relation,
    exprs: &Exprs,
    predicates: &[ExprId],
    budget: &Budget,
) -> Result<Vec<ExprId>, Stop> {
    Distinct::new().among(relation, exprs, predicates, budget)
}
