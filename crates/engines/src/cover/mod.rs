//! The engine `cover`: backward coverability on upward-closed sets, the complete engine for monotone programs and nets (Abdulla,
//! Cerans, Jonsson and Tsay, LICS 1996). It searches backward from the errors with minimal elements only.
//!
//! What differs: the width-2 closure ([`crate::closure`]) is computed first. It says which thread states and rules there are, often
//! has the proof itself, and prunes: an element of which some two threads cannot be there together is dropped.

mod backward;
mod basis;
mod forward;
mod search;

use crate::closure::{self, Closure, Group, Mode, System};
use crate::command;
use crate::engine::{Cx, Engine};
use base::settings::Allowed;
use base::{Event, Setting, Stop};
use ir::certificate::Body;
use ir::{Bound, Certificate, Model, Reason, ReasonKind, Scope, Task, Trace, Verdict, Why};
use search::Search;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cover;

const PAPER: &str = "Abdulla, Cerans, Jonsson and Tsay, LICS 1996";

const WIDTH: Setting = Setting {
    name: "cover.width",
    default: "2",
    allowed: Allowed::Number { least: 1, most: closure::MOST_WIDTH as u64 },
    help: "the width of the closure that prunes",
    paper: "",
};

const CLOSURE_TUPLES: Setting = Setting {
    name: "cover.closure_tuples",
    default: "20000000",
    allowed: Allowed::Number { least: 0, most: u64::MAX },
    help: "how large the closure may grow before a narrower one is taken",
    paper: "",
};

const CHAINS: Setting = Setting {
    name: "cover.chains",
    default: "on",
    allowed: Allowed::Switch,
    help: "do not store states in which a thread stands at a silent location",
    paper: "",
};

const CERTIFICATE: Setting = Setting {
    name: "cover.certificate_size",
    default: "2000000",
    allowed: Allowed::Number { least: 0, most: u32::MAX as u64 },
    help: "write no certificate with more tuples and elements than this",
    paper: "",
};

const SETTINGS: &[Setting] = &[WIDTH, CLOSURE_TUPLES, CHAINS, CERTIFICATE];

impl Engine for Cover {
    fn name(&self) -> &'static str {
        "cover"
    }

    fn about(&self) -> &'static str {
        "any number of threads, proofs and bugs: backward coverability, for monotone programs and nets"
    }

    fn paper(&self) -> &'static str {
        PAPER
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn accepts(&self, task: &Task) -> Result<(), Reason> {
        if !task.model.monotone() {
            let why = "more threads may disable a step, and backward coverability needs that they never do";
            return Err(Reason::new(ReasonKind::NonMonotone, why));
        }
        match &task.model {
            Model::Program(program) => command::require_flat(program),
            Model::Net(_) => Ok(()),
        }
    }

    fn run(&self, task: &Task, cx: &mut Cx<'_>) -> Result<Verdict, Stop> {
        let system =
            self.accepts(task).and_then(|()| closure::system(&task.model, cx.settings.is_on(&CHAINS)));
        let mut system = match system {
            Ok(system) => system,
            Err(reason) => return Ok(Verdict::Unknown(Why::Because(reason))),
        };
        let closed = close(&mut system, cx)?;
        let mut basis = vec![];
        if !closed.is_safe() {
            let mut search = Search::new(&mut system, &closed, cx.budget)?;
            let found = search.run(cx.events);
            report(&search, cx);
            if let Some(first) = found? {
                return Ok(match forward::trace(&mut search, first, cx.budget)? {
                    Ok(trace) => within(task, trace),
                    Err(fault) => Verdict::Unknown(Why::Because(Reason::new(ReasonKind::Fault, fault))),
                });
            }
            basis = search.basis.minimal().map(|it| (it.shared, it.threads.clone())).collect();
        }
        let chains = cx.settings.is_on(&CHAINS) && closure::has_chains(&task.model);
        // The answer stands without its certificate: a budget that ends meanwhile only leaves it unchecked.
        let body = match chains {
            true => certify(task, cx),
            false => small(&system, &closed, &basis, cx),
        };
        let certificate = body.unwrap_or(None).map(|body| Certificate { scope: Scope::ANY, body });
        Ok(Verdict::Safe { scope: Scope::ANY, certificate })
    }
}

