//! Cubes over predicates, and prime cubes for valuations that are all known: no solver is asked.

use super::MOST;
use base::{Budget, Stop};
use rustc_hash::FxHashSet;

/// A conjunction of predicates and negated predicates: those in `bits`, with these values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    /// Which predicates occur.
    pub bits: u128,
    /// Which of them are not negated.
    pub values: u128,
}

impl Cube {
    /// The cube of one valuation of this many predicates.
    pub fn minterm(valuation: u128, predicates: usize) -> Cube {
        let bits = if predicates >= MOST { u128::MAX } else { (1 << predicates) - 1 };
        Cube { bits, values: valuation & bits }
    }

    /// Whether a valuation is in the cube.
    pub fn has(self, valuation: u128) -> bool {
        valuation & self.bits == self.values
    }

    /// Whether everything in the other cube is in this one.
    pub fn covers(self, other: Cube) -> bool {
        other.bits & self.bits == self.bits && other.values & self.bits == self.values
    }

    /// The cube without some of its literals.
    pub fn without(self, bits: u128) -> Cube {
        Cube { bits: self.bits & !bits, values: self.values & !bits }
    }
}

/// Valuations, in the order in which they were seen.
#[derive(Clone, Default, Debug)]
pub struct Seen {
    /// The valuations.
    pub list: Vec<u128>,
    set: FxHashSet<u128>,
}

impl Seen {
    /// Adds one.
    pub fn add(&mut self, valuation: u128) {
        if self.set.insert(valuation) {
            self.list.push(valuation);
        }
    }

    /// Whether it was seen.
    pub fn contains(&self, valuation: u128) -> bool {
        self.set.contains(&valuation)
    }

    /// Whether one of them is in a cube.
    pub fn meets(&self, cube: Cube) -> bool {
        self.list.iter().any(|&it| cube.has(it))
    }

    /// Whether none of them is among others.
    pub fn is_disjoint(&self, other: &Seen) -> bool {
        self.set.is_disjoint(&other.set)
    }
}

/// Prime cubes that have all of the wanted valuations that are not among the others, and none of the others.
pub fn cover(wanted: &Seen, other: &Seen, predicates: usize, budget: &Budget) -> Result<Vec<Cube>, Stop> {
    let mut open: Vec<u128> = wanted.list.iter().copied().filter(|&it| !other.contains(it)).collect();
    open.sort_unstable();
    let mut found: Vec<Cube> = vec![];
    while let Some(&valuation) = open.first() {
        let minterm = Cube::minterm(valuation, predicates);
        let forward = prime(minterm, other, 0..predicates, budget)?;
        let backward = prime(minterm, other, (0..predicates).rev(), budget)?;
        // Of thresholds of one variable only one order keeps the one that says most.
        let worth = |cube: Cube| {
            let had = open.iter().filter(|&&it| cube.has(it)).count();
            (had, MOST - cube.bits.count_ones() as usize)
        };
        let best = if worth(backward) > worth(forward) { backward } else { forward };
        open.retain(|&it| !best.has(it));
        found.push(best);
    }
    Ok(found)
}

/// A prime cube that has none of the others, literals being dropped in this order.
fn prime(
    minterm: Cube,
    other: &Seen,
    order: impl Iterator<Item = usize>,
    budget: &Budget,
) -> Result<Cube, Stop> {
    let mut cube = minterm;
    for at in order {
        budget.spend(1 + other.list.len() as u64 / 64)?;
        let shorter = cube.without(1 << at);
        if !other.meets(shorter) {
            cube = shorter;
        }
    }
    Ok(cube)
}
