//! The bit-level engine: the program becomes a Boolean program, bit by bit, and the engines for those are
//! asked about it. Their traces are carried back and replayed on the C program; their proofs are as good as
//! the translation, so they are told as checked only if the C program has a proof of its own: by all of its
//! states, or by predicates that are the bits of its variables.

use super::{Prepared, model, no_leaks};
use crate::answer::{Outcome, inside};
use crate::judge::states;
use crate::plan::Plan;
use crate::predicates::bits;
use ::c::{Fault, Place, Program, Races, Region};
use base::{Budget, Event, Progress, Setting, Stop};
use check::c::states::explore;
use engines::{Cx, Engine};
use ir::c::Model;
use ir::trace::ProgramTrace;
use ir::{Certificate, Reason, ReasonKind, Scope, Task, Verdict, Why};
use passes::lower::{self, Armed, Lowered, NotLifted, Problem};
use relation::NoRelation;
use std::sync::Arc;

/// The engine.
pub struct Exact;

impl Engine for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn about(&self) -> &'static str {
        "makes a Boolean program of it, bit by bit, and asks the engines"
    }

    fn paper(&self) -> &'static str {
        ""
    }

    fn settings(&self) -> &'static [Setting] {
        &[]
    }

    fn accepts(&self, task: &Task) -> Result<(), Reason> {
        subject(task).map(|_| ())
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        match subject(task) {
            Ok(model) => Ok(answer(model, task.scope, cx)?.unwrap_or_else(|it| because(placed(model, it)))),
            Err(reason) => Ok(because(reason)),
        }
    }
}

/// The C program of a task about steps, and about races, which [`lower::arm`] makes steps of.
fn subject(task: &Task) -> Result<&Arc<Model>, Reason> {
    let model = model(task)?;
    if model.machine.leaks.matter() {
        return Err(no_leaks());
    }
    if model.machine.deadlocks.matter() {
        return Err(Reason::new(ReasonKind::Unsupported, "it does not look for deadlocks"));
    }
    Ok(model)
}

fn because(reason: Reason) -> Verdict {
    Verdict::Unknown(Why::Because(reason))
}

/// A thread stops at a pointer without target, and nothing behind it is looked at. Where no checker has gone
/// through the states, nobody knows whether the proof is about more than such threads.
const STOPS: &str = "a proof without a certificate, and threads may stop at pointers that lead nowhere";

/// Whether no proof can have a certificate, so that beside others, which find the same errors, the work is
/// not worth its share.
fn is_idle(model: &Model, scope: Scope, cx: &Cx<'_>) -> Result<bool, Stop> {
    if cx.facts.given.is_alone || !follows_pointers(&model.program) {
        return Ok(false);
    }
    match model.relation(cx.budget) {
        Err(NoRelation::Unsupported(_)) => Ok(listed(model, scope, cx.budget)?.is_none()),
        Err(NoRelation::Stopped(stop)) => Err(stop),
        Ok(_) => Ok(false),
    }
}

/// The verdict, or why there is none.
fn answer(model: &Model, scope: Scope, cx: &mut Cx<'_>) -> Result<Result<Verdict, Reason>, Stop> {
    if is_idle(model, scope, cx)? {
        return Ok(Err(Reason::new(ReasonKind::Unsupported, STOPS)));
    }
    cx.events.emit(Event::Progress(Progress::Lowering));
    let armed = match armed(model, cx.budget) {
        Ok(armed) => armed,
        Err(problem) => return not_made(problem),
    };
    let machine = ::c::Options { races: Races::Ignored, ..model.machine };
    let options = lower::Options { machine, ..lower::Options::default() };
    let program = armed.as_ref().map_or(&model.program, |armed| &armed.program);
    let prepared = Prepared::new(program, cx.settings, Some(true), cx.budget)?;
    let lowered = match lower::lower(prepared.program(), &options, cx.budget) {
        Ok(lowered) => lowered,
        Err(problem) => return not_made(problem),
    };
    if !can_fail(&lowered.program) {
        return safe(model, scope, &lowered, "no step of the Boolean program can fail", cx);
    }
    let inner = Task::new(ir::Model::Program(Arc::new(lowered.program.clone())), scope);
    let found = inside(&inner, &plan(cx), cx.budget, cx.events);
    // The engines were asked on this budget: where it has ended, so has this one.
    cx.budget.spend(0)?;
    if let Some(engine) = found.engine {
        cx.events.emit(Event::FoundBy(engine));
    }
    match found.outcome {
        Outcome::Safe { scope: proved, proof } => {
            let why = match proof.is_confirmed() {
                true => "that of the Boolean program is confirmed, its translation is not",
                false => "that of the Boolean program is unchecked",
            };
            safe(model, proved, &lowered, why, cx)
        }
        Outcome::Unsafe { trace: ir::Trace::Program(trace), .. } => {
            let lowering = Lowering { armed: armed.as_ref(), prepared: &prepared, lowered: &lowered };
            Ok(carried_back(model, scope, &lowering, &trace))
        }
        Outcome::Unsafe { .. } => {
            Ok(Err(Reason::new(ReasonKind::Fault, "a program has a trace of something else")))
        }
        Outcome::Unknown(reason) => Ok(Err(reason)),
    }
}

/// Whether an assertion is left: where locks keep all accesses apart that threads could race with, none is.
fn can_fail(program: &ir::bp::Program) -> bool {
    program.locations().ids().any(|loc| matches!(program.at(loc).op, ir::bp::Op::Assert(_)))
}

