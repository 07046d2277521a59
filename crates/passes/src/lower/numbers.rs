//! Sets of numbers of one width, from above: a few numbers one by one, or bounds as unsigned and as signed
//! numbers with the bits that are known to be zero.

use c::{Binary, Convert, Unary, mask, signed};
use std::collections::BTreeSet;

/// Up to this many numbers are kept one by one.
const FEW: usize = 24;

/// Bounds of a set of numbers, all included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    pub low: u128,
    pub high: u128,
    pub signed_low: i128,
    pub signed_high: i128,
    /// Bits that are zero in every number.
    pub zeros: u128,
}

/// A set of numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Numbers {
    Few(BTreeSet<u128>),
    Many(Bounds),
}

fn signed_bounds(bits: u8) -> [i128; 2] {
    let high = (mask(bits) >> 1) as i128;
    [-high - 1, high]
}

impl Bounds {
    pub fn all(bits: u8) -> Bounds {
        let [signed_low, signed_high] = signed_bounds(bits);
        Bounds { low: 0, high: mask(bits), signed_low, signed_high, zeros: !mask(bits) }
    }

    fn unsigned(bits: u8, low: u128, high: u128) -> Bounds {
        Bounds { low, high, ..Bounds::all(bits) }.tight(bits)
    }

    fn between(bits: u8, low: i128, high: i128) -> Bounds {
        Bounds { signed_low: low, signed_high: high, ..Bounds::all(bits) }.tight(bits)
    }

    /// Each kind of bounds cut by what the others say.
    fn tight(mut self, bits: u8) -> Bounds {
        let half = mask(bits) >> 1;
        self.high = self.high.min(mask(bits) & !self.zeros);
        for _ in 0..2 {
            if self.high <= half {
                self.signed_low = self.signed_low.max(self.low as i128);
                self.signed_high = self.signed_high.min(self.high as i128);
            } else if self.low > half {
                self.signed_low = self.signed_low.max(signed(self.low, bits));
                self.signed_high = self.signed_high.min(signed(self.high, bits));
            }
            if self.signed_low >= 0 {
                self.low = self.low.max(self.signed_low as u128);
                self.high = self.high.min(self.signed_high.max(0) as u128);
            } else if self.signed_high < 0 {
                self.low = self.low.max(self.signed_low as u128 & mask(bits));
                self.high = self.high.min(self.signed_high as u128 & mask(bits));
            }
        }
        let used = 128 - self.high.leading_zeros();
        self.zeros |= !mask_of(used);
        self
    }

    fn is_empty(&self) -> bool {
        self.low > self.high || self.signed_low > self.signed_high
    }
}

fn mask_of(bits: u32) -> u128 {
    mask(bits.min(128) as u8)
}

impl Numbers {
    pub fn none() -> Numbers {
        Numbers::Few(BTreeSet::new())
    }

    pub fn one(value: u128) -> Numbers {
        Numbers::Few([value].into())
    }

    pub fn all(bits: u8) -> Numbers {
        if bits <= 3 { Numbers::Few((0..=mask(bits)).collect()) } else { Numbers::Many(Bounds::all(bits)) }
    }

    /// The numbers between two bounds, read as signed or unsigned.
    pub fn range(bits: u8, low: i128, high: i128, is_signed: bool) -> Numbers {
        if is_signed {
            let [least, most] = signed_bounds(bits);
            Numbers::many(Bounds::between(bits, low.max(least), high.min(most)))
        } else {
            Numbers::many(Bounds::unsigned(bits, low.max(0) as u128, (high.max(0) as u128).min(mask(bits))))
        }
    }

