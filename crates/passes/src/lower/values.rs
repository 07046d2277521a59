//! What the coding knows about the variables of the C program: which numbers each may hold. Proofs about the
//! C program itself begin with it.

use super::Lowered;
use super::coding::{Coding, Source};
use super::slots::SlotKind;
use c::LocalId;

/// Up to this many numbers are listed.
const FEW: usize = 16;

/// A variable of the C program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    /// A register.
    Register(LocalId),
    /// The cell of this name.
    Cell(String),
}

/// The numbers that a variable may hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Held {
    /// One of these.
    Few(Vec<u128>),
    /// Any in which only these bits, counted from the lowest, are set.
    Bits(Vec<u8>),
}

impl Lowered {
    /// The numbers that registers and cells may hold, where they hold numbers only.
    pub fn numbers(&self) -> Vec<(Holder, Held)> {
        let mut found = vec![];
        for (id, coding) in self.slots.ids().zip(&self.coding) {
            let slot = self.slots.get(id);
            let holder = match slot.kind {
                SlotKind::Register(local) => Holder::Register(local),
                SlotKind::Cell(..) => Holder::Cell(slot.name.clone()),
                _ => continue,
            };
            if coding.has_numbers && coding.others.is_empty() && !slot.float {
                found.extend(held(coding).map(|held| (holder, held)));
            }
        }
        found
    }
}

/// What the bits that are kept can stand for.
fn held(coding: &Coding) -> Option<Held> {
    if coding.sources.contains(&Source::Any) {
        return None;
    }
    if 1usize.checked_shl(coding.kept.len() as u32).is_some_and(|count| count <= FEW) {
        let numbers = (0..1u128 << coding.kept.len()).map(|kept| {
            let bit = |at: usize| match coding.sources[at] {
                Source::Fixed(value) => u128::from(value),
                Source::Bit(n) => kept >> n & 1,
                Source::Any => 0,
            };
            (0..coding.sources.len()).fold(0, |number, at| number | bit(at) << at)
        });
        return Some(Held::Few(numbers.collect()));
    }
    // Bits that are always set, or copies of others, are told by predicates of the program, if at all.
    let is_plain = !coding.sources.contains(&Source::Fixed(true));
    let places = (0..coding.sources.len()).filter(|&at| matches!(coding.sources[at], Source::Bit(_)));
    is_plain.then(|| Held::Bits(places.map(|at| at as u8).collect()))
}
