//! What a search leaves out. Later stages leave out less; the last leaves out only what is never tried.

use super::numbers::Interest;

/// The parts of choices are divided further at most so often.
const DIVISIONS: u8 = 5;

/// A stage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Two numbers, shallow calls.
    Two,
    /// Three numbers: two threads have different ones beside that of the start.
    Three,
    /// A few numbers, shallow calls.
    Few,
    /// All values of small choices, and the program's constants.
    Interesting,
    /// As much as the options say.
    Most,
    /// One number of each part of the choices that are followed, divided further again.
    Parted(u8),
}

impl Stage {
    /// The next stage.
    pub fn next(self) -> Option<Stage> {
        match self {
            Stage::Two => Some(Stage::Three),
            Stage::Three => Some(Stage::Few),
            Stage::Few => Some(Stage::Interesting),
            Stage::Interesting => Some(Stage::Most),
            Stage::Most => None,
            Stage::Parted(times) => (times < DIVISIONS).then_some(Stage::Parted(times + 1)),
        }
    }

    /// Which numbers are tried where there are too many to try all.
    pub fn interest(self) -> Interest {
        match self {
            Stage::Two | Stage::Parted(_) => Interest::Smallest(2),
            Stage::Three => Interest::Smallest(3),
            Stage::Few => Interest::Extremes,
            Stage::Interesting | Stage::Most => Interest::Constants,
        }
    }

    /// Choices with at most so many values try all of them.
    pub fn values(self, most: u128) -> u128 {
        match self {
            Stage::Two => most.min(2),
            Stage::Three => most.min(3),
            Stage::Few => most.min(4),
            Stage::Interesting | Stage::Parted(_) => most.min(256),
            Stage::Most => most,
        }
    }

    /// Choices of which the program can tell at most so many parts apart try one number of each.
    pub fn parts(self) -> usize {
        match self {
            Stage::Two | Stage::Three | Stage::Few => 8,
            Stage::Interesting | Stage::Most | Stage::Parted(_) => usize::MAX,
        }
    }

    /// How deep calls are followed.
    pub fn calls(self, most: usize) -> usize {
        match self {
            Stage::Two | Stage::Three | Stage::Few => most.min(40),
            Stage::Interesting => most.min(400),
            Stage::Most | Stage::Parted(_) => most,
        }
    }
}
