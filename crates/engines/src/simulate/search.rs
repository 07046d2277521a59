//! The search over symbolic states (Cook, Kroening and Sharygina, Fig. 1): take a state from the queue, drop
//! it if an older one covers it, look for errors, add its successors.

use super::bounded::Simulation;
use super::history::{Entered, History};
use super::live::Live;
use super::oracle::Oracle;
use super::reduction::Reducer;
use super::settings::SimulateOptions;
use super::state::{State, SymbolicStep};
use super::statistics::Statistics;
use super::step::Simulator;
use crate::bounded::Sizes;
use base::{Budget, Event, Progress, Stop};
use solve::aig::Lit;
use std::collections::VecDeque;

/// What a new state costs for each of its threads, beside what the solver does.
const TICKS_OF_A_THREAD: u64 = 4;

/// What a search works with.
pub type SimulateWork<'a> = crate::bounded::Work<'a, Statistics>;

/// A state that was kept.
pub struct Kept {
    pub state: State,
    /// What it was before it was rewritten over its state bits.
    pub original: Option<State>,
    /// The state before it and the step between them.
    pub before: Option<(usize, SymbolicStep)>,
}

/// A state with an error.
#[derive(Clone, Copy, Debug)]
pub struct Failing {
    pub state: usize,
    /// Where in it.
    pub condition: Lit,
}

/// The search.
pub struct SimulateSearch<'p> {
    /// How steps are executed.
    pub simulator: Simulator<'p>,
    /// The states kept so far.
    pub kept: Vec<Kept>,
    /// The solver.
    pub oracle: Oracle,
    /// The first error found.
    pub error: Option<Failing>,
    history: History,
    reducer: Option<Reducer>,
    options: SimulateOptions,
    queue: VecDeque<usize>,
    /// Give up after this many states.
    most: usize,
}

impl<'p> SimulateSearch<'p> {
    /// A search that has not begun.
    pub fn new(simulation: &Simulation<'p>, sizes: Sizes, budget: &Budget) -> Result<Self, Stop> {
        let Simulation { program, commands, options, .. } = *simulation;
        let mut simulator = Simulator::new(simulation, sizes, budget)?;
        let reducer = Reducer::new(options.reduction, &mut simulator, budget)?;
        let live = Live::new(program, commands, !options.live);
        Ok(Self {
            simulator,
            kept: vec![],
            oracle: Oracle::default(),
            error: None,
            history: History::new(live, options),
            reducer,
            options,
            queue: VecDeque::new(),
            most: usize::MAX,
        })
    }

    /// Explores all states, or up to the first error.
    pub fn run(&mut self, work: &mut SimulateWork<'_>) -> Result<(), Stop> {
        for start in self.simulator.starts(work.budget)? {
            if self.error.is_none() {
                self.add(start, None, work)?;
            }
        }
        while self.error.is_none() && self.kept.len() <= self.most {
            let next = if self.options.depth_first { self.queue.pop_back() } else { self.queue.pop_front() };
            let Some(index) = next else { break };
            self.expand(index, work)?;
        }
        Ok(())
    }

    /// Explores all states; false if there are more than `most`.
    pub fn complete(&mut self, most: usize, work: &mut SimulateWork<'_>) -> Result<bool, Stop> {
        self.most = most;
        self.run(work)?;
        Ok(self.error.is_none() && self.queue.is_empty())
    }

    /// The states seen.
    pub fn history(&mut self) -> &mut History {
        &mut self.history
    }

    /// What states are compared by.
    pub fn live(&self) -> &Live {
        self.history.live()
    }

