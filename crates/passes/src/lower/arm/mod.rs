//! Data races for engines that know assertions alone: *arm and stop*. Of each two accesses that may race, one
//! is plain and outside of sections. A thread that is about to make such an access may instead write down
//! what it would access, once in a run, and stop for ever; every other thread asserts, before each access,
//! that nothing is written down that conflicts with it. The thread that stopped stands at its access, is just
//! not scheduled, and keeps its locks, so that a failing assertion is a racy state without the steps that are
//! added, and the other way round. (Flags set and cleared around each access are the usual way, and are wrong
//! unless they are cleared in the very step of the access.)
//!
//! The program is not validated: what is found in it is confirmed without it.

mod classes;
mod sites;
mod write;

use super::{Problem, Unsupported};
use crate::c::SteppedLift;
use base::Budget;
use c::{Options, Program, Step, Trace};
use classes::Classes;
use ir::Lift;
use sites::Sites;

/// The program whose assertions fail where the original one has a data race.
#[derive(Clone, Debug)]
pub struct Armed {
    /// The program.
    pub program: Program,
    /// How many pairs of accesses it asks about.
    pub pairs: usize,
    lift: SteppedLift,
}

/// Adds the assertions; `ends` says whether the end of an object's life is an access.
pub fn arm(program: &Program, ends: bool, budget: &Budget) -> Result<Armed, Problem> {
    if !program.is_flat() {
        return Err(refused(program, None, "data races of a program with recursion"));
    }
    let sites = Sites::new(program, ends, budget)?;
    let classes = Classes::new(program, &sites);
    let written = write::write(program, &sites, &classes)?;
    let lift = SteppedLift {
        old: program.clone(),
        new: written.program.clone(),
        origin: written.origin,
        fails: written.fails,
    };
    Ok(Armed { program: written.program, pairs: sites.pairs.len(), lift })
}

fn refused(program: &Program, at: Option<c::Loc>, what: &str) -> Problem {
    let span = at.and_then(|at| program.at(at).span);
    Problem::Unsupported(Unsupported { construct: what.to_string(), span })
}

impl Armed {
    /// The run of the original program to the state in which two accesses race, or to another error; the
    /// options are those under which races are errors.
    pub fn trace(&self, steps: &[Step], options: Options) -> Result<Trace, String> {
        let own = c::Options { races: c::Races::Ignored, ..options };
        let machine = c::Machine::new(&self.program, own);
        let found = machine.record(steps).map_err(|why| format!("step {}: {}", why.at + 1, why.why))?;
        self.lift.trace(Trace { options, ..found })
    }
}
