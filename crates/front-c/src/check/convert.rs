//! Conversions: from lvalues to values, the promotions, the usual arithmetic conversions, casts, and what an
//! assignment does.

use base::Span;

use super::super::hir::{CastKind, ExprId, ExprKind, PlaceId, PlaceKind};
use super::super::types::{BitRange, IntKind, Qualified, Type, TypeId};
use super::{Checker, Operand};

impl Checker {
    /// The type of an operand before any conversion.
    pub fn operand_type(&self, operand: Operand) -> Qualified {
        match operand {
            Operand::Place(place) => self.program.places[place].ty,
            Operand::Value(value) => Qualified::plain(self.type_of(value)),
            Operand::Function(function, _) => Qualified::plain(self.program.functions[function].ty),
        }
    }

    /// The value of an operand: lvalues are read, arrays and functions become pointers.
    pub fn rvalue(&mut self, operand: Operand) -> ExprId {
        match operand {
            Operand::Value(value) => value,
            Operand::Function(function, span) => {
                self.program.functions[function].address_taken = true;
                let to = Qualified::plain(self.program.functions[function].ty);
                let ty = self.pointer_to(to);
                self.expr(ExprKind::FunctionAddress(function), ty, span)
            }
            Operand::Place(place) => self.load(place),
        }
    }

    fn load(&mut self, place: PlaceId) -> ExprId {
        let node = &self.program.places[place];
        let (ty, span) = (node.ty, node.span);
        if self.in_static_initialiser
            && let Some(kind) = self.value_of_object(place)
        {
            return self.expr(kind, ty.ty, span);
        }
        match *self.ty(ty.ty) {
            Type::Array { element, .. } => {
                self.take_address(place);
                let ty = self.pointer_to(element.with(ty.qualifiers));
                if let Some(value) = self.constant_address(place) {
                    return self.integer(value, ty, span);
                }
                self.expr(ExprKind::Decay(place), ty, span)
            }
            Type::Function(_) => {
                // `*f` on a pointer to a function is the function again.
                let pointer = self.pointer_to(ty);
                match self.program.places[place].kind {
                    PlaceKind::Deref(value) if self.type_of(value) == pointer => value,
                    PlaceKind::Deref(value) => {
                        self.expr(ExprKind::Cast(CastKind::Pointer, value), pointer, span)
                    }
                    _ => self.refused("a function that is no function", pointer, span),
                }
            }
            Type::Opaque(_, inner) if self.is_scalar(inner) => self.expr(ExprKind::Load(place), inner, span),
            Type::VaList => self.expr(ExprKind::Load(place), ty.ty, span),
            _ => match self.program.places[place].kind {
                PlaceKind::Temporary(value) if self.type_of(value) == ty.ty => value,
                _ => self.expr(ExprKind::Load(place), ty.ty, span),
            },
        }
    }

    /// Notes that the address of the variable behind an lvalue is taken.
    pub fn take_address(&mut self, place: PlaceId) {
        let mut place = place;
        loop {
            match self.program.places[place].kind {
                PlaceKind::Variable(variable) | PlaceKind::CompoundLiteral(variable) => {
                    self.program.variables[variable].address_taken = true;
                    return;
                }
                PlaceKind::Index { array: base, .. } | PlaceKind::Member { base, .. } => place = base,
                _ => return,
            }
        }
    }

    /// The bits of a bit-field lvalue.
    pub fn bit_field(&self, place: PlaceId) -> Option<BitRange> {
        match self.program.places[place].kind {
            PlaceKind::Member { record, field, .. } => {
                self.program.types.records[record].fields.as_ref()?.get(field as usize)?.bits
            }
            _ => None,
        }
    }

    /// The bits of a bit-field operand; one behind a comma is still one, as gcc has it.
    fn width_of(&self, operand: Operand) -> Option<BitRange> {
        let mut value = match operand {
            Operand::Place(place) => return self.bit_field(place),
            Operand::Value(value) => value,
            Operand::Function(..) => return None,
        };
        let ExprKind::Comma(..) = self.program.exprs[value].kind else { return None };
        loop {
            match self.program.exprs[value].kind {
                ExprKind::Comma(_, right) => value = right,
                ExprKind::Load(place) => return self.bit_field(place),
                _ => return None,
            }
        }
    }

    /// The integer promotions.
    pub fn promote(&mut self, operand: Operand) -> ExprId {
        let bits = self.width_of(operand);
        let value = self.rvalue(operand);
        let ty = self.type_of(value);
        let promoted = self.promoted(ty, bits);
        self.cast(value, promoted)
    }

