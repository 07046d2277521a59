//! Answers that need no solver.

use super::StateSet;
use super::parts::{Part, conjuncts, walk_conjunction};
use crate::aig::{Aig, Lit, SIMULATION_WORDS};
use rustc_hash::{FxHashMap, FxHashSet};

/// The answer, if it can be seen at once.
pub(super) fn decide(aig: &Aig, new: &StateSet, old: &StateSet, parts: &[Part]) -> Option<bool> {
    if new.guard == Lit::FALSE || same_choice_will_do(aig, new, old, parts) {
        return Some(true);
    }
    simulation_refutes(aig, new, old).then_some(false)
}

/// Whether the choice that leads to a valuation of the new set leads to it in the old set too: equal formulas
/// for all bits but the private ones, whose choices can be made freely, and an old guard that the new one
/// contains.
fn same_choice_will_do(aig: &Aig, new: &StateSet, old: &StateSet, parts: &[Part]) -> bool {
    let equal = |&bit: &usize| new.bits[bit] == old.bits[bit];
    if !parts.iter().all(|part| part.private || part.bits.iter().all(equal)) {
        return false;
    }
    let mut claimed = FxHashSet::default();
    walk_conjunction(aig, new.guard, |lit, _| {
        claimed.insert(lit);
    });
    claimed.contains(&old.guard) || conjuncts(aig, old.guard).iter().all(|lit| claimed.contains(lit))
}

/// Whether a simulated valuation of the new set breaks what all valuations of the old set have in common as
/// far as their formulas show: constant bits, and bits that are equal or opposite.
fn simulation_refutes(aig: &Aig, new: &StateSet, old: &StateSet) -> bool {
    let mut wrong = [0u64; SIMULATION_WORDS];
    let mut first_with: FxHashMap<usize, Lit> = FxHashMap::default();
    for (&new_bit, &old_bit) in new.bits.iter().zip(&old.bits) {
        // What the new bit would be if its old formula were positive.
        let plain = new_bit.negate_if(old_bit.is_negated());
        let expected = match old_bit.as_constant() {
            Some(_) => Lit::FALSE,
            None => *first_with.entry(old_bit.node()).or_insert(plain),
        };
        let (found, expected) = (aig.simulation(plain), aig.simulation(expected));
        (0..SIMULATION_WORDS).for_each(|at| wrong[at] |= found[at] ^ expected[at]);
    }
    let guard = aig.simulation(new.guard);
    (0..SIMULATION_WORDS).any(|at| wrong[at] & guard[at] != 0)
}
