//! What a search leaves out. Later stages leave out less; the last leaves out only what is never tried.

/// A stage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// A few numbers, shallow calls.
    Few,
    /// All values of small choices, and the program's constants.
    Interesting,
    /// As much as the options say.
    Most,
}

impl Stage {
    /// The next stage.
    pub fn next(self) -> Option<Stage> {
        match self {
            Stage::Few => Some(Stage::Interesting),
            Stage::Interesting => Some(Stage::Most),
            Stage::Most => None,
        }
    }

    /// Whether constants of the program are tried.
    pub fn constants(self) -> bool {
        self != Stage::Few
    }

    /// Choices with at most so many values try all of them.
    pub fn values(self, most: u128) -> u128 {
        match self {
            Stage::Few => most.min(4),
            Stage::Interesting => most.min(256),
            Stage::Most => most,
        }
    }

    /// How deep calls are followed.
    pub fn calls(self, most: usize) -> usize {
        match self {
            Stage::Few => most.min(40),
            Stage::Interesting => most.min(400),
            Stage::Most => most,
        }
    }
}
