//! Backward coverability where an element's threads have sets of locals: the search of [`super::search`] on
//! decision diagrams, so that many local states of a location are one set and not as many elements.
//!
//! Control stays explicit, as in [`crate::closure::diagrams`], whose closure over single locations prunes;
//! invisible transitions are not merged. A step backward is a pre-image: of all elements with the same
//! threads at once. What an element covers is taken out of larger sets by looking at each way to find its
//! threads among theirs.

mod backward;
mod elements;
mod forward;
mod picked;
mod search;
mod start;

use super::settings::{CAPACITY, CERTIFICATE, MEMBERS, MEMORY, WIDTH};
use crate::certificate::{Proof, safe};
use crate::closure::Mode;
use crate::closure::diagrams::slots::Slots;
use crate::closure::diagrams::{self, Classes, Closed, ShownTuple};
use crate::command::Commands;
use crate::encoding::Encoding;
use crate::engine::Cx;
use crate::options;
use crate::statistics;
use base::{Event, Stop};
use elements::{Name, Stage};
use ir::bp::{ExprId, Init, Node, Program};
use ir::{Reason, ReasonKind, Scope, Task, Trace, Verdict, Why};
use search::{End, SetSearch};
use solve::bdd::Bdd;

/// Decides a program.
pub fn run(task: &Task, program: &Program, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
    let most = options::size(cx.settings, &MEMBERS);
    let capacity = options::size(cx.settings, &CAPACITY);
    let mut capacity = capacity.min(most);
    loop {
        if let Some(verdict) = attempt(task, program, capacity, cx)? {
            return Ok(verdict);
        }
        if capacity == most {
            let why = format!("an element has more than {most} threads (`cover.members`)");
            return Ok(Verdict::Unknown(Why::Because(Reason::new(ReasonKind::Bound, why))));
        }
        capacity = (2 * capacity).min(most);
    }
}

/// Whether a thread may choose more bits than this at once, when it starts or in one statement, or the
/// program starts with four times as many: every choice of a thread is one more element, and with each other
/// thread one more pair.
pub fn has_many_choices(program: &Program, most: u64) -> bool {
    let Ok(commands) = Commands::new(program) else { return false };
    let free = |e: &ExprId| {
        let nodes = commands.exprs().below(*e);
        nodes.into_iter().any(|id| matches!(commands.exprs().node(id), Node::Choice))
    };
    let many = |values: &mut dyn Iterator<Item = ExprId>| values.filter(free).count() as u64 > most;
    let shared = program.shared().iter().filter(|shared| shared.init == Init::Any).count() as u64;
    let mut born = program.roots().into_iter().map(|procedure| {
        let child = commands.fresh(procedure);
        let live = child.values.iter().filter(|it| !program.at(child.at).dead.contains(&it.0));
        many(&mut live.map(|it| it.1))
    });
    let mut given = program.locations().ids().flat_map(|loc| commands.at(loc)).map(|command| {
        let own = command.assign.iter().map(|it| it.1);
        let born = command.child.iter().flat_map(|child| &child.values).map(|it| it.1);
        many(&mut own.chain(born)) || many(&mut command.broadcast.iter().map(|it| it.1))
    });
    shared > most.saturating_mul(4) || born.any(|it| it) || given.any(|it| it)
}

/// Decides a program with a capacity of this many threads of an element; `None` if there are more.
fn attempt(
    task: &Task,
    program: &Program,
    capacity: usize,
    cx: &mut Cx<'_>,
) -> Result<Option<Verdict>, Stop> {
    let commands = match Commands::new(program) {
        Ok(commands) => commands,
        Err(reason) => return Ok(Some(Verdict::Unknown(Why::Because(reason)))),
    };
    let width = options::size(cx.settings, &WIDTH);
    let limits = options::limits(cx.settings, &MEMORY);
    let mut encoded = diagrams::encode(program, commands, capacity.max(width), limits, cx.budget)?;
    let classes = Classes::single(&encoded);
    let (closed, _) = diagrams::close(&mut encoded, classes, Mode::to_the_end(width), cx.budget, cx.events)?;
    if closed.error.is_none() {
        let merged = merge(&mut encoded, &closed, cx);
        return Ok(Some(safe(Scope::ANY, certify(&mut encoded, &merged.unwrap_or(closed), &[], cx))));
    }
    cx.events.emit(Event::WidthReached(width as u32));
    let slots = Slots::new(&mut encoded, capacity)?;
    let stage = Stage { encoding: &mut encoded, slots, budget: cx.budget };
    let mut search = SetSearch::new(stage, &closed, capacity)?;
    let end = search.run(cx.events);
    report(&search, cx);
    Ok(match end? {
        End::Full => None,
        End::Closed => {
            let basis = search.basis().ok();
            drop(search);
            Some(safe(Scope::ANY, basis.and_then(|it| certify(&mut encoded, &closed, &it, cx))))
        }
        End::Start(part) => Some(match search.trace(part)? {
            Ok(trace) => super::within(task, Trace::Program(trace)),
            Err(fault) => Verdict::Unknown(Why::Because(Reason::new(ReasonKind::Fault, fault))),
        }),
    })
}

/// The same proof over classes of locations, where there are no minimal elements that need single ones: it is
/// shorter.
fn merge(encoded: &mut Encoding<'_>, single: &Closed, cx: &mut Cx<'_>) -> Option<Closed> {
    // Another closure collects garbage and knows nothing of this one.
    for set in single.sets.roots() {
        encoded.manager.protect(set);
    }
    let (classes, budget) = (Classes::coarse(encoded), cx.budget.evidence());
    let (closed, _) =
        diagrams::close(encoded, classes, Mode::until_error(single.width), &budget, cx.events).ok()?;
    closed.error.is_none().then_some(closed)
}

/// The closure and the minimal elements as certificate, if it is not too large. The answer stands without it:
/// a budget that ends meanwhile only leaves it unchecked.
fn certify(
    encoded: &mut Encoding<'_>,
    closed: &Closed,
    basis: &[(Name, Bdd)],
    cx: &mut Cx<'_>,
) -> Option<Proof> {
    let most = options::size(cx.settings, &CERTIFICATE);
    let mut shown: Vec<ShownTuple<'_>> = vec![];
    for (Name { initialising, busy, controls }, set) in basis {
        shown.push(ShownTuple { initialising: *initialising, busy: *busy, controls, set: *set });
    }
    let proof = diagrams::certificate(encoded, closed, &shown, most, &cx.budget.evidence());
    let proof = proof.unwrap_or(None);
    if proof.is_none() {
        cx.events.emit(Event::NoCertificate("its formulas are too large"));
    }
    proof
}

fn report(search: &SetSearch<'_, '_>, cx: &mut Cx<'_>) {
    let [names, parts, layers, _] = search.elements.sizes();
    let nodes = search.stage.encoding.manager.node_count(search.elements.iter().map(|it| it.1));
    let counters = [
        ("tuples of locations", search.closed.sets.len() as u64),
        ("sets of elements", names as u64),
        ("parts of sets", parts as u64),
        ("sets taken up", layers as u64),
        ("pre-images", search.counters.preimages),
        ("sets pruned", search.counters.pruned),
        ("most threads of an element", search.counters.threads),
        ("nodes", nodes as u64),
        ("peak nodes", search.stage.encoding.manager.statistics().peak_nodes as u64),
    ];
    statistics::emit("cover", &counters, cx.events);
}
