//! Expressions: assignment, `?:`, binary operators by precedence, casts and prefix operators.

use super::super::check::Operand;
use super::super::hir::{BinaryOp, ExprKind, UnaryOp};
use super::super::types::Type;
use super::{Parsed, Parser};

/// An operator between two operands.
#[derive(Clone, Copy)]
enum Infix {
    Binary(BinaryOp),
    And,
    Or,
}

/// The operator of a token and how tightly it binds.
fn infix(fixed: &str) -> Option<(Infix, u8)> {
    use BinaryOp::*;
    Some(match fixed {
        "||" => (Infix::Or, 1),
        "&&" => (Infix::And, 2),
        "|" => (Infix::Binary(Or), 3),
        "^" => (Infix::Binary(Xor), 4),
        "&" => (Infix::Binary(And), 5),
        "==" => (Infix::Binary(Equal), 6),
        "!=" => (Infix::Binary(NotEqual), 6),
        "<" => (Infix::Binary(Less), 7),
        "<=" => (Infix::Binary(LessEqual), 7),
        ">" => (Infix::Binary(Greater), 7),
        ">=" => (Infix::Binary(GreaterEqual), 7),
        "<<" => (Infix::Binary(ShiftLeft), 8),
        ">>" => (Infix::Binary(ShiftRight), 8),
        "+" => (Infix::Binary(Add), 9),
        "-" => (Infix::Binary(Subtract), 9),
        "*" => (Infix::Binary(Multiply), 10),
        "/" => (Infix::Binary(Divide), 10),
        "%" => (Infix::Binary(Remainder), 10),
        _ => return None,
    })
}

/// The operator of a compound assignment.
fn compound(fixed: &str) -> Option<BinaryOp> {
    use BinaryOp::*;
    Some(match fixed {
        "*=" => Multiply,
        "/=" => Divide,
        "%=" => Remainder,
        "+=" => Add,
        "-=" => Subtract,
        "<<=" => ShiftLeft,
        ">>=" => ShiftRight,
        "&=" => And,
        "^=" => Xor,
        "|=" => Or,
        _ => return None,
    })
}

impl Parser<'_> {
    /// `e, e, …`.
    pub fn expression(&mut self) -> Parsed<Operand> {
        let start = self.span();
        let mut left = self.assignment()?;
        while self.eat(",") {
            let right = self.assignment()?;
            let span = self.from(start);
            left = self.check.comma(left, right, span);
        }
        Ok(left)
    }

    /// An expression without a comma.
    pub fn assignment(&mut self) -> Parsed<Operand> {
        self.deeper(|parser| {
            let start = parser.span();
            let left = parser.conditional()?;
            let Some(fixed) = parser.fixed() else { return Ok(left) };
            let op = compound(fixed);
            if fixed != "=" && op.is_none() {
                return Ok(left);
            }
            parser.bump();
            let right = parser.assignment()?;
            let span = parser.from(start);
            Ok(match op {
                Some(op) => parser.check.assign_op(op, left, right, span),
                None => parser.check.assign(left, right, span),
            })
        })
    }

    /// `e ? e : e`.
    pub fn conditional(&mut self) -> Parsed<Operand> {
        let start = self.span();
        let condition = self.binary(1)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let then = if self.at(":") { None } else { Some(self.expression()?) };
        self.expect(":")?;
        let otherwise = self.deeper(|parser| parser.conditional())?;
        let span = self.from(start);
        Ok(self.check.conditional(condition, then, otherwise, span))
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Parsed<Operand> {
        let start = self.span();
        let mut left = self.cast()?;
        while let Some((op, precedence)) = self.fixed().and_then(infix) {
            if precedence < least {
                break;
            }
            self.bump();
            let right = self.binary(precedence + 1)?;
            let span = self.from(start);
            left = match op {
                Infix::Binary(op) => self.check.binary(op, left, right, span),
                Infix::And => self.check.logical(true, left, right, span),
                Infix::Or => self.check.logical(false, left, right, span),
            };
        }
        Ok(left)
    }

    /// `(T) e`, `(T){…}`.
    fn cast(&mut self) -> Parsed<Operand> {
        if !self.at("(") || !self.starts_type(1) {
            return self.unary();
        }
        self.deeper(|parser| {
            let start = parser.bump().span;
            let known = parser.check.pending.len();
            let (ty, _) = parser.type_name()?;
            parser.expect(")")?;
            if parser.at("{") {
                let tree = parser.initialiser_list()?;
                let span = parser.from(start);
                let literal = parser.check.compound_literal(ty, &tree, span);
                return parser.postfix_of(literal, start);
            }
            let operand = parser.cast()?;
            let span = parser.from(start);
            let value = parser.check.cast_to(operand, ty.ty, span);
            Ok(parser.with_lengths(known, value, span))
        })
    }

    pub fn unary(&mut self) -> Parsed<Operand> {
        let Some(fixed) = self.fixed() else { return self.postfix() };
        match fixed {
            "++" | "--" | "&" | "*" | "+" | "-" | "~" | "!" | "__extension__" | "__real__" | "__imag__" => {
                self.deeper(|parser| parser.prefix(fixed))
            }
            "sizeof" => self.deeper(|parser| parser.size_of()),
            "_Alignof" => self.deeper(|parser| parser.align_of()),
            "&&" => self.label_address(),
            _ => self.postfix(),
        }
    }

    fn prefix(&mut self, fixed: &str) -> Parsed<Operand> {
        let start = self.bump().span;
        let operand = self.cast()?;
        let span = self.from(start);
        Ok(match fixed {
            "++" => self.check.increment(operand, false, false, span),
            "--" => self.check.increment(operand, true, false, span),
            "&" => self.check.address_of(operand, span),
            "*" => self.check.deref(operand, span),
            "+" => self.check.plus(operand, span),
            "-" => self.check.unary(UnaryOp::Negate, operand, span),
            "~" => self.check.unary(UnaryOp::Complement, operand, span),
            "!" => self.check.not(operand, span),
            "__extension__" => operand,
            _ => {
                let double = self.check.basic.double;
                Operand::Value(self.check.refused("complex numbers are not supported", double, span))
            }
        })
    }

    /// `&&label`.
    fn label_address(&mut self) -> Parsed<Operand> {
        let start = self.bump().span;
        let (name, at) = self.expect_name()?;
        let span = self.from(start);
        let void_pointer = self.check.basic.void_pointer;
        match self.check.label(name, at) {
            Some(label) => {
                self.check.take_label(label);
                Ok(Operand::Value(self.check.expr(ExprKind::LabelAddress(label), void_pointer, span)))
            }
            None => Ok(self.check.error_operand(span)),
        }
    }

    /// An integer constant expression.
    pub fn constant_expression(&mut self) -> Parsed<i128> {
        let start = self.span();
        let operand = self.conditional()?;
        let span = self.from(start);
        let value = self.check.rvalue(operand);
        if let Some(value) = self.check.constant(value) {
            return Ok(value);
        }
        let ty = self.check.type_of(value);
        if !matches!(self.check.ty(ty), Type::Error) {
            self.check.error(
                "E1117",
                span,
                "an integer constant is needed here",
                "use numbers, enumerators and sizeof",
            );
        }
        Ok(1)
    }
}
