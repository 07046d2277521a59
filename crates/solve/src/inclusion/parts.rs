//! Splits a set into a product. Bits whose formulas share no choice, directly or through the conjuncts of the
//! guard, vary independently, so the set is the product of its projections on the groups. Then another set
//! lies in it exactly if each projection does: only the old set need be split, whatever the shape of the new
//! one.

use super::StateSet;
use crate::aig::{Aig, Lit, Node};
use rustc_hash::{FxHashMap, FxHashSet};

/// A group of bits with the conjuncts of the guard that speak of their choices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    /// Indices of bits, ascending.
    pub bits: Vec<usize>,
    /// Conjuncts of the guard.
    pub guards: Vec<Lit>,
    /// One bit that is a choice of its own: it occurs in no other bit and not in the guard.
    pub private: bool,
}

/// The parts of a set, in the order of their first bits; all constant bits are one part. Conjuncts that speak
/// of no bit's choices are in no part.
pub(super) fn split(aig: &Aig, set: &StateSet) -> Vec<Part> {
    let guards = conjuncts(aig, set.guard);
    let mut classes = Classes::new(aig, set.bits.iter().chain(&guards).copied());
    let mut parts: Vec<Part> = vec![];
    let mut part_of: FxHashMap<usize, usize> = FxHashMap::default();
    for (bit, &formula) in set.bits.iter().enumerate() {
        let at = *part_of.entry(classes.find(formula.node())).or_insert_with(|| {
            parts.push(Part { bits: vec![], guards: vec![], private: false });
            parts.len() - 1
        });
        parts[at].bits.push(bit);
    }
    for guard in guards {
        if let Some(&at) = part_of.get(&classes.find(guard.node())) {
            parts[at].guards.push(guard);
        }
    }
    for part in &mut parts {
        part.private = part.guards.is_empty()
            && matches!(part.bits[..], [bit] if matches!(aig.node(set.bits[bit]), Node::Input(_)));
    }
    parts
}

/// The formulas whose conjunction a formula is, as far as its top shows.
pub(super) fn conjuncts(aig: &Aig, guard: Lit) -> Vec<Lit> {
    let mut leaves = vec![];
    walk_conjunction(aig, guard, |lit, is_leaf| {
        if is_leaf && lit != Lit::TRUE {
            leaves.push(lit);
        }
    });
    leaves.sort_unstable();
    leaves
}

/// Visits every formula that the conjunction at the top of `guard` claims, once; says which are no
/// conjunctions.
pub(super) fn walk_conjunction(aig: &Aig, guard: Lit, mut visit: impl FnMut(Lit, bool)) {
    let mut seen = FxHashSet::default();
    let mut stack = vec![guard];
    while let Some(lit) = stack.pop() {
        if !seen.insert(lit) {
            continue;
        }
        match aig.node(lit) {
            Node::And(x, y) if !lit.is_negated() => {
                visit(lit, false);
                stack.extend([x, y]);
            }
            _ => visit(lit, true),
        }
    }
}

/// Union-find over the nodes of some formulas: connected nodes share inputs.
struct Classes {
    parent: FxHashMap<usize, usize>,
}

impl Classes {
    fn new(aig: &Aig, formulas: impl Iterator<Item = Lit>) -> Self {
        let mut classes = Self { parent: FxHashMap::default() };
        for number in aig.cone(formulas) {
            classes.parent.insert(number, number);
            if let Node::And(x, y) = aig.node_at(number) {
                classes.unite(number, x.node());
                classes.unite(number, y.node());
            }
        }
        classes
    }

    /// The representative; constants, which have no inputs, are a class of their own.
    fn find(&mut self, number: usize) -> usize {
        let mut at = number;
        while let Some(&parent) = self.parent.get(&at).filter(|&&parent| parent != at) {
            // Path halving keeps the walks short.
            let above = self.parent[&parent];
            self.parent.insert(at, above);
            at = above;
        }
        at
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent.insert(a.max(b), a.min(b));
    }
}