/// The same proof once more without running on, which is what a checker can follow.
fn certify(task: &Task, cx: &mut Cx<'_>) -> Result<Option<Body>, Stop> {
    let Ok(mut system) = closure::system(&task.model, false) else { return Ok(None) };
    let closed = close(&mut system, cx)?;
    let mut basis = vec![];
    if !closed.is_safe() {
        let mut search = Search::new(&mut system, &closed, cx.budget)?;
        if search.run(cx.events)?.is_some() {
            return Ok(None);
        }
        basis = search.basis.minimal().map(|it| (it.shared, it.threads.clone())).collect();
    }
    small(&system, &closed, &basis, cx)
}

/// The certificate, if it is not too large.
fn small(
    system: &System<'_>,
    closed: &Closure,
    basis: &[(u32, Vec<Group>)],
    cx: &mut Cx<'_>,
) -> Result<Option<Body>, Stop> {
    let size = closed.tuples.sizes().iter().sum::<usize>() + basis.len();
    if size as u64 > cx.settings.number(&CERTIFICATE) {
        return Ok(None);
    }
    closure::certificate(system, &closed.tuples, basis, cx.budget).map(Some)
}

/// The closure that prunes, as wide as the budget for it allows.
fn close(system: &mut System<'_>, cx: &mut Cx<'_>) -> Result<Closure, Stop> {
    let width = usize::try_from(cx.settings.number(&WIDTH)).expect("a small number");
    let most_tuples = usize::try_from(cx.settings.number(&CLOSURE_TUPLES)).unwrap_or(usize::MAX);
    for width in (2..=width).rev() {
        let mode = Mode { width, stop_at_error: false, most_tuples };
        if let Some(closed) = closure::close(system, mode, cx.budget, cx.events)? {
            return Ok(closed);
        }
    }
    let mode = Mode { width: 1, stop_at_error: false, most_tuples: usize::MAX };
    let closed = closure::close(system, mode, cx.budget, cx.events)?;
    Ok(closed.expect("there is no limit to the tuples"))
}

/// The error, if it needs no more threads than were asked for.
fn within(task: &Task, trace: Trace) -> Verdict {
    let Bound::AtMost(bound) = task.scope.threads else { return Verdict::Unsafe(trace) };
    let fits = match (&task.model, &trace) {
        (Model::Program(program), Trace::Program(trace)) => {
            let machine = ir::bp::Machine::new(program, Some(bound));
            let steps = trace.steps.iter();
            trace.start.threads.len() <= bound as usize
                && steps.clone().try_fold(trace.start.clone(), |it, step| machine.apply(&it, step)).is_ok()
        }
        (Model::Net(net), Trace::Net(trace)) => {
            let machine = ir::net::Machine::new(net, Some(bound));
            let steps = trace.steps.iter();
            machine.starts_in(&trace.start)
                && steps.clone().try_fold(trace.start.clone(), |it, step| machine.apply(&it, step)).is_ok()
        }
        _ => false,
    };
    if fits {
        return Verdict::Unsafe(trace);
    }
    let why = "the error found needs more threads than were asked for";
    Verdict::Unknown(Why::Because(Reason::new(ReasonKind::Bound, why)))
}

fn report(search: &Search<'_, '_>, cx: &mut Cx<'_>) {
    let [singles, pairs, larger] = search.closure.tuples.sizes();
    let (elements, minimal) = search.basis.sizes();
    let counters = [
        ("closure tuples", (singles + pairs + larger) as u64),
        ("rules", search.system.rule_count() as u64),
        ("elements", elements as u64),
        ("minimal elements", minimal as u64),
        ("elements pruned", search.pruned),
    ];
    for (name, value) in counters {
        cx.events.emit(Event::Counter { who: "cover", name, value });
    }
}