    fn many(bounds: Bounds) -> Numbers {
        if bounds.is_empty() {
            return Numbers::none();
        }
        if bounds.high - bounds.low < FEW as u128 {
            return Numbers::Few(
                (bounds.low..=bounds.high).filter(|value| value & bounds.zeros == 0).collect(),
            );
        }
        Numbers::Many(bounds)
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Numbers::Few(set) if set.is_empty())
    }

    /// The only number.
    pub fn single(&self) -> Option<u128> {
        match self {
            Numbers::Few(set) if set.len() == 1 => set.first().copied(),
            _ => None,
        }
    }

    /// All of them, if they are at most this many.
    pub fn list(&self, most: usize) -> Option<Vec<u128>> {
        match self {
            Numbers::Few(set) => (set.len() <= most).then(|| set.iter().copied().collect()),
            Numbers::Many(bounds) => {
                let step = 1u128 << (!bounds.zeros).trailing_zeros().min(64);
                let first = bounds.low.div_ceil(step) * step;
                if bounds.high < first || (bounds.high - first) / step >= most as u128 {
                    return (bounds.high < first).then(Vec::new);
                }
                let count = (bounds.high - first) / step;
                Some((0..=count).map(|n| first + n * step).filter(|v| v & bounds.zeros == 0).collect())
            }
        }
    }

    pub fn bounds(&self, bits: u8) -> Bounds {
        match self {
            Numbers::Many(bounds) => *bounds,
            Numbers::Few(set) => {
                let (Some(&low), Some(&high)) = (set.first(), set.last()) else { return Bounds::all(bits) };
                let signs = || set.iter().map(|&value| signed(value, bits));
                Bounds {
                    low,
                    high,
                    signed_low: signs().min().unwrap_or(0),
                    signed_high: signs().max().unwrap_or(0),
                    zeros: !set.iter().fold(0, |all, value| all | value),
                }
            }
        }
    }

    pub fn join(&self, other: &Numbers, bits: u8) -> Numbers {
        match (self, other) {
            (Numbers::Few(a), Numbers::Few(b)) if a.len() + b.len() <= FEW || a.union(b).count() <= FEW => {
                Numbers::Few(a.union(b).copied().collect())
            }
            (Numbers::Few(a), other) | (other, Numbers::Few(a)) if a.is_empty() => other.clone(),
            _ => {
                let (a, b) = (self.bounds(bits), other.bounds(bits));
                Numbers::Many(Bounds {
                    low: a.low.min(b.low),
                    high: a.high.max(b.high),
                    signed_low: a.signed_low.min(b.signed_low),
                    signed_high: a.signed_high.max(b.signed_high),
                    zeros: a.zeros & b.zeros,
                })
            }
        }
    }

    /// The join, its bounds moved on to the next number of a list where they grew: only so often that can be
    /// done.
    pub fn widen(&self, other: &Numbers, bits: u8, steps: &[u128]) -> Numbers {
        let joined = self.join(other, bits);
        let (Numbers::Many(new), false) = (&joined, self.is_empty()) else { return joined };
        let old = self.bounds(bits);
        let mut wide = *new;
        let up =
            |value: u128| steps.iter().copied().find(|&it| it >= value).unwrap_or(mask(bits)).min(mask(bits));
        let signed_up = |value: i128| if value < 0 { -1 } else { (up(value as u128) as i128).max(value) };
        let [least, most] = signed_bounds(bits);
        if new.high > old.high {
            wide.high = up(new.high);
        }
        if new.low < old.low {
            wide.low = 0;
        }
        if new.signed_high > old.signed_high {
            wide.signed_high = signed_up(new.signed_high).min(most);
        }
        if new.signed_low < old.signed_low {
            wide.signed_low = least;
        }
        if new.zeros != old.zeros {
            wide.zeros &= mask_of((!new.zeros).trailing_zeros()) | !mask_of(128 - wide.high.leading_zeros());
        }
        Numbers::Many(wide)
    }

    /// The numbers of one of two halves, by the unsigned or the signed order; `None`: there are not two.
    pub fn halves(&self, bits: u8, is_signed: bool) -> Option<[Numbers; 2]> {
        let Numbers::Many(it) = self else { return None };
        if is_signed {
            let middle = it.signed_low + ((it.signed_high.wrapping_sub(it.signed_low) as u128) >> 1) as i128;
            let lower = Bounds { signed_high: middle, ..*it }.tight(bits);
            let upper = Bounds { signed_low: middle.checked_add(1)?, ..*it }.tight(bits);
            (it.signed_low < it.signed_high).then(|| [Numbers::many(lower), Numbers::many(upper)])
        } else {
            let middle = it.low + ((it.high - it.low) >> 1);
            let lower = Bounds { high: middle, ..*it }.tight(bits);
            let upper = Bounds { low: middle + 1, ..*it }.tight(bits);
            (it.low < it.high).then(|| [Numbers::many(lower), Numbers::many(upper)])
        }
    }
}

