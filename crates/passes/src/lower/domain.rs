//! Operators on sets of values: small sets by the machine's own operators, large ones by bounds.

use super::abs::Abs;
use super::model::Model;
use super::numbers::{self, Numbers};
use c::{Binary, Convert, Evaluator, Type, Unary, Value};
use std::collections::BTreeSet;

/// Sets up to this size are computed value by value.
const SMALL: usize = 64;
/// Pairs up to this number.
const PAIRS: usize = 1024;
/// A pointer may have this many targets.
pub const TARGETS: usize = 256;

#[derive(Clone, Debug)]
pub struct Domain {
    evaluator: Evaluator,
    pointer_bits: u8,
    /// By site: whether it creates one thread at most.
    once: Vec<bool>,
}

impl Domain {
    pub fn new(model: &Model<'_>) -> Self {
        Self {
            evaluator: Evaluator::new(model.program),
            pointer_bits: model.program.pointer_bits(),
            once: model.sites.iter().map(|site| site.once).collect(),
        }
    }

    fn bits(&self, ty: Type) -> u8 {
        ty.bits(self.pointer_bits)
    }

    /// The machine's operator on two values. Handles of threads that cannot be told apart: `None`.
    pub fn pair(&self, op: Binary, ty: Type, a: Value, b: Value) -> Option<Result<Value, c::Trouble>> {
        match (op, a, b) {
            (Binary::Eq, Value::Thread(x), Value::Thread(y)) if x == y && !self.once[x as usize] => None,
            _ => Some(self.evaluator.binary(op, ty, a, b)),
        }
    }

    pub fn single_convert(&self, op: Convert, from: Type, to: Type, a: Value) -> Result<Value, c::Trouble> {
        self.evaluator.convert(op, from, to, a)
    }

    pub fn unary(&self, op: Unary, ty: Type, a: &Abs) -> Abs {
        if ty.is_float() {
            return Abs::all(self.bits(ty));
        }
        match a.numbers.list(SMALL) {
            Some(list) => {
                let values = list.into_iter().map(|it| self.evaluator.unary(op, ty, Value::Bits(it)));
                collect(values.filter_map(Result::ok), self.bits(ty))
            }
            None => Abs::numbers(numbers::unary(op, self.bits(ty), &a.numbers)),
        }
    }

    pub fn convert(&self, op: Convert, from: Type, to: Type, a: &Abs) -> Abs {
        if from.is_float() || to.is_float() {
            return Abs::all(self.bits(to));
        }
        if let Some(list) = a.list(SMALL + TARGETS) {
            let values = list.into_iter().map(|it| self.evaluator.convert(op, from, to, it));
            return collect(values.filter_map(Result::ok), self.bits(to));
        }
        let values = a.others.iter().map(|&it| self.evaluator.convert(op, from, to, it));
        let others = collect(values.filter_map(Result::ok), self.bits(to));
        let converted = numbers::convert(op, self.bits(from), self.bits(to), &a.numbers);
        others.join(&Abs::numbers(converted), self.bits(to))
    }

    /// `None`: too many addresses. `second` is the type of the second operand.
    pub fn binary(&self, op: Binary, ty: Type, second: Type, operands: [&Abs; 2]) -> Option<Abs> {
        let [a, b] = operands;
        let bits = if op.is_comparison() { 1 } else { self.bits(ty) };
        if ty.is_float() {
            return Some(Abs::all(bits));
        }
        if let (Some(x), Some(y)) = (a.list(SMALL + TARGETS), b.list(SMALL + TARGETS))
            && x.len() * y.len() <= PAIRS
        {
            return self.pairs(op, ty, bits, &x, &y);
        }
        let numbers = numbers::binary(op, self.bits(ty), &a.numbers, &b.numbers, self.bits(second));
        let mut found = Abs::numbers(numbers);
        for (others, rest, swapped) in [(&a.others, b, false), (&b.others, a, true)] {
            if others.is_empty() || rest.is_empty() {
                continue;
            }
            if op == Binary::Eq {
                found = found.join(&Abs::all(1), 1);
                continue;
            }
            let others: Vec<Value> = others.iter().copied().collect();
            let rest = rest.list(4 * TARGETS)?;
            let [x, y] = if swapped { [&rest, &others] } else { [&others, &rest] };
            found = found.join(&self.pairs(op, ty, bits, x, y)?, bits);
        }
        (found.others.len() <= TARGETS).then_some(found)
    }

    fn pairs(&self, op: Binary, ty: Type, bits: u8, x: &[Value], y: &[Value]) -> Option<Abs> {
        let mut values = vec![];
        for &a in x {
            for &b in y {
                match self.pair(op, ty, a, b) {
                    None => values.extend([Value::Bits(0), Value::Bits(1)]),
                    Some(result) => values.extend(result.ok()),
                }
            }
        }
        let found = collect(values.into_iter(), bits);
        (found.others.len() <= TARGETS).then_some(found)
    }
}

fn collect(values: impl Iterator<Item = Value>, bits: u8) -> Abs {
    let (mut numbers, mut others) = (BTreeSet::new(), BTreeSet::new());
    for value in values {
        match value {
            Value::Bits(bits) => {
                numbers.insert(bits);
            }
            other => {
                others.insert(other);
            }
        }
    }
    // Joining with nothing cuts a large set to its bounds.
    let numbers = if numbers.len() > 24 {
        Numbers::Many(Numbers::Few(numbers).bounds(bits))
    } else {
        Numbers::Few(numbers)
    };
    Abs { numbers, others }
}
