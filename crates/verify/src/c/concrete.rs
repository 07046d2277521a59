//! The concrete way: its traces are replayed here, its proofs are confirmed by going through all states again, without its reductions.

use super::merged::Prepared;
use super::{Request, Way, WayResult, confirm, listing, rests};
use crate::answer::{Answer, Outcome};
use crate::judge;
use crate::progress::Best;
use base::events::NoEvents;
use base::{Budget, Events};
use engines::concrete;
use ir::c::{Loc, Op, Program, TRUTH, Trace};
use ir::{Reason, ReasonKind, Verdict, Why};
use std::collections::BTreeSet;

/// The search goes on past at most so many errors that must not be told.
const MOST_PASSED: usize = 16;

/// Asks it.
pub fn ask(request: &Request, budget: &Budget, events: &mut dyn Events) -> WayResult {
    let prepared = match Prepared::new(request, Way::Concrete, budget) {
        Ok(prepared) => prepared,
        Err(stop) => return WayResult::of(Way::Concrete, judge::undecided(Why::Stopped(stop))),
    };
    let (found, error) = searched(request, &prepared, budget, events);
    let answer = match (error, found.verdict) {
        (Some(error), _) => error,
        (None, Verdict::Safe { scope, .. }) => {
            let claimed = judge::claimed(request.scope, scope, "the states are not kept");
            listing::confirmed(request, claimed, listing::worth(budget.spent()), budget)
        }
        (None, Verdict::Unsafe(trace)) => replayed(request, &prepared, trace),
        (None, Verdict::Unknown(why)) => judge::undecided(match why {
            Why::Stopped(stop) => Why::Stopped(stop),
            Why::Suspect(trace) => Why::Suspect(trace.map(ir::Trace::C)),
            Why::OutOfScope(scope) => Why::OutOfScope(scope),
            Why::Because(reason) => Why::Because(reason),
        }),
    };
    let best = answer.best.or(Best { threads: found.best, ..Best::default() });
    let result = WayResult::of(Way::Concrete, Answer { engine: Some(Way::Concrete.name()), best, ..answer });
    let waiting = found.waiting.into_iter().filter_map(|loc| prepared.location(loc)).collect();
    WayResult { place: found.unsupported.and_then(|loc| prepared.location(loc)), waiting, ..result }
}

/// Searches, and what is to be said of the error if one was found. An error that depends on an approximation is not told, but may hide another one: the
/// search goes on as if its assertion held.
fn searched(
    request: &Request,
    prepared: &Prepared<'_>,
    budget: &Budget,
    events: &mut dyn Events,
) -> (concrete::Outcome, Option<Answer>) {
    let machine = request.source.options(request.scope.threads.limit());
    let settings = &request.plan.settings;
    let mut found = concrete::search(
        concrete::Request { program: prepared.program(), machine, settings, tolerated: None },
        budget,
        events,
    );
    let mut untold = None;
    let mut passed = BTreeSet::new();
    while let Verdict::Unsafe(trace) = &found.verdict {
        let at = trace.failure.step.at;
        let answer = replayed(request, prepared, trace.clone());
        if !matches!(&answer.outcome, Outcome::Unknown(it) if it.kind == ReasonKind::Approximation) {
            return (found, Some(answer));
        }
        untold.get_or_insert(answer);
        let goes_on = passed.insert(at) && passed.len() <= MOST_PASSED;
        match without(prepared.program(), &passed).filter(|_| goes_on) {
            Some(program) => {
                // What is safe with an error left out is not told either.
                let next = concrete::Request { program: &program, machine, settings, tolerated: None };
                found = concrete::search(next, budget, &mut NoEvents);
            }
            None => break,
        }
    }
    // With an error left out, safe up to so many threads is not true.
    if untold.is_some() {
        found.best = None;
    }
    (found, untold)
}

/// The program in which the assertions at these locations hold; `None` if something else fails there.
fn without(program: &Program, passed: &BTreeSet<Loc>) -> Option<Program> {
    let mut builder = program.edit();
    for &loc in passed {
        let cond = match program.at(loc).op {
            Op::Assert { cond, .. } => cond,
            Op::Error(_) => builder.exprs().number(TRUTH, 0),
            _ => return None,
        };
        builder.at(loc).op = Op::Assume(cond);
    }
    builder.finish().ok()
}

/// What a trace says about the program as it was read.
fn replayed(request: &Request, prepared: &Prepared<'_>, trace: Trace) -> Answer {
    let source = &request.source;
    let trace = match prepared.is_merged() {
        true => confirm::trace_of(source, trace.options.threads, &prepared.steps(trace.bare())),
        false => Ok(trace),
    };
    match trace {
        Ok(trace) => rests::answer_of(source, trace),
        Err(why) => {
            let message = format!("the trace cannot be replayed: {why}");
            Answer::unknown(Reason::new(ReasonKind::Rejected, message))
        }
    }
}
