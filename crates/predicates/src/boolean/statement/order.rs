//! In which order statements look at predicates. Comparisons of one term with numbers come together, by
//! number: then a prime cube for an interval keeps its two ends, while in another order it may keep bounds
//! that other cubes have to repeat, and the statements grow.

use crate::boolean::predicates::Predicates;
use c::{ExprId, Exprs, Node, Unary};
use rustc_hash::FxHashMap;

/// Predicates in this order; terms come as they did.
pub fn in_order(predicates: &Predicates, mut chosen: Vec<usize>) -> Vec<usize> {
    let mut firsts: FxHashMap<ExprId, usize> = FxHashMap::default();
    let mut keys: FxHashMap<usize, (usize, u128)> = FxHashMap::default();
    for &predicate in &chosen {
        let ComparedTerm { term, number } = compared(&predicates.exprs, predicates.list[predicate].condition);
        let first = *firsts.entry(term).or_insert(predicate);
        keys.insert(predicate, (first, number));
    }
    chosen.sort_by_key(|it| (keys[it], *it));
    chosen
}

/// A term and the number that it is compared with.
struct ComparedTerm {
    term: ExprId,
    number: u128,
}

fn compared(exprs: &Exprs, condition: ExprId) -> ComparedTerm {
    let mut inner = condition;
    while let Node::Unary(Unary::Not, operand) = exprs.node(inner) {
        inner = operand;
    }
    if let Node::Binary(_, a, b) = exprs.node(inner) {
        for (term, other) in [(a, b), (b, a)] {
            if let (None, Some(number)) = (exprs.constant(term), exprs.constant(other)) {
                return ComparedTerm { term, number };
            }
        }
    }
    ComparedTerm { term: condition, number: 0 }
}
