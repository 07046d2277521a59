//! The reference semantics: what a normalised C program means. Every way down to an answer is tested against
//! it.
//!
//! [`Machine::execute`] is the one definition of a step: the effect of a thread's next step on the shared
//! part of a state, on the thread's own part, and, through [`Others`], on the other threads, with every
//! choice spelled out. What it refuses it leaves unchanged. [`Machine::apply`] is the same on whole states.

mod access;
mod accesses;
mod bytes;
mod calls;
mod leaks;
mod locks;
mod needs;
mod others;
mod reach;
mod replay;
mod step;
mod sync;
mod waits;

#[cfg(test)]
mod tests;

pub use leaks::{Leak, LeakKind, Leaks, Standing};

pub use access::Hit;
pub use accesses::{AccessMode, NextAccess, Race, RacingAccess};
pub use bytes::Span;
pub use needs::{Needs, Number, Wakes};
pub use others::{Others, Seen};
pub use replay::{BEGINS_INSIDE, Rejected, Replay};

pub use waits::{Deadlock, Party, Waiting, WaitsOn};

pub use sync::{SEM_VALUE_MAX, SERIAL, errno};

use super::evaluate::Evaluator;
use super::live::Live;
use super::program::{Loc, LocalId, ObjectId, Program, PropertyId};
use super::state::{Memory, State, Thread};
use super::types::{InstanceId, ObjectScope};
use super::value::{CellRef, Fault, Faults, ThreadId, Trouble, Value};
use base::{Budget, Id};
use others::Rest;
use std::fmt;
use std::sync::Arc;

/// What is left open by C and decided by the user.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// Which steps without meaning are errors (properties memory and undefined); at the others a thread waits
    /// for ever.
    pub faults: Faults,
    /// Whether a sleeper of a condition variable may wake without a signal.
    pub spurious_wakeups: bool,
    /// The most threads alive at once, `main` included; one more is not created, its creator waits.
    pub threads: Option<u32>,
    /// Whether a state in which two next accesses race is the error (property race).
    pub races: Races,
    /// Whether a state in which threads wait for each other for ever is the error (property deadlock).
    pub deadlocks: Deadlocks,
    /// Whether a state in which memory is lost is the error (property leak).
    pub leaks: Leaks,
}

/// Which deadlocks are errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Deadlocks {
    /// None.
    #[default]
    Ignored,
    /// All.
    All,
    /// Those of all threads that have not ended.
    Global,
}

impl Deadlocks {
    /// Whether some are.
    pub fn matter(self) -> bool {
        self != Deadlocks::Ignored
    }
}

/// Which races are errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Races {
    /// None.
    #[default]
    Ignored,
    /// All but those with the end of an object's life.
    WithoutEnds,
    /// All.
    All,
}

impl Races {
    /// Whether some are.
    pub fn matter(self) -> bool {
        self != Races::Ignored
    }

    /// Whether the end of an object's life is an access.
    pub fn with_ends(self) -> bool {
        self != Races::WithoutEnds
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            faults: Faults::NONE,
            spurious_wakeups: true,
            threads: None,
            races: Races::Ignored,
            deadlocks: Deadlocks::Ignored,
            leaks: Leaks::Ignored,
        }
    }
}

impl Options {
    /// Whether states may be errors, and not only steps.
    pub fn judges_states(self) -> bool {
        self.races.matter() || self.deadlocks.matter() || self.leaks.matter()
    }

    /// Whether it matters who was signalled: where sleepers may always wake, that is so only if somebody asks
    /// who waits for ever.
    pub fn signals_matter(self) -> bool {
        !self.spurious_wakeups || self.deadlocks.matter()
    }
}

/// The choices of one step. A step that has nothing to choose takes the default.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Choice {
    /// The number chosen, or what the undetermined cell held.
    pub value: Option<u128>,
    /// Whether it fails: the weak compare-exchange, or the wait that gives up.
    pub fails: bool,
    /// Who is woken by a signal, or told at a barrier that it is the one (`None`: the thread itself).
    pub thread: Option<ThreadId>,
    /// The freed object whose address the new object gets; otherwise a fresh one.
    pub reuses: Option<InstanceId>,
}

/// One step of a run, every choice spelled out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// Who steps.
    pub thread: ThreadId,
    /// The location of the step.
    pub at: Loc,
    /// Its choices.
    pub choice: Choice,
}

/// What a thread waits for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Blocked {
    /// Another thread's atomic section, or the program has ended.
    Section,
    /// A false assumption: for ever.
    Assumption,
    /// A step without meaning: for ever.
    Undefined(Fault),
    /// A mutex or read-write lock.
    Lock,
    /// A signal.
    Signal,
    /// The others at a barrier.
    Barrier,
    /// A semaphore.
    Semaphore,
    /// The function of `pthread_once`.
    Once,
    /// The end of a thread.
    Join,
    /// The bound on threads alive.
    ThreadBound,
}

