//! The engine `counter`: symbolic counter abstraction with broadcasts (Basler, Mazzucchi, Wahl, Kroening:
//! *Context-aware counter abstraction*, FMSD 2010, and CAV 2009; broadcasts after Donaldson, Kaiser,
//! Kroening, Wahl, CAV 2011).
//!
//! What differs from the papers: images are split by the corrected rule, on the new values; counters are
//! updated without counting a thread twice; broadcasts are applied to whole groups after splitting what they
//! read of the active thread, instead of expanding counters into threads; the reduction is the corrected one
//! ([`crate::independence`]); errors are looked for whenever a state is stored, no matter who caused them;
//! and merged states remember what they were made of, so that traces are concrete runs.

mod broadcast;
mod certify;
mod cover;
mod deal;
mod formulas;
mod group;
mod program;
mod search;
mod settings;
mod splice;
mod start;
mod statistics;
mod store;
#[cfg(test)]
mod tests;
mod threads;
mod trace;

use crate::bounded;
use crate::command::{self, Commands};
use crate::engine::no_c;
use crate::engine::{Cx, Engine};
use base::{Setting, Stop};
use ir::{Model, Reason, ReasonKind, Task, Verdict};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counter;

/// More variables than this would need decision diagrams deeper than the stack.
const MOST_VARIABLES: usize = 20_000;

impl Engine for Counter {
    fn name(&self) -> &'static str {
        "counter"
    }

    fn about(&self) -> &'static str {
        "at most N threads, and bugs with any number: counter abstraction over sets of local states"
    }

    fn paper(&self) -> &'static str {
        "Basler, Mazzucchi, Wahl, Kroening: Context-aware counter abstraction, FMSD 2010"
    }

    fn settings(&self) -> &'static [Setting] {
        settings::SETTINGS
    }

    fn accepts(&self, task: &Task) -> Result<(), Reason> {
        let unsupported = |message: &str| Err(Reason::new(ReasonKind::Unsupported, message));
        match &task.model {
            Model::Program(program) if program.shared().len() + program.locals().len() > MOST_VARIABLES => {
                unsupported("the program has too many variables for decision diagrams")
            }
            Model::Program(program) => command::require_flat(program),
            Model::C(_) => Err(no_c()),
            Model::Net(_) => unsupported(
                "`counter` works on sets of variable valuations, and a net has none: use `explicit`",
            ),
        }
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        let options = settings::CounterOptions::new(cx.settings);
        let statistics = statistics::Statistics::default();
        let mut work = statistics::CounterWork { budget: cx.budget, events: &mut *cx.events, statistics };
        let refused = |reason| Ok(Verdict::Unknown(ir::Why::Because(reason)));
        let Model::Program(program) = &task.model else {
            return refused(Reason::new(ReasonKind::Unsupported, "`counter` takes no nets"));
        };
        let commands = match Commands::new(program) {
            Ok(commands) => commands,
            Err(reason) => return refused(reason),
        };
        let verdict =
            program::CounterPrograms::new(program, commands, options, &mut work).and_then(|mut programs| {
                bounded::answer(&mut programs, task.scope.threads, options.most_threads, &mut work)
            });
        work.statistics.emit(work.events);
        verdict
    }
}
