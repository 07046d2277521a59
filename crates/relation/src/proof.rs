//! A proof that no assertion fails, with any number of threads: for each control location the predicate
//! valuations of a thread that may stand there, and for each two control locations those of two different
//! threads. It is an invariant: it holds at the start, every command keeps it, and no failing command is
//! possible in it. How it was found does not matter.

mod digest;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use digest::digest;
pub use read::{Unread, read};
pub use write::write;

use super::ControlId;
use c::expr::{Binary, ExprId, Exprs};
use c::program::LocalId;

/// A relation between two threads: `left` of the first and `right` of the second.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PairPredicate {
    /// Over the variables of the first thread and the shared ones.
    pub left: ExprId,
    /// A comparison.
    pub compare: Binary,
    /// Over the variables of the second thread and the shared ones.
    pub right: ExprId,
}

/// What a column of a table speaks of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Column {
    /// A predicate of [`Proof::predicates`], read in the first (or only) thread. Those over shared variables
    /// alone stand here too.
    First(usize),
    /// A predicate of [`Proof::predicates`], read in the second thread.
    Second(usize),
    /// A relation of [`Proof::pairs`].
    Pair(usize),
}

impl Column {
    /// The predicate that it is about, if it reads it in the first thread.
    pub fn predicate(self) -> Option<usize> {
        if let Column::First(predicate) = self { Some(predicate) } else { None }
    }
}

/// The states that are possible: those that match a row, where `None` matches both values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    /// What the columns speak of.
    pub columns: Vec<Column>,
    /// The rows, each with a value for each column.
    pub rows: Vec<Vec<Option<bool>>>,
}

/// A thread may stand here only in a state of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Single {
    /// Where it stands.
    pub control: ControlId,
    /// Its states; the columns are `First`.
    pub table: Table,
}

/// Two different threads may stand at these control locations only in a state of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Double {
    /// Where the first stands.
    pub first: ControlId,
    /// Where the second stands; not before `first` in the numbering. If both are equal the table holds in
    /// both orders.
    pub second: ControlId,
    /// Their states.
    pub table: Table,
}

/// A shared variable is, read without a sign, at least the number of threads that stand at some control
/// locations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// The variable.
    pub variable: LocalId,
    /// The control locations, in order.
    pub controls: Vec<ControlId>,
}

impl Count {
    /// How many of these places are among those that are counted.
    pub fn among(&self, places: &[ControlId]) -> u8 {
        places.iter().filter(|it| self.controls.binary_search(it).is_ok()).count() as u8
    }
}

/// The invariant.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The pool that the expressions below are in; it begins with that of the relation.
    pub exprs: Exprs,
    /// Truth values over the shared variables and those of one thread.
    pub predicates: Vec<ExprId>,
    /// Relations between two threads.
    pub pairs: Vec<PairPredicate>,
    /// Variables that count threads.
    pub counts: Vec<Count>,
    /// One for each control location where a thread may stand, in order; nobody ever stands at the others.
    pub singles: Vec<Single>,
    /// `None`: nothing is said about two threads. Otherwise one for each two control locations where two
    /// threads may stand at once, in order; no two ever stand at the others.
    pub doubles: Option<Vec<Double>>,
    /// Whether no two accesses race either.
    pub races: bool,
}
