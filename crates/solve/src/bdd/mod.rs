//! Binary decision diagrams with complement edges (Bryant 1986; Brace, Rudell and Bryant 1990).
//!
//! One [`Manager`] owns all nodes; a [`Bdd`] is a small copyable handle into it. Variables are levels: level
//! 0 is tested first, and the client chooses which of its variables sits at which level. The package is
//! single-threaded and deterministic: the same calls give the same nodes and the same stop at the node limit
//! on every run, which the parallel packages we measured do not promise (docs/decisions/0001-bdd-package.md).
//!
//! **Garbage.** Nothing is collected during an operation. A client calls [`Manager::collect`] when it likes
//! and names every function it still needs; [`Manager::protect`] keeps long-lived functions without naming
//! them each time. Handles that survive keep their value.
//!
//! **Depth.** Operations recurse at most once per level (twice where one operation uses another): 10 000
//! levels fit into a stack of 8 MB.

mod apply;
mod cache;
mod cubes;
mod graph;
mod manager;
mod quantify;
mod query;
mod split;
mod substitute;
mod table;
#[cfg(test)]
mod tests;

pub use cubes::Cubes;
pub use graph::{Graph, GraphNode, GraphRef, ImportError};
pub use manager::{Limits, Manager, Statistics};
pub use quantify::VarSet;
pub use split::Product;
pub use substitute::LevelMap;

use std::fmt;

/// The place of a variable in the order; level 0 is tested first.
pub type Level = u32;

/// A Boolean function, owned by the [`Manager`] that made it. Two handles of one manager are equal exactly if
/// their functions are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bdd(u32);

impl Bdd {
    /// The function that is always true.
    pub const TRUE: Bdd = Bdd(0);
    /// The function that is always false.
    pub const FALSE: Bdd = Bdd(1);

    /// The constant function of a truth value.
    pub fn constant(value: bool) -> Bdd {
        Bdd(u32::from(!value))
    }

    /// Whether this is the constant false.
    pub fn is_false(self) -> bool {
        self == Bdd::FALSE
    }

    /// Whether this is the constant true.
    pub fn is_true(self) -> bool {
        self == Bdd::TRUE
    }

    /// Whether this is one of the two constants.
    pub fn is_constant(self) -> bool {
        self.0 <= 1
    }

    #[inline]
    fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    #[inline]
    fn sign(self) -> u32 {
        self.0 & 1
    }

    #[inline]
    fn regular(self) -> Bdd {
        Bdd(self.0 & !1)
    }

    /// This function, negated if `sign` is 1.
    #[inline]
    fn signed(self, sign: u32) -> Bdd {
        Bdd(self.0 ^ sign)
    }
}

/// Negation costs nothing.
impl std::ops::Not for Bdd {
    type Output = Bdd;
    #[inline]
    fn not(self) -> Bdd {
        Bdd(self.0 ^ 1)
    }
}

impl fmt::Debug for Bdd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Bdd::TRUE => f.write_str("true"),
            Bdd::FALSE => f.write_str("false"),
            Bdd(code) => write!(f, "{}f{}", if code & 1 == 1 { "!" } else { "" }, code >> 1),
        }
    }
}
