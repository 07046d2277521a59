//! Random expressions.

use super::ProgramMaker;
use ir::bp::expr::{ExprId, Node, Read, Var, When, Whose};

impl ProgramMaker {
    pub(super) fn expr(&mut self, depth: usize) -> ExprId {
        self.wide_expr(depth, false, false)
    }

    pub(super) fn passive_expr(&mut self, depth: usize) -> ExprId {
        self.wide_expr(depth, false, true)
    }

    /// An expression that may read new values and passive copies.
    pub(super) fn wide_expr(&mut self, depth: usize, next: bool, passive: bool) -> ExprId {
        if depth == 0 || self.random.percent(25) {
            return self.leaf(next, passive);
        }
        let a = self.wide_expr(depth - 1, next, passive);
        let b = self.wide_expr(depth - 1, next, passive);
        let node = match self.random.below(12) {
            0..=2 => Node::Not(a),
            3..=4 => Node::And(a, b),
            5..=6 => Node::Or(a, b),
            7 => Node::Xor(a, b),
            8 => Node::Equal(a, b),
            9 => Node::Implies(a, b),
            10 => Node::Choose(a, b),
            _ => Node::Ite(a, b, self.wide_expr(depth - 1, next, passive)),
        };
        self.builder.exprs().add(node)
    }

    pub(super) fn leaf(&mut self, next: bool, passive: bool) -> ExprId {
        if self.random.percent(12) {
            return self.builder.exprs().choice();
        }
        if self.random.percent(8) {
            let value = self.random.percent(50);
            return self.builder.exprs().constant(value);
        }
        let when = if next && self.random.percent(50) { When::Next } else { When::Now };
        let read = if passive && self.random.percent(50) {
            let local = *self.random.pick(&self.passive);
            Read { var: Var::Local(local), whose: Whose::Passive, when }
        } else {
            Read { var: self.variable(), whose: Whose::Own, when }
        };
        self.builder.exprs().add(Node::Read(read))
    }
}