/// The results of an operator on numbers of which not both sets are small, of `bits` bits (comparisons: truth
/// values).
pub fn binary(op: Binary, bits: u8, a: &Numbers, b: &Numbers, shift_bits: u8) -> Numbers {
    if a.is_empty() || b.is_empty() {
        return Numbers::none();
    }
    let (x, y) = (a.bounds(bits), b.bounds(if op.is_shift() { shift_bits } else { bits }));
    if op.is_comparison() {
        return compare(op, &x, &y);
    }
    let bounds = arithmetic(op, bits, &x, &y).unwrap_or_else(|| Bounds::all(bits));
    Numbers::many(bounds)
}

fn arithmetic(op: Binary, bits: u8, x: &Bounds, y: &Bounds) -> Option<Bounds> {
    let all = Bounds::all(bits);
    let [least, most] = signed_bounds(bits);
    let full = mask(bits);
    let unsigned = |low: Option<u128>, high: Option<u128>| match (low, high) {
        (Some(low), Some(high)) if high <= full => [low, high],
        _ => [0, full],
    };
    let in_sign = |low: Option<i128>, high: Option<i128>| match (low, high) {
        (Some(low), Some(high)) if low >= least && high <= most => [low, high],
        _ => [least, most],
    };
    let trailing = |it: &Bounds| (!it.zeros).trailing_zeros();
    let (un, sn, zeros) = match op {
        Binary::Add => (
            unsigned(x.low.checked_add(y.low), x.high.checked_add(y.high)),
            in_sign(x.signed_low.checked_add(y.signed_low), x.signed_high.checked_add(y.signed_high)),
            mask_of(trailing(x).min(trailing(y))),
        ),
        Binary::Sub => (
            unsigned(x.low.checked_sub(y.high), x.high.checked_sub(y.low)),
            in_sign(x.signed_low.checked_sub(y.signed_high), x.signed_high.checked_sub(y.signed_low)),
            mask_of(trailing(x).min(trailing(y))),
        ),
        Binary::Mul => {
            let corners = [x.signed_low, x.signed_high]
                .map(|a| [y.signed_low, y.signed_high].map(|b| a.checked_mul(b)));
            let corners: Option<Vec<i128>> = corners.into_iter().flatten().collect();
            let corners = corners.unwrap_or_default();
            (
                unsigned(x.low.checked_mul(y.low), x.high.checked_mul(y.high)),
                in_sign(corners.iter().min().copied(), corners.iter().max().copied()),
                mask_of((trailing(x) + trailing(y)).min(128)),
            )
        }
        Binary::And => ([0, x.high.min(y.high)], [least, most], x.zeros | y.zeros),
        Binary::Or | Binary::Xor => {
            let zeros = x.zeros & y.zeros;
            let low = if op == Binary::Or { x.low.max(y.low) } else { 0 };
            ([low, mask_of(128 - (x.high | y.high).leading_zeros())], [least, most], zeros)
        }
        Binary::Shl if y.low == y.high && y.low < u128::from(bits) => {
            let by = y.low as u32;
            let high = (x.high <= full >> by).then(|| x.high << by);
            (unsigned(high.map(|_| x.low << by), high), [least, most], mask_of(by + trailing(x)))
        }
        Binary::ShrU => {
            let by = |by: u128| u32::try_from(by).unwrap_or(127).min(127);
            ([x.low >> by(y.high), x.high >> by(y.low)], [least, most], 0)
        }
        Binary::ShrS => {
            // The longest shift goes nearest to 0 or -1; none at all is the other end.
            let by = u32::try_from(y.high).unwrap_or(127).min(127);
            let (low, high) = (x.signed_low, x.signed_high);
            ([0, full], [low.min(low >> by), high.max(high >> by)], 0)
        }
        Binary::DivU => ([x.low / y.high.max(1), x.high / y.low.max(1)], [least, most], 0),
        Binary::RemU => ([0, x.high.min(y.high.saturating_sub(1))], [least, most], 0),
        Binary::DivS if x.signed_low >= 0 && y.signed_low >= 0 => {
            ([x.low / y.high.max(1), x.high / y.low.max(1)], [least, most], 0)
        }
        Binary::RemS => {
            let size = y.signed_low.unsigned_abs().max(y.signed_high.unsigned_abs()).saturating_sub(1);
            let size = i128::try_from(size).unwrap_or(i128::MAX);
            let low = if x.signed_low >= 0 { 0 } else { (-size).max(x.signed_low) };
            ([0, full], [low.max(least), size.min(x.signed_high.max(0)).min(most)], 0)
        }
        _ => return None,
    };
    let made =
        Bounds { low: un[0], high: un[1], signed_low: sn[0], signed_high: sn[1], zeros: zeros | all.zeros };
    Some(made.tight(bits))
}

