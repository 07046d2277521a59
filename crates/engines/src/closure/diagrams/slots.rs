//! The slots of the threads that are looked at together: member i of a tuple has its own copy of the locals,
//! and there is one more for a thread that is not in the tuple, the one that moves or that is created. Sets
//! are moved between slots by renaming.

use crate::encoding::{Encoding, Slot};
use base::{Budget, Stop};
use ir::bp::{LocalId, Var};
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, Level, LevelMap, VarSet};

/// The maps between slots that were needed so far.
#[derive(Debug, Default)]
pub struct Slots {
    maps: FxHashMap<Vec<(usize, usize)>, LevelMap>,
    all: Vec<VarSet>,
}

impl Slots {
    /// Room for tuples of `width` threads and one more.
    pub fn new(encoding: &mut Encoding<'_>, width: usize) -> Result<Slots, Stop> {
        let mut all = vec![];
        for slot in 0..=width {
            let levels = encoding.space.levels_of_locals(Slot::Member(slot));
            all.push(encoding.manager.var_set(&levels)?);
        }
        Ok(Slots { maps: FxHashMap::default(), all })
    }

    /// The locals of the thread at a slot, old values.
    pub fn locals(&self, slot: usize) -> VarSet {
        self.all[slot]
    }

    /// The set with its threads moved, all at once.
    pub fn arrange(
        &mut self,
        encoding: &mut Encoding<'_>,
        f: Bdd,
        moves: &[(usize, usize)],
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        if f.is_constant() || moves.iter().all(|(from, to)| from == to) {
            return Ok(f);
        }
        let map = match self.maps.get(moves) {
            Some(&map) => map,
            None => {
                let pairs = moves
                    .iter()
                    .flat_map(|&(from, to)| encoding.space.pairs(Slot::Member(from), Slot::Member(to)));
                let pairs: Vec<(Level, Level)> = pairs.collect();
                let map = encoding.manager.level_map(&pairs);
                self.maps.insert(moves.to_vec(), map);
                map
            }
        };
        encoding.manager.rename(f, map, budget)
    }

    /// The set with its threads in the order of their slots in the program, which are given with where each
    /// thread is now.
    pub fn sorted(
        &mut self,
        encoding: &mut Encoding<'_>,
        f: Bdd,
        sorted: &[(u32, usize)],
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        let moves: Vec<(usize, usize)> = sorted.iter().map(|it| it.1).zip(0..).collect();
        self.arrange(encoding, f, &moves, budget)
    }

    /// The union of the set with all that come from it by exchanging the threads at these slots.
    pub fn symmetric(
        &mut self,
        encoding: &mut Encoding<'_>,
        mut f: Bdd,
        range: std::ops::Range<usize>,
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        for last in range.start + 1..range.end {
            f = self.exchanged(encoding, f, last, range.start..last, budget)?;
        }
        Ok(f)
    }

    /// The union of the set with all that come from it by exchanging the thread at one slot with one of
    /// others.
    pub fn exchanged(
        &mut self,
        encoding: &mut Encoding<'_>,
        f: Bdd,
        one: usize,
        others: std::ops::Range<usize>,
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        let mut all = f;
        for other in others {
            let exchanged = self.arrange(encoding, f, &[(one, other), (other, one)], budget)?;
            all = encoding.manager.or(all, exchanged, budget)?;
        }
        Ok(all)
    }
}

/// The old value of a local of the thread at a slot; the new value is the next level.
pub fn level(encoding: &Encoding<'_>, local: LocalId, slot: usize) -> Level {
    encoding.space.now(Var::Local(local), Slot::Member(slot))
}
