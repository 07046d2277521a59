//! Operators that only compute: arithmetic, comparisons, logic, `?:`, the comma.

use base::Span;

use super::super::hir::{BinaryOp, CastKind, ExprId, ExprKind, UnaryOp};
use super::super::types::{ArrayLength, Qualified, Type, TypeId};
use super::{Checker, Operand};

impl Checker {
    /// An operator on two operands, other than assignment, logic and the comma.
    pub fn binary(&mut self, op: BinaryOp, left: Operand, right: Operand, span: Span) -> Operand {
        match op {
            BinaryOp::Add => self.binary_add(left, right, false, span),
            BinaryOp::Subtract => self.binary_add(left, right, true, span),
            _ if op.is_comparison() => self.comparison(op, left, right, span),
            _ => self.arithmetic(op, left, right, span),
        }
    }

    /// `+` and `-`, on numbers and pointers.
    pub fn binary_add(&mut self, left: Operand, right: Operand, subtract: bool, span: Span) -> Operand {
        let (first, second) = (self.rvalue(left), self.rvalue(right));
        let (one, other) = (self.type_of(first), self.type_of(second));
        match (self.is_pointer(one), self.is_pointer(other)) {
            (true, true) if subtract => self.pointer_difference(first, second, span),
            (true, false) => self.pointer_add(first, right, subtract, span),
            (false, true) if !subtract => self.pointer_add(second, left, false, span),
            _ => {
                let op = if subtract { BinaryOp::Subtract } else { BinaryOp::Add };
                self.arithmetic(op, left, right, span)
            }
        }
    }

    fn pointer_add(&mut self, pointer: ExprId, index: Operand, subtract: bool, span: Span) -> Operand {
        let ty = self.type_of(pointer);
        let Some(index) = self.index_value(index, span) else { return self.error_operand(span) };
        let Some(element) = self.element_size(ty, span) else { return self.error_operand(span) };
        if let (Some(base), Some(index), Some(size)) =
            (self.constant(pointer), self.constant(index), self.constant(element))
        {
            let offset = index.wrapping_mul(size);
            let value = if subtract { base.wrapping_sub(offset) } else { base.wrapping_add(offset) };
            return Operand::Value(self.integer(value, ty, span));
        }
        if self.constant(index) == Some(0) {
            return Operand::Value(pointer);
        }
        Operand::Value(self.expr(ExprKind::PointerAdd { pointer, index, subtract, element }, ty, span))
    }

    fn pointer_difference(&mut self, left: ExprId, right: ExprId, span: Span) -> Operand {
        let ty = self.type_of(left);
        let Some(element) = self.element_size(ty, span) else { return self.error_operand(span) };
        let result = self.basic.difference;
        if let (Some(one), Some(other), Some(size)) =
            (self.constant(left), self.constant(right), self.constant(element))
            && size != 0
        {
            return Operand::Value(self.integer(one.wrapping_sub(other) / size, result, span));
        }
        Operand::Value(self.expr(ExprKind::PointerDifference { left, right, element }, result, span))
    }

    /// The size of what a pointer points to; of `void` and functions it is 1 in GNU C.
    pub fn element_size(&mut self, pointer: TypeId, span: Span) -> Option<ExprId> {
        let to = self.program.types.pointee(pointer)?;
        match self.ty(to.ty) {
            Type::Void | Type::Function(_) => Some(self.integer(1, self.basic.size, span)),
            _ => self.size_value(to.ty, span),
        }
    }

    /// The size of a type as a value: a constant, or a product with the hidden length of a variable-length
    /// array.
    pub fn size_value(&mut self, ty: TypeId, span: Span) -> Option<ExprId> {
        if let Some(size) = self.program.types.size(ty) {
            return Some(self.integer(i128::from(size), self.basic.size, span));
        }
        match *self.ty(ty) {
            Type::Void | Type::Function(_) => Some(self.integer(1, self.basic.size, span)),
            Type::Array { element, length } => {
                let length = match length {
                    ArrayLength::Known(length) => self.integer(i128::from(length), self.basic.size, span),
                    ArrayLength::Variable(variable) => {
                        let kind = super::super::hir::PlaceKind::Variable(variable);
                        let place = self.place(kind, Qualified::plain(self.basic.size), span);
                        self.rvalue(Operand::Place(place))
                    }
                    ArrayLength::Unknown => return self.no_size(ty, span),
                };
                let element = self.size_value(element.ty, span)?;
                let product = self.arithmetic(
                    BinaryOp::Multiply,
                    Operand::Value(length),
                    Operand::Value(element),
                    span,
                );
                Some(self.rvalue(product))
            }
            _ => self.no_size(ty, span),
        }
    }

