//! Passes on normalised C. Each takes a program and gives a new one, the way back for traces, and a
//! correspondence with which `check::c::passes` verifies that every error of the old program is one of the
//! new: nothing here is trusted.

mod absorb;
mod inline;
mod lift;
mod live;
mod promote;
mod rebuild;
mod suffix;

pub use lift::SteppedLift;

use base::{Budget, Stop};
use c::{Correspondence, Program};

/// What a pass made.
#[derive(Clone, Debug)]
pub struct Passed {
    /// The new program.
    pub program: Program,
    /// The way back for traces.
    pub lift: SteppedLift,
    /// Why no error is lost.
    pub correspondence: Correspondence,
}

/// A pass: `None` if there is nothing to do.
pub type Pass = fn(&Program, &Budget) -> Result<Option<Passed>, Stop>;

/// All passes by name, in the order in which they are run.
pub const PASSES: &[(&str, Pass)] = &[
    ("suffix", suffix::pass),
    ("inline", inline::pass),
    ("promote", promote::pass),
    ("live", live::pass),
    ("absorb", absorb::pass),
];
