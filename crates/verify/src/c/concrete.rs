//! The concrete way: its traces are replayed here, its proofs are confirmed by going through all states again, without its reductions.

use super::merged::Prepared;
use super::{Way, WayResult, confirm, listing};
use crate::answer::{Answer, Outcome};
use crate::judge;
use crate::progress::Best;
use base::{Budget, Events};
use engines::concrete;
use ir::c::Trace;
use ir::{Reason, ReasonKind, Verdict, Why};

/// Asks it.
pub fn ask(request: &super::Request, budget: &Budget, events: &mut dyn Events) -> WayResult {
    let source = &request.source;
    let machine = source.options(request.scope.threads.limit());
    let prepared = match Prepared::new(request, Way::Concrete, budget) {
        Ok(prepared) => prepared,
        Err(stop) => return WayResult::of(Way::Concrete, judge::undecided(Why::Stopped(stop))),
    };
    let search = concrete::Request {
        program: prepared.program(),
        machine,
        settings: &request.plan.settings,
        tolerated: None,
    };
    let found = concrete::search(search, budget, events);
    let answer = match found.verdict {
        Verdict::Safe { scope, .. } => {
            let claimed = judge::claimed(request.scope, scope, "the states are not kept");
            listing::confirmed(request, claimed, listing::worth(budget.spent()), budget)
        }
        Verdict::Unsafe(trace) => match replayed(request, &prepared, trace) {
            Ok((trace, threads)) => {
                Answer::of(Outcome::Unsafe { trace: ir::Trace::C(trace), threads, run: None })
            }
            Err(why) => {
                let message = format!("the trace cannot be replayed: {why}");
                Answer::unknown(Reason::new(ReasonKind::Rejected, message))
            }
        },
        Verdict::Unknown(why) => judge::undecided(match why {
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

/// The trace of the program as it was read, replayed, and the most threads alive in it.
fn replayed(request: &super::Request, prepared: &Prepared<'_>, trace: Trace) -> Result<(Trace, u32), String> {
    let source = &request.source;
    let trace = match prepared.is_merged() {
        true => confirm::trace_of(source, trace.options.threads, &prepared.steps(trace.bare()))?,
        false => trace,
    };
    let threads = confirm::replay(source, &trace)?;
    Ok((trace, threads))
}
