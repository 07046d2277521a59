//! The engine on a program, for one number of threads after the other.

use super::broadcast::Broadcasts;
use super::certify;
use super::formulas;
use super::search::{self, CounterExploration, CounterPlan};
use super::settings::CounterOptions;
use super::splice;
use super::statistics::{CounterWork, Statistics};
use super::store::How;
use super::threads::SymbolicThreads;
use super::trace;
use crate::bounded::{self, Attempt, Bounded, Sizes};
use crate::certificate::Proof;
use crate::command::Commands;
use crate::encoding;
use crate::independence::Independence;
use base::{Event, Events, Progress, Stop};
use ir::certificate::Body;
use ir::{Program, Trace};

/// This many variables are named when the order is reported.
const MOST_NAMES: usize = 200;

/// A program and what is known of its threads.
pub struct CounterPrograms<'p> {
    program: &'p Program,
    commands: Commands,
    options: CounterOptions,
    threads: SymbolicThreads<'p>,
    broadcasts: Broadcasts,
    independence: Option<Independence>,
}

impl<'p> CounterPrograms<'p> {
    /// A flat program with its commands, encoded.
    pub fn new(
        program: &'p Program,
        commands: Commands,
        options: CounterOptions,
        work: &mut CounterWork<'_>,
    ) -> Result<Self, Stop> {
        let encoding = encoding::EncodingPlan { copies: 0, members: 0, limits: options.limits() };
        let mut threads = SymbolicThreads::new(
            program,
            commands.clone(),
            encoding,
            options.merges_transitions,
            work.budget,
        )?;
        threads.collects_always = options.collects_always;
        let order = threads.encoding.space.order().iter().take(MOST_NAMES);
        let names = order.map(|&var| program.name(var).to_string()).collect();
        work.emit(Event::Progress(Progress::VariableOrder(names)));
        splice::count(program, &commands, &mut work.statistics);
        let independence =
            options.reduction.then(|| Independence::new(program, |loc| threads.is_merged(loc)));
        Ok(Self { program, commands, options, threads, broadcasts: Broadcasts::default(), independence })
    }

    fn plan(&self, bound: u32) -> CounterPlan {
        let sizes = Sizes { bound, exact: bounded::exact_is_enough(self.program) };
        let bytes = self.options.bytes;
        let how = How { merging: self.options.merging, subsumption: self.options.subsumption };
        CounterPlan { sizes, how, bytes, most_states: usize::MAX }
    }

    fn search(&mut self, bound: u32, work: &mut CounterWork<'_>) -> Result<CounterExploration, Stop> {
        let plan = self.plan(bound);
        let independence = self.independence.as_ref();
        let found = search::search(&mut self.threads, &mut self.broadcasts, independence, plan, work);
        self.threads.forget();
        found
    }
}

impl Bounded<Statistics> for CounterPrograms<'_> {
    fn fewest(&self) -> u32 {
        bounded::fewest(self.program)
    }

    fn attempt(&mut self, bound: u32, bounded: bool, work: &mut CounterWork<'_>) -> Result<Attempt, Stop> {
        let unbounded_start = bounded::is_unbounded(self.program) || self.fewest() > bound;
        let found = self.search(bound, work)?;
        if found.error.is_none() {
            return Ok(Attempt::Safe { refused: found.refused || unbounded_start });
        }
        let trace = trace::trace(&mut self.threads, &mut self.broadcasts, &found, bounded, work)?;
        self.threads.forget();
        Ok(trace.map_or(Attempt::Blocked, |trace| Attempt::Unsafe(Trace::Program(trace))))
    }

    fn certificate(&mut self, bound: u32, work: &mut CounterWork<'_>) -> Result<Option<Proof>, Stop> {
        let (states, pieces) = (self.options.certificate_states, self.options.certificate_pieces);
        if states == 0 && pieces == 0 {
            return Ok(None);
        }
        // All starts, all steps, every state: the search itself may have left out some of each.
        let encoding = encoding::EncodingPlan { copies: 0, members: 0, limits: self.options.limits() };
        let budget = work.budget;
        let mut threads = SymbolicThreads::new(self.program, self.commands.clone(), encoding, false, budget)?;
        let plan = CounterPlan {
            sizes: Sizes { bound, exact: false },
            how: How { merging: true, subsumption: true },
            bytes: self.options.bytes,
            most_states: states.max(pieces),
        };
        let mut quiet = CounterWork { budget, events: &mut *work.events, statistics: Default::default() };
        let found = search::search(&mut threads, &mut Broadcasts::default(), None, plan, &mut quiet)?;
        if found.too_many {
            return Ok(None);
        }
        assert!(found.error.is_none(), "a search without reduction finds no more errors than one with it");
        if let Some((view, reached)) =
            certify::reached(&threads.encoding, &found.store, bound, states, budget)?
        {
            work.statistics.certificate_states = reached.states.len() as u64;
            return Ok(Some(Proof { view, body: Body::Reached(reached) }));
        }
        let symbolic = formulas::symbolic(&threads.encoding, &found.store, bound, pieces, budget)?;
        let Some((view, symbolic)) = symbolic else { return Ok(None) };
        work.statistics.certificate_pieces = symbolic.pieces.len() as u64;
        Ok(Some(Proof { view, body: Body::Symbolic(symbolic) }))
    }
}
