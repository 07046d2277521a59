//! Looks into sets, for tests.

use super::{FormulaSets, Parametric};
use base::Budget;
use ir::bp::Loc;
use rustc_hash::FxHashSet;
use solve::aig::{Input, Lit};
use solve::inclusion::{self, StateSet};

impl FormulaSets<'_> {
    /// All valuations of a set with few choices, for tests that look into sets; `None` if there are many.
    pub fn valuations(&self, loc: Loc, set: &Parametric) -> Option<FxHashSet<Vec<bool>>> {
        if set.support.len() > 10 {
            return None;
        }
        let all = self.state_set(loc, set);
        let formulas: Vec<Lit> = [all.guard].into_iter().chain(all.bits).collect();
        let mut valuations = FxHashSet::default();
        for choice in 0..1u32 << set.support.len() {
            let place = |input: Input| set.support.binary_search(&input).expect("an input of the set");
            let values = self.aig.eval_all(&formulas, |input| choice >> place(input) & 1 == 1);
            if values[0] {
                valuations.insert(values[1..].to_vec());
            }
        }
        Some(valuations)
    }

    /// Whether a set has the valuation.
    pub fn has(&self, loc: Loc, set: &Parametric, valuation: &[bool]) -> bool {
        let all = self.state_set(loc, set);
        let valuation =
            StateSet { bits: valuation.iter().map(|&bit| Lit::constant(bit)).collect(), guard: Lit::TRUE };
        let (options, budget) = (inclusion::Options::default(), Budget::unlimited());
        inclusion::included(&self.aig, &valuation, &all, &options, &budget).expect("no end")
    }
}
