//! Classes of locations: a partition of the locations of a program, coarse at first and split where that is
//! needed.
//!
//! Long straight code makes n² pairs of locations; a closure over classes of locations has as many pairs as
//! there are pairs of classes. A class stands for a thread at any of its locations, so that merging adds
//! behaviour and never loses any. What is merged is described in [`super::regions`]: *fine* classes, which
//! change nothing that an assertion can notice and are never split, and *coarse* ones, unions of fine ones,
//! which may.

use super::regions;
use crate::encoding::Encoding;
use base::Id;
use ir::bp::{Loc, LocalId};
use std::collections::BTreeMap;

/// The partition.
#[derive(Clone, Debug)]
pub struct Classes {
    /// For each location the class that it is never split out of.
    fine: Vec<u32>,
    /// For each location its class now.
    of: Vec<u32>,
    /// For each class its locations, in order.
    members: Vec<Vec<Loc>>,
    /// For each class the locals that are kept at all its locations, sorted.
    kept: Vec<Vec<LocalId>>,
}

impl Classes {
    /// Every location alone.
    pub fn single(encoding: &Encoding<'_>) -> Classes {
        let each: Vec<u32> = (0..encoding.program.locations().len() as u32).collect();
        Self::new(encoding, each.clone(), &each)
    }

    /// The coarsest classes.
    pub fn coarse(encoding: &Encoding<'_>) -> Classes {
        let fine = regions::fine(encoding);
        let coarse = regions::coarse(encoding, &fine);
        Self::new(encoding, fine, &coarse)
    }

    fn new(encoding: &Encoding<'_>, fine: Vec<u32>, names: &[u32]) -> Classes {
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        let (mut of, mut members): (Vec<u32>, Vec<Vec<Loc>>) = (vec![], vec![]);
        for (loc, &name) in encoding.program.locations().ids().zip(names) {
            let number = *numbers.entry(name).or_insert(members.len() as u32);
            of.push(number);
            if number as usize == members.len() {
                members.push(vec![]);
            }
            members[number as usize].push(loc);
        }
        let kept = members.iter().map(|locs| common(encoding, locs)).collect();
        Classes { fine, of, members, kept }
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The class of a location.
    pub fn of(&self, loc: Loc) -> u32 {
        self.of[loc.index()]
    }

    /// The locations of a class, in order.
    pub fn members(&self, class: u32) -> &[Loc] {
        &self.members[class as usize]
    }

    /// The locals that sets of the class mention, sorted; any other may have any value.
    pub fn kept(&self, class: u32) -> &[LocalId] {
        &self.kept[class as usize]
    }

    /// Whether sets of the class mention the local.
    pub fn keeps(&self, class: u32, local: LocalId) -> bool {
        self.kept(class).binary_search(&local).is_ok()
    }

    /// Whether merging its locations may be what makes an alarm.
    pub fn is_coarse(&self, class: u32) -> bool {
        let mut fine = self.members(class).iter().map(|loc| self.fine[loc.index()]);
        let first = fine.next();
        fine.any(|other| Some(other) != first)
    }

    /// Whether there is a coarse class.
    pub fn any_coarse(&self) -> bool {
        (0..self.len() as u32).any(|class| self.is_coarse(class))
    }

    /// The partition in which these classes are split into fine ones.
    pub fn split(&self, encoding: &Encoding<'_>, classes: &[u32]) -> Classes {
        let fresh = self.len() as u32;
        let name = |loc: Loc| {
            let class = self.of(loc);
            if classes.contains(&class) { fresh + self.fine[loc.index()] } else { class }
        };
        let names: Vec<u32> = encoding.program.locations().ids().map(name).collect();
        Self::new(encoding, self.fine.clone(), &names)
    }
}

fn common(encoding: &Encoding<'_>, locs: &[Loc]) -> Vec<LocalId> {
    let everywhere = |local: &LocalId| locs.iter().all(|&loc| encoding.keeps(loc, *local));
    encoding.kept(locs[0]).iter().copied().filter(everywhere).collect()
}
