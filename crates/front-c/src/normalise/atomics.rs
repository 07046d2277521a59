//! Atomic operations: one step for the access to the object. Operands come before it, what is passed by
//! pointer is read before and written after.

use ::c::{Binary, ExprId, Node, Op, TRUTH, Type as Scalar, Unary};

use super::super::hir::{self, Atomic, AtomicOp, Expected, FetchOp};
use super::super::types::TypeId;
use super::Normaliser;
use super::places::{Base, Spot};

impl Normaliser<'_> {
    /// An atomic operation; the result has type `ty`.
    pub fn atomic(&mut self, atomic: &Atomic, ty: TypeId) -> ExprId {
        self.assume_silently("sequential consistency");
        let Some(pointer) = atomic.pointer else {
            return self.nothing();
        };
        if self.scalar_of(atomic.value).is_none() {
            self.refuse("an atomic operation on a struct");
            return self.any_constant(ty);
        }
        let value = self.accessed(atomic, pointer);
        let pointer = self.value(pointer);
        let pointer = self.keep(pointer);
        let mut spot = self.pointed(pointer, value);
        // C11 7.17.2.2: initialising an object is no atomic operation.
        spot.atomic = atomic.name != "__c11_atomic_init";
        let operands: Vec<ExprId> = atomic.operands.iter().map(|&operand| self.kept_value(operand)).collect();
        let to = atomic.result.map(|result| self.kept_value(result));
        for &order in &atomic.orders {
            self.value(order);
        }
        let result = self.atomic_step(atomic, spot, &operands);
        match to {
            Some(to) => {
                let target = self.pointed(to, atomic.value);
                self.store(target, result);
                self.nothing()
            }
            None => self.fit_result(result, atomic, ty),
        }
    }

    /// The type of the scalar that is accessed: a flag may be a `char` as well as a `_Bool`.
    fn accessed(&self, atomic: &Atomic, pointer: hir::ExprId) -> TypeId {
        let to = self.types().pointee(self.hir.exprs[pointer].ty).map(|to| to.ty);
        let flag = matches!(atomic.op, AtomicOp::TestAndSet | AtomicOp::Clear);
        to.filter(|&to| flag && self.types().size(to) == Some(1) && self.types().int_kind(to).is_some())
            .unwrap_or(atomic.value)
    }

    fn kept_value(&mut self, operand: hir::ExprId) -> ExprId {
        let value = self.value(operand);
        self.keep(value)
    }

    fn fit_result(&mut self, result: ExprId, atomic: &Atomic, ty: TypeId) -> ExprId {
        match self.scalar_of(ty) {
            Some(scalar) => {
                let is_signed = self.is_signed(atomic.value) && self.type_of(result) != TRUTH;
                self.resize(result, scalar, is_signed)
            }
            None => self.nothing(),
        }
    }

    fn atomic_step(&mut self, atomic: &Atomic, spot: Spot, operands: &[ExprId]) -> ExprId {
        let scalar = self.scalar(spot.ty);
        let operand = operands.first().copied();
        match atomic.op {
            AtomicOp::Load => self.load(spot),
            AtomicOp::Store => {
                let value = self.operand(operand, scalar, atomic.value);
                self.store(spot, value);
                self.nothing()
            }
            AtomicOp::Exchange => {
                let value = self.operand(operand, scalar, atomic.value);
                self.read_modify_write(spot, scalar, |_, _| value)
            }
            AtomicOp::Fetch { op, new } => {
                let operand = self.operand(operand, scalar, atomic.value);
                self.fetch(spot, scalar, op, operand, new)
            }
            AtomicOp::TestAndSet => {
                let old = self.read_modify_write(spot, scalar, |this, _| this.number(scalar, 1));
                self.is_true(old)
            }
            AtomicOp::Clear => {
                let zero = self.number(scalar, 0);
                self.store(spot, zero);
                self.nothing()
            }
            AtomicOp::CompareExchange { weak, expected } => {
                self.compare_exchange(spot, atomic, operands, weak, expected)
            }
            AtomicOp::Fence => self.nothing(),
        }
    }

    fn operand(&mut self, operand: Option<ExprId>, scalar: Scalar, ty: TypeId) -> ExprId {
        match operand {
            Some(operand) => self.resize(operand, scalar, self.is_signed(ty)),
            None => self.number(scalar, 0),
        }
    }

    /// One step that reads and writes; gives the old value.
    pub fn read_modify_write(
        &mut self,
        spot: Spot,
        scalar: Scalar,
        new: impl FnOnce(&mut Self, ExprId) -> ExprId,
    ) -> ExprId {
        let old = self.temporary(scalar);
        let before = self.pool.read(old);
        let value = new(self, before);
        match self.memory_place(spot) {
            Some(place) => self.emit(Op::Rmw { old, place, guard: None, value, success: None, weak: false }),
            None => self.refuse("an atomic operation on a register"),
        }
        before
    }

    fn fetch(&mut self, spot: Spot, scalar: Scalar, op: FetchOp, operand: ExprId, new: bool) -> ExprId {
        let word = self.word();
        let operand = if scalar == Scalar::Pointer { self.resize(operand, word, true) } else { operand };
        let compute = |this: &mut Self, old: ExprId| match op {
            FetchOp::Add => this.binary(Binary::Add, old, operand),
            FetchOp::Subtract => this.binary(Binary::Sub, old, operand),
            FetchOp::And => this.binary(Binary::And, old, operand),
            FetchOp::Or => this.binary(Binary::Or, old, operand),
            FetchOp::Xor => this.binary(Binary::Xor, old, operand),
            FetchOp::Nand => {
                let and = this.binary(Binary::And, old, operand);
                this.pool.exprs().add(Node::Unary(Unary::Not, and))
            }
        };
        let before = self.read_modify_write(spot, scalar, compute);
        if new { compute(self, before) } else { before }
    }

    fn compare_exchange(
        &mut self,
        spot: Spot,
        atomic: &Atomic,
        operands: &[ExprId],
        weak: bool,
        expected: Expected,
    ) -> ExprId {
        let scalar = self.scalar(atomic.value);
        let Some(&first) = operands.first() else { return self.nothing() };
        let desired = self.operand(operands.get(1).copied(), scalar, atomic.value);
        let expected_spot = (expected == Expected::Pointer).then(|| self.pointed(first, atomic.value));
        let wanted = match expected_spot {
            Some(spot) => {
                let value = self.load(spot);
                self.keep(value)
            }
            None => self.operand(Some(first), scalar, atomic.value),
        };
        let old = self.temporary(scalar);
        let success = self.temporary(TRUTH);
        let before = self.pool.read(old);
        let guard = Some(self.binary(Binary::Eq, before, wanted));
        match (spot.base, self.memory_place(spot)) {
            (Base::Object(_) | Base::Pointer(_), Some(place)) => {
                self.emit(Op::Rmw { old, place, guard, value: desired, success: Some(success), weak });
            }
            _ => self.refuse("an atomic operation on a register"),
        }
        let succeeded = self.pool.read(success);
        if let Some(spot) = expected_spot {
            let end = self.label();
            self.jump_if_true(succeeded, end, true);
            self.store(spot, before);
            self.place_label(end);
        }
        if expected == Expected::ValueGivesOld { before } else { succeeded }
    }
}