    /// The type that a type is promoted to.
    pub fn promoted(&mut self, ty: TypeId, bits: Option<BitRange>) -> TypeId {
        let Some(kind) = self.program.types.int_kind(ty) else { return ty };
        let int_width = 32;
        let width = bits.map_or(kind.width(self.model()), |bits| bits.width);
        if kind.rank() > IntKind::Int.rank() {
            // A bit-field of a wide type that fits into an int is promoted as well, as gcc does.
            return match bits {
                Some(_) if width < int_width || width == int_width && kind.is_signed() => self.basic.int,
                Some(_) if width == int_width => self.basic.unsigned,
                _ => self.int(kind),
            };
        }
        if width < int_width || kind.is_signed() { self.basic.int } else { self.basic.unsigned }
    }

    /// The common type of the usual arithmetic conversions. Both types are arithmetic and promoted.
    pub fn common(&mut self, left: TypeId, right: TypeId) -> TypeId {
        let types = &self.program.types;
        let complex = [left, right].into_iter().find(|ty| matches!(types.get(*ty), Type::Complex(_)));
        if let Some(complex) = complex {
            return complex;
        }
        match (types.float_kind(left), types.float_kind(right)) {
            (Some(one), Some(other)) => return if one >= other { left } else { right },
            (Some(_), None) => return left,
            (None, Some(_)) => return right,
            (None, None) => {}
        }
        let (Some(one), Some(other)) = (types.int_kind(left), types.int_kind(right)) else {
            return self.basic.int;
        };
        let kind = common_integer(one, other, |kind| kind.width(types.model));
        self.int(kind)
    }

    /// A conversion, folded if the operand is a constant. The types must go together; `cast_kind` says so.
    pub fn cast(&mut self, value: ExprId, to: TypeId) -> ExprId {
        let from = self.type_of(value);
        if from == to {
            return value;
        }
        let span = self.span_of(value);
        let Some(kind) = self.cast_kind(from, to) else {
            return self.refused("a conversion between types that do not go together", to, span);
        };
        let folded = match (&self.program.exprs[value].kind, kind) {
            (ExprKind::Integer(number), CastKind::Bool) => Some(ExprKind::Integer(i128::from(*number != 0))),
            (ExprKind::Float(number), CastKind::Bool) => Some(ExprKind::Integer(i128::from(*number != 0.0))),
            (ExprKind::Integer(number), CastKind::IntegerToFloat) => {
                Some(self.fold_to_float(*number, from, to))
            }
            (ExprKind::Integer(_), CastKind::Void) => None,
            (ExprKind::Integer(number), _) => Some(ExprKind::Integer(self.wrap(*number, to))),
            (ExprKind::Float(number), CastKind::FloatToInteger) => self.fold_to_integer(*number, to),
            (ExprKind::Float(number), CastKind::Float) => self.fold_float(*number, from, to),
            _ => None,
        };
        let made = self.expr(folded.unwrap_or(ExprKind::Cast(kind, value)), to, span);
        self.note_overflow(made, None, &[value]);
        made
    }

    fn fold_to_float(&self, number: i128, from: TypeId, to: TypeId) -> ExprKind {
        let unsigned = self.program.types.int_kind(from) == Some(IntKind::UnsignedInt128);
        let value = if unsigned { number as u128 as f64 } else { number as f64 };
        // Straight to single precision: rounding twice may differ.
        let single = self.program.types.float_kind(to) == Some(super::super::types::FloatKind::Float);
        let narrow = if unsigned { number as u128 as f32 } else { number as f32 };
        ExprKind::Float(if single { f64::from(narrow) } else { value })
    }

    /// What a conversion does; `None` if there is none.
    pub fn cast_kind(&self, from: TypeId, to: TypeId) -> Option<CastKind> {
        use Type::*;
        if from == to {
            return Some(CastKind::Same);
        }
        let kind = match (self.ty(from), self.ty(to)) {
            (Error | Unsupported(_), _) | (_, Error | Unsupported(_)) => CastKind::Same,
            (_, Void) => CastKind::Void,
            (Int(_) | Enum(_) | Float(_) | Pointer(_) | Complex(_), Int(IntKind::Bool)) => CastKind::Bool,
            (Int(_) | Enum(_), Int(_) | Enum(_)) => {
                if self.program.types.int_kind(from) == self.program.types.int_kind(to) {
                    CastKind::Same
                } else {
                    CastKind::Integer
                }
            }
            (Int(_) | Enum(_), Float(_) | Complex(_)) => CastKind::IntegerToFloat,
            (Float(_) | Complex(_), Int(_) | Enum(_)) => CastKind::FloatToInteger,
            (Float(_) | Complex(_), Float(_) | Complex(_)) => CastKind::Float,
            (Pointer(_), Pointer(_)) => CastKind::Pointer,
            (Int(_) | Enum(_), Pointer(_)) => CastKind::IntegerToPointer,
            (Pointer(_), Int(_) | Enum(_)) => CastKind::PointerToInteger,
            (VaList, Pointer(_)) | (Pointer(_), VaList) => CastKind::Pointer,
            (Record(_), Record(_)) if self.compatible(from, to) => CastKind::Same,
            (Opaque(_, inner), _) if *inner == to => CastKind::Same,
            (_, Opaque(_, inner)) if *inner == from || self.cast_kind(from, *inner).is_some() => {
                CastKind::Same
            }
            (Opaque(one, _), Opaque(other, _)) if one == other => CastKind::Same,
            _ => return None,
        };
        Some(kind)
    }

