//! Takes threads out of a trace that the error does not need. The fixed point finds some number of threads, not the least: a thread
//! may have run only because it was there.

use ir::bp::{Machine, Op, Program, State, ThreadId};
use ir::trace::ProgramTrace;

/// The trace without starting threads that it can do without, tried one after the other.
pub fn thin(program: &Program, trace: ProgramTrace) -> ProgramTrace {
    let mut best = trace;
    for thread in starters(&best) {
        if let Some(shorter) = without(program, &best, thread) {
            best = shorter;
        }
    }
    best
}

/// The trace with at most `bound` threads alive, if it is one.
pub fn within(program: &Program, trace: &ProgramTrace, bound: Option<u32>) -> Option<State> {
    let machine = Machine::new(program, bound);
    machine.starts_in(&trace.start).ok()?;
    trace.steps.iter().try_fold(trace.start.clone(), |state, step| machine.apply(&state, step).ok())
}

/// The threads that the program starts with.
fn starters(trace: &ProgramTrace) -> Vec<ThreadId> {
    if !trace.start.initialising {
        return trace.start.threads.keys().copied().collect();
    }
    let ends =
        trace.steps.iter().find(|step| trace.start.threads.contains_key(&step.thread) && step.to.is_none());
    ends.map_or(vec![], |step| step.births.iter().map(|birth| birth.thread).collect())
}

fn without(program: &Program, trace: &ProgramTrace, thread: ThreadId) -> Option<ProgramTrace> {
    let mut shorter = trace.clone();
    shorter.start.threads.remove(&thread);
    let creates = |at| matches!(program.at(at).op, Op::Start(_));
    if trace.failure.thread == thread
        || trace.steps.iter().any(|step| step.thread == thread && creates(step.at))
    {
        return None;
    }
    shorter.steps.retain(|step| step.thread != thread);
    for step in &mut shorter.steps {
        step.births.retain(|birth| birth.thread != thread);
    }
    let end = within(program, &shorter, None)?;
    let failure = Machine::new(program, None).failure(&end)?;
    Some(ProgramTrace { failure, ..shorter })
}