/// What goes wrong.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FailureKind {
    /// An assertion is false, or an error call is reached.
    Property(PropertyId),
    /// With property memory or undefined: a step is undefined behaviour.
    Undefined(Fault),
    /// With property race: two next accesses race.
    Race(Race),
    /// With property deadlock: threads wait for each other for ever.
    Deadlock(Deadlock),
    /// With property leak: memory is lost.
    Leak(Leak),
}

impl FailureKind {
    /// Whether it is a step that fails; otherwise the state does.
    pub fn is_step(&self) -> bool {
        matches!(self, FailureKind::Property(_) | FailureKind::Undefined(_))
    }
}

/// Why something is not a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The thread waits.
    Blocked(Blocked),
    /// The step is the error.
    Fails(FailureKind),
    /// The step was reached, and what it does is not known: there is no answer.
    Unsupported(String),
    /// The step or its choices do not fit the state.
    Mismatch(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Blocked(Blocked::Undefined(fault)) => write!(f, "the thread waits: {fault}"),
            Refusal::Blocked(blocked) => write!(f, "the thread waits: {blocked:?}"),
            Refusal::Fails(FailureKind::Property(_)) => f.write_str("the assertion fails"),
            Refusal::Fails(FailureKind::Undefined(fault)) => write!(f, "undefined behaviour: {fault}"),
            Refusal::Fails(FailureKind::Race(_)) => f.write_str("two accesses race"),
            Refusal::Fails(FailureKind::Deadlock(_)) => f.write_str("threads wait for each other for ever"),
            Refusal::Fails(FailureKind::Leak(_)) => f.write_str("memory is lost"),
            Refusal::Unsupported(why) => f.write_str(why),
            Refusal::Mismatch(why) => f.write_str(why),
        }
    }
}

/// A thread in an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The step that fails, with its choices.
    pub step: Step,
    /// What goes wrong.
    pub kind: FailureKind,
}

/// What a step read and wrote in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Access {
    /// The cell; where none was hit as a whole, that of the first byte.
    pub cell: CellRef,
    /// How many bytes, if no cell was hit as a whole.
    pub bytes: Option<u8>,
    /// What was read.
    pub read: Option<Value>,
    /// What was written.
    pub written: Option<Value>,
}

/// What a step did, beside the changes themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Done {
    /// The one access to memory.
    pub access: Option<Access>,
    /// The thread ended, with this result; its own part of the state is void.
    pub ended: Option<Value>,
    /// The thread that was created.
    pub created: Option<ThreadId>,
    /// The caller's register that got what a procedure returned.
    pub returned: Option<LocalId>,
}

/// A program that runs under some options.
#[derive(Clone, Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    options: Options,
    evaluator: Arc<Evaluator>,
    first: Arc<calls::FirstRegisters>,
    /// Whether a thread can learn its own handle: then every thread's end is remembered.
    names_itself: bool,
    /// Which registers may still be read, where leaks are asked about.
    live: Option<Arc<Live>>,
}

