//! One number of threads after the other, until there is an answer. The scope of the answer is that of `explicit`.

use super::search::{Search, Work};
use super::settings::Options;
use super::start::{self, Sizes};
use super::trace;
use crate::command::Commands;
use base::{Event, Stop};
use ir::bp::{Machine, Program};
use ir::{Bound, Reason, ReasonKind, Scope, Trace, Verdict, Why};

/// What is known after a search with at most so many threads.
enum Attempt {
    /// No error; whether the bound mattered.
    Safe { refused: bool },
    /// An error.
    Unsafe(Trace),
    /// An error under the bound that is none without it: the threads that the bound refused would stand in its way.
    Blocked,
}

/// A program to be answered for.
pub struct Simulation<'p> {
    /// The program.
    pub program: &'p Program,
    /// Its commands.
    pub commands: &'p Commands,
    /// How to search.
    pub options: Options,
    /// Where simulation patterns start.
    pub seed: u64,
}

impl Simulation<'_> {
    /// Answers a question about at most so many threads, or about any number by trying 1, 2, 3, ….
    pub fn answer(&self, asked: Bound, work: &mut Work<'_>) -> Result<Verdict, Stop> {
        let Bound::AtMost(bound) = asked else { return self.grow(work) };
        Ok(match self.attempt(bound, true, work)? {
            Attempt::Safe { refused } => safe(bound, refused),
            Attempt::Unsafe(trace) => Verdict::Unsafe(trace),
            Attempt::Blocked => unreachable!("a bounded run has no thread that the bound refused"),
        })
    }

    fn attempt(&self, bound: u32, bounded: bool, work: &mut Work<'_>) -> Result<Attempt, Stop> {
        let sizes = Sizes { bound, exact: start::exact_is_enough(self.program) };
        let parts = (self.program, self.commands);
        let mut search = Search::new(parts, sizes, self.options, self.seed, work.budget)?;
        search.run(work)?;
        let Some(error) = search.error else {
            let unbounded = start::is_unbounded(self.program) || start::fewest(self.program) > bound;
            return Ok(Attempt::Safe { refused: search.simulator.refused || unbounded });
        };
        let machine = Machine::new(self.program, bounded.then_some(bound));
        let trace = trace::trace(&mut search, error, (machine, bounded), work)?;
        Ok(trace.map_or(Attempt::Blocked, |trace| Attempt::Unsafe(Trace::Program(trace))))
    }

    fn grow(&self, work: &mut Work<'_>) -> Result<Verdict, Stop> {
        let (mut proved, mut blocked) = (None, false);
        // With fewer threads than it starts with the program has no run.
        for bound in start::fewest(self.program).max(1)..=self.options.most_threads {
            match self.attempt(bound, false, work)? {
                Attempt::Unsafe(trace) => return Ok(Verdict::Unsafe(trace)),
                Attempt::Safe { refused: false } => return Ok(safe(bound, false)),
                Attempt::Safe { refused: true } if !blocked => {
                    work.events.emit(Event::SafeUpToThreads(bound));
                    proved = Some(bound);
                }
                Attempt::Safe { refused: true } => {}
                Attempt::Blocked => blocked = true,
            }
        }
        let because = |kind, message: String| Why::Because(Reason::new(kind, message));
        Ok(Verdict::Unknown(match proved {
            Some(bound) => Why::OutOfScope(Scope::threads(bound)),
            None if blocked => {
                because(ReasonKind::NonMonotone, "the errors found under a bound are none without it".into())
            }
            None => because(
                ReasonKind::Bound,
                format!("the program starts with more than {} threads", self.options.most_threads),
            ),
        }))
    }
}

fn safe(bound: u32, refused: bool) -> Verdict {
    let scope = if refused { Scope::threads(bound) } else { Scope::ANY };
    Verdict::Safe { scope, certificate: None }
}
