//! States that are errors themselves: two threads whose next accesses race, and threads that wait for each
//! other for ever. Before each step the thread that runs is compared with all others; a state that is to be
//! stored is looked at as a whole.

use super::state::{GlobalState, TaggedStep};
use super::step::{FailingRun, Runner};
use c::machine::BEGINS_INSIDE;
use c::{Choice, Party, Thread};

const EXTERNAL: &str = "memory that an external function may access while other threads run";
const ONCE: &str = "a deadlock of some threads that wait for `pthread_once`";

impl Runner<'_> {
    /// The failure before the next step of the thread that runs, if its next access races with that of
    /// another thread.
    pub(super) fn races_now(&mut self, run: &GlobalState) -> Option<FailingRun> {
        if !self.machine.options().races.matter() {
            return None;
        }
        let thread = &run.thread;
        let mut others = run.others().filter(|other| !other.stuck).peekable();
        others.peek()?;
        // What such a function touches is no evidence, but there is no proof either.
        if self.machine.may_access_more(thread) {
            self.limits.unsupported.get_or_insert((thread.loc(), EXTERNAL.to_string()));
        }
        let races = |other: &Thread| self.machine.conflict(&run.memory, thread, other).is_some();
        others.any(|other| races(&other.thread)).then(|| failing(run))
    }

    /// Whether the next step is one behind which races are not looked for.
    pub(super) fn is_beyond_races(&mut self, run: &GlobalState) -> bool {
        let beyond = self.machine.options().races.matter() && self.machine.begins_inside(&run.thread);
        if beyond {
            self.limits.unsupported.get_or_insert((run.thread.loc(), BEGINS_INSIDE.to_string()));
        }
        beyond
    }

    /// The failure that a state is in which no thread runs.
    pub(super) fn judged(&mut self, run: &GlobalState) -> Option<FailingRun> {
        let options = self.machine.options();
        let bad = options.races.matter() && self.has_race(run)
            || options.deadlocks.matter() && self.has_deadlock(run);
        bad.then(|| failing(run))
    }

    fn has_race(&self, run: &GlobalState) -> bool {
        let threads: Vec<&Thread> =
            run.slots.iter().filter(|slot| !slot.state.stuck).map(|slot| &slot.state.thread).collect();
        let races = |one: &Thread, other: &Thread| self.machine.conflict(&run.memory, one, other).is_some();
        (0..threads.len()).any(|at| threads[at + 1..].iter().any(|other| races(threads[at], other)))
    }

    fn has_deadlock(&mut self, run: &GlobalState) -> bool {
        let party = |slot: &super::state::ThreadSlot| slot.state.clone();
        let threads: Vec<_> = run.slots.iter().map(party).collect();
        let parties: Vec<Party<'_>> =
            threads.iter().map(|it| Party { id: it.name, thread: &it.thread, stuck: it.stuck }).collect();
        if self.machine.deadlock_of(&run.memory, &parties).is_some() {
            return true;
        }
        let once = threads
            .iter()
            .find(|it| !it.stuck && self.machine.waits_for_once(&run.memory, &it.thread))
            .map(|it| it.thread.loc());
        if let Some(loc) = once {
            self.limits.unsupported.get_or_insert((loc, ONCE.to_string()));
        }
        false
    }
}

/// The steps so far. A step that is not taken ends them: the state before it is the error.
fn failing(run: &GlobalState) -> FailingRun {
    let mut steps = run.log.clone().unwrap_or_default();
    let slot = run.slots.first().expect("a state with an error has threads");
    let at = slot.state.thread.loc();
    steps.push(TaggedStep { tag: slot.tag, at, choice: Choice::default(), created: None });
    FailingRun { steps, is_state: true }
}
