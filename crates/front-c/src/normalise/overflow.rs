//! Signed overflow, where somebody asks about it: an assertion in front of the operator. The operator itself
//! wraps as ever. The conditions are written with the operators that there are, and have a value whatever
//! their operands are.

use ::c::{Binary, Convert, ExprId, Node, TRUTH, Type as Scalar, mask, signed};
use ir::property::OVERFLOW;

use super::super::hir::{self, BinaryOp, FoldedOverflow};
use super::super::types::TypeId;
use super::Normaliser;

impl Normaliser<'_> {
    /// Whether an operator of C may overflow where it is asked about: then it is no part of a condition that
    /// is evaluated as a whole.
    pub fn is_checked(&self, op: BinaryOp, ty: TypeId) -> bool {
        use BinaryOp::*;
        let checked = matches!(op, Add | Subtract | Multiply | Divide | Remainder | ShiftLeft);
        self.options.overflow
            && checked
            && self.is_signed(ty)
            && (op != ShiftLeft || self.options.overflow_of_shifts)
    }

    /// Asserts that an operator on numbers of a signed type gives what fits.
    pub fn check_overflow(&mut self, op: Binary, a: ExprId, b: ExprId, ty: TypeId) {
        if !self.options.overflow || !self.is_signed(ty) {
            return;
        }
        let overflows = match op {
            Binary::Add => self.sum_overflows(a, b, false),
            Binary::Sub => self.sum_overflows(a, b, true),
            Binary::Mul => self.product_overflows(a, b),
            Binary::DivS | Binary::RemS => {
                let (least, minus) = (self.is_least(a), self.equals(b, u128::MAX));
                self.both(least, minus)
            }
            Binary::Shl if self.options.overflow_of_shifts => self.shift_overflows(a, b),
            _ => return,
        };
        let word = match op {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::DivS => "/",
            Binary::RemS => "%",
            _ => "<<",
        };
        self.assert_fits(overflows, word);
    }

    /// Asserts that the negative of a number fits its type.
    pub fn check_negation(&mut self, a: ExprId, ty: TypeId) {
        if self.options.overflow && self.is_signed(ty) {
            let overflows = self.is_least(a);
            self.assert_fits(overflows, "-");
        }
    }

    /// Whether a constant is the result of signed arithmetic that overflowed, where that is asked about.
    pub fn overflowed(&self, constant: hir::ExprId) -> bool {
        let how = self.hir.overflowed.get(&constant);
        self.options.overflow
            && how.is_some_and(|&it| it != FoldedOverflow::Shift || self.options.overflow_of_shifts)
    }

    /// Asserts that something does not overflow.
    pub fn assert_fits(&mut self, overflows: ExprId, word: &str) {
        if self.constant(overflows) == Some(0) {
            return;
        }
        if self.wrapping {
            return;
        }
        let cond = self.not(overflows);
        self.claim(cond, OVERFLOW, word);
    }

    /// The width of a number, its least and its greatest value.
    fn range(&mut self, e: ExprId) -> (u8, ExprId, ExprId) {
        let ty = self.type_of(e);
        let bits = ty.bits(self.pool.exprs().pointer_bits());
        let (least, most) = (1 << (bits - 1), mask(bits - 1));
        (bits, self.number(ty, least), self.number(ty, most))
    }

    fn is_least(&mut self, e: ExprId) -> ExprId {
        let (_, least, _) = self.range(e);
        self.binary(Binary::Eq, e, least)
    }

    fn equals(&mut self, e: ExprId, number: u128) -> ExprId {
        let ty = self.type_of(e);
        let number = self.number(ty, number);
        self.binary(Binary::Eq, e, number)
    }

    fn is_negative(&mut self, e: ExprId) -> ExprId {
        let ty = self.type_of(e);
        let zero = self.number(ty, 0);
        self.binary(Binary::LtS, e, zero)
    }

    fn both(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.constant(a), self.constant(b)) {
            (Some(0), _) | (_, Some(0)) => self.truth(false),
            (Some(_), _) => b,
            (_, Some(_)) => a,
            _ => self.binary(Binary::And, a, b),
        }
    }

    fn either(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.both(a, b);
        self.not(neither)
    }

    /// Of a sum or a difference, by comparing one operand with what the other one leaves.
    fn sum_overflows(&mut self, a: ExprId, b: ExprId, subtract: bool) -> ExprId {
        let (_, least, most) = self.range(a);
        let undo = if subtract { Binary::Add } else { Binary::Sub };
        let (low, high) = (self.binary(undo, least, b), self.binary(undo, most, b));
        let (too_low, too_high) = (self.binary(Binary::LtS, a, low), self.binary(Binary::LtS, high, a));
        let negative = self.is_negative(b);
        let (yes, no) = if subtract { (too_high, too_low) } else { (too_low, too_high) };
        match self.constant(negative) {
            Some(0) => no,
            Some(_) => yes,
            None => self.pool.exprs().add(Node::Ite(negative, yes, no)),
        }
    }

    /// Of a product, in twice as many bits.
    fn product_overflows(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (bits, ..) = self.range(a);
        for (factor, other) in [(a, b), (b, a)] {
            if let Some(factor) = self.constant(factor) {
                match signed(factor, bits) {
                    0 | 1 => return self.truth(false),
                    -1 => return self.is_least(other),
                    factor if factor > 0 => return self.multiple_overflows(other, factor, bits),
                    _ => {}
                }
            }
        }
        if bits > 64 {
            self.refuse("whether a product of numbers of 128 bits overflows");
            return self.truth(false);
        }
        let wide = Scalar::Bits(2 * bits);
        let ty = self.type_of(a);
        let exprs = self.pool.exprs();
        let [long, other] = [a, b].map(|e| exprs.convert(Convert::SignExtend, wide, e));
        let product = exprs.binary(Binary::Mul, long, other);
        let cut = exprs.convert(Convert::Truncate, ty, product);
        let again = exprs.convert(Convert::SignExtend, wide, cut);
        let fits = exprs.binary(Binary::Eq, product, again);
        debug_assert!(exprs.ty(fits) == TRUTH);
        self.not(fits)
    }

    /// Of a number times a positive constant.
    fn multiple_overflows(&mut self, e: ExprId, factor: i128, bits: u8) -> ExprId {
        let ty = self.type_of(e);
        let (least, most) = (signed(1 << (bits - 1), bits), mask(bits - 1) as i128);
        let (low, high) =
            (self.number(ty, (least / factor) as u128), self.number(ty, (most / factor) as u128));
        let (too_low, too_high) = (self.binary(Binary::LtS, e, low), self.binary(Binary::LtS, high, e));
        self.either(too_low, too_high)
    }

    /// Of a shift to the left: a negative number, or one that does not come back. A shift too far is another
    /// kind of undefined behaviour.
    fn shift_overflows(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let negative = self.is_negative(a);
        let shifted = self.binary(Binary::Shl, a, b);
        let back = self.binary(Binary::ShrS, shifted, b);
        let same = self.binary(Binary::Eq, a, back);
        let lost = self.not(same);
        self.either(negative, lost)
    }
}