/// A proof, with a certificate about the C program if there is one; otherwise why there is none.
fn safe(
    model: &Model,
    scope: Scope,
    lowered: &Lowered,
    why: &'static str,
    cx: &mut Cx<'_>,
) -> Result<Result<Verdict, Reason>, Stop> {
    let certificate = certified(model, scope, lowered, cx.budget)?;
    if certificate.is_none() && follows_pointers(&model.program) {
        return Ok(Err(Reason::new(ReasonKind::Unsupported, STOPS)));
    }
    if certificate.is_none() {
        cx.events.emit(Event::NoCertificate(why));
    }
    Ok(Ok(Verdict::Safe { scope, certificate }))
}

/// The program whose assertions fail where threads race, if that is asked.
fn armed(model: &Model, budget: &Budget) -> Result<Option<Armed>, Problem> {
    let races = model.machine.races;
    races.matter().then(|| lower::arm(&model.program, races.with_ends(), budget)).transpose()
}

/// Why there is no Boolean program.
fn not_made(problem: Problem) -> Result<Result<Verdict, Reason>, Stop> {
    match problem {
        Problem::Stop(stop) => Err(stop),
        Problem::Unsupported(what) => {
            let reason = Reason::new(ReasonKind::Unsupported, what.construct);
            Ok(Err(Reason { span: what.span, ..reason }))
        }
    }
}

/// A reason with its place: what the engines came to may be a step that was refused.
fn placed(model: &Model, reason: Reason) -> Reason {
    let is_unsupported = reason.kind == ReasonKind::Unsupported;
    let refused = model.refused.iter().find(|it| is_unsupported && it.construct == reason.message);
    Reason { span: reason.span.or_else(|| refused?.span), ..reason }
}

/// A certificate about the C program: by its states, if they are few, or by predicates.
fn certified(
    model: &Model,
    scope: Scope,
    lowered: &Lowered,
    budget: &Budget,
) -> Result<Option<Certificate>, Stop> {
    match listed(model, scope, budget)? {
        Some(certificate) => Ok(Some(certificate)),
        None => bits::certificate(model, lowered, budget),
    }
}

/// A certificate by the states of the C program, if they are few.
fn listed(model: &Model, scope: Scope, budget: &Budget) -> Result<Option<Certificate>, Stop> {
    let part = budget.part(states::TICKS * states::FEW);
    match explore(&model.program, model.options(scope.threads.limit()), states::FEW, &part) {
        Ok(certificate) => Ok(Some(certificate)),
        // Only this part of the budget may be at its end.
        Err(_) => budget.spend(0).map(|()| None),
    }
}

/// Whether memory is accessed through pointers.
fn follows_pointers(program: &Program) -> bool {
    program.locations().ids().any(|loc| {
        let effects = program.effects(loc);
        let far = |region| matches!(region, Region::Scalar { place, .. } if is_far(&place));
        let stated = |fault: &Fault| matches!(fault, Fault::Stated(_));
        effects.accesses.iter().any(|it| far(it.region)) || effects.faults.iter().any(stated)
    })
}

fn is_far(place: &Place) -> bool {
    !matches!(place, Place::Object { .. })
}

/// With all engines asked, `simulate` is second: Boolean programs of C have many bits, for which formulas are
/// better than lists and diagrams, and a round ends with the first that settles the question.
fn plan(cx: &Cx<'_>) -> Plan {
    let all = crate::plan::engines();
    let named = &cx.facts.given.engines;
    let mut engines = if named.is_empty() { all.to_vec() } else { named.clone() };
    if engines.len() == all.len() {
        engines.sort_by_key(|engine| match engine.name() {
            "explicit" => 0,
            "simulate" => 1,
            _ => 2,
        });
    }
    Plan { settings: cx.settings.clone(), seed: cx.seed, ..Plan::of(engines) }
}

/// A C program and the Boolean program that was made of it.
struct Lowering<'a> {
    armed: Option<&'a Armed>,
    prepared: &'a Prepared<'a>,
    lowered: &'a Lowered,
}

/// A run of the Boolean program as one of the C program, if it is one.
fn carried_back(
    model: &Model,
    scope: Scope,
    made: &Lowering<'_>,
    trace: &ProgramTrace,
) -> Result<Verdict, Reason> {
    let trace = made.lowered.trace(made.prepared.program(), trace).map_err(|why| match why {
        NotLifted::Broken(why) => {
            Reason::new(ReasonKind::Fault, format!("a trace could not be carried back: {why}"))
        }
        NotLifted::Unsupported(why) => Reason::new(ReasonKind::Unsupported, why),
        NotLifted::Spurious(why) => {
            let message = format!("spurious counterexample: {why}");
            Reason::new(ReasonKind::Refinement, message)
        }
    })?;
    // The bound on threads has another meaning for C: a creation beyond it waits.
    let threads = scope.threads.limit();
    let spurious = |message: String| Reason::new(ReasonKind::Refinement, message);
    let found = match made.armed {
        Some(armed) => armed
            .trace(&made.prepared.steps(trace.bare()), model.options(threads))
            .map_err(|why| spurious(format!("spurious counterexample: {why}"))),
        None => made.prepared.trace(model, threads, trace.bare()).map_err(|why| {
            spurious(format!(
                "an error of the Boolean program needs more threads than were asked about: {why}"
            ))
        }),
    };
    found.map(|trace| Verdict::Unsafe(ir::Trace::C(trace)))
}