    /// A cast that the program writes.
    pub fn cast_to(&mut self, operand: Operand, to: TypeId, span: Span) -> Operand {
        if let Type::Record(record) = *self.ty(to) {
            return self.cast_to_record(operand, to, self.program.types.records[record].union, span);
        }
        let value = self.rvalue(operand);
        let from = self.type_of(value);
        let floats = self.program.types.float_kind(from).is_some() && self.is_pointer(to)
            || self.program.types.float_kind(to).is_some() && self.is_pointer(from);
        if floats || self.cast_kind(from, to).is_none() {
            let message =
                format!("a value of type `{}` cannot be cast to `{}`", self.show(from), self.show(to));
            self.error("E1230", span, message, "cast scalars only: numbers and pointers");
            return self.error_operand(span);
        }
        Operand::Value(self.cast(value, to))
    }

    /// GNU C: a cast to a union makes one from a member; a cast to the same struct does nothing.
    fn cast_to_record(&mut self, operand: Operand, to: TypeId, union: bool, span: Span) -> Operand {
        let value = self.rvalue(operand);
        let from = self.type_of(value);
        if self.compatible(from, to) {
            return Operand::Value(self.cast(value, to));
        }
        if union && let Some(literal) = self.union_from_member(value, to, span) {
            return literal;
        }
        let message = format!("a value of type `{}` cannot be cast to `{}`", self.show(from), self.show(to));
        self.error("E1230", span, message, "convert member by member");
        self.error_operand(span)
    }

    /// A value as an assignment, an argument or a `return` converts it. What gcc only warns about is taken.
    pub fn convert(&mut self, operand: Operand, to: TypeId, span: Span) -> ExprId {
        let value = self.rvalue(operand);
        let from = self.type_of(value);
        if from == to {
            return value;
        }
        if let Type::Record(record) = *self.ty(to)
            && self.program.types.records[record].transparent
            && !self.compatible(from, to)
            && let Some(Operand::Place(literal)) = self.union_from_member(value, to, span)
        {
            return self.rvalue(Operand::Place(literal));
        }
        let float_and_pointer = self.program.types.float_kind(from).is_some() && self.is_pointer(to)
            || self.program.types.float_kind(to).is_some() && self.is_pointer(from);
        let void = matches!(self.ty(from), Type::Void) || matches!(self.ty(to), Type::Void);
        if void || float_and_pointer || self.cast_kind(from, to).is_none() {
            let message =
                format!("a value of type `{}` does not go into `{}`", self.show(from), self.show(to));
            self.error("E1231", span, message, "change the type of the value or of where it goes");
            return self.refused("a value of the wrong type", to, span);
        }
        self.cast(value, to)
    }

    /// A scalar that is tested against 0: the value itself.
    pub fn condition(&mut self, operand: Operand, span: Span) -> ExprId {
        let value = self.rvalue(operand);
        let ty = self.type_of(value);
        if self.is_scalar(ty) || self.is_error(ty) {
            return value;
        }
        let message = format!("a value of type `{}` is neither true nor false", self.show(ty));
        self.error("E1232", span, message, "use a number or a pointer as the condition");
        self.integer(1, self.basic.int, span)
    }
}

/// The common type of two promoted integer types (C11 6.3.1.8).
fn common_integer(one: IntKind, other: IntKind, width: impl Fn(IntKind) -> u32) -> IntKind {
    if one == other {
        return one;
    }
    if one.is_signed() == other.is_signed() {
        return if one.rank() >= other.rank() { one } else { other };
    }
    let (signed, unsigned) = if one.is_signed() { (one, other) } else { (other, one) };
    if unsigned.rank() >= signed.rank() {
        unsigned
    } else if width(signed) > width(unsigned) {
        signed
    } else {
        signed.to_unsigned()
    }
}
