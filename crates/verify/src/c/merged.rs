//! The program that an engine works on: with steps merged (Lipton's reduction) where that is wanted, and the
//! way back. Whatever is told or checked is about the program as it was read.

use ::c::{Loc, Machine, Program, Step, Trace};
use base::{Budget, Settings, Stop};
use ir::c::Model;
use passes::movers::{MOVERS, Merged, merge};

/// The program for one engine.
pub struct Prepared<'a> {
    original: &'a Program,
    merged: Option<Merged>,
}

impl<'a> Prepared<'a> {
    /// A program as an engine takes it; `merges` says whether merging steps that commute pays for that one
    /// (`docs/performance.md` says why), if it may be done at all.
    pub fn new(
        original: &'a Program,
        settings: &Settings,
        merges: Option<bool>,
        budget: &Budget,
    ) -> Result<Prepared<'a>, Stop> {
        let wanted = merges.is_some_and(|pays| match settings.word(&MOVERS) {
            "on" => true,
            "off" => false,
            _ => pays,
        });
        let merged = if wanted { merge(original, budget)? } else { None };
        Ok(Prepared { original, merged })
    }

    /// Whether steps are merged in it.
    pub fn is_merged(&self) -> bool {
        self.merged.is_some()
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.merged.as_ref().map_or(self.original, |merged| &merged.program)
    }

    /// The trace of the program as it was read that takes these steps of this one, the last of which must
    /// fail.
    pub fn trace(&self, model: &Model, threads: Option<u32>, steps: Vec<Step>) -> Result<Trace, String> {
        trace_of(model, threads, &self.steps(steps))
    }

    /// The same run of the program without merged steps.
    pub fn steps(&self, steps: Vec<Step>) -> Vec<Step> {
        let own = self.merged.as_ref().map(|merged| merged.steps(&steps));
        own.unwrap_or(steps)
    }

    /// The location of the program as it was read.
    pub fn location(&self, loc: Loc) -> Option<Loc> {
        self.merged.as_ref().map_or(Some(loc), |merged| merged.origin(loc))
    }
}

/// The trace that takes these steps, the last of which must fail.
pub fn trace_of(model: &Model, threads: Option<u32>, steps: &[Step]) -> Result<Trace, String> {
    if let Some(step) = steps.iter().find(|step| model.program.locations().get(step.at).is_none()) {
        return Err(format!("the program has no location {:?}", step.at));
    }
    let machine = Machine::new(&model.program, model.options(threads));
    machine.record(steps).map_err(|why| format!("step {}: {}", why.at + 1, why.why))
}
