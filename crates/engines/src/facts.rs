//! What engines learn that others can use. An engine posts here and reads here; it never calls another
//! engine. Facts speak of states in words that mean the same to all: the rows in which programs and nets are
//! stored, not the numbers that one engine gave them.
//!
//! What is posted in a round of the portfolio can be read in the next one, after [`Facts::publish`], so that
//! no answer depends on who was faster.

use crate::engine::Engine;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// Which closure: all of it, with an error in it. A closure without an error is an answer, and is not posted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ClosureKey {
    /// The width.
    pub width: usize,
    /// Whether invisible transitions are merged.
    pub merged: bool,
}

type Known = BTreeMap<ClosureKey, Arc<States>>;

/// A condition that the user names, such as `count > before`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The condition.
    pub text: String,
    /// Where it was written, for messages.
    pub place: String,
}

/// What is known beside the task before anybody works on it.
#[derive(Clone, Default)]
pub struct Given {
    /// Conditions to begin with.
    pub conditions: Vec<Condition>,
    /// The engines for what an engine translates its task to; none: all of them.
    pub engines: Vec<&'static dyn Engine>,
    /// Whether no other engine is put the same question.
    pub is_alone: bool,
    /// The most memory that a program of the system may take, in bytes.
    pub memory: Option<u64>,
}

/// Facts about the task at hand.
#[derive(Default)]
pub struct Facts {
    /// What is known before anybody works.
    pub given: Given,
    known: Mutex<Known>,
    posted: Mutex<Known>,
}

impl Facts {
    /// Nothing is known but this.
    pub fn with(given: Given) -> Facts {
        Facts { given, ..Facts::default() }
    }

    /// What was posted in an earlier round.
    pub(crate) fn get(&self, key: ClosureKey) -> Option<Arc<States>> {
        lock(&self.known).get(&key).cloned()
    }

    /// Posts a fact. Two engines that post the same fact post the same states.
    pub(crate) fn post(&self, key: ClosureKey, states: States) {
        lock(&self.posted).insert(key, Arc::new(states));
    }

    /// Lets everybody read what was posted.
    pub fn publish(&self) {
        let posted = std::mem::take(&mut *lock(&self.posted));
        lock(&self.known).extend(posted);
    }
}

/// A panic elsewhere leaves whole values behind.
fn lock(states: &Mutex<Known>) -> MutexGuard<'_, Known> {
    states.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_posted_is_read_in_the_next_round() {
        let facts = Facts::default();
        let key = ClosureKey { width: 2, merged: true };
        facts.post(key, States::default());
        assert_eq!(facts.get(key), None);
        facts.publish();
        assert_eq!(facts.get(key).as_deref(), Some(&States::default()));
        assert_eq!(facts.get(ClosureKey { merged: false, ..key }), None);
    }
}
