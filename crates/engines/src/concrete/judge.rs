//! States that are errors themselves: two threads whose next accesses race, threads that wait for each other
//! for ever, and memory that is lost. Before each step the thread that runs is compared with all others; a
//! state that is to be stored is looked at as a whole.

use super::state::{GlobalState, TaggedStep};
use super::step::{FailingRun, Runner};
use c::machine::BEGINS_INSIDE;
use c::machine::Standing;
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
        if bad { Some(failing(run)) } else { self.leaks(run) }
    }

    /// The failure of a run that is not stored because nobody ever steps again: what was lost on the way is.
    pub(super) fn leaks_unstored(&mut self, mut run: GlobalState) -> Option<FailingRun> {
        // A state in which nothing has happened was stored before.
        if !self.machine.options().leaks.matter() || run.steps == 0 {
            return None;
        }
        self.put_back(&mut run, false);
        self.leaks(&run)
    }

    /// The failure that memory is lost, or will be if the program ends now. It ends where a thread stands
    /// that may end it, whether the others are done or not.
    fn leaks(&self, run: &GlobalState) -> Option<FailingRun> {
        if !self.machine.options().leaks.matter() {
            return None;
        }
        let threads: Vec<&Thread> = run.slots.iter().map(|slot| &slot.state.thread).collect();
        let leaks = |ends| {
            let (memory, threads, ended) = (&run.memory, &threads[..], &run.ended[..]);
            self.machine.leak_of(Standing { memory, threads, ended, ends }).is_some()
        };
        if leaks(None) {
            return Some(failing(run));
        }
        let may_step = |at: usize| (0..threads.len()).all(|other| other == at || !threads[other].section);
        let ends = |at: usize| self.machine.end(threads[at]).is_some() && may_step(at) && leaks(Some(at));
        (0..threads.len()).find(|&at| ends(at)).map(|at| {
            let mut ended = run.clone();
            let step = TaggedStep {
                tag: run.slots[at].tag,
                at: threads[at].loc(),
                choice: Choice::default(),
                created: None,
            };
            ended.log.get_or_insert_default().push(step);
            failing(&ended)
        })
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
    let first = run.slots.first().map(|slot| (slot.tag, slot.state.thread.loc()));
    // The last thread may have ended.
    let last = || steps.last().map(|step| (step.tag, step.at));
    // Nobody asks for the steps if none were recorded.
    if let Some((tag, at)) = first.or_else(last) {
        steps.push(TaggedStep { tag, at, choice: Choice::default(), created: None });
    }
    FailingRun { steps, is_state: true }
}
