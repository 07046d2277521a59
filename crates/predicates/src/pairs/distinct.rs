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

/// The predicates that differ from all before them and from their negations, and are neither always true nor
/// always false.
pub fn distinct(
    relation: &Relation,
    exprs: &Exprs,
    predicates: &[ExprId],
    budget: &Budget,
) -> Result<Vec<ExprId>, Stop> {
    let (mut circuits, mut view) = (Circuits::new(), View::before(0));
    let (mut solver, mut encoder) = (Batsat::new(), Encoder::new());
    let mut kept = vec![];
    // Formulas by what simulation says, with the sign that makes its first bit 0.
    let mut classes: FxHashMap<[u64; solve::aig::SIMULATION_WORDS], Vec<Lit>> = FxHashMap::default();
    classes.entry([0; solve::aig::SIMULATION_WORDS]).or_default().push(Lit::FALSE);
    for &id in predicates {
        let mut reading = Reading { relation, exprs, view: &mut view, budget };
        let lit = circuits.truth(&mut reading, id)?;
        let lit = lit.negate_if(circuits.aig.simulation(lit)[0] & 1 == 1);
        let class = classes.entry(circuits.aig.simulation(lit)).or_default();
        let mut is_new = true;
        for &other in class.iter() {
            let differ = circuits.aig.xor(lit, other);
            let literal = encoder.literal(&circuits.aig, differ, &mut solver, budget)?;
            let answer = solver.solve_under(&[literal], &budget.part(TICKS));
            budget.spend(0)?;
            is_new &= answer != Ok(Answer::Unsat);
        }
        if is_new {
            class.push(lit);
            kept.push(id);
        }
    }
    Ok(kept)
}
