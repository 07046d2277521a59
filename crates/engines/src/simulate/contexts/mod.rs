//! Errors within few rounds, by one question to a SAT solver: the threads take turns in a fixed order, in
//! each turn a thread walks a few times through its code in the order of control and may stop before each
//! visible statement, and the question is whether any of this meets an error (Inverso et al., *Bounded Model
//! Checking of Multi-threaded C Programs via Lazy Sequentialization*, CAV 2014). There is one copy of the
//! data for the whole run, changed statement by statement, so that the formula grows with rounds × threads ×
//! statements, however many schedules there are. With much data, where listing valuations or drawing them is
//! hopeless, that finds errors that are many steps deep.
//!
//! What differs from the paper: loops are not unrolled in the program, a walk goes over the code as it is and
//! a thread that has jumped back waits for the next walk; threads are created as they are met; and nothing is
//! said about what lies beyond the bounds, so that there is no answer but an error.

mod order;
mod replay;
mod unroll;

use super::bounded::Simulation;
use super::oracle::Oracle;
use super::search::SimulateWork;
use crate::bounded::{Sizes, exact_is_enough, fewest};
use crate::command::Commands;
use base::{Event, Progress, Stop};
use ir::bp::Program;
use ir::trace::ProgramTrace;
use ir::{Bound, Trace};
use unroll::Unrolling;

/// How far a question reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Extent {
    threads: u32,
    rounds: u32,
    /// Walks through the code in each turn.
    walks: u32,
}

/// The questions, the small ones first.
const EXTENTS: [Extent; 6] = [
    Extent { threads: 2, rounds: 2, walks: 2 },
    Extent { threads: 3, rounds: 3, walks: 2 },
    Extent { threads: 3, rounds: 3, walks: 3 },
    Extent { threads: 3, rounds: 4, walks: 4 },
    Extent { threads: 4, rounds: 4, walks: 4 },
    Extent { threads: 4, rounds: 6, walks: 5 },
];

/// What was asked so far.
pub struct Contexts {
    /// The questions that are not answered.
    open: Vec<Extent>,
    /// Which of them comes next.
    next: usize,
}

impl Contexts {
    /// Nothing was asked yet. Programs that this search cannot deal with have no questions: those with
    /// `init`, or with statements that concern passive threads, of which nobody knows where they stand.
    pub fn new(program: &Program, commands: &Commands, requested: Bound) -> Self {
        let most = match requested {
            Bound::AtMost(most) => most,
            Bound::Any => u32::MAX,
        };
        let first = fewest(program);
        let mut open: Vec<Extent> = vec![];
        for extent in EXTENTS {
            let extent = Extent { threads: extent.threads.max(first).min(most), ..extent };
            if is_supported(program, commands) && first <= most && !open.contains(&extent) {
                open.push(extent);
            }
        }
        Contexts { open, next: 0 }
    }

    /// Whether there is nothing more to ask.
    pub fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    /// Asks as long as the budget lasts; a question that it does not last for comes again after the others.
    pub fn search(
        &mut self,
        simulation: &Simulation<'_>,
        requested: Bound,
        work: &mut SimulateWork<'_>,
    ) -> Result<Option<Trace>, Stop> {
        let bound = match requested {
            Bound::AtMost(most) => Some(most),
            Bound::Any => None,
        };
        while !self.open.is_empty() {
            self.next %= self.open.len();
            let Extent { threads, rounds, walks } = self.open[self.next];
            work.events.emit(Event::Progress(Progress::Schedules { rounds, threads, walks }));
            let found = ask(simulation, self.open[self.next], bound, work);
            match found {
                Err(Stop::Ticks) => self.next += 1,
                Ok(None) => drop(self.open.remove(self.next)),
                _ => {}
            }
            if let Some(trace) = found? {
                return Ok(Some(Trace::Program(trace)));
            }
        }
        Ok(None)
    }
}

fn is_supported(program: &Program, commands: &Commands) -> bool {
    let concerns = |loc| commands.at(loc).iter().any(|it| it.asks.is_some() || !it.broadcast.is_empty());
    program.start().init.is_none() && !program.locations().ids().any(concerns)
}

