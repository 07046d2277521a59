//! Proofs about C programs: by predicates, and by all states.

use c::text::print;
use c::{Options, Program};
use relation::proof::{self, PairPredicate, Proof};
use relation::{Order, Relation};
use std::sync::Arc;

/// An invariant over predicates about one and two threads. It proves safety for any number of them.
#[derive(Clone, Debug)]
pub struct Predicates {
    /// The program as guarded commands.
    pub relation: Arc<Relation>,
    /// The invariant.
    pub proof: Arc<Proof>,
    /// The attempts before the last, for people: neither written nor checked.
    pub refinements: usize,
}

/// Two are equal if they are written alike.
impl PartialEq for Predicates {
    fn eq(&self, other: &Predicates) -> bool {
        proof::write(&self.relation, &self.proof) == proof::write(&other.relation, &other.proof)
    }
}

impl Eq for Predicates {}

impl Predicates {
    /// How many threads it looks at together.
    pub fn width(&self) -> usize {
        if self.proof.doubles.is_some() { 2 } else { 1 }
    }

    /// The number of predicates, relations between two threads included.
    pub fn count(&self) -> usize {
        self.proof.predicates.len() + self.relations().count()
    }

    /// The relations between two threads, without those that are others with the threads exchanged.
    pub fn relations(&self) -> impl Iterator<Item = &PairPredicate> {
        let pairs = &self.proof.pairs;
        let exchanged = |a: &PairPredicate, b: &PairPredicate| (a.left, a.right) == (b.right, b.left);
        pairs
            .iter()
            .enumerate()
            .filter(move |(at, it)| !pairs[..*at].iter().any(|other| exchanged(other, it)))
            .map(|it| it.1)
    }
}

/// An order of what threads wait for, and an invariant in which none of them waits against it: then there is
/// no deadlock, with any number of threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitOrder {
    /// The order.
    pub order: Order,
    /// The invariant, of the program in which waiting against the order cannot be followed.
    pub invariant: Predicates,
}

/// All states of a program, which are not kept: going through them again is no more work than seeing that a
/// list of them is closed. How many threads are alive in them is what the certificate claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct States {
    /// Which program they are of.
    pub program: Fingerprint,
    /// How many there are.
    pub states: u64,
}

/// Tells programs and options apart, so that a proof about another one is refused at once and in these words.
/// Nobody relies on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    /// The number of locations.
    pub locations: usize,
    /// FNV-1a of 64 bits over the program's text and its options.
    pub digest: u64,
}

impl Fingerprint {
    /// That of a program.
    pub fn of(program: &Program, options: &Options) -> Fingerprint {
        // What is asked of states is only told where something is: fingerprints are kept in files.
        let states = options.judges_states().then_some([options.races as u8, options.deadlocks as u8]);
        let leaks = options.leaks.matter().then_some(options.leaks as u8);
        // All faults are 1: that was the one way to ask about them.
        let faults = match (options.faults.memory, options.faults.other) {
            (false, false) => 0,
            (true, true) => 1,
            (true, false) => 2,
            (false, true) => 3,
        };
        let options = [faults, u8::from(options.spurious_wakeups)];
        let options = options.into_iter().chain(states.into_iter().flatten()).chain(leaks);
        let text = print(program);
        let digest = text.bytes().chain(options).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Fingerprint { locations: program.locations().len(), digest }
    }
}
