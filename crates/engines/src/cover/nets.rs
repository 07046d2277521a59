//! Nets: before the closure of pairs, which has as many tuples as there are pairs of places, the directed
//! search and the state equation are tried on the narrowest one. Most nets with thousands of places that are
//! safe are safe by the equation, and most errors are near once the search knows where to go.

use super::directed;
use super::equation::Equation;
use super::listed::{self, Parts, Proved};
use super::settings::{ACCELERATE, DIRECTED, EQUATION, TRAPS, WIDTH};
use crate::closure::{Closure, RuleSystem, Source};
use crate::engine::Cx;
use crate::options;
use base::Stop;
use ir::{Task, Verdict};

/// The directed search before everything else has this many ticks,
const BRIEF: u64 = 2_000;
/// and this many more for each rule.
const BRIEF_PER_RULE: u64 = 4;
/// What comes after it has `cover.accelerate` ticks once more for this many rules.
const RULES_PER_LIMIT: u64 = 128;

/// The answer about a net, if the narrowest closure and the state equation have it soon.
pub fn decide_narrowly(
    task: &Task,
    system: &mut RuleSystem<'_>,
    cx: &mut Cx<'_>,
) -> Result<Option<Verdict>, Stop> {
    let Source::Net(nets) = &system.source else { return Ok(None) };
    let brief = BRIEF + BRIEF_PER_RULE * nets.net.rules().len() as u64;
    // The closure of pairs, which comes next, takes the longer the larger the net is.
    let scale = 1 + nets.net.rules().len() as u64 / RULES_PER_LIMIT;
    let limit = cx.settings.number(&ACCELERATE).saturating_mul(scale);
    let by_equation = cx.settings.is_on(&EQUATION);
    if !by_equation && !cx.settings.is_on(&DIRECTED) || options::size(cx.settings, &WIDTH) < 2 {
        return Ok(None);
    }
    let closed = listed::narrow(system, cx)?;
    if let Some(verdict) =
        directed(task, &mut Parts { system, closed: &closed, equation: &mut None }, brief, cx)?
    {
        return Ok(Some(verdict));
    }
    if !by_equation {
        return Ok(None);
    }
    let mut equation = equation(system, &closed, cx)?;
    let mut basis = vec![];
    if !closed.is_safe() {
        let mut parts = Parts { system, closed: &closed, equation: &mut equation };
        if let Some(verdict) = directed(task, &mut parts, limit, cx)? {
            return Ok(Some(verdict));
        }
        match listed::in_time(listed::back(task, &mut parts, &cx.budget.part(limit), cx), cx)? {
            Some(Ok(elements)) => basis = elements,
            Some(Err(verdict)) => return Ok(Some(verdict)),
            None => return Ok(None),
        }
    }
    let proved = Proved { system, closed: &closed, equation: &equation, basis: &basis };
    Ok(Some(listed::safe(cx, &mut |cx| listed::small(&proved, cx))))
}

/// An error that the directed search finds within this many ticks. Targets that the equation excludes are
/// left out.
pub fn directed(
    task: &Task,
    parts: &mut Parts<'_, '_>,
    limit: u64,
    cx: &mut Cx<'_>,
) -> Result<Option<Verdict>, Stop> {
    if !cx.settings.is_on(&DIRECTED) || !matches!(parts.system.source, Source::Net(_)) {
        return Ok(None);
    }
    let all = parts.closed.goals.iter().map(|(shared, goal)| (*shared, goal.threads.clone()));
    let mut targets: Vec<_> = all.collect();
    if let Some(equation) = parts.equation {
        let mut outcome = Ok(());
        let budget = cx.budget.part(limit);
        targets.retain(|(shared, tokens)| {
            let excluded = match outcome {
                Ok(()) => equation.excludes(*shared, tokens, &budget),
                Err(_) => Ok(false),
            };
            outcome = excluded.map(drop);
            !matches!(excluded, Ok(true))
        });
        listed::in_time(outcome, cx)?;
    }
    let found = directed::search(task, parts.system, &targets, &cx.budget.part(limit), cx);
    Ok(listed::in_time(found, cx)?.flatten())
}

/// The state equation of a net, if it is wanted.
pub fn equation(
    system: &RuleSystem<'_>,
    closed: &Closure,
    cx: &mut Cx<'_>,
) -> Result<Option<Equation>, Stop> {
    let Source::Net(nets) = &system.source else { return Ok(None) };
    if closed.is_safe() || !cx.settings.is_on(&EQUATION) {
        return Ok(None);
    }
    let traps = cx.settings.is_on(&TRAPS);
    Equation::new(nets.net, &closed.tuples, traps, cx.budget).map(Some)
}
