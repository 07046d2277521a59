//! Operators on values in registers, with constants folded: arithmetic, comparisons, conversions.

use ::c::{Binary, Convert, ExprId, Node, Op, TRUTH, Type as Scalar, Unary, mask, signed};

use super::super::hir::{BinaryOp, CastKind};
use super::super::types::{Type, TypeId};
use super::Normaliser;
use super::finish::ADDRESS_LAYOUT;

impl Normaliser<'_> {
    /// A number of a type.
    pub fn number(&mut self, ty: Scalar, value: u128) -> ExprId {
        self.pool.exprs().number(ty, value)
    }

    /// A truth value.
    pub fn truth(&mut self, value: bool) -> ExprId {
        self.number(TRUTH, u128::from(value))
    }

    /// The type of a value.
    pub fn type_of(&mut self, e: ExprId) -> Scalar {
        self.pool.exprs().ty(e)
    }

    /// The number, if the value is one.
    pub fn constant(&mut self, e: ExprId) -> Option<u128> {
        self.pool.exprs().constant(e)
    }

    /// Whether the value is the same everywhere in an activation: made of numbers and addresses of declared
    /// objects.
    pub fn is_fixed(&mut self, e: ExprId) -> bool {
        self.pool.exprs().locals(e).is_empty()
    }

    /// The value in a register of its own, unless nothing that happens later can change it.
    pub fn keep(&mut self, e: ExprId) -> ExprId {
        let locals = self.pool.exprs().locals(e);
        if locals.iter().all(|&local| self.pool.draft().locals()[local].temporary) {
            return e;
        }
        let ty = self.type_of(e);
        let local = self.temporary(ty);
        self.emit(Op::Assign { local, value: e });
        self.pool.read(local)
    }

    /// The value in a register of its own, if computing it may be undefined: it is computed where it stands,
    /// and also if nobody uses it.
    pub fn settled(&mut self, e: ExprId) -> ExprId {
        if self.pool.exprs().is_total(e) {
            return e;
        }
        let ty = self.type_of(e);
        let local = self.temporary(ty);
        self.emit(Op::Assign { local, value: e });
        self.pool.read(local)
    }

    /// Whether a type's values are read with a sign.
    pub fn is_signed(&self, ty: TypeId) -> bool {
        self.types().int_kind(ty).is_some_and(|kind| kind.is_signed())
    }

    /// Another width: cut off, or extended.
    pub fn resize(&mut self, e: ExprId, to: Scalar, is_signed: bool) -> ExprId {
        let from = self.type_of(e);
        if from == to {
            return e;
        }
        let bits = |ty: Scalar| if let Scalar::Bits(bits) = ty { Some(bits) } else { None };
        let exprs = self.pool.exprs();
        match (bits(from), bits(to)) {
            (Some(old), Some(new)) => {
                if let Some(value) = exprs.constant(e) {
                    let value = if is_signed { signed(value, old) as u128 } else { value };
                    return exprs.number(to, value);
                }
                let op = match (new < old, is_signed) {
                    (true, _) => Convert::Truncate,
                    (false, true) => Convert::SignExtend,
                    (false, false) => Convert::ZeroExtend,
                };
                // What was extended before need not be cut off and extended again.
                if let (Convert::Truncate, Node::Convert(Convert::ZeroExtend | Convert::SignExtend, _, inner)) =
                    (op, exprs.node(e))
                    && exprs.ty(inner) == to
                {
                    return inner;
                }
                exprs.convert(op, to, e)
            }
            _ => self.reinterpret(e, to, is_signed),
        }
    }

    /// Between pointers and integers, by way of integers as wide as a pointer.
    fn reinterpret(&mut self, e: ExprId, to: Scalar, is_signed: bool) -> ExprId {
        let word = self.word();
        let from = self.type_of(e);
        let exprs = self.pool.exprs();
        if let Some(value) = exprs.constant(e)
            && (from == Scalar::Pointer || to == Scalar::Pointer && from == word)
            && !from.is_float()
        {
            let number = exprs.number(word, value);
            return if to == Scalar::Pointer {
                exprs.number(to, value)
            } else {
                self.resize(number, to, is_signed)
            };
        }
        match (from, to) {
            (Scalar::Pointer, _) => {
                let bits = self.cast_bits(e, word);
                self.resize(bits, to, is_signed)
            }
            (_, Scalar::Pointer) => {
                let bits = self.resize(e, word, is_signed);
                self.cast_bits(bits, Scalar::Pointer)
            }
            _ => e,
        }
    }

    fn cast_bits(&mut self, e: ExprId, to: Scalar) -> ExprId {
        let exprs = self.pool.exprs();
        match exprs.node(e) {
            Node::Convert(Convert::Reinterpret, _, inner) if exprs.ty(inner) == to => inner,
            // An integer that was made of a pointer by adding bytes: a pointer with bytes added.
            Node::Binary(op @ (Binary::Add | Binary::Sub), start, bytes) if to == Scalar::Pointer => {
                match exprs.node(start) {
                    Node::Convert(Convert::Reinterpret, _, inner) if exprs.ty(inner) == to => {
                        self.binary(op, inner, bytes)
                    }
                    _ => exprs.convert(Convert::Reinterpret, to, e),
                }
            }
            Node::Const(_, value) => exprs.number(to, value),
            _ => exprs.convert(Convert::Reinterpret, to, e),
        }
    }

    /// The logical not of a truth value.
    pub fn not(&mut self, e: ExprId) -> ExprId {
        let exprs = self.pool.exprs();
        match exprs.node(e) {
            Node::Unary(Unary::Not, inner) => inner,
            Node::Const(TRUTH, value) => exprs.number(TRUTH, 1 - (value & 1)),
            _ => exprs.not(e),
        }
    }

    /// An operator on two values, folded where that is easy.
    pub fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        let pointer_bits = self.pool.exprs().pointer_bits();
        let exprs = self.pool.exprs();
        let ty = exprs.ty(a);
        let bits = ty.bits(pointer_bits);
        if !ty.is_float() {
            if let (Some(x), Some(y)) = (exprs.constant(a), exprs.constant(b))
                && let Some(value) = fold(op, bits, x, y)
            {
                let difference = op == Binary::Sub && exprs.ty(b) == Scalar::Pointer;
                let result = match (op.is_comparison(), difference) {
                    (true, _) => TRUTH,
                    (false, true) => Scalar::Bits(pointer_bits),
                    (false, false) => ty,
                };
                return exprs.number(result, value);
            }
            if let Some(simple) = self.neutral(op, a, b) {
                return simple;
            }
        }
        self.pool.exprs().binary(op, a, b)
    }

    /// Adding nothing, multiplying by one, adding constants twice, comparing equal things.
    fn neutral(&mut self, op: Binary, a: ExprId, b: ExprId) -> Option<ExprId> {
        let exprs = self.pool.exprs();
        let bits = exprs.ty(a).bits(exprs.pointer_bits());
        match (op, exprs.constant(a), exprs.constant(b)) {
            (
                Binary::Add
                | Binary::Sub
                | Binary::Or
                | Binary::Xor
                | Binary::Shl
                | Binary::ShrU
                | Binary::ShrS,
                _,
                Some(0),
            ) if exprs.ty(b) != Scalar::Pointer => Some(a),
            (Binary::Add | Binary::Or, Some(0), None) if exprs.ty(a) == exprs.ty(b) => Some(b),
            (Binary::Mul, Some(1), None) => Some(b),
            (Binary::Mul | Binary::DivU | Binary::DivS, _, Some(1)) if bits > 1 => Some(a),
            (Binary::And, _, Some(all)) if all == mask(bits) => Some(a),
            (Binary::Add, None, Some(more)) => match exprs.node(a) {
                Node::Binary(Binary::Add, start, before) if exprs.constant(before).is_some() => {
                    let before = exprs.constant(before)?;
                    let word = exprs.ty(b);
                    let sum = exprs.number(word, before.wrapping_add(more));
                    Some(self.binary(Binary::Add, start, sum))
                }
                _ => None,
            },
            (Binary::Eq, ..) if a == b && !exprs.ty(a).is_float() => Some(self.truth(true)),
            _ => self.compare_address(op, a, b),
        }
    }

    /// No address is null, and no two objects have the same one; of string literals nobody knows.
    fn compare_address(&mut self, op: Binary, a: ExprId, b: ExprId) -> Option<ExprId> {
        let draft = self.pool.draft();
        let exprs = draft.exprs();
        let address = |e| match exprs.node(e) {
            Node::Address(object) => Some(self.strings.values().any(|&it| it == object)),
            _ => None,
        };
        let (first, second) = (address(a), address(b));
        let null = |e: Option<u128>| e == Some(0);
        let literals = first == Some(true) && second == Some(true);
        let apart = first.is_some() && second.is_some() && !literals && a != b;
        let with_null =
            first.is_some() && null(exprs.constant(b)) || second.is_some() && null(exprs.constant(a));
        if op == Binary::Eq && literals {
            // Equal ones may be one object.
            self.assume_silently(ADDRESS_LAYOUT);
        }
        (op == Binary::Eq && (with_null || apart)).then(|| self.truth(false))
    }

    /// An operator of C on operands of a type.
    pub fn arithmetic(&mut self, op: BinaryOp, a: ExprId, b: ExprId, ty: TypeId) -> ExprId {
        use BinaryOp::*;
        let float = matches!(self.types().get(ty), Type::Float(_));
        let is_signed = self.is_signed(ty);
        let op = match op {
            Add => Binary::Add,
            Subtract => Binary::Sub,
            Multiply => Binary::Mul,
            Divide if float => Binary::DivF,
            Divide if is_signed => Binary::DivS,
            Divide => Binary::DivU,
            Remainder if is_signed => Binary::RemS,
            Remainder => Binary::RemU,
            ShiftLeft => Binary::Shl,
            ShiftRight if is_signed => Binary::ShrS,
            ShiftRight => Binary::ShrU,
            And => Binary::And,
            Or => Binary::Or,
            Xor => Binary::Xor,
            Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual => {
                return self.comparison(op, a, b, ty);
            }
        };
        self.check_overflow(op, a, b, ty);
        let b = if matches!(op, Binary::DivS | Binary::RemS) { self.fitting_divisor(a, b) } else { b };
        self.binary(op, a, b)
    }

    /// The divisor of a signed division, 0 where the quotient does not fit: the least number by -1 is
    /// undefined like a division by zero, and processors trap at both.
    fn fitting_divisor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let exprs = self.pool.exprs();
        let ty = exprs.ty(b);
        let bits = ty.bits(exprs.pointer_bits());
        let least = 1u128 << (bits - 1);
        let is_wide =
            |e| matches!(exprs.node(e), Node::Convert(Convert::ZeroExtend | Convert::SignExtend, ..));
        let positive = matches!(exprs.node(b), Node::Convert(Convert::ZeroExtend, ..));
        let fits = exprs.constant(b).is_some() || positive || is_wide(a);
        if fits || exprs.constant(a).is_some_and(|a| a != least) {
            return b;
        }
        let (least, minus, zero) = (self.number(ty, least), self.number(ty, mask(bits)), self.number(ty, 0));
        let (first, second) = (self.binary(Binary::Eq, a, least), self.binary(Binary::Eq, b, minus));
        let overflows = self.binary(Binary::And, first, second);
        self.pool.exprs().add(Node::Ite(overflows, zero, b))
    }

    /// A comparison, as a truth value.
    pub fn comparison(&mut self, op: BinaryOp, a: ExprId, b: ExprId, ty: TypeId) -> ExprId {
        use BinaryOp::*;
        let float = matches!(self.types().get(ty), Type::Float(_));
        let (less, at_most) = match (float, self.is_signed(ty)) {
            (true, _) => (Binary::LtF, Binary::LeF),
            (false, true) => (Binary::LtS, Binary::LeS),
            (false, false) => (Binary::LtU, Binary::LeU),
        };
        match op {
            Less => self.binary(less, a, b),
            LessEqual => self.binary(at_most, a, b),
            Greater => self.binary(less, b, a),
            GreaterEqual => self.binary(at_most, b, a),
            NotEqual => {
                let equal = self.binary(Binary::Eq, a, b);
                self.not(equal)
            }
            _ => self.binary(Binary::Eq, a, b),
        }
    }

    /// A truth value as an integer of a type.
    pub fn truth_as(&mut self, truth: ExprId, ty: Scalar) -> ExprId {
        self.resize(truth, ty, false)
    }

    /// Whether a scalar is not 0.
    pub fn is_true(&mut self, e: ExprId) -> ExprId {
        let exprs = self.pool.exprs();
        let ty = exprs.ty(e);
        match exprs.node(e) {
            _ if ty == TRUTH => return e,
            Node::Convert(Convert::ZeroExtend | Convert::SignExtend, _, inner)
                if exprs.ty(inner) == TRUTH =>
            {
                return inner;
            }
            _ => {}
        }
        let zero = self.number(ty, 0);
        let equal = self.binary(Binary::Eq, e, zero);
        self.not(equal)
    }

    /// A conversion.
    pub fn cast(&mut self, kind: CastKind, e: ExprId, from: TypeId, to: TypeId) -> ExprId {
        if kind == CastKind::Void {
            return e;
        }
        let ty = self.scalar(to);
        let is_signed = self.is_signed(from);
        match kind {
            CastKind::Bool => {
                let truth = self.is_true(e);
                self.resize(truth, ty, false)
            }
            CastKind::IntegerToFloat => {
                let op = if is_signed { Convert::FloatS } else { Convert::FloatU };
                self.pool.exprs().convert(op, ty, e)
            }
            CastKind::FloatToInteger => {
                let op = if self.is_signed(to) { Convert::BitsS } else { Convert::BitsU };
                self.pool.exprs().convert(op, ty, e)
            }
            CastKind::Float => self.pool.exprs().convert(Convert::FloatF, ty, e),
            _ => self.resize(e, ty, is_signed),
        }
    }
}