    fn expand(&mut self, index: usize, work: &mut SimulateWork<'_>) -> Result<(), Stop> {
        work.budget.spend(1)?;
        let state = self.kept[index].state.clone();
        for thread in self.active_threads(&state, work)? {
            let (nodes, choices) = (self.simulator.aig.len(), self.simulator.aig.input_count());
            let successors = self.simulator.steps(&state, thread, work.budget)?;
            work.statistics.steps += successors.len() as u64;
            work.statistics.nodes += (self.simulator.aig.len() - nodes) as u64;
            work.statistics.choices += (self.simulator.aig.input_count() - choices) as u64;
            for next in successors {
                self.add(next.state, Some((index, next.via)), work)?;
                if self.error.is_some() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The threads to step from a state.
    fn active_threads(&mut self, state: &State, work: &mut SimulateWork<'_>) -> Result<Vec<usize>, Stop> {
        if let Some(thread) = state.running.or(state.inside()) {
            return Ok(vec![thread]);
        }
        if let Some(reducer) = &mut self.reducer {
            let (oracle, statistics) = (&mut self.oracle, &mut work.statistics);
            let alone = reducer.alone(&mut self.simulator, state, oracle, statistics, work.budget)?;
            if let Some(thread) = alone {
                work.statistics.alone += 1;
                work.statistics.not_expanded += state.threads.len() as u64 - 1;
                return Ok(vec![thread]);
            }
        }
        // Sorted threads with the same formulas stand side by side: one of them will do.
        let first = |&thread: &usize| {
            !self.options.symmetry || thread == 0 || state.threads[thread] != state.threads[thread - 1]
        };
        let active_threads: Vec<usize> = (0..state.threads.len()).filter(first).collect();
        work.statistics.symmetric_steps += (state.threads.len() - active_threads.len()) as u64;
        Ok(active_threads)
    }

    /// Keeps a state, unless it is empty or covered, and looks for errors in it.
    fn add(
        &mut self,
        state: State,
        before: Option<(usize, SymbolicStep)>,
        work: &mut SimulateWork<'_>,
    ) -> Result<(), Stop> {
        // It is sorted, written in canonical form and compared thread by thread.
        work.budget.spend(TICKS_OF_A_THREAD * state.threads.len() as u64)?;
        let known = before.as_ref().map_or(Lit::TRUE, |(index, _)| self.kept[*index].state.guard);
        // The state before is not empty, so neither is this one if no choice was excluded.
        if state.guard != known && !self.satisfiable(state.guard, work)? {
            work.statistics.empty += 1;
            return Ok(());
        }
        let aig = &mut self.simulator.aig;
        match self.history.enter(aig, &state, &mut work.statistics, work.budget)? {
            Entered::Covered => work.statistics.subsumed += 1,
            Entered::New(rewritten) => {
                // Before the error is looked for in the state as it was: what a rewritten one lacks is not in
                // error.
                let condition = self.failure(&state, work)?;
                self.keep(state, rewritten, before, work);
                let last = self.kept.len() - 1;
                self.error = condition.map(|condition| Failing { state: last, condition });
            }
        }
        Ok(())
    }

    fn keep(
        &mut self,
        state: State,
        rewritten: Option<State>,
        before: Option<(usize, SymbolicStep)>,
        work: &mut SimulateWork<'_>,
    ) {
        work.statistics.reparameterised += u64::from(rewritten.is_some());
        let kept = match rewritten {
            Some(rewritten) => Kept { state: rewritten, original: Some(state), before },
            None => Kept { state, original: None, before },
        };
        self.queue.push_back(self.kept.len());
        self.kept.push(kept);
        work.statistics.states += 1;
        if self.kept.len().is_multiple_of(1 << 12) {
            let (states, nodes) = (self.kept.len(), self.simulator.aig.len());
            work.events.emit(Event::Progress(Progress::SymbolicStates { states, nodes }));
        }
    }

    fn satisfiable(&mut self, lit: Lit, work: &mut SimulateWork<'_>) -> Result<bool, Stop> {
        self.oracle.satisfiable(&self.simulator.aig, lit, &mut work.statistics, work.budget)
    }

    /// Where in the set a thread is in an error: at a label, or at an assertion that fails while it may step.
    fn failure(&mut self, state: &State, work: &mut SimulateWork<'_>) -> Result<Option<Lit>, Stop> {
        let inside = state.inside();
        for (index, thread) in state.threads.iter().enumerate() {
            let error = self.simulator.program.at(thread.loc).error;
            if !error && inside.is_some_and(|it| it != index) {
                continue;
            }
            let Some(fails) = self.simulator.fails(state, index, work.budget)? else { continue };
            if error {
                return Ok(Some(fails));
            }
            let together = self.simulator.aig.and(state.guard, fails);
            if self.satisfiable(together, work)? {
                return Ok(Some(fails));
            }
        }
        Ok(None)
    }
}
