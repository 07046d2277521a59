//! The engine `cover`: backward coverability on upward-closed sets, the complete engine for monotone programs and nets (Abdulla,
//! Cerans, Jonsson and Tsay, LICS 1996). It searches backward from the errors with minimal elements only.
//!
//! What differs: the width-2 closure ([`crate::closure`]) is computed first. It says which thread states and rules there are, often
//! has the proof itself, and prunes: an element of which some two threads cannot be there together is dropped. What few threads reach
//! tells which elements can be lowered.

mod accelerate;
mod backward;
mod basis;
mod forward;
mod guess;
mod search;
#[cfg(test)]
mod tests;
mod unroll;

use crate::closure::{self, Closure, Group, Mode, System, words};
use crate::command;
use crate::engine::{Cx, Engine};
use crate::explore::Store;
use crate::facts::Key;
use crate::reach::{Limits, Reach};
use accelerate::Tree;
use base::settings::Allowed;
use base::{Budget, Event, Setting, Stop};
use guess::Guesses;
use ir::certificate::Body;
use ir::{Bound, Certificate, Model, Reason, ReasonKind, Scope, Task, Trace, Verdict, Why};
use search::Search;
use unroll::Unrolled;

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

const DROP: Setting = Setting {
    name: "cover.drop",
    default: "off",
    allowed: Allowed::Switch,
    help: "lower elements by dropping threads as long as the rest is not known to be coverable",
    paper: "",
};

const CUTOFF: Setting = Setting {
    name: "cover.cutoff",
    default: "off",
    allowed: Allowed::Switch,
    help: "take thread states that few threads do not reach for unreachable, until that is refuted",
    paper: "Kaiser, Kroening and Wahl, CAV 2010",
};

const WRONG: Setting = Setting {
    name: "cover.wrong_guesses",
    default: "100",
    allowed: Allowed::Number { least: 0, most: u32::MAX as u64 },
    help: "lower no more elements after so many of them turned out to be coverable",
    paper: "",
};

const FORWARD_THREADS: Setting = Setting {
    name: "cover.forward_threads",
    default: "4",
    allowed: Allowed::Number { least: 2, most: 16 },
    help: "how many threads are explored forward at most",
    paper: "",
};

const FORWARD_STATES: Setting = Setting {
    name: "cover.forward_states",
    default: "5000",
    allowed: Allowed::Number { least: 1, most: 10_000_000 },
    help: "how many states are explored forward at most for each number of threads",
    paper: "",
};

const ACCELERATE: Setting = Setting {
    name: "cover.accelerate",
    default: "100000",
    allowed: Allowed::Number { least: 0, most: u64::MAX },
    help: "after so many ticks look forward for as many, with acceleration, for errors that need many threads; 0 for never",
    paper: "Karp and Miller, JCSS 1969",
};

const CERTIFICATE: Setting = Setting {
    name: "cover.certificate_size",
    default: "2000000",
    allowed: Allowed::Number { least: 0, most: u32::MAX as u64 },
    help: "write no certificate with more tuples and elements than this",
    paper: "",
};

/// Larger sets are not kept for a later round.
const MOST_POSTED: usize = 1_000_000;

