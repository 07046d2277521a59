//! Expressions as decision diagrams. An expression with choices has a set of values; since every `*` is its own choice, the two
//! questions "may it be 0" and "may it be 1" answer each other's operands exactly, as [`ir::bp::Values`] does for single states.

use crate::fixpoint::Calculus;
use base::Stop;
use ir::bp::{ExprId, Exprs, Node, Read};
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, Level};

/// Where an expression may be 0 and where it may be 1.
#[derive(Clone, Copy, Debug)]
pub struct Truth {
    /// Where it may be 0.
    pub zero: Bdd,
    /// Where it may be 1.
    pub one: Bdd,
}

impl Truth {
    /// Where it may have this value.
    pub fn may_be(self, value: bool) -> Bdd {
        if value { self.one } else { self.zero }
    }
}

/// The truth of an expression whose readings are at these levels.
pub fn truth(
    calculus: &mut Calculus<'_>,
    exprs: &Exprs,
    root: ExprId,
    level: &dyn Fn(Read) -> Level,
) -> Result<Truth, Stop> {
    let mut known: FxHashMap<ExprId, Truth> = FxHashMap::default();
    for id in exprs.below(root) {
        let node = exprs.node(id);
        let operands: Vec<Truth> = node.children().map(|child| known[&child]).collect();
        let value = match node {
            Node::Read(read) => {
                let one = calculus.literal(level(read), true)?;
                Truth { zero: !one, one }
            }
            _ => combine(calculus, node, &operands)?,
        };
        known.insert(id, value);
    }
    Ok(known[&root])
}

fn combine(calculus: &mut Calculus<'_>, node: Node, operands: &[Truth]) -> Result<Truth, Stop> {
    let operand = |at: usize| operands[at];
    Ok(match node {
        Node::Const(value) => Truth { zero: Bdd::constant(!value), one: Bdd::constant(value) },
        Node::Choice => Truth { zero: Bdd::TRUE, one: Bdd::TRUE },
        Node::Read(_) => unreachable!("readings have no operands and were handled"),
        Node::Not(_) => negate(operand(0)),
        Node::And(..) => conjoin(calculus, operand(0), operand(1))?,
        Node::Or(..) => negate(conjoin(calculus, negate(operand(0)), negate(operand(1)))?),
        Node::Implies(..) => negate(conjoin(calculus, operand(0), negate(operand(1)))?),
        Node::Xor(..) => differ(calculus, operand(0), operand(1))?,
        Node::Equal(..) => negate(differ(calculus, operand(0), operand(1))?),
        Node::Choose(..) => {
            let (a, b) = (operand(0), operand(1));
            let free = calculus.and(a.zero, b.zero)?;
            Truth { zero: a.zero, one: calculus.or(a.one, free)? }
        }
        Node::Ite(..) => {
            let (c, yes, no) = (operand(0), operand(1), operand(2));
            let mut pick = |value: bool| {
                let (then, other) = (yes.may_be(value), no.may_be(value));
                let (then, other) = (calculus.and(c.one, then)?, calculus.and(c.zero, other)?);
                calculus.or(then, other)
            };
            Truth { zero: pick(false)?, one: pick(true)? }
        }
    })
}

fn negate(a: Truth) -> Truth {
    Truth { zero: a.one, one: a.zero }
}

fn conjoin(calculus: &mut Calculus<'_>, a: Truth, b: Truth) -> Result<Truth, Stop> {
    Ok(Truth { zero: calculus.or(a.zero, b.zero)?, one: calculus.and(a.one, b.one)? })
}

fn differ(calculus: &mut Calculus<'_>, a: Truth, b: Truth) -> Result<Truth, Stop> {
    let mut either = |x: Bdd, y: Bdd, z: Bdd, t: Bdd| {
        let (first, second) = (calculus.and(x, y)?, calculus.and(z, t)?);
        calculus.or(first, second)
    };
    let one = either(a.one, b.zero, a.zero, b.one)?;
    let zero = either(a.one, b.one, a.zero, b.zero)?;
    Ok(Truth { zero, one })
}
