//! Expressions as text, written on a stack of our own: they may be nested as deeply as the memory holds.

use super::super::expr::{ExprId, Node, Read, Var, When, Whose};
use super::Printer;

impl Printer<'_> {
    pub(super) fn exprs(&self, list: &[ExprId]) -> String {
        list.iter().map(|&e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn expr(&self, e: ExprId) -> String {
        self.text(e, When::Next)
    }

    /// The text of an expression, on a stack of our own; new values are written as such only if `latest` is
    /// `Next`.
    pub(super) fn text(&self, e: ExprId, latest: When) -> String {
        enum Part {
            Expr(ExprId),
            Sign(&'static str),
        }
        let exprs = self.program.exprs();
        let mut out = String::new();
        let mut work = vec![Part::Expr(e)];
        while let Some(part) = work.pop() {
            use Part::{Expr, Sign};
            let id = match part {
                Sign(sign) => {
                    out.push_str(sign);
                    continue;
                }
                Expr(id) => id,
            };
            let infix = |a, sign, b| vec![Sign("("), Expr(a), Sign(sign), Expr(b), Sign(")")];
            let parts = match exprs.node(id) {
                Node::Const(value) => vec![Sign(if value { "1" } else { "0" })],
                Node::Choice => vec![Sign("*")],
                Node::Read(read) => {
                    out.push_str(&self.read(read, latest));
                    continue;
                }
                Node::Not(a) => vec![Sign("!"), Expr(a)],
                Node::And(a, b) => infix(a, " & ", b),
                Node::Or(a, b) => infix(a, " | ", b),
                Node::Xor(a, b) => infix(a, " ^ ", b),
                Node::Equal(a, b) => infix(a, " = ", b),
                Node::Implies(a, b) => infix(a, " => ", b),
                Node::Choose(a, b) => vec![Sign("schoose["), Expr(a), Sign(", "), Expr(b), Sign("]")],
                Node::Ite(a, b, c) => {
                    vec![Sign("("), Expr(a), Sign(" ? "), Expr(b), Sign(" : "), Expr(c), Sign(")")]
                }
            };
            work.extend(parts.into_iter().rev());
        }
        out
    }

    fn read(&self, read: Read, latest: When) -> String {
        let tick = if read.when == When::Next && latest == When::Next { "'" } else { "" };
        let name = match (read.whose, read.var) {
            (Whose::Passive, Var::Local(local)) => self.names.passive(local),
            (_, var) => self.names.var(var),
        };
        format!("{tick}{name}")
    }
}