const SETTINGS: &[Setting] = &[
    WIDTH,
    CLOSURE_TUPLES,
    CHAINS,
    DROP,
    CUTOFF,
    WRONG,
    FORWARD_THREADS,
    FORWARD_STATES,
    ACCELERATE,
    CERTIFICATE,
];

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
        let closed = close(&mut system, cx.settings.is_on(&CHAINS), cx)?;
        let mut basis = vec![];
        if !closed.is_safe() {
            match decide(task, &mut system, &closed, cx)? {
                Ok(blocked) => basis = blocked,
                Err(verdict) => return Ok(verdict),
            }
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

/// Minimal elements: a shared state and threads.
type Blocked = Vec<(u32, Vec<Group>)>;

/// The minimal elements of what leads to an error, if no start is among it; otherwise the answer. Goes back for a while, then forward, and
/// if neither has found an error, back to the end.
fn decide(
    task: &Task,
    system: &mut System<'_>,
    closed: &Closure,
    cx: &mut Cx<'_>,
) -> Result<Result<Blocked, Verdict>, Stop> {
    let patience = cx.settings.number(&ACCELERATE);
    if patience > 0 {
        if let Some(decided) = in_time(back(task, system, closed, &cx.budget.part(patience), cx), cx)? {
            return Ok(decided);
        }
        let ahead = ahead(system, &cx.budget.part(patience), cx);
        if let Some(trace) = in_time(ahead, cx)?.flatten()
            && let found @ Verdict::Unsafe(_) = within(task, trace)
        {
            return Ok(Err(found));
        }
    }
    back(task, system, closed, cx.budget, cx)
}

/// What a part of the work has found, if it came to its end.
fn in_time<T>(found: Result<T, Stop>, cx: &Cx<'_>) -> Result<Option<T>, Stop> {
    match found {
        // If it is the whole budget that has ended, this says so.
        Err(Stop::Ticks) => cx.budget.spend(0).map(|()| None),
        found => found.map(Some),
    }
}

/// The search backward.
fn back(
    task: &Task,
    system: &mut System<'_>,
    closed: &Closure,
    budget: &Budget,
    cx: &mut Cx<'_>,
) -> Result<Result<Blocked, Verdict>, Stop> {
    let guesses = guesses(system, cx.settings.is_on(&CHAINS), cx)?;
    let mut search = Search::new(system, closed, guesses, budget)?;
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
fn ahead(system: &mut System<'_>, budget: &Budget, cx: &mut Cx<'_>) -> Result<Option<Trace>, Stop> {
    let start = system.start(budget)?;
    let mut tree = Tree::default();
    let hit = accelerate::search(system, &start, &mut tree, budget);
    let nodes = tree.nodes.len() as u64;
    cx.events.emit(Event::Counter { who: "cover", name: "nodes of the search forward", value: nodes });
    let Some(hit) = hit? else { return Ok(None) };
    let Unrolled { shared, start, links } = unroll::unroll(system, &start, &tree, hit, budget)?;
    // A way that does not fit is no error, only a loss.
    Ok(forward::run(system, shared, &start, &links, budget)?.ok())
}

/// The same proof once more without running on, which is what a checker can follow.
fn certify(task: &Task, cx: &mut Cx<'_>) -> Result<Option<Body>, Stop> {
    let Ok(mut system) = closure::system(&task.model, false) else { return Ok(None) };
    let closed = close(&mut system, false, cx)?;
    let mut basis = vec![];
    if !closed.is_safe() {
        let guesses = guesses(&mut system, false, cx)?;
        let mut search = Search::new(&mut system, &closed, guesses, cx.budget)?;
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

/// The closure that prunes, as wide as the budget for it allows; that of an earlier round if there is one.
fn close(system: &mut System<'_>, chains: bool, cx: &mut Cx<'_>) -> Result<Closure, Stop> {
    let width = usize::try_from(cx.settings.number(&WIDTH)).expect("a small number");
    let most_tuples = usize::try_from(cx.settings.number(&CLOSURE_TUPLES)).unwrap_or(usize::MAX);
    for width in (2..=width).rev() {
        let key = Key::Closure { width, chains };
        if let Some(states) = cx.facts.get(key) {
            return words::recall(system, width, &states, cx.budget);
        }
        let mode = Mode { width, stop_at_error: false, most_tuples };
        if let Some(closed) = closure::close(system, mode, cx.budget, cx.events)? {
            if !closed.is_safe() {
                cx.events.emit(Event::WidthReached(width as u32));
                post_closure(system, &closed, key, cx)?;
            }
            return Ok(closed);
        }
    }
    let mode = Mode { width: 1, stop_at_error: false, most_tuples: usize::MAX };
    let closed = closure::close(system, mode, cx.budget, cx.events)?;
    Ok(closed.expect("there is no limit to the tuples"))
}

/// Posts a closure that is not too large.
fn post_closure(system: &System<'_>, closed: &Closure, key: Key, cx: &Cx<'_>) -> Result<(), Stop> {
    if closed.tuples.sizes().iter().sum::<usize>() <= MOST_POSTED {
        let rows = words::tuples(&closed.tuples, cx.budget)?;
        cx.facts.post(key, words::states(system, rows.iter().map(|row| &row[..]), cx.budget)?);
    }
    Ok(())
}

/// What elements may be lowered by, as the settings want it.
fn guesses(system: &mut System<'_>, chains: bool, cx: &mut Cx<'_>) -> Result<Guesses, Stop> {
    let (drop, cutoff) = (cx.settings.is_on(&DROP), cx.settings.is_on(&CUTOFF));
    if !drop && !cutoff {
        return Ok(Guesses::default());
    }
    let limits = Limits {
        threads: u32::try_from(cx.settings.number(&FORWARD_THREADS)).expect("a small number"),
        states: usize::try_from(cx.settings.number(&FORWARD_STATES)).expect("a small number"),
    };
    let reach = match cx.facts.most_reached(chains) {
        Some((threads, states)) => {
            let mut rows = Store::new();
            words::read(system, &states, cx.budget, |shared, locals| {
                let row: Vec<u32> = std::iter::once(shared).chain(locals.iter().copied()).collect();
                rows.insert(&row).map(|_| ())
            })?;
            Reach::of(threads, rows)
        }
        None => {
            let reach = Reach::explore(system, limits, cx.budget)?;
            if reach.threads > 0 && reach.len() <= MOST_POSTED {
                let key = Key::Reach { threads: reach.threads, chains };
                cx.facts.post(key, words::states(system, reach.rows(), cx.budget)?);
            }
            reach
        }
    };
    let most_wrong = usize::try_from(cx.settings.number(&WRONG)).expect("a small number");
    Ok(Guesses::new(drop.then_some(most_wrong), cutoff, reach))
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
        ("states explored forward", search.guesses.reach.len() as u64),
        ("threads explored forward", search.guesses.reach.threads.into()),
        ("elements lowered", search.guesses.lowered),
        ("wrong guesses", search.guesses.wrong as u64),
        ("cutoff guesses left", search.basis.wholes().len() as u64),
    ];
    for (name, value) in counters {
        cx.events.emit(Event::Counter { who: "cover", name, value });
    }
}
