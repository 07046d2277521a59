//! Passes on normalised C. Each takes a program and gives a new one, the way back for traces, and a
//! correspondence with which `check::c::passes` verifies that every error of the old program is one of the
//! new: nothing here is trusted.

mod absorb;
mod constants;
mod fold;
mod inline;
mod lift;
mod live;
mod promote;
mod rebuild;
mod retarget;
mod suffix;
mod unroll;

pub use lift::SteppedLift;

use crate::prepare::{INLINE, LIVE, switch};
use base::{Budget, Setting, Stop};
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

/// A pass, and when it is run.
#[derive(Clone, Copy, Debug)]
pub struct CPass {
    /// Whether it is run; its name is that of the pass.
    pub switch: Setting,
    /// The pass.
    pub run: Pass,
    /// Whether steps that cannot fail are dropped, which must not be where undefined behaviour, data races,
    /// deadlocks or leaks are asked about.
    pub drops: bool,
    /// Whether it is run only once it is known which steps are dropped: what it does depends on what follows.
    pub waits: bool,
    /// The same pass with at most this many turns of a loop, if it unrolls loops.
    pub unrolls: Option<Unrolling>,
}

/// A pass that unrolls loops up to a number of turns.
pub type Unrolling = fn(&Program, u32, &Budget) -> Result<Option<Passed>, Stop>;

impl CPass {
    /// Runs it, with at most this many turns of a loop.
    pub fn apply(&self, program: &Program, turns: u32, budget: &Budget) -> Result<Option<Passed>, Stop> {
        match self.unrolls {
            Some(unroll) => unroll(program, turns, budget),
            None => (self.run)(program, budget),
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.switch.name.strip_prefix("passes.").unwrap_or(self.switch.name)
    }
}

const fn row(switch: Setting, run: Pass) -> CPass {
    CPass { switch, run, drops: false, waits: false, unrolls: None }
}

/// Rounds of passes: one makes work for others. Each inlines the calls of procedures that call nobody.
pub const ROUNDS: usize = 8;

/// All passes, in the order in which they are run.
pub const PASSES: &[CPass] = &[
    CPass { drops: true, ..row(SUFFIX, suffix::pass) },
    row(INLINE, inline::pass),
    row(RETARGET, retarget::pass),
    row(FOLD, fold::pass),
    row(PROMOTE, promote::pass),
    row(LIVE, live::pass),
    row(ABSORB, absorb::pass),
    CPass { waits: true, unrolls: Some(unroll::unroll), ..row(UNROLL, unroll::pass) },
];

/// The options that passes on C alone have.
pub(crate) const SUFFIX: Setting =
    switch("passes.suffix", "stop threads where nothing that matters follows", "");
pub(crate) const RETARGET: Setting =
    switch("passes.retarget", "give results of steps where they are wanted", "");
pub(crate) const FOLD: Setting = switch("passes.fold", "compute what registers are known to hold", "");
pub(crate) const PROMOTE: Setting =
    switch("passes.promote", "keep objects in registers whose address nobody takes", "");
pub(crate) const ABSORB: Setting =
    switch("passes.absorb", "make values that one step reads a part of it", "");
pub(crate) const UNROLL: Setting = switch("passes.unroll", "unroll loops over threads that are joined", "");
