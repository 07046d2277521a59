//! Elements one by one: the explicit closure, the search, and their certificate.

use super::accelerate::{self, Tree};
use super::equation::Equation;
use super::search::CoverSearch;
use super::settings::{ACCELERATE, CERTIFICATE, CLOSURE_TUPLES, TRANSITION_MERGING, WIDTH};
use super::unroll::{self, Unrolled};
use super::{forward, nets, within};
use crate::certificate::{self, Proof};
use crate::closure::{self, Closure, Group, Mode, RuleSystem, words};
use crate::engine::Cx;
use crate::facts::ClosureKey;
use crate::options;
use crate::statistics;
use base::{Budget, Event, Stop};
use ir::certificate::Body;
use ir::{Reason, ReasonKind, Scope, Task, Trace, Verdict, Why};

/// Larger sets are not kept for a later round.
const MOST_POSTED: usize = 1_000_000;

/// The directed search, which comes last, has this many times more ticks than the others.
const LONG_SEARCH: u64 = 8;

/// Decides a model; `None` if `give_up` is on and the closure grows too large.
pub fn run(task: &Task, give_up: bool, cx: &mut Cx<'_>) -> Result<Option<Verdict>, Stop> {
    let merging = cx.settings.is_on(&TRANSITION_MERGING);
    let mut system = match closure::system(&task.model, merging) {
        Ok(system) => system,
        Err(reason) => return Ok(Some(Verdict::Unknown(Why::Because(reason)))),
    };
    if let Some(verdict) = nets::decide_narrowly(task, &mut system, cx)? {
        return Ok(Some(verdict));
    }
    let closed = match close(&mut system, merging, cx)? {
        Some(closed) => closed,
        None if give_up => return Ok(None),
        None => narrow(&mut system, cx)?,
    };
    let mut equation = nets::equation(&system, &closed, cx)?;
    let mut basis = vec![];
    if !closed.is_safe() {
        match decide(task, &mut Parts { system: &mut system, closed: &closed, equation: &mut equation }, cx)?
        {
            Ok(elements) => basis = elements,
            Err(verdict) => return Ok(Some(verdict)),
        }
    }
    let mut limited_to = |cx: &mut Cx<'_>| match merging && closure::has_merging(&task.model) {
        true => certify(task, cx),
        false => small(&Proved { system: &system, closed: &closed, equation: &equation, basis: &basis }, cx),
    };
    Ok(Some(safe(cx, &mut limited_to)))
}

/// The answer, with the certificate that `prove` makes.
pub fn safe(cx: &mut Cx<'_>, prove: &mut dyn FnMut(&mut Cx<'_>) -> Result<Option<Proof>, Stop>) -> Verdict {
    // The answer stands without its certificate: a budget that ends meanwhile only leaves it unchecked.
    let budget = cx.budget.evidence();
    let mut limited = Cx { budget: &budget, events: &mut *cx.events, ..*cx };
    let proof = prove(&mut limited).unwrap_or(None);
    if proof.is_none() {
        cx.events.emit(Event::NoCertificate("too many tuples and elements to list"));
    }
    certificate::safe(Scope::ANY, proof)
}

/// What a search works with.
pub struct Parts<'a, 'm> {
    pub system: &'a mut RuleSystem<'m>,
    pub closed: &'a Closure,
    pub equation: &'a mut Option<Equation>,
}

/// What a certificate is made of.
pub struct Proved<'a, 'm> {
    pub system: &'a RuleSystem<'m>,
    pub closed: &'a Closure,
    pub equation: &'a Option<Equation>,
    pub basis: &'a [(u32, Vec<Group>)],
}

/// Minimal elements: a shared state and threads.
pub type ElementGroups = Vec<(u32, Vec<Group>)>;

/// The minimal elements of what leads to an error, if no start is among it; otherwise the answer. Goes back
/// for a while, then forward, and if neither has found an error, back to the end.
fn decide(
    task: &Task,
    parts: &mut Parts<'_, '_>,
    cx: &mut Cx<'_>,
) -> Result<Result<ElementGroups, Verdict>, Stop> {
    let limit = cx.settings.number(&ACCELERATE);
    if limit > 0 {
        if let Some(decided) = in_time(back(task, parts, &cx.budget.part(limit), cx), cx)? {
            return Ok(decided);
        }
        let ahead = ahead(parts.system, &cx.budget.part(limit), cx);
        if let Some(trace) = in_time(ahead, cx)?.flatten()
            && let found @ Verdict::Unsafe(_) = within(task, trace)
        {
            return Ok(Err(found));
        }
        if let Some(found) = nets::directed(task, parts, limit.saturating_mul(LONG_SEARCH), cx)? {
            return Ok(Err(found));
        }
    }
    back(task, parts, cx.budget, cx)
}

/// What a part of the work has found, if it came to its end.
pub fn in_time<T>(found: Result<T, Stop>, cx: &Cx<'_>) -> Result<Option<T>, Stop> {
    match found {
        // If it is the whole budget that has ended, this says so.
        Err(Stop::Ticks) => cx.budget.spend(0).map(|()| None),
        found => found.map(Some),
    }
}

