//! Bit-vector operators as gates. Words are little-endian. Every operator is total: dividing by zero gives 0,
//! also the remainder, and so does a shift by at least the width; the commands of a relation block where that
//! would matter.

use crate::proof::Lit;
use crate::symbolic::cnf::Cnf;
use ::c::{Binary, Convert, Unary, mask};

/// A number of a width.
pub fn number(value: u128, bits: u8) -> Vec<Lit> {
    let value = value & mask(bits);
    (0..u32::from(bits)).map(|bit| Lit::constant(value >> bit & 1 == 1)).collect()
}

/// An operator on one word.
pub fn unary(cnf: &mut Cnf<'_>, op: Unary, a: &[Lit]) -> Vec<Lit> {
    match op {
        Unary::Not => inverted(a),
        Unary::Neg => negated(cnf, a),
    }
}

/// An operator on two words, of the same width unless it is a shift; `None` for operators on floats.
pub fn binary(cnf: &mut Cnf<'_>, op: Binary, a: &[Lit], b: &[Lit]) -> Option<Vec<Lit>> {
    Some(match op {
        Binary::Add => sum(cnf, a, b, Lit::FALSE).word,
        Binary::Sub => difference(cnf, a, b).word,
        Binary::Mul => product(cnf, a, b),
        Binary::DivU => divided(cnf, a, b).quotient,
        Binary::RemU => divided(cnf, a, b).remainder,
        Binary::DivS => divided_signed(cnf, a, b).quotient,
        Binary::RemS => divided_signed(cnf, a, b).remainder,
        Binary::And => a.iter().zip(b).map(|(&a, &b)| cnf.and(a, b)).collect(),
        Binary::Or => a.iter().zip(b).map(|(&a, &b)| cnf.or(a, b)).collect(),
        Binary::Xor => a.iter().zip(b).map(|(&a, &b)| differ(cnf, a, b)).collect(),
        Binary::Shl | Binary::ShrU | Binary::ShrS => shifted(cnf, op, a, b),
        Binary::Eq => vec![equal(cnf, a, b)],
        Binary::LtU => vec![less(cnf, a, b)],
        Binary::LeU => vec![!less(cnf, b, a)],
        Binary::LtS => vec![less(cnf, &biased(a), &biased(b))],
        Binary::LeS => vec![!less(cnf, &biased(b), &biased(a))],
        Binary::DivF | Binary::LtF | Binary::LeF => return None,
    })
}

/// A conversion to a width; `None` for conversions of floats.
pub fn convert(op: Convert, bits: u8, a: &[Lit]) -> Option<Vec<Lit>> {
    let fill = match op {
        Convert::ZeroExtend => Lit::FALSE,
        Convert::SignExtend => sign(a),
        Convert::Truncate | Convert::Reinterpret => Lit::FALSE,
        Convert::FloatU | Convert::FloatS | Convert::BitsU | Convert::BitsS | Convert::FloatF => return None,
    };
    Some((0..usize::from(bits)).map(|bit| a.get(bit).copied().unwrap_or(fill)).collect())
}

/// The first word if the test holds, else the second.
pub fn select(cnf: &mut Cnf<'_>, test: Lit, then: &[Lit], other: &[Lit]) -> Vec<Lit> {
    then.iter().zip(other).map(|(&then, &other)| cnf.ite(test, then, other)).collect()
}

/// A sum, and what is carried out of it.
struct Sum {
    word: Vec<Lit>,
    carry: Lit,
}

struct Divided {
    quotient: Vec<Lit>,
    remainder: Vec<Lit>,
}

fn inverted(a: &[Lit]) -> Vec<Lit> {
    a.iter().map(|&lit| !lit).collect()
}

fn sign(a: &[Lit]) -> Lit {
    a.last().copied().unwrap_or(Lit::FALSE)
}

/// The word whose unsigned order is the signed order of this one.
fn biased(a: &[Lit]) -> Vec<Lit> {
    let mut word = a.to_vec();
    if let Some(top) = word.last_mut() {
        *top = !*top;
    }
    word
}

fn differ(cnf: &mut Cnf<'_>, a: Lit, b: Lit) -> Lit {
    cnf.ite(a, !b, b)
}

fn equal(cnf: &mut Cnf<'_>, a: &[Lit], b: &[Lit]) -> Lit {
    a.iter().zip(b).fold(Lit::TRUE, |all, (&a, &b)| {
        let same = !differ(cnf, a, b);
        cnf.and(all, same)
    })
}

