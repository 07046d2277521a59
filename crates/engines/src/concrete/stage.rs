//! What a search leaves out. Later stages leave out less; the last leaves out only what is never tried.

use super::numbers::Interest;

/// The parts of choices are divided further at most so often.
const DIVISIONS: u8 = 5;

/// A stage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SearchStage {
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

impl SearchStage {
    /// The next stage.
    pub fn next(self) -> Option<SearchStage> {
        match self {
            SearchStage::Two => Some(SearchStage::Three),
            SearchStage::Three => Some(SearchStage::Few),
            SearchStage::Few => Some(SearchStage::Interesting),
            SearchStage::Interesting => Some(SearchStage::Most),
            SearchStage::Most => None,
            SearchStage::Parted(times) => (times < DIVISIONS).then_some(SearchStage::Parted(times + 1)),
        }
    }

    /// Which numbers are tried where there are too many to try all.
    pub fn interest(self) -> Interest {
        match self {
            SearchStage::Two | SearchStage::Parted(_) => Interest::Smallest(2),
            SearchStage::Three => Interest::Smallest(3),
            SearchStage::Few => Interest::Extremes,
            SearchStage::Interesting | SearchStage::Most => Interest::Constants,
        }
    }

    /// Choices with at most this many values try all of them.
    pub fn values(self, most: u128) -> u128 {
        match self {
            SearchStage::Two => most.min(2),
            SearchStage::Three => most.min(3),
            SearchStage::Few => most.min(4),
            SearchStage::Interesting | SearchStage::Parted(_) => most.min(256),
            SearchStage::Most => most,
        }
    }

    /// Choices of which the program can tell at most this many parts apart try one number of each.
    pub fn parts(self) -> usize {
        match self {
            SearchStage::Two | SearchStage::Three | SearchStage::Few => 8,
            SearchStage::Interesting | SearchStage::Most | SearchStage::Parted(_) => usize::MAX,
        }
    }

    /// How deep calls are followed.
    pub fn calls(self, most: usize) -> usize {
        match self {
            SearchStage::Two | SearchStage::Three | SearchStage::Few => most.min(40),
            SearchStage::Interesting => most.min(400),
            SearchStage::Most | SearchStage::Parted(_) => most,
        }
    }
}
