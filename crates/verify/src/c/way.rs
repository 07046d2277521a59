//! The ways down from C to an answer.

/// A way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Way {
    /// Explores the program itself, value by value.
    Concrete,
}

impl Way {
    /// All ways, in the order in which their reasons are told.
    pub const ALL: &[Way] = &[Way::Concrete];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Way::Concrete => "concrete",
        }
    }

    /// What it does, on one line.
    pub fn about(self) -> &'static str {
        match self {
            Way::Concrete => {
                "explores the normalised program itself, value by value, with more and more threads"
            }
        }
    }

    /// The way of this name.
    pub fn named(name: &str) -> Option<Way> {
        Way::ALL.iter().copied().find(|way| way.name() == name)
    }
}
