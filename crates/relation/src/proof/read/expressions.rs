//! Expressions of the text form, without recursion.

use super::{LineOutcome, shortened};
use crate::Relation;
use base::Id;
use c::expr::{Binary, Convert, ExprId, Exprs, Node, Unary};
use c::program::LocalId;
use c::text::lex::Kind;
use c::text::operators::{BINARY, CONVERT, UNARY, item, ty};
use c::types::{Type, mask};
use std::collections::BTreeMap;
use std::iter::Peekable;

/// The rest of a line.
pub(super) struct Tokens<'r> {
    pub kinds: Peekable<std::vec::IntoIter<Kind>>,
    pub relation: &'r Relation,
    pub exprs: &'r mut Exprs,
    pub variables: &'r BTreeMap<String, Vec<LocalId>>,
    pub numbered: &'r [ExprId],
}

/// An operator that waits for its operands.
enum Operator {
    Unary(Unary),
    Binary(Binary),
    Convert(Convert, Type),
    Ite,
}

impl Tokens<'_> {
    pub fn end(&mut self) -> LineOutcome<()> {
        match self.kinds.peek() {
            Some(Kind::End) | None => Ok(()),
            Some(_) => Err("something follows the expression".into()),
        }
    }

    pub fn expr(&mut self) -> LineOutcome<ExprId> {
        let mut open: Vec<(Operator, Vec<ExprId>)> = vec![];
        loop {
            let done = match self.kinds.next() {
                Some(Kind::Mark("(")) => {
                    open.push((self.operator()?, vec![]));
                    continue;
                }
                Some(Kind::Mark(")")) => {
                    let (operator, operands) = open.pop().ok_or("`)` closes nothing")?;
                    self.apply(&operator, &operands)?
                }
                Some(Kind::Mark("=")) => self.numbered()?,
                Some(Kind::Number(false, value)) => self.constant(value)?,
                Some(Kind::Word(name) | Kind::Quoted(name)) => self.variable(&name)?,
                _ => return Err("an expression is expected".into()),
            };
            match open.last_mut() {
                Some((_, operands)) if operands.len() < 3 => operands.push(done),
                Some(_) => return Err("an operator has too many operands".into()),
                None => return Ok(done),
            }
        }
    }

    fn operator(&mut self) -> LineOutcome<Operator> {
        let Some(Kind::Word(word)) = self.kinds.next() else { return Err("an operator is expected".into()) };
        if let Some(op) = item(&UNARY, &word) {
            return Ok(Operator::Unary(op));
        }
        if let Some(op) = item(&BINARY, &word) {
            return Ok(Operator::Binary(op));
        }
        if let Some(op) = item(&CONVERT, &word) {
            return Ok(Operator::Convert(op, self.ty()?));
        }
        if word == "ite" { Ok(Operator::Ite) } else { Err(format!("`{}` is no operator", shortened(&word))) }
    }

    fn apply(&mut self, operator: &Operator, operands: &[ExprId]) -> LineOutcome<ExprId> {
        let node = match (operator, operands) {
            (&Operator::Unary(op), &[a]) => Node::Unary(op, a),
            (&Operator::Binary(op), &[a, b]) => Node::Binary(op, a, b),
            (&Operator::Convert(op, ty), &[a]) => Node::Convert(op, ty, a),
            (Operator::Ite, &[a, b, c]) => Node::Ite(a, b, c),
            _ => return Err("an operator has the wrong number of operands".into()),
        };
        Ok(self.exprs.add(node))
    }

    fn ty(&mut self) -> LineOutcome<Type> {
        let Some(Kind::Word(word)) = self.kinds.next() else { return Err("a type is expected".into()) };
        let found = ty(&word).filter(|ty| !matches!(ty, Type::Bits(bits) if !(1..=128).contains(bits)));
        found.ok_or_else(|| format!("`{}` is no type", shortened(&word)))
    }

    fn constant(&mut self, value: u128) -> LineOutcome<ExprId> {
        if self.kinds.next() != Some(Kind::Mark(":")) {
            return Err("a number has a type: NUMBER:TYPE".into());
        }
        let ty = self.ty()?;
        match value & !mask(ty.bits(self.exprs.pointer_bits())) {
            0 => Ok(self.exprs.add(Node::Const(ty, value))),
            _ => Err("the number is too large for its type".into()),
        }
    }

    /// An expression that was given before, by its number.
    fn numbered(&mut self) -> LineOutcome<ExprId> {
        let Some(Kind::Number(false, number)) = self.kinds.next() else {
            return Err("a number is expected".into());
        };
        let found = usize::try_from(number).ok().and_then(|number| self.numbered.get(number));
        found.copied().ok_or_else(|| format!("there is no expression {number}"))
    }

    /// A variable; its number follows where the name alone does not tell which.
    fn variable(&mut self, name: &str) -> LineOutcome<ExprId> {
        let unknown = || format!("there is no variable `{}`", shortened(name));
        let same = self.variables.get(name).ok_or_else(unknown)?;
        let variable = if self.kinds.next_if(|kind| *kind == Kind::Mark(":")).is_some() {
            let Some(Kind::Number(false, number)) = self.kinds.next() else {
                return Err("the number of the variable is expected".into());
            };
            same.iter().copied().find(|it| it.index() as u128 == number).ok_or_else(unknown)?
        } else {
            match same[..] {
                [only] => only,
                _ => return Err(format!("there are several variables `{}`: NAME:NUMBER", shortened(name))),
            }
        };
        Ok(self.exprs.add(Node::Local(variable, self.relation.variables[variable].ty)))
    }
}
