//! The search of all states as an engine. An error that must not be told does not end it.

use super::{CONCRETE, Prepared, model};
use crate::undefined::Rests;
use ::c::{Loc, Op, Program, TRUTH, Trace};
use base::events::NoEvents;
use base::{Budget, Event, Events, Setting, Settings, Stop};
use engines::concrete::{self, Outcome};
use engines::{Cx, Engine};
use ir::c::Model;
use ir::{Reason, ReasonKind, Scope, Task, Verdict, Why};
use std::collections::BTreeSet;

/// The search goes on past at most so many errors that must not be told.
const MOST_PASSED: usize = 16;

/// The engine.
pub struct Concrete;

impl Engine for Concrete {
    fn name(&self) -> &'static str {
        CONCRETE
    }

    fn about(&self) -> &'static str {
        "explores the program itself, value by value, with more and more threads"
    }

    fn paper(&self) -> &'static str {
        ""
    }

    fn settings(&self) -> &'static [Setting] {
        concrete::SETTINGS
    }

    fn accepts(&self, task: &Task) -> Result<(), Reason> {
        model(task).map(|_| ())
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        let model = match model(task) {
            Ok(model) => model,
            Err(reason) => return Ok(Verdict::Unknown(Why::Because(reason))),
        };
        // Merged steps hide accesses and places where threads wait.
        let merges = (!model.machine.judges_states()).then_some(false);
        let prepared = Prepared::new(&model.program, cx.settings, merges, cx.budget)?;
        let search = Search { model, prepared: &prepared, scope: task.scope, settings: cx.settings };
        let found = search.run(cx.budget, cx.events);
        let place = |loc: Loc| model.program.at(prepared.location(loc)?).span;
        if !found.waiting.is_empty() {
            cx.events.emit(Event::Waiting(found.waiting.iter().map(|&loc| place(loc)).collect()));
        }
        Ok(match found.verdict {
            Verdict::Safe { scope, .. } => Verdict::Safe { scope, certificate: None },
            Verdict::Unsafe(trace) => match search.original(trace) {
                Ok(trace) => Verdict::Unsafe(ir::Trace::C(trace)),
                Err(why) => Verdict::Unknown(Why::Because(Reason::new(
                    ReasonKind::Rejected,
                    format!("the trace cannot be replayed: {why}"),
                ))),
            },
            Verdict::Unknown(Why::Stopped(stop)) => return Err(stop),
            Verdict::Unknown(Why::Suspect(trace)) => Verdict::Unknown(Why::Suspect(trace.map(ir::Trace::C))),
            Verdict::Unknown(Why::OutOfScope(scope)) => Verdict::Unknown(Why::OutOfScope(scope)),
            Verdict::Unknown(Why::Because(reason)) => {
                let span = found.unsupported.and_then(place).or(reason.span);
                Verdict::Unknown(Why::Because(Reason { span, ..reason }))
            }
        })
    }
}

/// A search of a program, and the way back.
struct Search<'a> {
    model: &'a Model,
    prepared: &'a Prepared<'a>,
    scope: Scope,
    settings: &'a Settings,
}

impl Search<'_> {
    fn look(&self, program: &Program, budget: &Budget, events: &mut dyn Events) -> Outcome {
        let machine = self.model.options(self.scope.threads.limit());
        let request = concrete::Request { program, machine, settings: self.settings, tolerated: None };
        concrete::search(request, budget, events)
    }

    /// Searches. An error that depends on an approximation is not told, but may hide another one: the search
    /// goes on as if its assertion held, and what it comes to then counts only if it is an error.
    fn run(&self, budget: &Budget, events: &mut dyn Events) -> Outcome {
        let first = self.look(self.prepared.program(), budget, events);
        let mut passed = BTreeSet::new();
        let mut next = self.untold(&first);
        while let Some(at) = next {
            let goes_on = passed.insert(at) && passed.len() <= MOST_PASSED;
            let Some(program) = without(self.prepared.program(), &passed).filter(|_| goes_on) else { break };
            let found = self.look(&program, budget, &mut NoEvents);
            next = self.untold(&found);
            if next.is_none() && matches!(found.verdict, Verdict::Unsafe(_)) {
                return found;
            }
        }
        first
    }

    /// Where the error is that was found, if it must not be told.
    fn untold(&self, found: &Outcome) -> Option<Loc> {
        let Verdict::Unsafe(trace) = &found.verdict else { return None };
        let original = self.original(trace.clone()).ok()?;
        let refused = Rests::of(self.model, &original).refusal(&original.failure.kind).is_some();
        refused.then_some(trace.failure.step.at)
    }

    /// A trace of the program as it was read.
    fn original(&self, trace: Trace) -> Result<Trace, String> {
        self.prepared.trace(self.model, trace.options.threads, trace.bare())
    }
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