    fn no_size(&mut self, ty: TypeId, span: Span) -> Option<ExprId> {
        let message = format!("the size of the incomplete type `{}` is not known", self.show(ty));
        self.error("E1216", span, message, "define the type before it is used so");
        None
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Operand, right: Operand, span: Span) -> Operand {
        let (left, right) = (self.promote(left), self.promote(right));
        let (one, other) = (self.type_of(left), self.type_of(right));
        if self.is_error(one) || self.is_error(other) {
            return self.error_operand(span);
        }
        let integers = self.is_integer(one) && self.is_integer(other);
        let floats_too =
            matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide);
        let fine = integers || floats_too && self.is_arithmetic(one) && self.is_arithmetic(other);
        if !fine {
            return self.wrong_operands(op, one, other, span);
        }
        if op.is_shift() {
            return Operand::Value(self.apply(op, left, right, one, span));
        }
        let ty = self.common(one, other);
        let (left, right) = (self.cast(left, ty), self.cast(right, ty));
        Operand::Value(self.apply(op, left, right, ty, span))
    }

    fn wrong_operands(&mut self, op: BinaryOp, one: TypeId, other: TypeId, span: Span) -> Operand {
        let (one, other) = (self.show(one), self.show(other));
        let message = format!("`{}` does not go with operands of types `{one}` and `{other}`", spelling(op));
        self.error("E1220", span, message, "convert the operands to numbers");
        self.error_operand(span)
    }

    /// An operator on converted operands, folded if both are constants. `ty` is the type of the computation.
    pub fn apply(&mut self, op: BinaryOp, left: ExprId, right: ExprId, ty: TypeId, span: Span) -> ExprId {
        let result = if op.is_comparison() { self.basic.int } else { ty };
        let folded = match (&self.program.exprs[left].kind, &self.program.exprs[right].kind) {
            (ExprKind::Integer(left), ExprKind::Integer(right)) => {
                self.fold_integers(op, *left, *right, ty).map(ExprKind::Integer)
            }
            (ExprKind::Float(left), ExprKind::Float(right)) => self.fold_floats(op, *left, *right, ty),
            _ => None,
        };
        let own = match (self.constant(left), self.constant(right)) {
            (Some(left), Some(right)) => self.folded_overflow(op, left, right, ty),
            _ => None,
        };
        let made = self.expr(folded.unwrap_or(ExprKind::Binary { op, left, right }), result, span);
        self.note_overflow(made, own, &[left, right]);
        made
    }

    fn comparison(&mut self, op: BinaryOp, left: Operand, right: Operand, span: Span) -> Operand {
        let (first, second) = (self.rvalue(left), self.rvalue(right));
        let (one, other) = (self.type_of(first), self.type_of(second));
        if self.is_error(one) || self.is_error(other) {
            return Operand::Value(self.refused(
                "a value of a type that is not supported",
                self.basic.int,
                span,
            ));
        }
        if self.is_arithmetic(one) && self.is_arithmetic(other) {
            let (left, right) = (self.promote(left), self.promote(right));
            let ty = self.common(self.type_of(left), self.type_of(right));
            let (left, right) = (self.cast(left, ty), self.cast(right, ty));
            return Operand::Value(self.apply(op, left, right, ty, span));
        }
        let integer_or_pointer = |checker: &Self, ty| checker.is_pointer(ty) || checker.is_integer(ty);
        if !integer_or_pointer(self, one) || !integer_or_pointer(self, other) {
            return self.wrong_operands(op, one, other, span);
        }
        // gcc compares a pointer with an integer, with a warning: the integer becomes a pointer.
        let ty = if self.is_pointer(one) { one } else { other };
        let (left, right) = (self.cast(first, ty), self.cast(second, ty));
        Operand::Value(self.apply(op, left, right, ty, span))
    }

    /// `-e`, `~e`.
    pub fn unary(&mut self, op: UnaryOp, operand: Operand, span: Span) -> Operand {
        let value = self.promote(operand);
        let ty = self.type_of(value);
        if self.is_error(ty) {
            return self.error_operand(span);
        }
        let fine = if op == UnaryOp::Negate { self.is_arithmetic(ty) } else { self.is_integer(ty) };
        if !fine {
            let message = format!("this operator does not go with an operand of type `{}`", self.show(ty));
            self.error("E1221", span, message, "convert the operand to a number");
            return self.error_operand(span);
        }
        let kind = self.fold_unary(op, value, ty).unwrap_or(ExprKind::Unary(op, value));
        let own = match self.constant(value) {
            Some(number) if op == UnaryOp::Negate => self.folded_overflow(BinaryOp::Subtract, 0, number, ty),
            _ => None,
        };
        let made = self.expr(kind, ty, span);
        self.note_overflow(made, own, &[value]);
        Operand::Value(made)
    }

    /// `+e`.
    pub fn plus(&mut self, operand: Operand, span: Span) -> Operand {
        let value = self.promote(operand);
        let ty = self.type_of(value);
        if !self.is_arithmetic(ty) && !self.is_error(ty) {
            let message = format!("`+` does not go with an operand of type `{}`", self.show(ty));
            self.error("E1221", span, message, "convert the operand to a number");
        }
        Operand::Value(value)
    }

    /// `!e`.
    pub fn not(&mut self, operand: Operand, span: Span) -> Operand {
        let value = self.condition(operand, span);
        let kind = match self.truth(value) {
            Some(truth) => ExprKind::Integer(i128::from(!truth)),
            None => ExprKind::Not(value),
        };
        Operand::Value(self.expr(kind, self.basic.int, span))
    }

    /// `left && right` and `left || right`.
    pub fn logical(&mut self, and: bool, left: Operand, right: Operand, span: Span) -> Operand {
        let left = self.condition(left, span);
        let right = self.condition(right, span);
        let int = self.basic.int;
        let known = self.truth(left);
        let kind = match (known, self.truth(right)) {
            // The first operand decides, or leaves it to the second.
            (Some(truth), _) if truth != and => ExprKind::Integer(i128::from(truth)),
            (Some(_), Some(truth)) => ExprKind::Integer(i128::from(truth)),
            _ if and => ExprKind::LogicalAnd(left, right),
            _ => ExprKind::LogicalOr(left, right),
        };
        Operand::Value(self.expr(kind, int, span))
    }

    /// `left, right`.
    pub fn comma(&mut self, left: Operand, right: Operand, span: Span) -> Operand {
        let left = self.rvalue(left);
        let right = self.rvalue(right);
        let ty = self.type_of(right);
        // A constant on the left does nothing; but the result must not count as a constant.
        Operand::Value(self.expr(ExprKind::Comma(left, right), ty, span))
    }

    /// `condition ? then : otherwise`; without `then`, `condition ?: otherwise`.
    pub fn conditional(
        &mut self,
        condition: Operand,
        then: Option<Operand>,
        otherwise: Operand,
        span: Span,
    ) -> Operand {
        let tested = self.condition(condition, span);
        let shared = then.is_none();
        let first = then.unwrap_or(if shared { Operand::Value(tested) } else { condition });
        // A bit-field is promoted by its width, which only the lvalue tells.
        let then = if shared { self.rvalue(first) } else { self.promote(first) };
        let otherwise = self.promote(otherwise);
        let Some(ty) = self.conditional_type(then, otherwise, span) else { return self.error_operand(span) };
        let before = self.type_of(then);
        let otherwise = self.cast(otherwise, ty);
        match self.truth(tested) {
            Some(true) => return Operand::Value(self.cast(then, ty)),
            Some(false) => return Operand::Value(otherwise),
            None => {}
        }
        let kind = if shared {
            let cast = self.cast_kind(before, ty).unwrap_or(CastKind::Same);
            ExprKind::Elvis { value: tested, cast, otherwise }
        } else {
            let then = self.cast(then, ty);
            ExprKind::Conditional { condition: tested, then, otherwise }
        };
        Operand::Value(self.expr(kind, ty, span))
    }

    /// The type of a conditional expression.
    fn conditional_type(&mut self, then: ExprId, otherwise: ExprId, span: Span) -> Option<TypeId> {
        let (one, other) = (self.type_of(then), self.type_of(otherwise));
        if self.is_error(one) || self.is_error(other) {
            return None;
        }
        if self.is_arithmetic(one) && self.is_arithmetic(other) {
            let (one, other) = (self.promoted(one, None), self.promoted(other, None));
            return Some(self.common(one, other));
        }
        if matches!(self.ty(one), Type::Void) || matches!(self.ty(other), Type::Void) {
            return Some(self.basic.void);
        }
        match (self.is_pointer(one), self.is_pointer(other)) {
            (true, true) => return self.common_pointer(then, otherwise),
            (true, false) if self.is_integer(other) => return Some(one),
            (false, true) if self.is_integer(one) => return Some(other),
            _ => {}
        }
        if self.compatible(one, other) || self.cast_kind(one, other) == Some(CastKind::Same) {
            return Some(one);
        }
        let message =
            format!("the branches of `?:` have types `{}` and `{}`", self.show(one), self.show(other));
        self.error("E1222", span, message, "convert both to one type");
        None
    }

    /// The type of `?:` on two pointers: a null pointer constant takes the other's type, `void *` absorbs,
    /// else the first.
    fn common_pointer(&mut self, then: ExprId, otherwise: ExprId) -> Option<TypeId> {
        let (one, other) = (self.type_of(then), self.type_of(otherwise));
        let (to, from) = (self.program.types.pointee(one)?, self.program.types.pointee(other)?);
        let void = |checker: &Self, ty: Qualified| matches!(checker.ty(ty.ty), Type::Void);
        let null = |checker: &Self, id: ExprId| checker.constant(id) == Some(0);
        let both = to.qualifiers.union(from.qualifiers);
        if void(self, to) && null(self, then) {
            return Some(other);
        }
        if void(self, from) && null(self, otherwise) {
            return Some(one);
        }
        let whole = if void(self, from) { from } else { to };
        Some(self.pointer_to(whole.with(both)))
    }
}

fn spelling(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
    }
}
