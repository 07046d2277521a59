//! Built-in functions of the compiler.

use ::c::{Binary, ExprId, Node, Op, TRUTH, Type as Scalar, mask};
use ir::Class;

use super::super::hir::{self, Builtin};
use super::super::library::Life;
use super::super::types::TypeId;
use super::Normaliser;

impl Normaliser<'_> {
    /// A built-in function; the result has type `ty`.
    pub fn builtin(&mut self, builtin: Builtin, arguments: &[hir::ExprId], ty: TypeId) -> ExprId {
        match (builtin, arguments) {
            (Builtin::Unreachable, _) => {
                self.emit(Op::Undefined("`__builtin_unreachable` was reached".into()));
                self.nothing()
            }
            (Builtin::Trap, _) => {
                self.abort("__builtin_trap");
                self.nothing()
            }
            (Builtin::NeverReturns, _) => {
                let never = self.truth(false);
                self.emit(Op::Assume(never));
                self.any_constant(ty)
            }
            (Builtin::ReturnsAnyway, _) => {
                self.emit(Op::Undefined("a function that is declared not to return returns".into()));
                self.any_constant(ty)
            }
            (Builtin::AnnotatedAssert, [condition]) => {
                let cond = self.condition(*condition);
                let property = self.property(Class::ASSERTION, "assertion");
                self.emit(Op::Assert { cond, property });
                self.nothing()
            }
            (Builtin::VaStart, [list, ..]) => {
                self.va_start(*list);
                self.nothing()
            }
            (Builtin::VaEnd, _) => self.nothing(),
            (Builtin::VaCopy, [to, from]) => {
                self.va_copy(*to, *from);
                self.nothing()
            }
            (Builtin::Alloca, [size]) => self.allocate(*size, Life::Block),
            (Builtin::AddOverflow | Builtin::SubtractOverflow | Builtin::MultiplyOverflow, [a, b, to]) => {
                self.overflow(builtin, [*a, *b, *to], ty)
            }
            (_, [argument]) => self.bit_builtin(builtin, *argument, ty),
            _ => {
                self.refuse("a built-in function");
                self.any_constant(ty)
            }
        }
    }

    /// `__builtin_add_overflow` and its like: computed in 128 bits, which is exact for operands of up to 63
    /// bits and products of them.
    fn overflow(&mut self, builtin: Builtin, [a, b, to]: [hir::ExprId; 3], ty: TypeId) -> ExprId {
        let pointee = self.types().pointee(self.hir.exprs[to].ty);
        let operand_types = [self.hir.exprs[a].ty, self.hir.exprs[b].ty];
        let widths: Vec<u32> = operand_types
            .iter()
            .chain(pointee.iter().map(|to| &to.ty))
            .filter_map(|&ty| self.types().int_kind(ty))
            .map(|kind| kind.width(self.types().model))
            .collect();
        let (Some(target), true) = (pointee, widths.iter().all(|&width| width <= 64)) else {
            self.refuse("overflow arithmetic on 128 bits");
            return self.any_constant(ty);
        };
        let wide = Scalar::Bits(128);
        let (first, second) = self.operands(a, b);
        let first = self.resize(first, wide, self.is_signed(operand_types[0]));
        let second = self.resize(second, wide, self.is_signed(operand_types[1]));
        let first = self.keep(first);
        let second = self.keep(second);
        let op = match builtin {
            Builtin::AddOverflow => Binary::Add,
            Builtin::SubtractOverflow => Binary::Sub,
            _ => Binary::Mul,
        };
        let to = self.value(to);
        let exact = self.binary(op, first, second);
        let scalar = self.scalar(target.ty);
        let wrapped = self.resize(exact, scalar, false);
        let spot = self.pointed(to, target.ty);
        self.store(spot, wrapped);
        let back = self.resize(wrapped, wide, self.is_signed(target.ty));
        let equal = self.binary(Binary::Eq, back, exact);
        let overflows = self.not(equal);
        let result = self.scalar(ty);
        self.resize(overflows, result, false)
    }

    /// Functions of the bits of a number: sums and choices over its bits.
    fn bit_builtin(&mut self, builtin: Builtin, argument: hir::ExprId, ty: TypeId) -> ExprId {
        let value = self.value(argument);
        let value = self.keep(value);
        let Scalar::Bits(bits) = self.type_of(value) else {
            self.refuse("a built-in function");
            return self.any_constant(ty);
        };
        let result = self.scalar(ty);
        match builtin {
            Builtin::PopCount | Builtin::Parity => {
                let count = self.count_ones(value, bits, result);
                if builtin == Builtin::PopCount {
                    return count;
                }
                let one = self.number(result, 1);
                self.binary(Binary::And, count, one)
            }
            Builtin::LeadingZeros | Builtin::TrailingZeros => {
                let zero = self.number(Scalar::Bits(bits), 0);
                let is_zero = self.binary(Binary::Eq, value, zero);
                let fine = self.label();
                self.jump_if_true(is_zero, fine, false);
                self.emit(Op::Undefined("a count of zeros of 0".into()));
                self.place_label(fine);
                let up = builtin == Builtin::TrailingZeros;
                self.first_bit(value, bits, result, up, 0)
            }
            Builtin::FirstSet => self.first_bit(value, bits, result, true, 1),
            Builtin::ByteSwap => self.byte_swap(value, bits),
            Builtin::RedundantSigns => {
                // The bits after the first that equal it: the leading zeros of the value without its sign.
                let shift = self.number(Scalar::Bits(bits), u128::from(bits) - 1);
                let sign = self.binary(Binary::ShrS, value, shift);
                let without = self.binary(Binary::Xor, value, sign);
                let zeros = self.first_bit(without, bits, result, false, 0);
                let one = self.number(result, 1);
                self.binary(Binary::Sub, zeros, one)
            }
            _ => {
                self.refuse("a built-in function");
                self.any_constant(ty)
            }
        }
    }

    fn bit(&mut self, value: ExprId, bits: u8, at: u8) -> ExprId {
        let shift = self.number(Scalar::Bits(bits), u128::from(at));
        let moved = self.binary(Binary::ShrU, value, shift);
        self.resize(moved, TRUTH, false)
    }

    fn count_ones(&mut self, value: ExprId, bits: u8, result: Scalar) -> ExprId {
        let mut sum = self.number(result, 0);
        for at in 0..bits {
            let bit = self.bit(value, bits, at);
            let bit = self.resize(bit, result, false);
            sum = self.binary(Binary::Add, sum, bit);
        }
        sum
    }

    /// The position of the first bit that is set, from below or from above, plus `more`; `bits` from above or
    /// 0 from below if there is none.
    fn first_bit(&mut self, value: ExprId, bits: u8, result: Scalar, up: bool, more: u128) -> ExprId {
        let none = if up { 0 } else { u128::from(bits) };
        let mut found = self.number(result, none);
        for position in (0..bits).rev() {
            let at = if up { position } else { bits - 1 - position };
            let bit = self.bit(value, bits, at);
            let number = self.number(result, u128::from(position) + more);
            found = self.pool.exprs().add(Node::Ite(bit, number, found));
        }
        found
    }

    fn byte_swap(&mut self, value: ExprId, bits: u8) -> ExprId {
        let ty = Scalar::Bits(bits);
        let mut swapped = self.number(ty, 0);
        for byte in 0..bits / 8 {
            let low = self.number(ty, u128::from(byte) * 8);
            let high = self.number(ty, u128::from(bits - 8 - byte * 8));
            let moved = self.binary(Binary::ShrU, value, low);
            let one = self.number(ty, mask(8));
            let alone = self.binary(Binary::And, moved, one);
            let placed = self.binary(Binary::Shl, alone, high);
            swapped = self.binary(Binary::Or, swapped, placed);
        }
        swapped
    }
}