/// The result of an operator on numbers, if it has a meaning.
fn fold(op: Binary, bits: u8, a: u128, b: u128) -> Option<u128> {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let shift = |value: u128| (b < u128::from(bits)).then_some(value);
    let truth = |value: bool| Some(u128::from(value));
    match op {
        Binary::Add => Some(a.wrapping_add(b)),
        Binary::Sub => Some(a.wrapping_sub(b)),
        Binary::Mul => Some(a.wrapping_mul(b)),
        Binary::DivU => a.checked_div(b),
        Binary::RemU => a.checked_rem(b),
        Binary::DivS => (sb != 0).then(|| sa.wrapping_div(sb) as u128),
        Binary::RemS => (sb != 0).then(|| sa.wrapping_rem(sb) as u128),
        Binary::And => Some(a & b),
        Binary::Or => Some(a | b),
        Binary::Xor => Some(a ^ b),
        Binary::Shl => shift(a.wrapping_shl(b as u32)),
        Binary::ShrU => shift(a.wrapping_shr(b as u32)),
        Binary::ShrS => shift(sa.wrapping_shr(b as u32) as u128),
        Binary::Eq => truth(a == b),
        Binary::LtU => truth(a < b),
        Binary::LeU => truth(a <= b),
        Binary::LtS => truth(sa < sb),
        Binary::LeS => truth(sa <= sb),
        Binary::DivF | Binary::LtF | Binary::LeF => None,
    }
}
