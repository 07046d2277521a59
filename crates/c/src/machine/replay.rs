//! From bare steps to a trace, and from a trace to the certainty that it is a run.

use super::{Done, Failure, FailureKind, Machine, Refusal, Step};
use crate::op::Op;
use crate::state::{State, Thread};
use crate::trace::{Trace, TraceStep};

/// Why races are not looked for beyond a step.
pub const BEGINS_INSIDE: &str = "a thread that is created inside an atomic section";

/// What a replay saw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// The state before each step and, last, the one in which a step fails.
    pub states: Vec<State>,
    /// The most threads alive at once.
    pub threads: u32,
}

/// Why something is no run into an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejected {
    /// The number of the step, from 0.
    pub at: usize,
    /// Why.
    pub why: String,
}

impl Machine<'_> {
    /// The trace that takes these steps, the last of which must fail.
    pub fn record(&self, steps: &[Step]) -> Result<Trace, Rejected> {
        self.run(steps, |_| {}).map(|(trace, _)| trace)
    }

    /// Replays a trace, values included.
    pub fn replay(&self, trace: &Trace) -> Result<Replay, Rejected> {
        if trace.options != self.options {
            return Err(Rejected { at: 0, why: "the trace was made under other options".into() });
        }
        let mut states = vec![];
        let (again, last) = self.run(&trace.bare(), |state| states.push(state.clone()))?;
        states.push(last);
        if let Some(at) = again.steps.iter().zip(&trace.steps).position(|(mine, theirs)| mine != theirs) {
            return Err(Rejected { at, why: "the values of the step are others".into() });
        }
        if again.failure != trace.failure {
            return Err(Rejected { at: trace.steps.len(), why: "the step fails otherwise".into() });
        }
        let threads = states.iter().map(|state| state.threads.len() as u32).max().unwrap_or(0);
        Ok(Replay { states, threads })
    }

    /// The trace of bare steps and the state in which the last one fails; `see` is shown every state before
    /// that.
    fn run(&self, steps: &[Step], mut see: impl FnMut(&State)) -> Result<(Trace, State), Rejected> {
        let mut state = self.start();
        let mut taken = vec![];
        for (at, step) in steps.iter().enumerate() {
            let is_last = at + 1 == steps.len();
            if let Some(mut failure) = is_last.then(|| self.bad_state(&state)).flatten() {
                // Nobody is about to do anything: what was done last lost it.
                if matches!(failure.kind, FailureKind::Leak(_)) {
                    failure.step = taken.last().map_or(*step, |it: &TraceStep| it.step);
                }
                return Ok((Trace { options: self.options, steps: taken, failure }, state));
            }
            let stepping = state.threads.get(&step.thread);
            if self.options.races.matter() && stepping.is_some_and(|it| self.begins_inside(it)) {
                return Err(Rejected { at, why: BEGINS_INSIDE.into() });
            }
            match self.perform(&state, step) {
                Ok((after, done)) => {
                    see(&state);
                    taken.push(self.trace_step(&after, step, done));
                    state = after;
                }
                Err(Refusal::Fails(kind)) if is_last => {
                    let failure = Failure { step: *step, kind };
                    return Ok((Trace { options: self.options, steps: taken, failure }, state));
                }
                Err(refusal) => return Err(Rejected { at, why: refusal.to_string() }),
            }
        }
        Err(Rejected { at: steps.len(), why: "the run ends without an error".into() })
    }

    /// Whether the thread's next step creates a thread inside an atomic section. The new thread has no next
    /// access before the section ends, and a state does not tell which threads are so new: races are not
    /// looked for beyond such a step.
    pub fn begins_inside(&self, thread: &Thread) -> bool {
        thread.section && matches!(self.program.at(thread.loc()).op, Op::Create { .. })
    }

    fn trace_step(&self, after: &State, step: &Step, done: Done) -> TraceStep {
        let location = self.program.at(step.at);
        let thread = after.threads.get(&step.thread);
        let written = match &location.op {
            // A call's result is written by the return, into the caller's register.
            Op::Call { .. } => vec![],
            Op::Return(_) => done.returned.into_iter().collect(),
            // The first half of a step that waits writes nothing.
            _ if thread.is_some_and(|thread| thread.wait.is_some()) => vec![],
            op => op.writes(),
        };
        let registers = thread.map_or(vec![], |thread| {
            written.into_iter().map(|local| (local, thread.get(self.program, local))).collect()
        });
        let held = thread.map_or(vec![], |thread| thread.held.clone());
        TraceStep { step: *step, access: done.access, registers, created: done.created, held }
    }
}
