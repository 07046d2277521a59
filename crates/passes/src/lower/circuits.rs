//! Arithmetic on lists of bits, the lowest first.

use super::gates::Gates;
use c::Binary;
use ir::bp::ExprId;

/// A number bit by bit, the lowest first.
pub type Word = Vec<ExprId>;

impl Gates {
    pub fn number(&self, value: u128, bits: u8) -> Word {
        (0..bits).map(|bit| self.constant(value >> bit & 1 != 0)).collect()
    }

    pub fn choices(&mut self, bits: u8) -> Word {
        (0..bits).map(|_| self.choice()).collect()
    }

    pub fn is(&mut self, word: &[ExprId], value: u128) -> ExprId {
        let mut all = self.one();
        for (bit, &e) in word.iter().enumerate() {
            let e = if value >> bit & 1 != 0 { e } else { self.not(e) };
            all = self.and(all, e);
        }
        all
    }

    pub fn select(&mut self, cond: ExprId, a: &[ExprId], b: &[ExprId]) -> Word {
        a.iter().zip(b).map(|(&a, &b)| self.ite(cond, a, b)).collect()
    }

    pub fn equal(&mut self, a: &[ExprId], b: &[ExprId]) -> ExprId {
        let mut all = self.one();
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            let same = self.not(differ);
            all = self.and(all, same);
        }
        all
    }

    pub fn invert(&mut self, a: &[ExprId]) -> Word {
        a.iter().map(|&a| self.not(a)).collect()
    }

    /// The sum and a carry at the lowest bit; the carry out of the highest is dropped.
    pub fn add(&mut self, a: &[ExprId], b: &[ExprId], mut carry: ExprId) -> Word {
        let mut sum = vec![];
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            sum.push(self.xor(differ, carry));
            // Where the operands differ the carry goes on, otherwise they decide.
            carry = self.ite(differ, carry, a);
        }
        sum
    }

    pub fn subtract(&mut self, a: &[ExprId], b: &[ExprId]) -> Word {
        let (inverted, one) = (self.invert(b), self.one());
        self.add(a, &inverted, one)
    }

    /// a < b, or a <= b if `or_equal`.
    pub fn less(&mut self, a: &[ExprId], b: &[ExprId], or_equal: bool) -> ExprId {
        let mut less = self.constant(or_equal);
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            less = self.ite(differ, b, less);
        }
        less
    }

    /// The same for signed numbers: the highest bits change places.
    pub fn less_signed(&mut self, a: &[ExprId], b: &[ExprId], or_equal: bool) -> ExprId {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        if let (Some(x), Some(y)) = (a.last_mut(), b.last_mut()) {
            std::mem::swap(x, y);
        }
        self.less(&a, &b, or_equal)
    }

    fn multiply(&mut self, a: &[ExprId], b: &[ExprId]) -> Word {
        let zero = self.zero();
        let mut sum = vec![zero; a.len()];
        for (shift, &bit) in b.iter().enumerate() {
            if bit == zero {
                continue;
            }
            let mut part = vec![zero; shift.min(a.len())];
            for &e in &a[..a.len() - part.len()] {
                part.push(self.and(e, bit));
            }
            sum = self.add(&sum, &part, zero);
        }
        sum
    }

    /// Quotient and remainder of unsigned numbers, by long division.
    fn divide(&mut self, a: &[ExprId], b: &[ExprId]) -> [Word; 2] {
        let zero = self.zero();
        let mut rest = vec![zero; a.len()];
        let mut quotient = vec![zero; a.len()];
        for bit in (0..a.len()).rev() {
            let out = rest.pop().unwrap_or(zero);
            rest.insert(0, a[bit]);
            let fits = self.less(b, &rest, true);
            let fits = self.or(out, fits);
            let smaller = self.subtract(&rest, b);
            rest = self.select(fits, &smaller, &rest);
            quotient[bit] = fits;
        }
        [quotient, rest]
    }

    fn negate_if(&mut self, cond: ExprId, a: &[ExprId]) -> Word {
        let zeros = vec![self.zero(); a.len()];
        let negative = self.subtract(&zeros, a);
        self.select(cond, &negative, a)
    }

    fn divide_signed(&mut self, a: &[ExprId], b: &[ExprId]) -> [Word; 2] {
        let zero = self.zero();
        let (sign_a, sign_b) = (a.last().copied().unwrap_or(zero), b.last().copied().unwrap_or(zero));
        let (x, y) = (self.negate_if(sign_a, a), self.negate_if(sign_b, b));
        let [quotient, rest] = self.divide(&x, &y);
        let differ = self.xor(sign_a, sign_b);
        [self.negate_if(differ, &quotient), self.negate_if(sign_a, &rest)]
    }

    /// A shift by fewer than the width, stage by stage; `fill` comes in.
    fn shift(&mut self, a: &[ExprId], by: &[ExprId], left: bool, fill: ExprId) -> Word {
        let mut now = a.to_vec();
        for (stage, &bit) in by.iter().enumerate().take(8) {
            let distance = 1usize << stage;
            if distance >= a.len() {
                break;
            }
            let get = |now: &Word, at: Option<usize>| at.and_then(|at| now.get(at).copied()).unwrap_or(fill);
            let moved: Word = (0..now.len())
                .map(|at| get(&now, if left { at.checked_sub(distance) } else { at.checked_add(distance) }))
                .collect();
            now = self.select(bit, &moved, &now);
        }
        now
    }

    /// An operator on numbers, where it has a meaning. Comparisons give one bit.
    pub fn binary(&mut self, op: Binary, a: &[ExprId], b: &[ExprId]) -> Word {
        let zero = self.zero();
        match op {
            Binary::Add => self.add(a, b, zero),
            Binary::Sub => self.subtract(a, b),
            // The one with more known bits decides which partial products there are.
            Binary::Mul => {
                let known = |word: &[ExprId]| word.iter().filter(|&&e| self.known(e).is_some()).count();
                if known(a) > known(b) { self.multiply(b, a) } else { self.multiply(a, b) }
            }
            Binary::DivU => self.divide(a, b)[0].clone(),
            Binary::RemU => self.divide(a, b)[1].clone(),
            Binary::DivS => self.divide_signed(a, b)[0].clone(),
            Binary::RemS => self.divide_signed(a, b)[1].clone(),
            Binary::And => a.iter().zip(b).map(|(&a, &b)| self.and(a, b)).collect(),
            Binary::Or => a.iter().zip(b).map(|(&a, &b)| self.or(a, b)).collect(),
            Binary::Xor => a.iter().zip(b).map(|(&a, &b)| self.xor(a, b)).collect(),
            Binary::Shl => self.shift(a, b, true, zero),
            Binary::ShrU => self.shift(a, b, false, zero),
            Binary::ShrS => {
                let sign = a.last().copied().unwrap_or(zero);
                self.shift(a, b, false, sign)
            }
            Binary::Eq => vec![self.equal(a, b)],
            Binary::LtU => vec![self.less(a, b, false)],
            Binary::LeU => vec![self.less(a, b, true)],
            Binary::LtS => vec![self.less_signed(a, b, false)],
            Binary::LeS => vec![self.less_signed(a, b, true)],
            Binary::DivF | Binary::LtF | Binary::LeF => self.choices(a.len() as u8),
        }
    }

    /// Where the operator is undefined.
    pub fn fault(&mut self, op: Binary, a: &[ExprId], b: &[ExprId]) -> ExprId {
        match op {
            Binary::DivU | Binary::DivS | Binary::RemU | Binary::RemS => self.is(b, 0),
            Binary::Shl | Binary::ShrU | Binary::ShrS => {
                let width = a.len() as u128;
                if b.len() < 8 && width > c::mask(b.len() as u8) {
                    return self.zero();
                }
                let limit = self.number(width, b.len() as u8);
                self.less(&limit, b, true)
            }
            _ => self.zero(),
        }
    }
}