/// The search backward.
pub fn back(
    task: &Task,
    parts: &mut Parts<'_, '_>,
    budget: &Budget,
    cx: &mut Cx<'_>,
) -> Result<Result<ElementGroups, Verdict>, Stop> {
    let mut search = CoverSearch::new(parts.system, parts.closed, parts.equation.as_mut(), budget)?;
    let found = search.run(cx.events);
    report(&search, cx);
    match found? {
        None => Ok(Ok(search.basis.minimal().map(|it| (it.shared, it.threads.clone())).collect())),
        Some(first) => Ok(Err(match forward::trace(&mut search, first, budget)? {
            Ok(trace) => within(task, trace),
            Err(fault) => Verdict::Unknown(Why::Because(Reason::new(ReasonKind::Fault, fault))),
        })),
    }
}

/// The search forward: an error, if it finds one.
pub fn ahead(system: &mut RuleSystem<'_>, budget: &Budget, cx: &mut Cx<'_>) -> Result<Option<Trace>, Stop> {
    let start = system.start(budget)?;
    let mut tree = Tree::default();
    let hit = accelerate::search(system, &start, &mut tree, budget);
    let nodes = tree.nodes.len() as u64;
    statistics::emit("cover", &[("nodes of the search forward", nodes)], cx.events);
    let Some(hit) = hit? else { return Ok(None) };
    let Unrolled { shared, start, links } = unroll::unroll(system, &start, &tree, hit, budget)?;
    // A way that does not fit is no error, only a loss.
    Ok(forward::run(system, shared, &start, &links, budget)?.ok())
}

/// The same proof once more without transition merging, which is what a checker can follow.
fn certify(task: &Task, cx: &mut Cx<'_>) -> Result<Option<Proof>, Stop> {
    let Ok(mut system) = closure::system(&task.model, false) else { return Ok(None) };
    let closed = match close(&mut system, false, cx)? {
        Some(closed) => closed,
        None => narrow(&mut system, cx)?,
    };
    let mut basis = vec![];
    if !closed.is_safe() {
        let mut search = CoverSearch::new(&mut system, &closed, None, cx.budget)?;
        if search.run(cx.events)?.is_some() {
            return Ok(None);
        }
        basis = search.basis.minimal().map(|it| (it.shared, it.threads.clone())).collect();
    }
    small(&Proved { system: &system, closed: &closed, equation: &None, basis: &basis }, cx)
}

/// The certificate, if it is not too large.
pub fn small(proved: &Proved<'_, '_>, cx: &mut Cx<'_>) -> Result<Option<Proof>, Stop> {
    let Proved { system, closed, equation, basis } = proved;
    let size = closed.tuples.sizes().iter().sum::<usize>() + basis.len();
    if size as u64 > cx.settings.number(&CERTIFICATE) {
        return Ok(None);
    }
    let mut proof = closure::certificate(system, &closed.tuples, basis, cx.budget)?;
    if let (Some(equation), Body::TokenClosure(body)) = (equation, &mut proof.body) {
        equation.certify(body);
    }
    Ok(Some(proof))
}

/// The closure that prunes, as wide as the limit allows; that of an earlier round if there is one. `None` if
/// only the narrowest is within the limit.
fn close(system: &mut RuleSystem<'_>, merging: bool, cx: &mut Cx<'_>) -> Result<Option<Closure>, Stop> {
    let width = options::size(cx.settings, &WIDTH);
    let most_tuples = options::size(cx.settings, &CLOSURE_TUPLES);
    for width in (2..=width).rev() {
        let key = ClosureKey { width, merged: merging };
        if let Some(states) = cx.facts.get(key) {
            return words::recall(system, width, &states, cx.budget).map(Some);
        }
        let mode = Mode { width, stop_at_error: false, most_tuples };
        if let Some(closed) = closure::close(system, mode, cx.budget, cx.events)? {
            if !closed.is_safe() {
                cx.events.emit(Event::WidthReached(width as u32));
                post_closure(system, &closed, key, cx)?;
            }
            return Ok(Some(closed));
        }
    }
    match width {
        1 => narrow(system, cx).map(Some),
        _ => Ok(None),
    }
}

/// The narrowest closure, whatever it takes.
pub fn narrow(system: &mut RuleSystem<'_>, cx: &mut Cx<'_>) -> Result<Closure, Stop> {
    let closed = closure::close(system, Mode::to_the_end(1), cx.budget, cx.events)?;
    Ok(closed.expect("there is no limit to the tuples"))
}

/// Posts a closure that is not too large.
fn post_closure(system: &RuleSystem<'_>, closed: &Closure, key: ClosureKey, cx: &Cx<'_>) -> Result<(), Stop> {
    if closed.tuples.sizes().iter().sum::<usize>() <= MOST_POSTED {
        let rows = words::tuples(&closed.tuples, cx.budget)?;
        cx.facts.post(key, words::states(system, rows.iter().map(|row| &row[..]), cx.budget)?);
    }
    Ok(())
}

fn report(search: &CoverSearch<'_, '_>, cx: &mut Cx<'_>) {
    let [singles, pairs, larger] = search.closure.tuples.sizes();
    let (elements, minimal) = search.basis.sizes();
    let counters = [
        ("closure tuples", (singles + pairs + larger) as u64),
        ("rules", search.system.rule_count() as u64),
        ("elements", elements as u64),
        ("minimal elements", minimal as u64),
        ("elements pruned", search.pruned),
    ];
    statistics::emit("cover", &counters, cx.events);
    if let Some(equation) = &search.equation {
        let (traps, weights) = equation.sizes();
        let counters = [
            ("state equations", equation.questions),
            ("state equations without a solution", equation.excluded),
            ("weights", weights as u64),
            ("traps", traps as u64),
        ];
        statistics::emit("cover", &counters, cx.events);
    }
}
