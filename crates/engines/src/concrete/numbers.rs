//! Which numbers a choice tries: all, where there are few; else the interesting ones: zero, one, minus one,
//! the extremes, the bounds, the constants of the program and their neighbours. Leaving numbers out is a cut:
//! then nothing is proved.

use super::step::Runner;
use c::{Loc, Node, Number, Program, Range, Type, mask, signed};

/// Which numbers are interesting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interest {
    /// This many: zero and those above, then those below.
    Smallest(usize),
    /// Zero, one, and those at the ends.
    Extremes,
    /// Also the constants of the program and their neighbours.
    Constants,
}

/// The numbers that are tried.
#[derive(Debug)]
pub struct Numbers {
    interest: Interest,
    /// Constants of the program, neighbours included, as wide as they can be, if they are of interest.
    constants: Vec<u128>,
    /// Choices with at most this many values try all.
    all: u128,
}

/// What is tried, and whether that is all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TriedNumbers {
    /// The numbers, those that matter most first.
    pub values: Vec<u128>,
    /// Whether some are left out.
    pub cut: bool,
}

impl Numbers {
    /// Those of interest, or all where there are at most this many.
    pub fn new(program: &Program, interest: Interest, all: u128) -> Numbers {
        let mut constants = vec![];
        if interest == Interest::Constants {
            let pointer_bits = program.pointer_bits();
            for id in program.exprs().ids() {
                if let Node::Const(ty @ (Type::Bits(_) | Type::Pointer), value) = program.exprs().node(id) {
                    let value = signed(value, ty.bits(pointer_bits));
                    constants.extend([value, value.wrapping_add(1), value.wrapping_sub(1)]);
                }
            }
            constants.sort_by_key(|value| (value.unsigned_abs(), *value < 0));
            constants.dedup();
        }
        Numbers { interest, constants: constants.into_iter().map(|value| value as u128).collect(), all }
    }

    /// The numbers to try for a choice.
    pub fn tried(&self, number: Number) -> TriedNumbers {
        let (low, high) = bounds(number);
        let size = high.wrapping_sub(low) as u128;
        if high < low {
            return TriedNumbers { values: vec![], cut: false };
        }
        let cut_to_width = |value: i128| value as u128 & mask(number.bits);
        let mut values: Vec<u128> = vec![];
        if size < self.all {
            values.extend((low..=high).map(cut_to_width));
            values.sort_by_key(|&value| {
                let value = signed(value, number.bits);
                (value.unsigned_abs(), value < 0)
            });
            return TriedNumbers { values, cut: false };
        }
        let extremes = [0, 1, -1, low, high, low.wrapping_add(1), high.wrapping_sub(1)];
        let half = 1_i128.checked_shl(u32::from(number.bits) - 1).unwrap_or(i128::MIN);
        let signs = [half, half.wrapping_sub(1)];
        let constants = self.constants.iter().map(|&value| value as i128);
        if let Interest::Smallest(number) = self.interest {
            let first = if (low..=high).contains(&0) { 0 } else { low };
            let nearest = (first..=high).chain((low..first).rev()).take(number);
            return TriedNumbers { values: nearest.map(cut_to_width).collect(), cut: true };
        }
        for value in extremes.into_iter().chain(signs).chain(constants) {
            let bits = cut_to_width(value);
            let read = if is_signed(number) { signed(bits, number.bits) } else { bits as i128 };
            if (low..=high).contains(&read) && !values.contains(&bits) {
                values.push(bits);
            }
        }
        TriedNumbers { values, cut: true }
    }
}

fn is_signed(number: Number) -> bool {
    number.range.is_some_and(|range| range.signed) || number.bits == 128
}

/// The smallest and the largest number that fit. Unsigned numbers of 128 bits are read as signed ones where
/// no bounds are given, else those above the largest signed number fit no bound.
fn bounds(number: Number) -> (i128, i128) {
    let (least, most) = if is_signed(number) {
        (signed(1 << (number.bits - 1), number.bits), (mask(number.bits) >> 1) as i128)
    } else {
        (0, mask(number.bits) as i128)
    };
    match number.range {
        None => (least, most),
        Some(Range { low, high, signed: true }) => (low.max(least), high.min(most)),
        Some(Range { low, high, signed: false }) => {
            (low.max(0), high.min(if number.bits == 128 { i128::MAX } else { most }))
        }
    }
}

impl Runner<'_> {
    /// The numbers that are tried for a choice.
    pub(super) fn numbers(&mut self, loc: Loc, number: Number) -> Vec<u128> {
        if let Some(values) = self.analysis.partitions.tried(loc, number, self.parts) {
            return values;
        }
        let tried = self.numbers.tried(number);
        if !tried.cut {
            return tried.values;
        }
        let holder = self.analysis.followed.source(loc);
        if let (Some(splits), Some(holder)) = (&mut self.splits, holder)
            && let Some(values) = splits.tried(holder, number)
        {
            return values;
        }
        self.limits.cut = true;
        self.limits.choices.insert(loc);
        tried.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(all: u128, bits: u8, range: Option<Range>) -> TriedNumbers {
        let interest = Interest::Constants;
        Numbers { interest, constants: vec![41, 42], all }.tried(Number { bits, range })
    }

    #[test]
    fn the_smallest_that_fit() {
        let smallest = |number, low, high| {
            let numbers = Numbers { interest: Interest::Smallest(number), constants: vec![], all: 2 };
            numbers.tried(Number { bits: 8, range: Some(Range { low, high, signed: true }) })
        };
        assert_eq!(smallest(3, -5, 5), TriedNumbers { values: vec![0, 1, 2], cut: true });
        assert_eq!(smallest(2, 3, 9), TriedNumbers { values: vec![3, 4], cut: true });
        assert_eq!(smallest(3, -7, 0), TriedNumbers { values: vec![0, 0xff, 0xfe], cut: true });
        assert_eq!(smallest(2, -7, -6), TriedNumbers { values: vec![0xfa, 0xf9], cut: false });
    }

    #[test]
    fn small_choices_are_tried_in_full() {
        assert_eq!(tried(4, 2, None), TriedNumbers { values: vec![0, 1, 3, 2], cut: false });
        let range = Range { low: -3, high: 17, signed: true };
        let found = tried(256, 32, Some(range));
        assert_eq!((found.values.len(), found.cut), (21, false));
        assert!(found.values.contains(&0xffff_fffd) && !found.values.contains(&18));
    }

    #[test]
    fn of_others_the_interesting_ones() {
        let found = tried(256, 32, None);
        assert!(found.cut);
        for value in [0, 1, 0xffff_ffff, 0x8000_0000, 0x7fff_ffff, 42] {
            assert!(found.values.contains(&value), "{value}");
        }
        let wide = tried(256, 128, Some(Range { low: 5, high: i128::MAX, signed: false }));
        assert_eq!(wide.values.first(), Some(&5));
        assert!(wide.cut && wide.values.iter().all(|&value| value >= 5));
    }
}
