//! Where any number of threads may start, the search starts with as many as the bound allows. A trace should tell how many are needed:
//! here the threads that never do anything are taken out of it again.

use base::Id;
use ir::bp::{Count, Loc, Machine, Program, ThreadId};
use ir::net::{self, Net};
use ir::trace::{NetTrace, ProgramTrace};
use std::collections::{BTreeMap, BTreeSet};

/// The trace without the threads that never step, as far as the templates allow. The program creates no threads but those of its
/// templates, so that every thread is there at the start or comes when `init` ends.
pub fn drop_threads(program: &Program, trace: ProgramTrace) -> ProgramTrace {
    let steps = trace.steps.iter();
    let needed: BTreeSet<ThreadId> =
        steps.clone().map(|step| step.thread).chain([trace.failure.thread]).collect();
    let present = trace.start.threads.iter().map(|(&name, thread)| (name, thread.loc()));
    let births = steps.flat_map(|step| &step.births).map(|birth| (birth.thread, birth.at));
    let mut least: BTreeMap<Loc, u32> = BTreeMap::new();
    for template in &program.start().templates {
        let (Count::Exactly(n) | Count::AtLeast(n)) = template.count;
        let entry = program.procedures()[template.procedure].entry;
        *least.entry(entry).or_default() += n;
    }
    let (busy, idle): (Vec<_>, Vec<_>) = present.chain(births).partition(|(name, _)| needed.contains(name));
    let mut take = |at: Loc| match least.get_mut(&at) {
        Some(n) if *n > 0 => {
            *n -= 1;
            true
        }
        _ => false,
    };
    busy.iter().for_each(|&(_, at)| {
        take(at);
    });
    let dropped: BTreeSet<ThreadId> = idle.into_iter().filter(|&(_, at)| !take(at)).map(|it| it.0).collect();
    let fewer = without(&trace, &dropped);
    replayed(program, fewer).unwrap_or(trace)
}

fn without(trace: &ProgramTrace, dropped: &BTreeSet<ThreadId>) -> ProgramTrace {
    let mut fewer = trace.clone();
    fewer.start.threads.retain(|name, _| !dropped.contains(name));
    for step in &mut fewer.steps {
        step.births.retain(|birth| !dropped.contains(&birth.thread));
        step.passive.retain(|passive| !dropped.contains(&passive.thread));
    }
    fewer
}

fn replayed(program: &Program, trace: ProgramTrace) -> Option<ProgramTrace> {
    let machine = Machine::new(program, None);
    machine.starts_in(&trace.start).ok()?;
    let steps = trace.steps.iter();
    let last = steps.clone().try_fold(trace.start.clone(), |state, step| machine.apply(&state, step)).ok()?;
    let failure = machine.failure(&last)?;
    Some(ProgramTrace { failure, ..trace })
}

/// The trace without the tokens that it does not need, worked out backwards from the target. A rule that moves or tests all tokens of
/// a place leaves the trace as it is.
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