fn compare(op: Binary, x: &Bounds, y: &Bounds) -> Numbers {
    let (always, never) = match op {
        Binary::Eq => (
            x.low == x.high && y.low == y.high && x.low == y.low,
            x.high < y.low || y.high < x.low || x.signed_high < y.signed_low || y.signed_high < x.signed_low,
        ),
        Binary::LtU => (x.high < y.low, x.low >= y.high),
        Binary::LeU => (x.high <= y.low, x.low > y.high),
        Binary::LtS => (x.signed_high < y.signed_low, x.signed_low >= y.signed_high),
        Binary::LeS => (x.signed_high <= y.signed_low, x.signed_low > y.signed_high),
        _ => (false, false),
    };
    match (always, never) {
        (true, _) => Numbers::one(1),
        (_, true) => Numbers::one(0),
        _ => Numbers::all(1),
    }
}

pub fn unary(op: Unary, bits: u8, a: &Numbers) -> Numbers {
    if a.is_empty() {
        return Numbers::none();
    }
    match op {
        Unary::Neg => binary(Binary::Sub, bits, &Numbers::one(0), a, bits),
        Unary::Not => {
            let x = a.bounds(bits);
            let made = Bounds {
                low: mask(bits) - x.high,
                high: mask(bits) - x.low,
                signed_low: -1 - x.signed_high,
                signed_high: -1 - x.signed_low,
                zeros: !mask(bits),
            };
            Numbers::many(made.tight(bits))
        }
    }
}

pub fn convert(op: Convert, from: u8, to: u8, a: &Numbers) -> Numbers {
    if a.is_empty() {
        return Numbers::none();
    }
    let x = a.bounds(from);
    let [least, most] = signed_bounds(to);
    let made = match op {
        Convert::ZeroExtend | Convert::Reinterpret => {
            Bounds { low: x.low, high: x.high, zeros: x.zeros, ..Bounds::all(to) }
        }
        Convert::SignExtend => Bounds {
            signed_low: x.signed_low,
            signed_high: x.signed_high,
            zeros: mask_of((!x.zeros).trailing_zeros()) | !mask(to),
            ..Bounds::all(to)
        },
        Convert::Truncate => {
            let mut made = Bounds { zeros: x.zeros | !mask(to), ..Bounds::all(to) };
            if x.high <= mask(to) {
                (made.low, made.high) = (x.low, x.high);
            }
            if x.signed_low >= least && x.signed_high <= most {
                (made.signed_low, made.signed_high) = (x.signed_low, x.signed_high);
            }
            made
        }
        _ => Bounds::all(to),
    };
    Numbers::many(made.tight(to))
}
