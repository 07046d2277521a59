//! The ways down from C to an answer.

use base::Setting;

/// A way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Way {
    /// Explores the program itself, value by value.
    Concrete,
    /// Makes a Boolean program of it, bit by bit.
    Exact,
    /// Looks for an invariant over predicates.
    Abstract,
}

impl Way {
    /// All ways, in the order in which their reasons are told.
    pub const ALL: &[Way] = &[Way::Concrete, Way::Exact, Way::Abstract];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Way::Concrete => "concrete",
            Way::Exact => "exact",
            Way::Abstract => "abstract",
        }
    }

    /// What it does, on one line.
    pub fn about(self) -> &'static str {
        match self {
            Way::Concrete => "explores the program itself, value by value, with more and more threads",
            Way::Exact => "makes a Boolean program of it, bit by bit, and asks the engines",
            Way::Abstract => {
                "looks for an invariant over predicates about one and two threads; proves, finds no errors"
            }
        }
    }

    /// Whether its proofs may come with certificates where those of others did not.
    pub fn has_certificates(self) -> bool {
        self != Way::Concrete
    }

    /// Whether merging steps that commute pays for it (`docs/performance.md` says why).
    pub fn merges_steps(self) -> bool {
        self == Way::Exact
    }

    /// Its options.
    pub fn settings(self) -> &'static [Setting] {
        match self {
            Way::Concrete => engines::concrete::SETTINGS,
            Way::Abstract => super::abstraction::SETTINGS,
            Way::Exact => &[],
        }
    }

    /// The way of this name.
    pub fn named(name: &str) -> Option<Way> {
        Way::ALL.iter().copied().find(|way| way.name() == name)
    }
}
