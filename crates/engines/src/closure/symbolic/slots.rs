//! The places of the threads that are looked at together: member i of a tuple has its own copy of the locals, and there is one more for a
//! thread that is not in the tuple, the one that moves or that is created. Sets are moved between places by renaming.

use crate::symbolic::{Slot, Symbolic};
use base::{Budget, Stop};
use ir::bp::{LocalId, Var};
use rustc_hash::FxHashMap;
use solve::bdd::{Bdd, Level, LevelMap, VarSet};

/// The maps between places that were needed so far.
#[derive(Debug, Default)]
pub struct Slots {
    maps: FxHashMap<Vec<(usize, usize)>, LevelMap>,
    all: Vec<VarSet>,
}

impl Slots {
    /// Room for tuples of `width` threads and one more.
    pub fn new(symbolic: &mut Symbolic<'_>, width: usize) -> Result<Slots, Stop> {
        let mut all = vec![];
        for slot in 0..=width {
            let levels = symbolic.space.levels_of_locals(Slot::Member(slot));
            all.push(symbolic.manager.var_set(&levels)?);
        }
        Ok(Slots { maps: FxHashMap::default(), all })
    }

    /// The locals of the thread at a place, old values.
    pub fn locals(&self, slot: usize) -> VarSet {
        self.all[slot]
    }

    /// The set with its threads moved, all at once.
    pub fn arrange(
        &mut self,
        symbolic: &mut Symbolic<'_>,
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
                    .flat_map(|&(from, to)| symbolic.space.pairs(Slot::Member(from), Slot::Member(to)));
                let pairs: Vec<(Level, Level)> = pairs.collect();
                let map = symbolic.manager.level_map(&pairs);
                self.maps.insert(moves.to_vec(), map);
                map
            }
        };
        symbolic.manager.rename(f, map, budget)
    }

    /// The union of the set with all that come from it by exchanging the threads at these places.
    pub fn symmetric(
        &mut self,
        symbolic: &mut Symbolic<'_>,
        mut f: Bdd,
        places: std::ops::Range<usize>,
        budget: &Budget,
    ) -> Result<Bdd, Stop> {
        for last in places.start + 1..places.end {
            let mut all = f;
            for other in places.start..last {
                let exchanged = self.arrange(symbolic, f, &[(last, other), (other, last)], budget)?;
                all = symbolic.manager.or(all, exchanged, budget)?;
            }
            f = all;
        }
        Ok(f)
    }
}

/// The old value of a local of the thread at a place; the new value is the next level.
pub fn level(symbolic: &Symbolic<'_>, local: LocalId, slot: usize) -> Level {
    symbolic.space.now(Var::Local(local), Slot::Member(slot))
}
