//! Operators that write: `=`, `op=`, `++`, `--`.

use base::Span;

use super::super::hir::{BinaryOp, ExprKind, PlaceId, PlaceKind};
use super::super::types::{Type, TypeId};
use super::{Checker, Operand};

impl Checker {
    /// `to = value`.
    pub fn assign(&mut self, to: Operand, value: Operand, span: Span) -> Operand {
        let Some(place) = self.writable(to, span) else { return self.error_operand(span) };
        let ty = self.program.places[place].ty.ty;
        if let Type::Opaque(_, inner) = *self.ty(ty)
            && self.is_scalar(inner)
        {
            let value = self.convert(value, inner, span);
            return Operand::Value(self.expr(ExprKind::Assign { place, value }, inner, span));
        }
        let value = self.convert(value, ty, span);
        Operand::Value(self.expr(ExprKind::Assign { place, value }, ty, span))
    }

    /// An lvalue that can be assigned to. gcc refuses to write constants.
    fn writable(&mut self, operand: Operand, span: Span) -> Option<PlaceId> {
        let Operand::Place(place) = operand else {
            if !self.is_error(self.operand_type(operand).ty) {
                self.error(
                    "E1240",
                    span,
                    "this cannot be assigned to",
                    "assign to a variable, a member, an element or through a pointer",
                );
            }
            return None;
        };
        let ty = self.program.places[place].ty;
        if matches!(self.program.places[place].kind, PlaceKind::Temporary(_)) {
            self.error("E1240", span, "this cannot be assigned to", "put the value into a variable first");
            return None;
        }
        if matches!(self.ty(ty.ty), Type::Array { .. } | Type::Function(_) | Type::Void) {
            let message = format!("something of type `{}` cannot be assigned to", self.show(ty.ty));
            self.error("E1240", span, message, "assign element by element, or use memcpy");
            return None;
        }
        if ty.qualifiers.has(super::super::types::Qualifiers::CONST) {
            self.error(
                "E1241",
                span,
                "a `const` object cannot be assigned to",
                "remove `const` from its declaration",
            );
            return None;
        }
        Some(place)
    }

    /// `to op= value`.
    pub fn assign_op(&mut self, op: BinaryOp, to: Operand, value: Operand, span: Span) -> Operand {
        let Some(place) = self.writable(to, span) else { return self.error_operand(span) };
        let ty = self.scalar_type(place);
        if self.is_pointer(ty) && matches!(op, BinaryOp::Add | BinaryOp::Subtract) {
            let Some(index) = self.index_value(value, span) else { return self.error_operand(span) };
            let Some(element) = self.element_size(ty, span) else { return self.error_operand(span) };
            let kind = ExprKind::AssignPointer { place, index, subtract: op == BinaryOp::Subtract, element };
            return Operand::Value(self.expr(kind, ty, span));
        }
        let bits = self.bit_field(place);
        let left = self.promoted(ty, bits);
        let value = self.promote(value);
        let right = self.type_of(value);
        if self.is_error(left) || self.is_error(right) {
            return self.error_operand(span);
        }
        let floats_too =
            matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide);
        let integers = self.is_integer(left) && self.is_integer(right);
        let numbers = floats_too && self.is_arithmetic(left) && self.is_arithmetic(right);
        if !integers && !numbers {
            let (one, other) = (self.show(left), self.show(right));
            let message = format!("this operator does not go with operands of types `{one}` and `{other}`");
            self.error("E1220", span, message, "convert the operands to numbers");
            return self.error_operand(span);
        }
        let computation = if op.is_shift() { left } else { self.common(left, right) };
        let value = if op.is_shift() { value } else { self.cast(value, computation) };
        Operand::Value(self.expr(ExprKind::AssignOp { place, op, computation, value }, ty, span))
    }

    /// The scalar type that is behind an lvalue.
    fn scalar_type(&self, place: PlaceId) -> TypeId {
        let ty = self.program.places[place].ty.ty;
        match *self.ty(ty) {
            Type::Opaque(_, inner) if self.is_scalar(inner) => inner,
            _ => ty,
        }
    }

    /// `++to`, `to++`, `--to`, `to--`.
    pub fn increment(&mut self, to: Operand, decrement: bool, postfix: bool, span: Span) -> Operand {
        let Some(place) = self.writable(to, span) else { return self.error_operand(span) };
        let ty = self.scalar_type(place);
        if self.is_error(ty) {
            return self.error_operand(span);
        }
        if !self.is_scalar(ty) {
            let message = format!("something of type `{}` cannot be counted up or down", self.show(ty));
            self.error("E1223", span, message, "use numbers or pointers");
            return self.error_operand(span);
        }
        let element = if self.is_pointer(ty) { self.element_size(ty, span) } else { None };
        let kind = ExprKind::Increment { place, decrement, postfix, element };
        Operand::Value(self.expr(kind, ty, span))
    }
}
