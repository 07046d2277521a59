//! The states of the closure: of one thread, and of two threads, as predicate bits. Each state of two threads
//! is kept from both sides, side by side, and indexed so that partners with the same shared bits are found
//! without a search.

use crate::pairs::basis::Basis;
use relation::ControlId;
use rustc_hash::FxHashMap;

/// The state of one thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Single {
    /// Where it stands.
    pub control: ControlId,
    /// The bits of the shared predicates.
    pub shared: u64,
    /// The bits of its own predicates.
    pub local: u64,
}

/// The state of two different threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair {
    /// Where they stand.
    pub control: [ControlId; 2],
    /// The bits of the shared predicates.
    pub shared: u64,
    /// The bits of their own predicates.
    pub local: [u64; 2],
    /// The bits of the relations between them.
    pub relations: u64,
}

impl Pair {
    /// The state of one of them.
    pub fn single(&self, at: usize) -> Single {
        Single { control: self.control[at], shared: self.shared, local: self.local[at] }
    }

    /// The same two threads in the other order.
    pub fn mirror(&self, basis: &Basis) -> Pair {
        Pair {
            control: [self.control[1], self.control[0]],
            shared: self.shared,
            local: [self.local[1], self.local[0]],
            relations: basis.mirror(self.relations),
        }
    }
}

/// How a state came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It is the first one.
    Start,
    /// By a command of the thread in this state of one thread: itself, or its child.
    Own {
        /// The number of the command.
        command: usize,
        /// The state before.
        before: usize,
        /// Whether this is (about) the child.
        child: bool,
    },
    /// By a command of the first thread in this state of two threads.
    Pair {
        /// The number of the command.
        command: usize,
        /// The state before, with the active thread first.
        before: usize,
        /// What this is about.
        about: About,
    },
    /// By a command of a third thread.
    Third {
        /// The number of the command.
        command: usize,
        /// The state before of the two threads.
        before: usize,
    },
    /// By a command of another thread (states of one thread only).
    Environment {
        /// The number of the command.
        command: usize,
        /// The state before of this thread.
        before: usize,
        /// The state before of the other.
        other: usize,
    },
}

/// Which of the threads of a step a state is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// The active one, alone or with the passive one.
    Active,
    /// The passive one.
    Passive,
    /// The child and the active one.
    ActiveChild,
    /// The child and the passive one.
    PassiveChild,
}

/// All states found so far, in the order in which they were found.
#[derive(Default)]
pub struct States {
    /// Of one thread.
    pub singles: Vec<Single>,
    /// How they came about.
    pub single_causes: Vec<Cause>,
    single_index: FxHashMap<Single, usize>,
    /// Of two threads: number 2e is state e, 2e + 1 the same from the other side.
    pub pairs: Vec<Pair>,
    /// How state e came about.
    pub pair_causes: Vec<Cause>,
    pair_index: FxHashMap<Pair, usize>,
    by_first: FxHashMap<Single, Vec<usize>>,
    by_both: FxHashMap<(Single, ControlId, u64), Vec<Related>>,
    by_shared: FxHashMap<u64, Vec<usize>>,
}

/// The relations of two threads, and the number of the state they are in.
#[derive(Clone, Copy, Debug)]
pub struct Related {
    /// The bits.
    pub relations: u64,
    /// The number of the state of two threads, halved.
    pub edge: usize,
}

impl States {
    /// Adds a state of one thread, if it is new.
    pub fn add_single(&mut self, single: Single, cause: Cause) {
        let number = self.singles.len();
        if *self.single_index.entry(single).or_insert(number) == number {
            self.singles.push(single);
            self.single_causes.push(cause);
            self.by_shared.entry(single.shared).or_default().push(number);
        }
    }

    /// Adds a state of two threads, if it is new.
    pub fn add_pair(&mut self, basis: &Basis, pair: Pair, cause: Cause) {
        if self.pair_index.contains_key(&pair) {
            return;
        }
        let edge = self.pair_causes.len();
        self.pair_causes.push(cause);
        let mirror = pair.mirror(basis);
        for (side, state) in [pair, mirror].into_iter().enumerate() {
            self.pairs.push(state);
            if side == 1 && mirror == pair {
                continue;
            }
            let number = 2 * edge + side;
            self.pair_index.insert(state, number);
            self.by_first.entry(state.single(0)).or_default().push(number);
            let key = (state.single(0), state.control[1], state.local[1]);
            self.by_both.entry(key).or_default().push(Related { relations: state.relations, edge });
        }
    }

    /// Whether state e looks the same from both sides.
    pub fn is_symmetric(&self, edge: usize) -> bool {
        self.pairs[2 * edge] == self.pairs[2 * edge + 1]
    }

    /// The numbers of the states of two threads whose first is in this state.
    pub fn with_first(&self, first: &Single) -> &[usize] {
        self.by_first.get(first).map_or(&[], Vec::as_slice)
    }

    /// How two threads in these states, which agree on the shared bits, may be related.
    pub fn between(&self, first: Single, second: Single) -> &[Related] {
        self.by_both.get(&(first, second.control, second.local)).map_or(&[], Vec::as_slice)
    }

    /// The numbers of the states of one thread with these shared bits.
    pub fn with_shared(&self, shared: u64) -> &[usize] {
        self.by_shared.get(&shared).map_or(&[], Vec::as_slice)
    }

    /// The number of a state of one thread.
    pub fn number(&self, single: &Single) -> Option<usize> {
        self.single_index.get(single).copied()
    }
}
