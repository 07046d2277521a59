//! What a register or a cell may hold: numbers, and addresses and handles one by one.

use super::numbers::Numbers;
use c::Value;
use std::collections::BTreeSet;

/// A set of values of one width, from above.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Abs {
    pub numbers: Numbers,
    /// Addresses, handles (by their places of creation), `Undetermined`.
    pub others: BTreeSet<Value>,
}

impl Abs {
    pub fn none() -> Abs {
        Abs { numbers: Numbers::none(), others: BTreeSet::new() }
    }

    pub fn number(value: u128) -> Abs {
        Abs::numbers(Numbers::one(value))
    }

    pub fn numbers(numbers: Numbers) -> Abs {
        Abs { numbers, others: BTreeSet::new() }
    }

    pub fn all(bits: u8) -> Abs {
        Abs::numbers(Numbers::all(bits))
    }

    pub fn value(value: Value) -> Abs {
        match value {
            Value::Bits(bits) => Abs::number(bits),
            other => Abs { numbers: Numbers::none(), others: [other].into() },
        }
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.others.is_empty()
    }

    /// The only value.
    pub fn single(&self) -> Option<Value> {
        match (self.numbers.single(), self.others.len()) {
            (Some(number), 0) => Some(Value::Bits(number)),
            (None, 1) if self.numbers.is_empty() => self.others.first().copied(),
            _ => None,
        }
    }

    /// All values, if they are at most this many.
    pub fn list(&self, most: usize) -> Option<Vec<Value>> {
        let mut list: Vec<Value> = self.numbers.list(most)?.into_iter().map(Value::Bits).collect();
        list.extend(self.others.iter().copied());
        (list.len() <= most).then_some(list)
    }

    pub fn join(&self, other: &Abs, bits: u8) -> Abs {
        Abs {
            numbers: self.numbers.join(&other.numbers, bits),
            others: self.others.union(&other.others).copied().collect(),
        }
    }

    pub fn widen(&self, other: &Abs, bits: u8, steps: &[u128]) -> Abs {
        Abs {
            numbers: self.numbers.widen(&other.numbers, bits, steps),
            others: self.others.union(&other.others).copied().collect(),
        }
    }

    /// Whether a condition may be true, and whether it may be false.
    pub fn truth(&self) -> [bool; 2] {
        match &self.numbers {
            Numbers::Few(set) => [set.iter().any(|&it| it != 0), set.contains(&0)],
            Numbers::Many(_) => [true, true],
        }
    }
}
