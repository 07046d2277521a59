//! The adequacy game as a certificate: linear interfaces of up to k+1 rounds, and how Adam answers in k
//! rounds whatever Eve declares in k+1. Shared states are numbered; an interface is the local state in which
//! a thread ends, and the numbers of its inputs and outputs.

use super::{Bits, ThreadView};

/// A shared state between turns.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Share {
    /// The shared values.
    pub values: Bits,
    /// A thread was created and has not begun yet: what it may be, as indices into [`Game::threads`] in
    /// order; nothing if there is none.
    pub message: Vec<usize>,
    /// How many fixed threads besides the first have not begun yet, for each template that has such threads;
    /// nothing if any number of them is there from the start.
    pub sleeping: Vec<u32>,
}

/// Where a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stand {
    /// A thread, by its index into [`Game::threads`].
    At(usize),
    /// Not begun: it may take a message.
    Dormant,
    /// Ended.
    Ended,
}

/// Inputs and outputs of some rounds, as indices into [`Game::shares`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Rounds {
    /// What the threads start their turns with.
    pub ins: Vec<usize>,
    /// What they leave.
    pub outs: Vec<usize>,
}

/// What one thread does in some rounds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Interface {
    /// Whether it is the first thread: one of the first template that has a fixed number of threads.
    pub first: bool,
    /// Where it ends.
    pub stand: Stand,
    /// Its inputs and outputs.
    pub rounds: Rounds,
}

/// The proof.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Game {
    /// The threads that occur.
    pub threads: Vec<ThreadView>,
    /// Adam's rounds; Eve has one more.
    pub rounds: u32,
    /// The shared states that occur.
    pub shares: Vec<Share>,
    /// Of every length up to Eve's.
    pub interfaces: Vec<Interface>,
    /// What blocks to the right of a thread are wanted: one input more than outputs.
    pub wants: Vec<Rounds>,
    /// The blocks of threads at the ends of rounds, of every length up to Adam's.
    pub rights: Vec<Rounds>,
    /// Eve's rounds so far and Adam's, where Adam has matched all threads.
    pub matched: Vec<(Rounds, Rounds)>,
    /// Eve's rounds so far where she can never make a run of them.
    pub alone: Vec<Rounds>,
}
