//! Bit-vectors as circuits on and-inverter graphs: a word is a list of formulas, lowest bit first. Every
//! operation is total: a quotient or remainder by zero is zero, a shift too far gives zeros, or copies of the
//! sign bit where the shift is arithmetic.
//!
//! Operands of one operation have the same width, except for the amounts of shifts. Constants fold because
//! the graph simplifies what it makes.

mod arithmetic;
#[cfg(test)]
mod tests;

pub use arithmetic::{
    add, div_signed, div_unsigned, mul, neg, rem_signed, rem_unsigned, shift_left, shift_right, sub,
};

use crate::aig::{Aig, Lit};

/// A bit-vector, lowest bit first.
pub type Word = Vec<Lit>;

/// The number of this many bits; what does not fit is cut off.
pub fn constant(value: u128, bits: usize) -> Word {
    (0..bits).map(|at| Lit::constant(at < 128 && value >> at & 1 == 1)).collect()
}

/// A word of fresh inputs.
pub fn fresh(aig: &mut Aig, bits: usize) -> Word {
    (0..bits)
        .map(|_| {
            let input = aig.new_input();
            aig.input(input)
        })
        .collect()
}

/// Every bit inverted.
pub fn not(a: &[Lit]) -> Word {
    a.iter().map(|&lit| !lit).collect()
}

/// Conjunction, bit by bit.
pub fn and(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    a.iter().zip(b).map(|(&a, &b)| aig.and(a, b)).collect()
}

/// Disjunction, bit by bit.
pub fn or(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    a.iter().zip(b).map(|(&a, &b)| aig.or(a, b)).collect()
}

/// Exclusive or, bit by bit.
pub fn xor(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    a.iter().zip(b).map(|(&a, &b)| aig.xor(a, b)).collect()
}

/// If `test` then `then` else `other`.
pub fn ite(aig: &mut Aig, test: Lit, then: &[Lit], other: &[Lit]) -> Word {
    then.iter().zip(other).map(|(&then, &other)| aig.ite(test, then, other)).collect()
}

/// Whether the words are equal.
pub fn equal(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    let mut all = Lit::TRUE;
    for (&a, &b) in a.iter().zip(b) {
        let same = aig.iff(a, b);
        all = aig.and(all, same);
    }
    all
}

/// Whether the first is less, both unsigned.
pub fn less_unsigned(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    // From the lowest bit: the highest bit that differs decides.
    a.iter().zip(b).fold(Lit::FALSE, |less, (&a, &b)| {
        let differ = aig.xor(a, b);
        aig.ite(differ, b, less)
    })
}

/// Whether the first is less, both in two's complement.
pub fn less_signed(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    less_unsigned(aig, &with_sign_inverted(a), &with_sign_inverted(b))
}

/// Adding half the range turns signed order into unsigned order.
fn with_sign_inverted(word: &[Lit]) -> Word {
    let mut word = word.to_vec();
    if let Some(sign) = word.last_mut() {
        *sign = !*sign;
    }
    word
}

/// The lowest `bits` bits, with zeros in front where there are fewer.
pub fn resize(a: &[Lit], bits: usize) -> Word {
    let mut word = a.to_vec();
    word.resize(bits, Lit::FALSE);
    word
}

/// The lowest `bits` bits, with copies of the sign bit in front where there are fewer.
pub fn resize_signed(a: &[Lit], bits: usize) -> Word {
    let mut word = a.to_vec();
    word.resize(bits, sign(a));
    word
}

/// The sign bit; an empty word has none and counts as zero.
pub fn sign(a: &[Lit]) -> Lit {
    a.last().copied().unwrap_or(Lit::FALSE)
}
