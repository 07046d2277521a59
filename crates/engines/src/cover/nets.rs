//! Nets: before the closure of pairs, which has as many tuples as there are pairs of places, the state equation is tried on the narrowest one. Most
//! nets with thousands of places that are safe are safe by it.

use super::equation::Equation;
use super::listed::{self, Parts, Proved};
use super::settings::{ACCELERATE, EQUATION, TRAPS, WIDTH};
use crate::closure::{Closure, RuleSystem, Source};
use crate::engine::Cx;
use crate::options;
use base::Stop;
use ir::{Task, Verdict};

/// The answer about a net, if the narrowest closure and the state equation have it soon.
pub fn decide_narrowly(
    task: &Task,
    system: &mut RuleSystem<'_>,
    cx: &mut Cx<'_>,
) -> Result<Option<Verdict>, Stop> {
    let is_net = matches!(system.source, Source::Net(_));
    if !is_net || !cx.settings.is_on(&EQUATION) || options::size(cx.settings, &WIDTH) < 2 {
        return Ok(None);
    }
    let closed = listed::narrow(system, cx)?;
    let mut equation = equation(system, &closed, cx)?;
    let mut basis = vec![];
    if !closed.is_safe() {
        let limit = cx.settings.number(&ACCELERATE);
        let mut parts = Parts { system, closed: &closed, equation: &mut equation };
        match listed::in_time(listed::back(task, &mut parts, &cx.budget.part(limit), cx), cx)? {
            Some(Ok(elements)) => basis = elements,
            Some(Err(verdict)) => return Ok(Some(verdict)),
            None => return Ok(None),
        }
    }
    let proved = Proved { system, closed: &closed, equation: &equation, basis: &basis };
    Ok(Some(listed::safe(cx, &mut |cx| listed::small(&proved, cx))))
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
