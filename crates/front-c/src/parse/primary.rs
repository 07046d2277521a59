//! Postfix and primary expressions: calls, members, indices, names, literals, `_Generic`, statement
//! expressions, and the built-ins that take types.

use base::Span;

use super::super::check::scopes::Entity;
use super::super::check::{Checker, Operand};
use super::super::hir::{ExprKind, PlaceKind, StmtKind};
use super::super::types::{Qualified, TypeId};
use super::statements::ScopedItems;
use super::{Kind, Parsed, Parser};

impl Parser<'_> {
    /// A primary expression and what follows it.
    pub fn postfix(&mut self) -> Parsed<Operand> {
        let start = self.span();
        let operand = self.primary()?;
        self.postfix_of(operand, start)
    }

    /// What follows an operand: `[i]`, `(…)`, `.m`, `->m`, `++`, `--`.
    pub fn postfix_of(&mut self, operand: Operand, start: Span) -> Parsed<Operand> {
        let mut operand = operand;
        loop {
            match self.fixed() {
                Some("[") => {
                    self.bump();
                    let index = self.expression()?;
                    self.expect("]")?;
                    let span = self.from(start);
                    operand = self.check.index(operand, index, span);
                }
                Some("(") => {
                    let arguments = self.arguments()?;
                    let span = self.from(start);
                    operand = self.check.call(operand, arguments, span);
                }
                Some(access @ ("." | "->")) => {
                    self.bump();
                    let (name, _) = self.expect_name()?;
                    let span = self.from(start);
                    if access == "->" {
                        operand = self.check.deref(operand, span);
                    }
                    operand = self.check.member(operand, name, span);
                }
                Some(count @ ("++" | "--")) => {
                    self.bump();
                    let span = self.from(start);
                    operand = self.check.increment(operand, count == "--", true, span);
                }
                _ => return Ok(operand),
            }
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<Operand>> {
        self.expect("(")?;
        let mut arguments = vec![];
        if self.eat(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.assignment()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    fn primary(&mut self) -> Parsed<Operand> {
        let token = self.token();
        match token.kind {
            Kind::Name => self.name_or_call(),
            Kind::Number => {
                self.bump();
                Ok(self.check.number(self.text_of(token), token.span))
            }
            Kind::Character => {
                self.bump();
                Ok(self.check.character(self.text_of(token), token.span))
            }
            Kind::String => {
                let mut parts = vec![];
                while self.token().kind == Kind::String {
                    let token = self.bump();
                    parts.push(self.text_of(token));
                }
                let span = self.from(token.span);
                Ok(self.check.string_literal(&parts, span))
            }
            Kind::End => Err(self.unexpected("an expression")),
            Kind::Fixed(_) => self.fixed_primary(),
        }
    }

    fn fixed_primary(&mut self) -> Parsed<Operand> {
        match self.fixed() {
            Some("(") if Self::is(self.ahead(1), "{") => self.deeper(|parser| parser.statement_expression()),
            Some("(") => {
                self.bump();
                let operand = self.expression()?;
                self.expect(")")?;
                Ok(operand)
            }
            Some("_Generic") => self.deeper(|parser| parser.generic()),
            Some("__builtin_va_arg") => self.va_arg(),
            Some("__builtin_offsetof") => self.offset_of(),
            Some("__builtin_choose_expr") => self.choose(),
            Some("__builtin_types_compatible_p") => self.types_compatible(),
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// A name, and the call of a function that need not be declared.
    fn name_or_call(&mut self) -> Parsed<Operand> {
        let (name, span) = self.expect_name()?;
        if !self.at("(") {
            return Ok(self.check.name(name, span));
        }
        let known = self.check.lookup(name);
        let defined = match known {
            Some(Entity::Function(id)) => self.check.program.functions[id].body.is_some(),
            Some(_) => true,
            None => false,
        };
        if Checker::is_builtin(name) && !defined {
            let arguments = self.arguments()?;
            let whole = self.from(span);
            return Ok(self.check.builtin(name, &arguments, whole));
        }
        if known.is_none() {
            return Ok(Operand::Function(self.check.implicit_function(name, span), span));
        }
        Ok(self.check.name(name, span))
    }

    /// `({ … })`.
    fn statement_expression(&mut self) -> Parsed<Operand> {
        let start = self.bump().span;
        if self.check.function.is_none() {
            self.check.error(
                "E1310",
                start,
                "statements in an expression outside of a function",
                "move them into a function",
            );
            self.at -= 1;
            self.skip_balanced()?;
            return Ok(self.check.error_operand(start));
        }
        self.bump();
        let ScopedItems { scope, mut statements } = self.scoped_items()?;
        self.expect(")")?;
        let span = self.from(start);
        let value = self.take_value(&mut statements);
        let ty = value.map_or(self.check.basic.void, |value| self.check.type_of(value));
        // One that only names a value is that value.
        if let (Some(value), true, true) = (value, statements.is_empty(), scope.variables.is_empty()) {
            return Ok(Operand::Value(value));
        }
        let block = self.check.stmt(StmtKind::Block { variables: scope.variables, statements }, span);
        Ok(Operand::Value(self.check.expr(ExprKind::Statements { block, value }, ty, span)))
    }

    /// `_Generic(e, T: e, …, default: e)`.
    fn generic(&mut self) -> Parsed<Operand> {
        let start = self.bump().span;
        self.expect("(")?;
        let controlling = self.assignment()?;
        let controlling = self.generic_type(controlling);
        let mut chosen = None;
        let mut default = None;
        while self.eat(",") {
            let ty: Option<TypeId> = if self.eat("default") { None } else { Some(self.type_name()?.0.ty) };
            self.expect(":")?;
            let operand = self.assignment()?;
            match ty {
                None => default = Some(operand),
                Some(ty) if chosen.is_none() && self.check.generic_compatible(ty, controlling) => {
                    chosen = Some(operand)
                }
                Some(_) => {}
            }
        }
        self.expect(")")?;
        let span = self.from(start);
        match chosen.or(default) {
            Some(operand) => Ok(operand),
            None => {
                let message =
                    format!("no branch of `_Generic` has the type `{}`", self.check.show(controlling));
                self.check.error("E1218", span, message, "add a branch for it, or `default:`");
                Ok(self.check.error_operand(span))
            }
        }
    }

    /// The type that `_Generic` looks at: that of the value, before any promotion.
    fn generic_type(&mut self, operand: Operand) -> TypeId {
        let value = self.check.rvalue(operand);
        self.check.type_of(value)
    }

    /// `__builtin_va_arg(list, T)`.
    fn va_arg(&mut self) -> Parsed<Operand> {
        let start = self.bump().span;
        self.expect("(")?;
        let list = self.assignment()?;
        self.expect(",")?;
        let (ty, _) = self.type_name()?;
        self.expect(")")?;
        let span = self.from(start);
        let place = match list {
            Operand::Place(place) => place,
            other => {
                let value = self.check.rvalue(other);
                let ty = Qualified::plain(self.check.type_of(value));
                self.check.place(PlaceKind::Temporary(value), ty, span)
            }
        };
        Ok(Operand::Value(self.check.expr(ExprKind::VaArg(place), ty.ty, span)))
    }

    /// `__builtin_offsetof(T, member.member[i])`.
    fn offset_of(&mut self) -> Parsed<Operand> {
        let start = self.bump().span;
        self.expect("(")?;
        let (ty, at) = self.type_name()?;
        self.expect(",")?;
        let pointer = self.check.pointer_to(ty);
        let null = self.check.integer(0, pointer, at);
        let mut operand = self.check.deref(Operand::Value(null), at);
        let (name, span) = self.expect_name()?;
        operand = self.check.member(operand, name, span);
        loop {
            if self.eat(".") {
                let (name, span) = self.expect_name()?;
                operand = self.check.member(operand, name, span);
            } else if self.eat("[") {
                let index = self.expression()?;
                self.expect("]")?;
                let span = self.from(start);
                operand = self.check.index(operand, index, span);
            } else {
                break;
            }
        }
        self.expect(")")?;
        let span = self.from(start);
        let address = self.check.address_of(operand, span);
        let size = self.check.basic.size;
        Ok(self.check.cast_to(address, size, span))
    }

    /// `__builtin_choose_expr(constant, e, e)`.
    fn choose(&mut self) -> Parsed<Operand> {
        self.bump();
        self.expect("(")?;
        let condition = self.constant_expression()?;
        self.expect(",")?;
        let then = self.assignment()?;
        self.expect(",")?;
        let otherwise = self.assignment()?;
        self.expect(")")?;
        Ok(if condition != 0 { then } else { otherwise })
    }

    /// `__builtin_types_compatible_p(T, T)`.
    fn types_compatible(&mut self) -> Parsed<Operand> {
        let start = self.bump().span;
        self.expect("(")?;
        let (one, _) = self.type_name()?;
        self.expect(",")?;
        let (other, _) = self.type_name()?;
        self.expect(")")?;
        let span = self.from(start);
        let same = self.check.compatible(one.ty, other.ty);
        let int = self.check.basic.int;
        Ok(Operand::Value(self.check.integer(i128::from(same), int, span)))
    }
}
