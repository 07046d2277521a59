//! Expressions as formulas of another tool. An expression with `*` has a set of values; each occurrence is
//! chosen on its own, so that "e may be 1" and "e may be 0" are plain formulas over the variables, worked out
//! operator by operator.

use super::unsupported;
use ir::Reason;
use ir::bp::expr::{ExprId, Exprs, Node, Read};
use std::collections::HashSet;

/// How a tool writes formulas.
#[derive(Clone, Copy, Debug)]
pub(super) struct Syntax {
    pub truth: &'static str,
    pub falsity: &'static str,
    pub and: &'static str,
    pub or: &'static str,
    pub equal: &'static str,
    pub unequal: &'static str,
    /// Between numbers.
    pub same: &'static str,
}

impl Syntax {
    pub fn constant(&self, value: bool) -> String {
        (if value { self.truth } else { self.falsity }).to_string()
    }

    /// All of these.
    pub fn all(&self, parts: &[String]) -> String {
        self.join(parts, self.and, self.truth)
    }

    /// One of these.
    pub fn any(&self, parts: &[String]) -> String {
        self.join(parts, self.or, self.falsity)
    }

    fn join(&self, parts: &[String], operator: &str, empty: &str) -> String {
        match parts {
            [] => empty.to_string(),
            [only] => only.clone(),
            _ => format!("({})", parts.join(operator)),
        }
    }
}

/// The longest formula: one with many nested `!=` over choices doubles with each of them.
const LONGEST: usize = 1 << 20;

/// An operand or a piece of text that is still to be written.
enum Piece {
    Text(&'static str),
    /// The expression may have this value.
    May(ExprId, bool),
}

/// "`e` may be `value`", as a formula; `read` names the variables.
pub(super) fn may(
    syntax: &Syntax,
    exprs: &Exprs,
    e: ExprId,
    value: bool,
    read: &dyn Fn(Read) -> String,
) -> Result<String, Reason> {
    let choosing = choosing(exprs, e);
    let mut text = String::new();
    let mut work = vec![Piece::May(e, value)];
    while let Some(piece) = work.pop() {
        match piece {
            Piece::Text(it) => text.push_str(it),
            Piece::May(e, value) => match exprs.node(e) {
                Node::Const(it) => text.push_str(if it == value { syntax.truth } else { syntax.falsity }),
                Node::Choice => text.push_str(syntax.truth),
                Node::Read(it) => {
                    // A reading may be a formula of its own, negated perhaps: `!!` is an operator of Promela,
                    // which sends.
                    let it = read(it);
                    match value {
                        true => text.push_str(&it),
                        false if it.starts_with('!') => text.push_str(&format!("!({it})")),
                        false => text.extend(["!", &it]),
                    }
                }
                node => {
                    let free = node.children().all(|child| !choosing.contains(&child));
                    work.extend(pieces(syntax, node, value, free).into_iter().rev());
                }
            },
        }
        if text.len() > LONGEST {
            return Err(unsupported("an expression is too long when its choices are written out"));
        }
    }
    Ok(text)
}

/// The expressions below that depend on a choice.
fn choosing(exprs: &Exprs, root: ExprId) -> HashSet<ExprId> {
    let mut all = HashSet::new();
    for id in exprs.below(root) {
        let node = exprs.node(id);
        if matches!(node, Node::Choice | Node::Choose(..)) || node.children().any(|it| all.contains(&it)) {
            all.insert(id);
        }
    }
    all
}

/// "The operator may give `value`", in terms of its operands; `free` says that none of them depends on a
/// choice.
fn pieces(syntax: &Syntax, node: Node, value: bool, free: bool) -> Vec<Piece> {
    use Piece::{May, Text};
    let binary =
        |a: Piece, operator: &'static str, b: Piece| vec![Text("("), a, Text(operator), b, Text(")")];
    let (and, or) = (syntax.and, syntax.or);
    let differ = |a: ExprId, b: ExprId, differ: bool| {
        if free {
            let operator = if differ { syntax.unequal } else { syntax.equal };
            return binary(May(a, true), operator, May(b, true));
        }
        let mut all = vec![Text("(")];
        all.extend(binary(May(a, true), and, May(b, !differ)));
        all.push(Text(or));
        all.extend(binary(May(a, false), and, May(b, differ)));
        all.push(Text(")"));
        all
    };
    match node {
        Node::Const(_) | Node::Choice | Node::Read(_) => unreachable!("leaves are written at once"),
        Node::Not(a) => vec![May(a, !value)],
        Node::And(a, b) => binary(May(a, value), if value { and } else { or }, May(b, value)),
        Node::Or(a, b) => binary(May(a, value), if value { or } else { and }, May(b, value)),
        Node::Implies(a, b) => binary(May(a, !value), if value { or } else { and }, May(b, value)),
        Node::Xor(a, b) => differ(a, b, value),
        Node::Equal(a, b) => differ(a, b, !value),
        // 1 if a, else 0 if b, else either value: it may be 0 whenever a may be.
        Node::Choose(a, _) if !value => vec![May(a, false)],
        Node::Choose(a, b) => {
            let mut all = vec![Text("("), May(a, true), Text(or)];
            all.extend(binary(May(a, false), and, May(b, false)));
            all.push(Text(")"));
            all
        }
        Node::Ite(a, b, c) => {
            let mut all = vec![Text("(")];
            all.extend(binary(May(a, true), and, May(b, value)));
            all.push(Text(or));
            all.extend(binary(May(a, false), and, May(c, value)));
            all.push(Text(")"));
            all
        }
    }
}
