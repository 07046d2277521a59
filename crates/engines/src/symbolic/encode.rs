//! Expressions as pairs of functions: where the value may be 0, and where it may be 1.
//!
//! Each `*` is a choice of its own, so that operands choose independently of each other: the pair of an operator follows from the pairs of
//! its operands and is exact, and no variable stands for a choice.

use super::space::Space;
use base::{Budget, Stop};
use ir::bp::{ExprId, Exprs, Node};
use solve::bdd::{Bdd, Manager};
use std::collections::HashMap;

/// Where an expression may be 0 and where it may be 1.
type Pair = (Bdd, Bdd);

/// Remembers what was encoded until it is told to forget; nothing here survives a collection.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    done: HashMap<ExprId, Pair>,
}

impl Encoder {
    /// Forgets everything; to be called before a collection.
    pub fn forget(&mut self) {
        self.done.clear();
    }

    /// Where `asked.0` may have the value `asked.1`.
    pub fn may_be(
        &mut self,
        manager: &mut Manager,
        space: &Space,
        exprs: &Exprs,
        asked: (ExprId, bool),
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        let (root, value) = asked;
        if !self.done.contains_key(&root) {
            for id in exprs.below(root) {
                if !self.done.contains_key(&id) {
                    let node = exprs.node(id);
                    let operands: Vec<Pair> = node.children().map(|child| self.done[&child]).collect();
                    let pair = combine(manager, space, node, &operands, budget)?;
                    self.done.insert(id, pair);
                }
            }
        }
        let (zero, one) = self.done[&root];
        Ok(if value { one } else { zero })
    }
}

fn combine(
    m: &mut Manager,
    space: &Space,
    node: Node,
    operands: &[Pair],
    budget: &Budget,
) -> Result<Pair, Stop> {
    let not = |pair: Pair| (pair.1, pair.0);
    Ok(match node {
        Node::Const(value) => (Bdd::constant(!value), Bdd::constant(value)),
        Node::Choice => (Bdd::TRUE, Bdd::TRUE),
        Node::Read(read) => {
            let var = m.var(space.read(read))?;
            (!var, var)
        }
        Node::Not(_) => not(operands[0]),
        Node::And(..) => and(m, operands[0], operands[1], budget)?,
        Node::Or(..) => not(and(m, not(operands[0]), not(operands[1]), budget)?),
        Node::Xor(..) => not(equal(m, operands[0], operands[1], budget)?),
        Node::Equal(..) => equal(m, operands[0], operands[1], budget)?,
        Node::Implies(..) => not(and(m, operands[0], not(operands[1]), budget)?),
        Node::Choose(..) => {
            // 1 if the first holds, else 0 if the second does, else either.
            let (zero, one) = operands[0];
            let free = m.and(zero, operands[1].0, budget)?;
            (zero, m.or(one, free, budget)?)
        }
        Node::Ite(..) => {
            let (test, then, other) = (operands[0], operands[1], operands[2]);
            let zero = either(m, [(test.1, then.0), (test.0, other.0)], budget)?;
            (zero, either(m, [(test.1, then.1), (test.0, other.1)], budget)?)
        }
    })
}

fn and(m: &mut Manager, a: Pair, b: Pair, budget: &Budget) -> Result<Pair, Stop> {
    Ok((m.or(a.0, b.0, budget)?, m.and(a.1, b.1, budget)?))
}

fn equal(m: &mut Manager, a: Pair, b: Pair, budget: &Budget) -> Result<Pair, Stop> {
    let zero = either(m, [(a.0, b.1), (a.1, b.0)], budget)?;
    Ok((zero, either(m, [(a.0, b.0), (a.1, b.1)], budget)?))
}

/// Where one of the two conjunctions holds.
fn either(m: &mut Manager, ways: [Pair; 2], budget: &Budget) -> Result<Bdd, Stop> {
    let first = m.and(ways[0].0, ways[0].1, budget)?;
    let second = m.and(ways[1].0, ways[1].1, budget)?;
    m.or(first, second, budget)
}
