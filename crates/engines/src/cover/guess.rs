//! Guesses: an element of which nothing smaller is known to be coverable is lowered by dropping threads, as long as the rest is still not
//! known to be coverable. What is known comes from a forward exploration with few threads ([`crate::reach`]) and from guesses
//! that failed. A good guess covers much at once; a wrong one is taken back by the search.
//!
//! The cutoff test is the boldest guess: that *all* thread states not met with n threads are unreachable (Kaiser, Kroening and Wahl,
//! CAV 2010). What leads from met ones to others by an own step refutes it at once; a step of another thread asks for a pair.

use super::basis::included;
use crate::closure::{Closure, Group};
use crate::reach::Reach;
use rustc_hash::FxHashMap;

/// What elements are lowered by.
#[derive(Debug, Default)]
pub struct Guesses {
    /// Elements are lowered until so many guesses were wrong: then what is known is too little.
    most_wrong: Option<usize>,
    /// Whether thread states that were not met are taken to be unreachable.
    cutoff: bool,
    /// What few threads reach.
    pub reach: Reach,
    /// How many elements were lowered.
    pub lowered: u64,
    /// How many guesses were wrong.
    pub wrong: usize,
    learnt: FxHashMap<u32, Vec<Vec<Group>>>,
}

impl Guesses {
    /// Guesses from what few threads reach.
    pub fn new(most_wrong: Option<usize>, cutoff: bool, reach: Reach) -> Self {
        Self { most_wrong, cutoff, reach, ..Self::default() }
    }

    /// The thread states of the closure that were not met, if they are to be taken for unreachable.
    pub fn seeds(&self, closure: &Closure) -> Vec<(u32, u32)> {
        if !self.cutoff || self.reach.is_empty() {
            return vec![];
        }
        let tuples = &closure.tuples;
        let all =
            tuples.shared().flat_map(|shared| tuples.locals(shared).iter().map(move |&it| (shared, it)));
        all.filter(|&(shared, local)| !self.reach.covers(shared, &[(local, 1)])).collect()
    }

    /// Fewer threads that are not known to be coverable and do not fit into a start, if there are such.
    pub fn lower(
        &mut self,
        shared: u32,
        threads: &[Group],
        initial: impl Fn(&[Group]) -> bool,
    ) -> Option<Vec<Group>> {
        if self.reach.is_empty() || self.most_wrong.is_none_or(|most| self.wrong >= most) {
            return None;
        }
        let open = |threads: &[Group]| !self.is_coverable(shared, threads) && !initial(threads);
        if !open(threads) {
            return None;
        }
        let mut left = threads.to_vec();
        let mut at = 0;
        while at < left.len() {
            let mut fewer = left.clone();
            fewer[at].1 -= 1;
            fewer.retain(|it| it.1 > 0);
            if open(&fewer) {
                left = fewer;
            } else {
                at += 1;
            }
        }
        if left.len() == threads.len() && left == threads {
            return None;
        }
        self.lowered += 1;
        Some(left)
    }

    fn is_coverable(&self, shared: u32, threads: &[Group]) -> bool {
        self.reach.covers(shared, threads)
            || self.learnt.get(&shared).is_some_and(|all| all.iter().any(|it| included(threads, it)))
    }

    /// A guess was wrong: this is coverable.
    pub fn learn(&mut self, shared: u32, threads: Vec<Group>) {
        self.wrong += 1;
        self.learnt.entry(shared).or_default().push(threads);
    }
}
