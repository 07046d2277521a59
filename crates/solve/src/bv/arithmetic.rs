//! Sums, products, quotients and shifts: ripple carry, shift-and-add, restoring division, a barrel of
//! multiplexers. They are the smallest circuits, and small is what matters to the solver at the widths of C.

use super::{Word, ite, not, resize, sign};
use crate::aig::{Aig, Lit};

/// The wrapping sum.
pub fn add(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    add_carry(aig, a, b, Lit::FALSE).sum
}

/// The wrapping difference.
pub fn sub(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    add_carry(aig, a, &not(b), Lit::TRUE).sum
}

/// The two's complement.
pub fn neg(aig: &mut Aig, a: &[Lit]) -> Word {
    let zero = vec![Lit::FALSE; a.len()];
    sub(aig, &zero, a)
}

struct Sum {
    sum: Word,
    carry: Lit,
}

fn add_carry(aig: &mut Aig, a: &[Lit], b: &[Lit], carry: Lit) -> Sum {
    let mut carry = carry;
    let mut sum = Word::with_capacity(a.len());
    for (&a, &b) in a.iter().zip(b) {
        let differ = aig.xor(a, b);
        sum.push(aig.xor(differ, carry));
        carry = aig.ite(differ, carry, a);
    }
    Sum { sum, carry }
}

/// The wrapping product.
pub fn mul(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    let width = a.len();
    let mut product = vec![Lit::FALSE; width];
    for (at, &factor) in b.iter().enumerate().take(width) {
        if factor == Lit::FALSE {
            continue;
        }
        let row: Word = a[..width - at].iter().map(|&bit| aig.and(bit, factor)).collect();
        let high = add(aig, &product[at..], &row);
        product.truncate(at);
        product.extend(high);
    }
    product
}

struct Division {
    quotient: Word,
    remainder: Word,
}

/// Restoring division, the highest bit first; by zero both results are zero.
fn divide(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Division {
    let width = a.len();
    let divisor = resize(b, width + 1);
    let mut remainder = vec![Lit::FALSE; width + 1];
    let mut quotient = vec![Lit::FALSE; width];
    for at in (0..width).rev() {
        remainder.pop();
        remainder.insert(0, a[at]);
        let less = add_carry(aig, &remainder, &not(&divisor), Lit::TRUE);
        quotient[at] = less.carry;
        remainder = ite(aig, less.carry, &less.sum, &remainder);
    }
    remainder.truncate(width);
    let nonzero = aig.or_all(b.iter().copied());
    let zero = vec![Lit::FALSE; width];
    let quotient = ite(aig, nonzero, &quotient, &zero);
    let remainder = ite(aig, nonzero, &remainder, &zero);
    Division { quotient, remainder }
}

/// The quotient of unsigned numbers; zero by zero.
pub fn div_unsigned(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    divide(aig, a, b).quotient
}

/// The remainder of unsigned numbers; zero by zero.
pub fn rem_unsigned(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    divide(aig, a, b).remainder
}

/// The quotient rounded to zero; zero by zero; the smallest number by -1 wraps.
pub fn div_signed(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    let (size_a, size_b) = (magnitude(aig, a), magnitude(aig, b));
    let quotient = div_unsigned(aig, &size_a, &size_b);
    let negative = aig.xor(sign(a), sign(b));
    let opposite = neg(aig, &quotient);
    ite(aig, negative, &opposite, &quotient)
}

/// The remainder with the sign of the dividend; zero by zero.
pub fn rem_signed(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Word {
    let (size_a, size_b) = (magnitude(aig, a), magnitude(aig, b));
    let remainder = rem_unsigned(aig, &size_a, &size_b);
    let opposite = neg(aig, &remainder);
    ite(aig, sign(a), &opposite, &remainder)
}

fn magnitude(aig: &mut Aig, a: &[Lit]) -> Word {
    let opposite = neg(aig, a);
    ite(aig, sign(a), &opposite, a)
}

/// Shift left by an unsigned amount of any width.
pub fn shift_left(aig: &mut Aig, a: &[Lit], amount: &[Lit]) -> Word {
    let mut reversed = a.to_vec();
    reversed.reverse();
    let mut shifted = shift_right(aig, &reversed, amount, Lit::FALSE);
    shifted.reverse();
    shifted
}

/// Shift right by an unsigned amount of any width; copies of `fill` come in.
pub fn shift_right(aig: &mut Aig, a: &[Lit], amount: &[Lit], fill: Lit) -> Word {
    let width = a.len();
    let mut word = a.to_vec();
    let mut too_far = Lit::FALSE;
    for (at, &bit) in amount.iter().enumerate() {
        let distance = 1usize.checked_shl(u32::try_from(at).unwrap_or(u32::MAX)).filter(|&it| it < width);
        let Some(distance) = distance else {
            too_far = aig.or(too_far, bit);
            continue;
        };
        let moved: Word =
            word[distance..].iter().copied().chain(std::iter::repeat_n(fill, distance)).collect();
        word = ite(aig, bit, &moved, &word);
    }
    ite(aig, too_far, &vec![fill; width], &word)
}
