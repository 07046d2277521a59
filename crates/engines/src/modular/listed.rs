//! The closure with its tuples listed one by one.

use super::diagrams;
use super::settings::{CERTIFICATE, TRANSITION_MERGING, TURN, WIDTH};
use crate::certificate::{self, Proof};
use crate::closure::{self, Closure, Mode, RuleSystem};
use crate::engine::Cx;
use crate::facts::ClosureKey;
use crate::options;
use crate::statistics;
use base::{Budget, Event, Progress, Stop};
use ir::{Certificate, Model, Scope, Task, Verdict, Why};
use std::ops::RangeInclusive;

/// A certificate is worth this many first turns of listing, and as many of drawing diagrams, before the
/// listing goes on to its end.
const TURNS: u64 = 1;

/// Closes the task for each of these widths, until one has no error.
pub fn run(
    task: &Task,
    widths: RangeInclusive<usize>,
    budget: &Budget,
    cx: &mut Cx<'_>,
) -> Result<Verdict, Stop> {
    let mut system = match closure::system(&task.model, cx.settings.is_on(&TRANSITION_MERGING)) {
        Ok(system) => system,
        Err(reason) => return Ok(Verdict::Unknown(Why::Because(reason))),
    };
    let merging = cx.settings.is_on(&TRANSITION_MERGING);
    for width in widths {
        // Only closures with an error in them are posted, and only those of flat programs, which are not
        // rewritten.
        if cx.facts.get(ClosureKey { width, merged: merging }).is_some() {
            continue;
        }
        let closed = closure::close(&mut system, Mode::until_error(width), budget, cx.events)?;
        let closed = closed.expect("there is no limit to the tuples");
        report(width, &closed, system.rule_count(), cx);
        if closed.is_safe() {
            // The answer stands without its certificate: a budget that ends meanwhile only leaves it
            // unchecked.
            let limited = budget.evidence();
            let proof = match cx.settings.is_on(&TRANSITION_MERGING) && closure::has_merging(&task.model) {
                true => certify(task, width, &limited, cx),
                false => written(&system, &closed, &limited, cx),
            };
            let proof = proof.unwrap_or(None);
            if proof.is_none() {
                cx.events.emit(Event::NoCertificate("too many tuples to list"));
            }
            return Ok(certificate::safe(Scope::ANY, proof));
        }
        cx.events.emit(Event::WidthReached(width as u32));
    }
    Ok(Verdict::Unknown(Why::Suspect(None)))
}

/// The certificate of a proof of this width: with formulas, where listing its tuples takes too long.
pub fn certify(task: &Task, width: usize, budget: &Budget, cx: &mut Cx<'_>) -> Result<Option<Proof>, Stop> {
    if most_tuples(cx) == 0 {
        return Ok(None);
    }
    let Model::Program(program) = &task.model else { return list(task, width, budget, cx) };
    let limited = || budget.part(cx.settings.number(&TURN).saturating_mul(TURNS));
    let (first, second) = (limited(), limited());
    if let Ok(Some(proof)) = list(task, width, &first, cx) {
        return Ok(Some(proof));
    }
    let most = options::size(cx.settings, &WIDTH);
    match diagrams::run(program, width..=most, &second, cx) {
        Ok(Verdict::Safe { certificate: Some(Certificate { view, body, .. }), .. }) => {
            Ok(Some(Proof { view, body }))
        }
        _ => list(task, width, budget, cx),
    }
}

/// The set closed without transition merging, which is what a checker can follow; it may be wider, because
/// more threads get between.
fn list(task: &Task, width: usize, budget: &Budget, cx: &mut Cx<'_>) -> Result<Option<Proof>, Stop> {
    let Ok(mut system) = closure::system(&task.model, false) else { return Ok(None) };
    let most = options::size(cx.settings, &WIDTH);
    for width in width..=most {
        let mode = Mode { width, stop_at_error: true, most_tuples: most_tuples(cx) };
        let Some(closed) = closure::close(&mut system, mode, budget, cx.events)? else { return Ok(None) };
        if closed.is_safe() {
            return written(&system, &closed, budget, cx);
        }
    }
    Ok(None)
}

fn most_tuples(cx: &Cx<'_>) -> usize {
    options::size(cx.settings, &CERTIFICATE)
}

/// The set as a certificate, if it is not too large.
fn written(
    system: &RuleSystem<'_>,
    closed: &Closure,
    budget: &Budget,
    cx: &Cx<'_>,
) -> Result<Option<Proof>, Stop> {
    if closed.tuples.sizes().iter().sum::<usize>() > most_tuples(cx) {
        return Ok(None);
    }
    closure::certificate(system, &closed.tuples, &[], budget).map(Some)
}

fn report(width: usize, closed: &Closure, rules: usize, cx: &mut Cx<'_>) {
    let [singles, pairs, larger] = closed.tuples.sizes();
    let tuples = singles + pairs + larger;
    cx.events.emit(Event::Progress(Progress::Closed { width, tuples }));
    let counters = [
        ("width", width as u64),
        ("thread states", singles as u64),
        ("pairs", pairs as u64),
        ("larger tuples", larger as u64),
        ("rules", rules as u64),
    ];
    statistics::emit("modular", &counters, cx.events);
}
