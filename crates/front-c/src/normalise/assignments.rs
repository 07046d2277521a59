//! Assignments: a read step and a write step on shared memory, one read-modify-write on what is `_Atomic`.

use ::c::{Binary, ExprId, Op, Type as Scalar};

use super::super::hir::{self, BinaryOp, CastKind, PlaceId};
use super::super::types::{IntKind, Type, TypeId};
use super::Normaliser;
use super::places::{Base, Spot};

/// How a new value comes from the old one.
#[derive(Clone, Copy)]
enum Change {
    /// An operator in a type.
    Operator { op: BinaryOp, computation: TypeId, operand: ExprId },
    /// A pointer moved by bytes.
    Bytes { bytes: ExprId },
    /// One more or one less, of a floating type or not.
    One { decrement: bool },
}

impl Normaliser<'_> {
    /// `place = value`.
    pub fn assign(&mut self, place: PlaceId, value: hir::ExprId) -> ExprId {
        let mut spot = self.place(place);
        if self.facts.has_effects(value) {
            self.keep_spot(&mut spot);
        }
        let hint = self.facts_hint(place);
        let value = match hint {
            Some(ty) => self.with_allocation_hint(ty, value),
            None => self.value(value),
        };
        self.store(spot, value);
        match spot.base {
            Base::Register(local) => self.pool.read(local),
            _ => self.as_stored(spot, value),
        }
    }

    /// As what the target of an assignment to a pointer to `void` is used.
    fn facts_hint(&self, place: PlaceId) -> Option<TypeId> {
        let variable = super::facts::whole_variable(self.hir, place)?;
        self.use_of(variable)
    }

    /// As what the object is used that a variable of type `void *` points to, if that is one type.
    pub fn use_of(&self, variable: hir::VarId) -> Option<TypeId> {
        let pointee = self.types().pointee(self.hir.variables[variable].ty.ty)?;
        if !matches!(self.types().get(pointee.ty), Type::Void) {
            return None;
        }
        let uses = self.facts.pointee_uses.get(&variable)?;
        if uses.len() == 1 { uses.first().copied() } else { None }
    }

    /// `place op= value`.
    pub fn assign_op(
        &mut self,
        place: PlaceId,
        op: BinaryOp,
        computation: TypeId,
        value: hir::ExprId,
    ) -> ExprId {
        let mut spot = self.place(place);
        if self.facts.has_effects(value) {
            self.keep_spot(&mut spot);
        }
        if spot.atomic && !matches!(spot.base, Base::Register(_)) {
            let operand = self.value(value);
            return self.change_atomically(spot, Change::Operator { op, computation, operand }, true);
        }
        let mut old = self.load(spot);
        if self.facts.has_effects(value) {
            old = self.keep(old);
        }
        let operand = self.value(value);
        let new = self.changed(spot.ty, old, Change::Operator { op, computation, operand });
        let new = self.settled(new);
        self.store(spot, new);
        self.after_store(spot, new)
    }

    /// `place += index` on a pointer.
    pub fn assign_pointer(
        &mut self,
        place: PlaceId,
        index: hir::ExprId,
        element: hir::ExprId,
        subtract: bool,
    ) -> ExprId {
        let mut spot = self.place(place);
        if self.facts.has_effects(index) {
            self.keep_spot(&mut spot);
        }
        if spot.atomic && !matches!(spot.base, Base::Register(_)) {
            let index = self.value(index);
            let bytes = self.moved_bytes(index, element, subtract);
            return self.change_atomically(spot, Change::Bytes { bytes }, true);
        }
        let mut old = self.load(spot);
        if self.facts.has_effects(index) {
            old = self.keep(old);
        }
        let index = self.value(index);
        let bytes = self.moved_bytes(index, element, subtract);
        let new = self.changed(spot.ty, old, Change::Bytes { bytes });
        self.store(spot, new);
        self.after_store(spot, new)
    }

    fn moved_bytes(&mut self, index: ExprId, element: hir::ExprId, subtract: bool) -> ExprId {
        let element = self.value(element);
        self.bytes(index, element, subtract)
    }

    /// `++` and `--`.
    pub fn increment(
        &mut self,
        place: PlaceId,
        element: Option<hir::ExprId>,
        decrement: bool,
        postfix: bool,
    ) -> ExprId {
        let spot = self.place(place);
        let change = match element {
            Some(element) => {
                let element = self.value(element);
                let one = self.number(self.word(), 1);
                Change::Bytes { bytes: self.bytes(one, element, decrement) }
            }
            None => Change::One { decrement },
        };
        self.change(spot, change, !postfix)
    }

    fn bytes(&mut self, index: ExprId, element: ExprId, subtract: bool) -> ExprId {
        let word = self.word();
        let index = self.resize(index, word, true);
        let element = self.resize(element, word, false);
        let bytes = self.binary(Binary::Mul, index, element);
        if !subtract {
            return bytes;
        }
        let zero = self.number(word, 0);
        self.binary(Binary::Sub, zero, bytes)
    }

    /// Reads, computes and writes; the result is the new or the old value.
    fn change(&mut self, spot: Spot, change: Change, new: bool) -> ExprId {
        if spot.atomic && !matches!(spot.base, Base::Register(_)) {
            return self.change_atomically(spot, change, new);
        }
        let mut old = self.load(spot);
        if !new {
            old = self.keep(old);
        }
        let value = self.changed(spot.ty, old, change);
        self.store(spot, value);
        if new { self.after_store(spot, value) } else { old }
    }

    fn after_store(&mut self, spot: Spot, value: ExprId) -> ExprId {
        match spot.base {
            Base::Register(local) => self.pool.read(local),
            _ => self.as_stored(spot, value),
        }
    }

    fn change_atomically(&mut self, spot: Spot, change: Change, new: bool) -> ExprId {
        let ty = self.scalar(spot.ty);
        let old = self.temporary(ty);
        let before = self.pool.read(old);
        // Atomic operators wrap.
        let wrapping = std::mem::replace(&mut self.wrapping, true);
        let value = self.changed(spot.ty, before, change);
        self.wrapping = wrapping;
        match self.memory_place(spot) {
            Some(place) if spot.bits.is_none() => {
                self.emit(Op::Rmw { old, place, guard: None, value, success: None, weak: false });
            }
            _ => self.refuse("an atomic bit-field"),
        }
        if new { value } else { before }
    }

    /// The new value.
    fn changed(&mut self, ty: TypeId, old: ExprId, change: Change) -> ExprId {
        match change {
            Change::Operator { op, computation, operand } => self.operated(ty, old, op, computation, operand),
            Change::Bytes { bytes } => self.binary(Binary::Add, old, bytes),
            Change::One { decrement } => self.plus_one(ty, old, decrement),
        }
    }

    /// `old op operand`, computed in a type and brought back.
    pub fn operated(
        &mut self,
        ty: TypeId,
        old: ExprId,
        op: BinaryOp,
        computation: TypeId,
        operand: ExprId,
    ) -> ExprId {
        let wide = self.convert_arithmetic(old, ty, computation);
        let result = self.arithmetic(op, wide, operand, computation);
        self.convert_arithmetic(result, computation, ty)
    }

    /// One more or one less.
    pub fn plus_one(&mut self, ty: TypeId, old: ExprId, decrement: bool) -> ExprId {
        let scalar = self.scalar(ty);
        if self.types().int_kind(ty) == Some(IntKind::Bool) {
            // `b++` sets it, `b--` turns it around.
            return if decrement { self.not(old) } else { self.truth(true) };
        }
        let one = match scalar {
            Scalar::Float => self.number(scalar, u128::from(1f32.to_bits())),
            Scalar::Double => self.number(scalar, u128::from(1f64.to_bits())),
            _ => self.number(scalar, 1),
        };
        let op = if decrement { Binary::Sub } else { Binary::Add };
        // What is narrower than `int` is computed in `int`, where one more fits.
        if matches!(scalar, Scalar::Bits(32..)) {
            self.check_overflow(op, old, one, ty);
        }
        self.binary(op, old, one)
    }

    /// Between arithmetic types.
    pub fn convert_arithmetic(&mut self, e: ExprId, from: TypeId, to: TypeId) -> ExprId {
        if from == to {
            return e;
        }
        let float = |ty| self.types().float_kind(ty).is_some();
        let kind = match (float(from), float(to)) {
            _ if self.types().int_kind(to) == Some(IntKind::Bool) => CastKind::Bool,
            (true, true) => CastKind::Float,
            (true, false) => CastKind::FloatToInteger,
            (false, true) => CastKind::IntegerToFloat,
            (false, false) => CastKind::Integer,
        };
        self.cast(kind, e, from, to)
    }
}
