//! What engines learn that others can use. An engine posts here and reads here; it never calls another engine. Facts speak of states in
//! words that mean the same to all: the rows in which programs and nets are stored, not the numbers that one engine gave them.
//!
//! What is posted in a round of the portfolio can be read in the next one, after [`Facts::publish`], so that no answer depends on who was
//! faster.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A state in words.
pub type Words = Box<[u32]>;

/// A set of states, each a shared state and some threads, in an order that depends on nothing but the set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct States {
    /// The shared states, sorted.
    pub shared: Vec<Words>,
    /// The local states, sorted.
    pub locals: Vec<Words>,
    /// The states: the number of a shared state, then those of local states.
    pub rows: Vec<Box<[u32]>>,
}

/// Which fact.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Key {
    /// The closure of a width, all of it, with an error in it: one without is an answer, and is not posted.
    Closure {
        /// The width.
        width: usize,
        /// Whether threads run on from silent locations.
        chains: bool,
    },
    /// What so many threads reach, all of it, without any reduction.
    Reach {
        /// How many threads.
        threads: u32,
        /// Whether threads run on from silent locations.
        chains: bool,
    },
}

type Known = BTreeMap<Key, Arc<States>>;

/// Facts about the task at hand.
#[derive(Debug, Default)]
pub struct Facts {
    known: Known,
    posted: Mutex<Known>,
}

impl Facts {
    /// What was posted in an earlier round.
    pub fn get(&self, key: Key) -> Option<Arc<States>> {
        self.known.get(&key).cloned()
    }

    /// What the most threads reach, as far as it was posted in an earlier round.
    pub fn most_reached(&self, chains: bool) -> Option<(u32, Arc<States>)> {
        let all = self.known.iter().rev();
        let mut reached = all.filter_map(|(key, states)| match *key {
            Key::Reach { threads, chains: with } if with == chains => Some((threads, Arc::clone(states))),
            _ => None,
        });
        reached.next()
    }

    /// Posts a fact. Two engines that post the same fact post the same states.
    pub fn post(&self, key: Key, states: States) {
        self.posted.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::new(states));
    }

    /// Lets everybody read what was posted.
    pub fn publish(&mut self) {
        let posted = std::mem::take(&mut *self.posted.lock().unwrap_or_else(PoisonError::into_inner));
        self.known.extend(posted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_posted_is_read_in_the_next_round() {
        let mut facts = Facts::default();
        let key = |threads| Key::Reach { threads, chains: true };
        facts.post(key(2), States::default());
        facts.post(key(3), States { rows: vec![Box::new([0])], ..States::default() });
        facts.post(Key::Closure { width: 2, chains: true }, States::default());
        assert_eq!((facts.get(key(2)), facts.most_reached(true).is_some()), (None, false));
        facts.publish();
        assert_eq!(facts.get(key(2)).as_deref(), Some(&States::default()));
        assert_eq!(facts.most_reached(true).map(|it| (it.0, it.1.rows.len())), Some((3, 1)));
        assert!(facts.most_reached(false).is_none());
    }
}
