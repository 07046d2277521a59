//! The engine on a program, for one number of threads after the other. The scope of the answer is that of
//! `explicit`.

use super::certify;
use super::search::{SimulateSearch, SimulateWork};
use super::settings::SimulateOptions;
use super::statistics::Statistics;
use super::trace;
use crate::bounded::{self, Attempt, Bounded, Sizes};
use crate::certificate::Proof;
use crate::command::Commands;
use base::Stop;
use ir::Trace;
use ir::bp::Program;
use ir::certificate::Body;

/// A program to be answered for.
#[derive(Clone, Copy)]
pub struct Simulation<'p> {
    pub program: &'p Program,
    pub commands: &'p Commands,
    /// How to search.
    pub options: SimulateOptions,
    /// Where simulation patterns start.
    pub seed: u64,
}

impl Bounded<Statistics> for Simulation<'_> {
    fn fewest(&self) -> u32 {
        bounded::fewest(self.program)
    }

    fn attempt(&mut self, bound: u32, bounded: bool, work: &mut SimulateWork<'_>) -> Result<Attempt, Stop> {
        let sizes = Sizes { bound, exact: bounded::exact_is_enough(self.program) };
        let mut search = SimulateSearch::new(self, sizes, work.budget)?;
        search.run(work)?;
        let Some(error) = search.error else {
            let unbounded = bounded::is_unbounded(self.program) || bounded::fewest(self.program) > bound;
            return Ok(Attempt::Safe { refused: search.simulator.refused || unbounded });
        };
        let trace = trace::trace(&mut search, error, bounded.then_some(bound), work)?;
        Ok(trace.map_or(Attempt::Blocked, |trace| Attempt::Unsafe(Trace::Program(trace))))
    }

    fn certificate(&mut self, bound: u32, work: &mut SimulateWork<'_>) -> Result<Option<Proof>, Stop> {
        if self.options.certificate_pieces == 0 {
            return Ok(None);
        }
        let mut quiet = SimulateWork {
            budget: work.budget,
            events: &mut *work.events,
            statistics: Statistics::default(),
        };
        let Some((view, symbolic)) = certify::symbolic(self, bound, &mut quiet)? else { return Ok(None) };
        work.statistics.certificate_pieces = symbolic.pieces.len() as u64;
        Ok(Some(Proof { view, body: Body::Symbolic(symbolic) }))
    }
}
