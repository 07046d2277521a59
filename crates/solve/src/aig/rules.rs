//! Local rules for a conjunction: what the operands and their operands tell without search.
//! Every rule gives a constant, an existing formula, or a conjunction of strictly smaller operands, so
//! rewriting ends.

use super::{Aig, Lit, Node};

/// What becomes of a conjunction.
pub(super) enum Rewrite {
    /// It is this formula.
    Done(Lit),
    /// It is the conjunction of these.
    Again(Lit, Lit),
    /// No rule applies.
    Keep,
}

use Rewrite::{Again, Done, Keep};

impl Aig {
    pub(super) fn rewrite(&self, a: Lit, b: Lit) -> Rewrite {
        if a == Lit::FALSE || b == Lit::FALSE || a == !b {
            return Done(Lit::FALSE);
        }
        if a == Lit::TRUE || a == b {
            return Done(b);
        }
        if b == Lit::TRUE {
            return Done(a);
        }
        let (inside_a, inside_b) = (self.operands(a), self.operands(b));
        for (outer, inner, other) in [(a, inside_a, b), (b, inside_b, a)] {
            if let Some(pair) = inner
                && let Some(rewrite) = one_inside(outer, pair, other)
            {
                return rewrite;
            }
        }
        match (inside_a, inside_b) {
            (Some(in_a), Some(in_b)) => two_inside(a, in_a, b, in_b),
            _ => Keep,
        }
    }

    fn operands(&self, lit: Lit) -> Option<[Lit; 2]> {
        match self.node(lit) {
            Node::And(a, b) => Some([a, b]),
            _ => None,
        }
    }
}

/// `outer` is the conjunction of `[x, y]` or its negation; `other` is the second operand.
fn one_inside(outer: Lit, [x, y]: [Lit; 2], other: Lit) -> Option<Rewrite> {
    if outer.is_negated() {
        if other == !x || other == !y {
            return Some(Done(other));
        }
        // Here `other` says that one operand is true, so the other one is not.
        if other == x {
            return Some(Again(other, !y));
        }
        return (other == y).then_some(Again(other, !x));
    }
    if other == x || other == y {
        return Some(Done(outer));
    }
    (other == !x || other == !y).then_some(Done(Lit::FALSE))
}

/// Both operands are conjunctions, of `in_a` and of `in_b`, or negations of them.
fn two_inside(a: Lit, in_a: [Lit; 2], b: Lit, in_b: [Lit; 2]) -> Rewrite {
    match (a.is_negated(), b.is_negated()) {
        (false, false) => both_positive(a, in_a, in_b),
        (false, true) => one_negated(a, in_a, in_b),
        (true, false) => one_negated(b, in_b, in_a),
        (true, true) => both_negated(in_a, in_b),
    }
}

fn both_positive(a: Lit, in_a: [Lit; 2], [x, y]: [Lit; 2]) -> Rewrite {
    if in_a.contains(&!x) || in_a.contains(&!y) {
        return Done(Lit::FALSE);
    }
    if in_a.contains(&x) {
        return Again(a, y);
    }
    if in_a.contains(&y) { Again(a, x) } else { Keep }
}

/// `a` holds its operands true; beside it stands the negation of the conjunction of `[x, y]`.
fn one_negated(a: Lit, in_a: [Lit; 2], [x, y]: [Lit; 2]) -> Rewrite {
    if in_a.contains(&!x) || in_a.contains(&!y) {
        return Done(a);
    }
    if in_a.contains(&x) {
        return Again(a, !y);
    }
    if in_a.contains(&y) { Again(a, !x) } else { Keep }
}

/// Resolution: not (x and y), not (x and not y) leave not x.
fn both_negated([p, q]: [Lit; 2], in_b: [Lit; 2]) -> Rewrite {
    if in_b.contains(&p) && in_b.contains(&!q) {
        return Done(!p);
    }
    if in_b.contains(&q) && in_b.contains(&!p) { Done(!q) } else { Keep }
}
