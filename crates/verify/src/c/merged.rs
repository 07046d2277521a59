//! The program that a way works on: with steps merged (Lipton's reduction) where that is wanted, and the way back. Whatever is told or checked is
//! about the program as it was read.

use super::{Request, Way};
use base::{Budget, Stop};
use ir::c::{Loc, Program, Step};
use passes::movers::{MOVERS, Merged, merge};

/// The program for one way.
pub struct Prepared<'a> {
    original: &'a Program,
    merged: Option<Merged>,
}

impl<'a> Prepared<'a> {
    /// The program of a request, as this way takes it.
    pub fn new(request: &'a Request, way: Way, budget: &Budget) -> Result<Prepared<'a>, Stop> {
        let wanted = match request.plan.settings.word(&MOVERS) {
            "on" => true,
            "off" => false,
            _ => way.merges_steps(),
        };
        let original = &request.source.program;
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

    /// The steps of the program as it was read.
    pub fn steps(&self, steps: Vec<Step>) -> Vec<Step> {
        match &self.merged {
            Some(merged) => merged.steps(&steps),
            None => steps,
        }
    }

    /// The location of the program as it was read.
    pub fn location(&self, loc: Loc) -> Option<Loc> {
        match &self.merged {
            Some(merged) => merged.origin(loc),
            None => Some(loc),
        }
    }
}
