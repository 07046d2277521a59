//! The exact way: the program becomes a Boolean program, bit by bit, and the engines are asked about that. Their traces are carried back and
//! replayed on the C program; their proofs are as good as the translation, so they are told as checked only if the C program has a
//! proof of its own: by all of its states, or by predicates that are the bits of its variables.

use super::merged::Prepared;
use super::{Request, Way, WayResult, bits, confirm, rests};
use crate::answer::{Answer, Evidence, Outcome, answer};
use crate::judge;
use crate::limits::{Limits, stop_kind};
use crate::plan::Plan;
use base::{Budget, Event, Events};
use ir::c::{Op, Place, Program};
use ir::trace::ProgramTrace;
use ir::{Model, Property, Reason, ReasonKind, Task};
use passes::lower::{self, Lowered, NotLifted, Problem};
use std::sync::Arc;

/// Asks it.
pub fn ask(request: &Request, budget: &Budget, events: &mut dyn Events) -> WayResult {
    let source = &request.source;
    events.emit(Event::Progress("makes a Boolean program".to_string()));
    let options = lower::Options { machine: source.machine, ..lower::Options::default() };
    let prepared = match Prepared::new(request, Way::Exact, budget) {
        Ok(prepared) => prepared,
        Err(stop) => return unknown(Reason::new(stop_kind(stop), stop.to_string())),
    };
    let lowered = match lower::lower(prepared.program(), &options, budget) {
        Ok(lowered) => lowered,
        Err(Problem::Stop(stop)) => {
            return unknown(Reason::new(stop_kind(stop), stop.to_string()));
        }
        Err(Problem::Unsupported(what)) => {
            let reason = Reason::new(ReasonKind::Unsupported, what.construct);
            return WayResult { span: what.span, ..unknown(reason) };
        }
    };
    let model = Model::Program(Arc::new(lowered.program.clone()));
    let task = Task { model, property: Property::NoError, scope: request.scope };
    // The clock is watched outside; what is stopped there stops here.
    let limits = Limits { time: None, stop: budget.handle().clone(), ..request.limits.clone() };
    let found = answer(&task, &ordered(&request.plan), &limits, events);
    let engine = found.engine;
    let answer = match found.outcome {
        Outcome::Safe { scope, evidence, why_unchecked, .. } => {
            let why = match evidence {
                Evidence::Confirmed => {
                    "that of the Boolean program is confirmed, its translation is not".to_string()
                }
                Evidence::Unchecked => format!(
                    "that of the Boolean program is unchecked{}",
                    why_unchecked.map(|why| format!(" ({why})")).unwrap_or_default()
                ),
            };
            let claimed = judge::claimed(request.scope, scope, &why);
            bits::confirmed(request, &lowered, claimed, budget)
        }
        Outcome::Unsafe { trace: ir::Trace::Program(trace), .. } => {
            carried_back(request, &prepared, &lowered, &trace)
        }
        Outcome::Unsafe { .. } => fault("a program has a trace of something else"),
        Outcome::Unknown(reason) => Answer::unknown(reason),
    };
    let best = answer.best.or(found.best);
    // What the engines came to may be a step that was refused.
    let span = match &answer.outcome {
        Outcome::Unknown(reason) if reason.kind == ReasonKind::Unsupported => {
            source.refused.iter().find(|it| it.construct == reason.message).and_then(|it| it.span)
        }
        _ => None,
    };
    let answer = if answer.outcome.is_unchecked() && follows_pointers(&source.program) {
        Answer::unknown(Reason::new(ReasonKind::Unsupported, STOPS))
    } else {
        answer
    };
    WayResult { span, ..WayResult::of(Way::Exact, Answer { engine, best, ..answer }) }
}

/// A thread stops at a pointer without target, and nothing behind it is looked at. Where no checker has gone through the states, nobody
/// knows whether the proof is about more than such threads.
const STOPS: &str = "a proof without a certificate, and threads may stop at pointers that lead nowhere";

/// Whether memory is accessed through pointers.
fn follows_pointers(program: &Program) -> bool {
    program.locations().iter().any(|location| match &location.op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => is_far(place),
        Op::Meaningless(_) => true,
        _ => false,
    })
}

fn is_far(place: &Place) -> bool {
    !matches!(place, Place::Object { .. })
}

/// With all engines asked, `simulate` is second: Boolean programs of C have many bits, for which formulas are better than lists and diagrams, and a round ends with the
/// first that settles the question.
fn ordered(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    let names = |list: &[&'static dyn engines::Engine]| list.iter().map(|it| it.name()).collect::<Vec<_>>();
    if names(&plan.engines) == names(crate::plan::engines()) {
        plan.engines.sort_by_key(|engine| match engine.name() {
            "explicit" => 0,
            "simulate" => 1,
            _ => 2,
        });
    }
    plan
}

fn unknown(reason: Reason) -> WayResult {
    WayResult::of(Way::Exact, Answer::unknown(reason))
}

fn fault(why: &str) -> Answer {
    Answer::unknown(Reason::new(ReasonKind::Fault, why))
}

/// A run of the Boolean program as one of the C program, if it is one.
fn carried_back(
    request: &Request,
    prepared: &Prepared<'_>,
    lowered: &Lowered,
    trace: &ProgramTrace,
) -> Answer {
    let source = &request.source;
    let trace = match lowered.trace(prepared.program(), trace) {
        Ok(trace) => trace,
        Err(NotLifted::Broken(why)) => return fault(&format!("a trace could not be carried back: {why}")),
        Err(NotLifted::Unsupported(why)) => {
            return Answer::unknown(Reason::new(ReasonKind::Unsupported, why));
        }
        Err(NotLifted::Spurious(why)) => {
            let message = format!("an error of the Boolean program is none of the C program: {why}");
            return Answer::unknown(Reason::new(ReasonKind::Refinement, message));
        }
    };
    // The bound on threads has another meaning for C: a creation beyond it waits.
    let steps = prepared.steps(trace.bare());
    let trace = match confirm::trace_of(source, request.scope.threads.limit(), &steps) {
        Ok(trace) => trace,
        Err(why) => {
            let message =
                format!("an error of the Boolean program needs more threads than were asked about: {why}");
            return Answer::unknown(Reason::new(ReasonKind::Refinement, message));
        }
    };
    rests::answer_of(source, trace)
}