impl<'p> Machine<'p> {
    /// The program under options.
    pub fn new(program: &'p Program, options: Options) -> Self {
        let names_itself =
            program.locations().iter().any(|location| matches!(location.op, super::op::Op::Me(_)));
        let evaluator = Arc::new(Evaluator::new(program));
        let first = Arc::new(calls::FirstRegisters::new(program));
        let live = options.leaks.matter().then(|| Live::new(program, &Budget::unlimited()));
        let live = live.map(|it| Arc::new(it.expect("an unlimited budget does not end")));
        Self { program, options, evaluator, first, names_itself, live }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The options.
    pub fn options(&self) -> Options {
        self.options
    }

    /// The values of expressions.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// The one state that the program starts in: `main` alone at its entry.
    pub fn start(&self) -> State {
        let mut memory = self.start_memory();
        let main = self.new_thread(&mut memory, self.program.main(), vec![], self.names_itself);
        State { memory, threads: [(0, main)].into(), ended: [].into(), next: 1 }
    }

    /// The static objects with their first values.
    pub fn start_memory(&self) -> Memory {
        let mut memory = Memory::default();
        for (id, object) in self.program.objects().enumerate() {
            let made = self.new_object(id, false);
            memory.instances.push((object.scope == ObjectScope::Static).then(|| Arc::new(made)));
        }
        memory
    }

    /// The number in a state of a static object.
    pub fn instance_of(object: ObjectId) -> InstanceId {
        InstanceId::from_index(object.index())
    }

    /// The state after a step, or why it is impossible.
    pub fn apply(&self, state: &State, step: &Step) -> Result<State, Refusal> {
        self.perform(state, step).map(|(after, _)| after)
    }

    /// The state after a step and what the step did.
    pub fn perform(&self, state: &State, step: &Step) -> Result<(State, Done), Refusal> {
        let mut after = state.clone();
        let taken = after.threads.remove(&step.thread);
        let mut thread = taken.ok_or(Refusal::Mismatch("there is no such thread"))?;
        if thread.loc() != step.at {
            return Err(Refusal::Mismatch("the thread is not at this step"));
        }
        if !self.may_step(state, step.thread) {
            return Err(Refusal::Blocked(Blocked::Section));
        }
        let mut memory = std::mem::take(&mut after.memory);
        let mut others = Rest { me: step.thread, state: &mut after };
        let done = self.execute(&mut memory, &mut thread, &mut others, step.choice)?;
        after.memory = memory;
        match done.ended {
            Some(result) if thread.joinable => {
                after.ended.insert(step.thread, result);
            }
            Some(_) => {}
            None => {
                after.threads.insert(step.thread, thread);
            }
        }
        Ok((after, done))
    }

    /// Whether no other thread keeps this one from stepping by an atomic section, and the program has not
    /// ended.
    pub fn may_step(&self, state: &State, thread: ThreadId) -> bool {
        state.threads.iter().all(|(&id, other)| !other.halted && (id == thread || !other.section))
    }

    /// The threads at their steps, and what choices each step has. Whether a choice is one that the step
    /// takes is for [`Machine::apply`] to say: blocked threads are listed too.
    pub fn enabled(&self, state: &State) -> Vec<(Step, Needs)> {
        let may_step = state.threads.iter().filter(|(id, _)| self.may_step(state, **id));
        let step = |id, thread: &Thread| Step { thread: id, at: thread.loc(), choice: Choice::default() };
        may_step.map(|(&id, thread)| (step(id, thread), self.needs(&state.memory, thread))).collect()
    }

    /// An error that is there in the state: a step that fails whatever is chosen, or with a choice that needs
    /// no number. (A failure that depends on a number chosen in the same step shows when [`Machine::apply`]
    /// is asked with that number.)
    pub fn failure(&self, state: &State) -> Option<Failure> {
        self.candidates(state, &[]).into_iter().find_map(|step| match self.apply(state, &step) {
            Err(Refusal::Fails(kind)) => Some(Failure { step, kind }),
            _ => None,
        })
    }

    /// All steps of a state with their successors, where numbers to choose are taken from `numbers` (cut to
    /// the width and kept within the bounds). With all numbers that matter, this is all there is.
    pub fn successors(&self, state: &State, numbers: &[u128]) -> Vec<(Step, State)> {
        let candidates = self.candidates(state, numbers).into_iter();
        candidates.filter_map(|step| self.apply(state, &step).ok().map(|after| (step, after))).collect()
    }

    /// Steps with choices that may fit.
    pub fn candidates(&self, state: &State, numbers: &[u128]) -> Vec<Step> {
        let mut found = vec![];
        for (step, needs) in self.enabled(state) {
            let others = state.threads.keys().copied().filter(|&id| id != step.thread);
            for choice in needs.choices(numbers, others, state.memory.freed()) {
                found.push(Step { choice, ..step });
            }
        }
        found
    }

    /// What is wrong with a state, as far as that is asked: a race, a deadlock, or a leak. The step is that
    /// of the thread that is named first; a leak names nobody, and its step is for the caller to know.
    pub fn bad_state(&self, state: &State) -> Option<Failure> {
        let step = |thread: ThreadId, at: Loc| Step { thread, at, choice: Choice::default() };
        if self.options.races.matter()
            && let Some(race) = self.race(state)
        {
            let first = race.accesses[0];
            return Some(Failure { step: step(first.thread, first.at), kind: FailureKind::Race(race) });
        }
        let deadlock = self.options.deadlocks.matter().then(|| self.deadlock(state)).flatten();
        if let Some(deadlock) = deadlock
            && let Some(first) = deadlock.waits.first()
        {
            let step = step(first.thread, first.at);
            return Some(Failure { step, kind: FailureKind::Deadlock(deadlock) });
        }
        let leak = self.leak(state)?;
        Some(Failure { step: step(0, leak.allocated), kind: FailureKind::Leak(leak) })
    }

    fn trouble(&self, trouble: Trouble) -> Refusal {
        match trouble {
            Trouble::Fault(fault) if self.options.faults.has(&fault) => {
                Refusal::Fails(FailureKind::Undefined(fault))
            }
            Trouble::Fault(fault) => Refusal::Blocked(Blocked::Undefined(fault)),
            Trouble::Unsupported(why) => Refusal::Unsupported(why.into()),
        }
    }
}
