//! Random expressions of normalised C, of all operators and of whatever widths are wanted.

use ::c::{Binary, Convert, ExprId, Exprs, LocalId, Node, ObjectId, Type, Unary};
use base::Random;

/// Makes expressions over variables.
pub struct Expressions<'a> {
    /// Where random choices come from.
    pub random: &'a mut Random,
    /// The pool.
    pub exprs: Exprs,
    /// The variables; pointers are compared only.
    pub variables: Vec<(LocalId, Type)>,
    /// The widths that numbers have.
    pub widths: Vec<u8>,
    /// The numbers that pointers are compared with.
    pub addresses: Vec<u128>,
    /// Whether there are also floats and addresses of objects that have no number.
    pub strange: bool,
}

/// Mostly small and mostly near the limits of types.
pub fn number(random: &mut Random) -> u128 {
    let bits = u128::from(random.bits()) << 64 | u128::from(random.bits());
    match random.below(4) {
        0 => bits,
        1 => bits & 3,
        2 => (1 << random.below(128)) + (bits & 1),
        _ => (bits & 3).wrapping_neg(),
    }
}

impl Expressions<'_> {
    /// A truth value.
    pub fn condition(&mut self, depth: usize) -> ExprId {
        use Binary::*;
        if depth > 1 && self.random.percent(30) {
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            let operator = *self.random.pick(&[And, Or, Xor, Eq]);
            return self.exprs.binary(operator, a, b);
        }
        if depth > 1 && self.random.percent(10) {
            let a = self.condition(depth - 1);
            return self.exprs.not(a);
        }
        if self.random.percent(25)
            && let Some(condition) = self.pointers()
        {
            return condition;
        }
        if self.strange && self.random.percent(5) {
            let [a, b] = [1, 2].map(|it| self.exprs.number(Type::Float, it << 23));
            return self.exprs.binary(LtF, a, b);
        }
        let ty = Type::Bits(*self.random.pick(&self.widths));
        let (a, b) = (self.word(ty, depth), self.word(ty, depth));
        let operator = *self.random.pick(&[Eq, LtU, LeU, LtS, LeS]);
        self.exprs.binary(operator, a, b)
    }

    /// A pointer is compared with another, or with an address.
    fn pointers(&mut self) -> Option<ExprId> {
        let pointers: Vec<LocalId> =
            self.variables.iter().filter(|it| it.1 == Type::Pointer).map(|it| it.0).collect();
        if pointers.is_empty() || self.addresses.is_empty() {
            return None;
        }
        let left = *self.random.pick(&pointers);
        let left = self.exprs.add(Node::Local(left, Type::Pointer));
        let right = if self.random.percent(25) {
            let right = *self.random.pick(&pointers);
            self.exprs.add(Node::Local(right, Type::Pointer))
        } else {
            let address = *self.random.pick(&self.addresses);
            self.exprs.number(Type::Pointer, address)
        };
        Some(self.exprs.binary(Binary::Eq, left, right))
    }

    /// A number of a width.
    pub fn word(&mut self, ty: Type, depth: usize) -> ExprId {
        use Binary::*;
        let own: Vec<(LocalId, Type)> = self.variables.iter().copied().filter(|it| it.1 == ty).collect();
        match self.random.below(if depth == 0 { 2 } else { 7 }) {
            0 => {
                let value = number(self.random);
                self.exprs.number(ty, value)
            }
            1 if !own.is_empty() => {
                let (variable, ty) = *self.random.pick(&own);
                self.exprs.add(Node::Local(variable, ty))
            }
            1 => self.exprs.number(ty, 5),
            2 => {
                let a = self.word(ty, depth - 1);
                let operator = *self.random.pick(&[Unary::Not, Unary::Neg]);
                self.exprs.add(Node::Unary(operator, a))
            }
            3 => self.converted(ty, depth),
            4 => {
                let test = self.condition(depth - 1);
                let (a, b) = (self.word(ty, depth - 1), self.word(ty, depth - 1));
                self.exprs.add(Node::Ite(test, a, b))
            }
            _ => {
                let operators = [Add, Sub, Mul, And, Or, Xor, DivU, DivS, RemU, RemS, Shl, ShrU, ShrS];
                let operator = *self.random.pick(&operators);
                // Amounts of shifts have any width.
                let amount =
                    if operator.is_shift() { Type::Bits(*self.random.pick(&self.widths)) } else { ty };
                let (a, b) = (self.word(ty, depth - 1), self.word(amount, depth - 1));
                self.exprs.binary(operator, a, b)
            }
        }
    }

    fn converted(&mut self, ty: Type, depth: usize) -> ExprId {
        let bits = ty.bits(self.exprs.pointer_bits());
        if self.strange && bits == self.exprs.pointer_bits() && self.random.percent(20) {
            let object = self.exprs.add(Node::Address(<ObjectId as base::Id>::from_index(0)));
            return self.exprs.convert(Convert::Reinterpret, ty, object);
        }
        let from = *self.random.pick(&self.widths);
        let a = self.word(Type::Bits(from), depth - 1);
        let extend = *self.random.pick(&[Convert::ZeroExtend, Convert::SignExtend]);
        self.exprs.convert(if from > bits { Convert::Truncate } else { extend }, ty, a)
    }
}