fn sum(cnf: &mut Cnf<'_>, a: &[Lit], b: &[Lit], carry: Lit) -> Sum {
    let mut carry = carry;
    let mut word = Vec::with_capacity(a.len());
    for (&a, &b) in a.iter().zip(b) {
        let half = differ(cnf, a, b);
        word.push(differ(cnf, half, carry));
        carry = cnf.ite(half, carry, a);
    }
    Sum { word, carry }
}

/// `a - b`; the carry says that `b` is at most `a`.
fn difference(cnf: &mut Cnf<'_>, a: &[Lit], b: &[Lit]) -> Sum {
    sum(cnf, a, &inverted(b), Lit::TRUE)
}

fn less(cnf: &mut Cnf<'_>, a: &[Lit], b: &[Lit]) -> Lit {
    !difference(cnf, a, b).carry
}

fn negated(cnf: &mut Cnf<'_>, a: &[Lit]) -> Vec<Lit> {
    difference(cnf, &vec![Lit::FALSE; a.len()], a).word
}

fn product(cnf: &mut Cnf<'_>, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    // A constant selects the rows, so that most of them vanish.
    let is_constant = |word: &[Lit]| word.iter().all(|&lit| lit == Lit::TRUE || lit == Lit::FALSE);
    let (a, b) = if is_constant(a) { (b, a) } else { (a, b) };
    let mut total = vec![Lit::FALSE; a.len()];
    for (place, &factor) in b.iter().enumerate().filter(|(_, factor)| **factor != Lit::FALSE) {
        let row: Vec<Lit> = a[..a.len() - place].iter().map(|&lit| cnf.and(lit, factor)).collect();
        let upper = sum(cnf, &total[place..], &row, Lit::FALSE).word;
        total.splice(place.., upper);
    }
    total
}

/// Long division, the highest digit first.
fn divided(cnf: &mut Cnf<'_>, a: &[Lit], b: &[Lit]) -> Divided {
    let divisor: Vec<Lit> = b.iter().copied().chain([Lit::FALSE]).collect();
    let mut quotient = vec![Lit::FALSE; a.len()];
    let mut remainder = vec![Lit::FALSE; a.len()];
    for place in (0..a.len()).rev() {
        remainder.insert(0, a[place]);
        let less = difference(cnf, &remainder, &divisor);
        quotient[place] = less.carry;
        remainder = select(cnf, less.carry, &less.word, &remainder);
        // The remainder is below the divisor, which has one bit less.
        remainder.truncate(a.len());
    }
    let zeros = vec![Lit::FALSE; a.len()];
    let by_zero = equal(cnf, b, &zeros);
    Divided {
        quotient: select(cnf, by_zero, &zeros, &quotient),
        remainder: select(cnf, by_zero, &zeros, &remainder),
    }
}

/// The quotient is rounded to zero and the remainder has the sign of the dividend.
fn divided_signed(cnf: &mut Cnf<'_>, a: &[Lit], b: &[Lit]) -> Divided {
    let sizes = [a, b].map(|word| {
        let negative = negated(cnf, word);
        select(cnf, sign(word), &negative, word)
    });
    let unsigned = divided(cnf, &sizes[0], &sizes[1]);
    let opposite = differ(cnf, sign(a), sign(b));
    let [quotient, remainder] = [&unsigned.quotient, &unsigned.remainder].map(|word| negated(cnf, word));
    Divided {
        quotient: select(cnf, opposite, &quotient, &unsigned.quotient),
        remainder: select(cnf, sign(a), &remainder, &unsigned.remainder),
    }
}

/// Shifts by 1, 2, 4, … as the bits of the distance say.
fn shifted(cnf: &mut Cnf<'_>, op: Binary, a: &[Lit], distance: &[Lit]) -> Vec<Lit> {
    let fill = if op == Binary::ShrS { sign(a) } else { Lit::FALSE };
    let mut word = a.to_vec();
    for (power, &bit) in distance.iter().enumerate().take_while(|(power, _)| 1usize << power < a.len()) {
        let step = 1usize << power;
        let moved: Vec<Lit> = (0..word.len())
            .map(|at| match op {
                Binary::Shl => at.checked_sub(step).map_or(Lit::FALSE, |from| word[from]),
                _ => word.get(at + step).copied().unwrap_or(fill),
            })
            .collect();
        word = select(cnf, bit, &moved, &word);
    }
    // Widths are at most 128, which takes eight bits.
    let mut wide = distance.to_vec();
    wide.resize(wide.len().max(8), Lit::FALSE);
    let width: Vec<Lit> =
        (0..wide.len()).map(|bit| Lit::constant(bit < 8 && a.len() >> bit & 1 == 1)).collect();
    let fits = less(cnf, &wide, &width);
    word.iter().map(|&lit| cnf.and(fits, lit)).collect()
}