/// An error within an extent, from any start.
fn ask(
    simulation: &Simulation<'_>,
    extent: Extent,
    bound: Option<u32>,
    work: &mut SimulateWork<'_>,
) -> Result<Option<ProgramTrace>, Stop> {
    let sizes = Sizes { bound: extent.threads, exact: exact_is_enough(simulation.program) };
    let mut index = 0;
    loop {
        let Some(mut unrolling) = Unrolling::new(simulation, sizes, index, work.budget)? else {
            return Ok(None);
        };
        for _ in 0..extent.rounds {
            unrolling.round(extent.walks, work.budget)?;
        }
        work.statistics.unrolled = work.statistics.unrolled.max(unrolling.size() as u64);
        let mut oracle = Oracle::default();
        let wanted = [unrolling.error];
        let model = oracle.model(unrolling.aig(), &wanted, &mut work.statistics, work.budget)?;
        if let Some(model) = model {
            return Ok(Some(replay::trace(&unrolling, &model, bound, work.budget)?));
        }
        index += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::SimulateOptions;
    use super::super::statistics::Statistics;
    use super::*;
    use base::{Budget, NoEvents, Settings};
    use ir::bp::{Machine, State};
    use std::collections::HashSet;
    use testing::bp::{Profile, program};

    /// An error with at most this many threads that the questions find; `None` where they cannot be asked.
    fn found(program: &Program, bound: u32) -> Option<Option<ProgramTrace>> {
        let commands = Commands::new(program).ok()?;
        let mut contexts = Contexts::new(program, &commands, Bound::AtMost(bound));
        if contexts.is_done() {
            return None;
        }
        let options = SimulateOptions::new(&Settings::default());
        let simulation = Simulation { program, commands: &commands, options, seed: 0 };
        let (budget, statistics) = (Budget::unlimited(), Statistics::default());
        let mut work = SimulateWork { budget: &budget, events: &mut NoEvents, statistics };
        // The larger questions say no more about programs that are as small as these.
        contexts.open.truncate(2);
        let found = contexts.search(&simulation, Bound::AtMost(bound), &mut work).expect("nothing stops it");
        Some(found.map(|trace| match trace {
            Trace::Program(trace) => trace,
            _ => unreachable!("the model is a program"),
        }))
    }

    /// Whether the reference semantics meets an error; `None` if there are too many states.
    fn fails(program: &Program, bound: u32) -> Option<bool> {
        let machine = Machine::new(program, Some(bound));
        let mut work = machine.starts();
        let mut seen: HashSet<State> = work.iter().map(State::canonical).collect();
        while let Some(state) = work.pop() {
            if machine.failure(&state).is_some() {
                return Some(true);
            }
            if seen.len() > 1500 {
                return None;
            }
            for &thread in state.threads.keys() {
                let after = machine.steps(&state, thread).into_iter().map(|it| it.1.canonical());
                work.extend(after.filter(|after| seen.insert(after.clone())));
            }
        }
        Some(false)
    }

    #[test]
    fn errors_are_those_of_the_reference_semantics() {
        let (mut safe, mut missed, mut errors) = (0, 0, 0);
        for (profile, first) in [(Profile::ALL, 0), (Profile::SPAWNING, 1000)] {
            for seed in first..first + 150 {
                let program = program(seed, &profile);
                let bound = fewest(&program).max(1 + seed as u32 % 3);
                let (Some(found), Some(truth)) = (found(&program, bound), fails(&program, bound)) else {
                    continue;
                };
                // Each step of a trace was made by the reference semantics.
                assert!(found.is_none() || truth, "seed {seed}: no error is there");
                match (truth, found) {
                    (false, _) => safe += 1,
                    (true, None) => missed += 1,
                    (true, Some(trace)) => {
                        let machine = Machine::new(&program, Some(bound));
                        let end = trace.steps.iter().fold(trace.start.clone(), |state, step| {
                            machine.apply(&state, step).expect("each is a step")
                        });
                        assert_eq!(machine.failure(&end), Some(trace.failure), "seed {seed}");
                        errors += 1;
                    }
                }
            }
        }
        assert!(errors > 30 && safe > 20 && missed * 10 < errors, "{errors} {missed} {safe}");
    }
}
