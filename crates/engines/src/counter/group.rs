//! Symbolic counter states ⟨S, {(L1, n1), …}⟩: a set of shared valuations, and how many threads are in each
//! set of local states (Basler et al., CAV 2009, section 6.1). Sets of local states belong to one location
//! and one side of the atomic section.
//!
//! A state means: the shared valuation is in S, and the threads can be dealt out so that n_i of them are in
//! L_i. Nothing relates one thread to another or to the shared part. A set inside another one stays apart
//! from it: ⟨({0}, 2), ({0, 1}, 1)⟩ is not ⟨({0, 1}, 3)⟩.

use base::Id;
use ir::bp::Loc;
use solve::bdd::Bdd;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A location and whether the thread is inside an atomic section.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Control(u32);

impl Control {
    /// At a location.
    pub fn new(loc: Loc, inside: bool) -> Control {
        Control((loc.index() as u32) << 1 | u32::from(inside))
    }

    /// The location.
    pub fn loc(self) -> Loc {
        Loc::from_index((self.0 >> 1) as usize)
    }

    /// Whether the thread is inside an atomic section.
    pub fn inside(self) -> bool {
        self.0 & 1 == 1
    }
}

/// This many threads in a set of local states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadGroup {
    /// Where they stand.
    pub at: Control,
    /// Their locals.
    pub set: Bdd,
    /// How many they are, at least one.
    pub count: u32,
}

impl ThreadGroup {
    /// One thread.
    pub fn one(at: Control, set: Bdd) -> ThreadGroup {
        ThreadGroup { at, set, count: 1 }
    }

    /// A number for this set that depends on nothing but the set.
    pub fn hash_of_one(&self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        (self.at, self.set).hash(&mut hasher);
        // Numbers are added up: without a last multiplication similar sets would cancel out.
        (hasher.finish() ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93) | 1
    }
}

/// A symbolic counter state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// The shared valuations.
    pub shared: Bdd,
    /// The threads, sorted, each set once.
    pub groups: Rc<[ThreadGroup]>,
}

impl Piece {
    /// A state with these threads, in any order.
    pub fn new(initialising: bool, shared: Bdd, mut groups: Vec<ThreadGroup>) -> Piece {
        normalise(&mut groups);
        Piece { initialising, shared, groups: groups.into() }
    }

    /// The same threads with other shared valuations.
    pub fn with_shared(&self, shared: Bdd) -> Piece {
        Piece { shared, ..self.clone() }
    }

    /// How many threads there are.
    pub fn total(&self) -> u32 {
        self.groups.iter().map(|group| group.count).sum()
    }

    /// The group of the thread inside an atomic section.
    pub fn inside(&self) -> Option<usize> {
        self.groups.iter().position(|group| group.at.inside())
    }

    /// The threads without one of a group. A thread that comes is looked up among these: one that stays where
    /// it is must not be counted twice.
    pub fn without(&self, group: usize) -> Vec<ThreadGroup> {
        let mut groups = self.groups.to_vec();
        groups[group].count -= 1;
        groups.retain(|group| group.count > 0);
        groups
    }
}

/// Sorts groups, joins those of the same set and drops empty ones.
pub fn normalise(groups: &mut Vec<ThreadGroup>) {
    groups.retain(|group| group.count > 0);
    groups.sort_unstable();
    groups.dedup_by(|next, kept| {
        let same = (next.at, next.set) == (kept.at, kept.set);
        if same {
            kept.count += next.count;
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted_once() {
        let at = Control::new(Loc::from_index(3), false);
        let group = |set, count| ThreadGroup { at, set, count };
        let check = |groups: &[ThreadGroup], from: usize, to: Bdd, expected: &[ThreadGroup]| {
            let piece = Piece::new(false, Bdd::TRUE, groups.to_vec());
            let mut after = piece.without(from);
            after.push(ThreadGroup::one(at, to));
            assert_eq!(&Piece::new(false, Bdd::TRUE, after).groups[..], expected);
        };
        // Three threads in A, one of which steps to A: the printed algorithm makes {(A, 2), (A, 4)} of it.
        check(&[group(Bdd::TRUE, 3)], 0, Bdd::TRUE, &[group(Bdd::TRUE, 3)]);
        check(&[group(Bdd::TRUE, 1)], 0, Bdd::FALSE, &[group(Bdd::FALSE, 1)]);
        check(&[group(Bdd::TRUE, 2)], 0, Bdd::FALSE, &[group(Bdd::TRUE, 1), group(Bdd::FALSE, 1)]);
    }
}
