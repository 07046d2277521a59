//! Threads and tokens that an error does not need are taken out of its trace: a search may have started as
//! many as the bound allows, and a fixed point finds some number of threads, not the least.

use base::Id;
use ir::bp::{Machine, Op, Program, State, ThreadId};
use ir::net::{self, Net};
use ir::trace::{NetTrace, ProgramTrace};
use std::collections::BTreeSet;

/// The trace without starting threads that it can do without. They are tried together first, then in halves:
/// mostly all that never step can go at once.
pub fn drop_threads(program: &Program, trace: ProgramTrace) -> ProgramTrace {
    let busy: BTreeSet<ThreadId> = trace.steps.iter().map(|step| step.thread).collect();
    let (busy, idle): (Vec<_>, Vec<_>) = starters(&trace).into_iter().partition(|it| busy.contains(it));
    let mut parts = vec![busy, idle];
    let mut best = trace;
    while let Some(mut part) = parts.pop() {
        if let Some(fewer) = without(program, &best, &part) {
            best = fewer;
        } else if part.len() > 1 {
            let rest = part.split_off(part.len() / 2);
            parts.extend([rest, part]);
        }
    }
    best
}

/// Where the trace ends with at most `bound` threads alive, if it is a run of the program.
pub fn end(program: &Program, trace: &ProgramTrace, bound: Option<u32>) -> Option<State> {
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

fn without(program: &Program, trace: &ProgramTrace, threads: &[ThreadId]) -> Option<ProgramTrace> {
    let threads: BTreeSet<&ThreadId> = threads.iter().collect();
    let goes = |thread: &ThreadId| threads.contains(thread);
    let creates = |at| matches!(program.at(at).op, Op::Start(_));
    let needed = |step: &ir::bp::Step| goes(&step.thread) && creates(step.at);
    if goes(&trace.failure.thread) || trace.steps.iter().any(needed) {
        return None;
    }
    let mut fewer = trace.clone();
    fewer.start.threads.retain(|thread, _| !goes(thread));
    fewer.steps.retain(|step| !goes(&step.thread));
    for step in &mut fewer.steps {
        step.births.retain(|birth| !goes(&birth.thread));
        step.passive.retain(|passive| !goes(&passive.thread));
    }
    let failure = Machine::new(program, None).failure(&end(program, &fewer, None)?)?;
    Some(ProgramTrace { failure, ..fewer })
}

/// The trace without the tokens that it does not need, worked out backwards from the target. A rule that
/// moves or tests all tokens of a place leaves the trace as it is.
pub fn drop_tokens(net: &Net, trace: NetTrace) -> NetTrace {
    let rules = || trace.steps.iter().map(|step| &net.rules()[step.rule]);
    if !rules().all(|rule| rule.moves.is_empty() && rule.tests.is_empty()) {
        return trace;
    }
    let machine = net::Machine::new(net, None);
    let replay = |start: &net::Marking| {
        let last = trace.steps.iter().try_fold(start.clone(), |it, step| machine.apply(&it, step));
        last.is_ok_and(|last| machine.at_target(&last)) && machine.starts_in(start)
    };
    let fewest = net.targets().iter().filter_map(|target| {
        let mut tokens = vec![0u32; net.places().len()];
        target.places.iter().for_each(|&(place, it)| tokens[place.index()] = it.least);
        for rule in rules().rev() {
            rule.make.iter().for_each(|&(place, n)| {
                tokens[place.index()] = tokens[place.index()].saturating_sub(n);
            });
            rule.take.iter().for_each(|&(place, n)| {
                tokens[place.index()] = tokens[place.index()].saturating_add(n);
            });
        }
        for (tokens, interval) in tokens.iter_mut().zip(&net.start().tokens) {
            *tokens = (*tokens).max(interval.least);
        }
        let start = net::Marking { shared: trace.start.shared, tokens };
        replay(&start).then_some(start)
    });
    let start = fewest.min_by_key(net::Marking::total).unwrap_or_else(|| trace.start.clone());
    NetTrace { start, steps: trace.steps }
}
