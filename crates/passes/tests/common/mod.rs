//! Brute force for the tests: search with and without transition merging, and states seen through views.

use base::Id;
use ir::bp::{Machine, Program, State, Step, Thread, ThreadId};
use ir::certificate::{Bits, Body, Certificate, ControlLocation, LocalAt, Reached, View};
use ir::task::Scope;
use ir::trace::ProgramTrace;
use std::collections::{BTreeSet, HashSet};

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
enum Found {
    /// An error.
    Unsafe(Box<ProgramTrace>),
    /// No error.
    Safe,
    /// Too many states.
    TooLarge,
}

impl Found {
    /// The verdict, unless the search was too large.
    fn is_safe(&self) -> Option<bool> {
        match self {
            Found::Unsafe(_) => Some(false),
            Found::Safe => Some(true),
            Found::TooLarge => None,
        }
    }
}

/// Compares a prepared program with its original: verdicts with and without transition merging, lifted
/// traces, reached states. `Ok` has the verdict, or nothing if the programs are too large.
pub fn compare(
    original: &Program,
    prepared: &Program,
    lift: &passes::ProgramLift,
    bound: u32,
    most: usize,
) -> Result<Option<bool>, String> {
    let expected = search(original, bound, false, most).is_safe();
    let invisible = prepared.locations().iter().any(|location| location.invisible);
    let mut verdict = None;
    for &merged in if invisible { &[false, true][..] } else { &[false] } {
        let found = search(prepared, bound, merged, most);
        let (Some(expected), Some(safe)) = (expected, found.is_safe()) else { continue };
        if expected != safe {
            return Err(format!("the verdict changed (merged: {merged})"));
        }
        verdict = Some(safe);
        if let Found::Unsafe(trace) = found {
            replay(original, bound, &lift.trace(*trace)?)?;
        }
    }
    same_states(original, prepared, lift, bound, most)?;
    Ok(verdict)
}

struct Node {
    state: State,
    parent: Option<(usize, Step)>,
    /// The only thread that may step: it stands at an invisible location.
    only: Option<ThreadId>,
}

/// Searches breadth-first for an error; `merged` treats invisible locations as engines may.
fn search(program: &Program, bound: u32, merged: bool, most: usize) -> Found {
    let machine = Machine::new(program, Some(bound));
    let mut seen = HashSet::new();
    let mut nodes: Vec<Node> = vec![];
    let starts = machine.starts().into_iter().filter(|state| seen.insert(state.canonical()));
    nodes.extend(starts.collect::<Vec<_>>().into_iter().map(|state| Node {
        state,
        parent: None,
        only: None,
    }));
    let mut next = 0;
    while next < nodes.len() {
        if nodes.len() > most {
            return Found::TooLarge;
        }
        let state = nodes[next].state.clone();
        if let Some(failure) = machine.failure(&state) {
            let (start, steps) = path(&nodes, next);
            return Found::Unsafe(Box::new(ProgramTrace { start, steps, failure }));
        }
        let only = nodes[next].only;
        for &thread in state.threads.keys().filter(|&&thread| only.is_none_or(|only| only == thread)) {
            for (step, after) in machine.steps(&state, thread) {
                let invisible = after.threads.get(&thread).is_some_and(|it| program.at(it.loc()).invisible);
                let only = (merged && invisible).then_some(thread);
                if only.is_some() || seen.insert(after.canonical()) {
                    nodes.push(Node { state: after, parent: Some((next, step)), only });
                }
            }
        }
        next += 1;
    }
    Found::Safe
}

fn path(nodes: &[Node], mut at: usize) -> (State, Vec<Step>) {
    let mut steps = vec![];
    while let Some((parent, step)) = &nodes[at].parent {
        steps.push(step.clone());
        at = *parent;
    }
    steps.reverse();
    (nodes[at].state.clone(), steps)
}

/// Checks that every step of a trace is one of the program and that it ends in its failure.
fn replay(program: &Program, bound: u32, trace: &ProgramTrace) -> Result<(), String> {
    let machine = Machine::new(program, Some(bound));
    machine.starts_in(&trace.start).map_err(|refusal| refusal.0)?;
    let mut state = trace.start.clone();
    for step in &trace.steps {
        state = machine.apply(&state, step).map_err(|refusal| format!("{step:?}: {}", refusal.0))?;
    }
    match machine.failure(&state) {
        Some(failure) if failure == trace.failure => Ok(()),
        other => Err(format!("fails with {other:?} instead of {:?}", trace.failure)),
    }
}

/// A state as a view shows it: `init`, shared values, and the threads with their points.
type Seen = (bool, Bits, Vec<(usize, Bits)>);

fn look(view: &View, program: &Program, state: &State) -> Result<Seen, String> {
    let shared = view.shared.iter().map(|id| state.shared[id.index()]).collect();
    let mut threads = vec![];
    for thread in state.threads.values() {
        let stack: Vec<_> = thread.stack.iter().map(|frame| frame.loc).collect();
        let here = |control: &ControlLocation| control.stack == stack && control.inside == thread.inside;
        let control = view.controls.iter().position(here).ok_or(format!("{stack:?} is outside the view"))?;
        let value = |at: &LocalAt| thread.value(program, at.depth, at.local);
        threads.push((control, view.controls[control].kept.iter().map(value).collect()));
    }
    threads.sort();
    Ok((state.initialising, shared, threads))
}

fn control_of(program: &Program, thread: &Thread) -> ControlLocation {
    let stack: Vec<_> = thread.stack.iter().map(|frame| frame.loc).collect();
    let mut kept = vec![];
    for (depth, &loc) in stack.iter().enumerate() {
        let visible = program.locals().ids().filter(|&local| program.in_scope(loc, local));
        let live = visible.filter(|local| !program.at(loc).dead.contains(local));
        kept.extend(live.map(|local| LocalAt { depth, local }));
    }
    ControlLocation { stack, inside: thread.inside, kept }
}

/// Lifts the set of all states reached by the prepared program and compares it with what the original
/// reaches: they must look the same.
fn same_states(
    original: &Program,
    prepared: &Program,
    lift: &passes::ProgramLift,
    bound: u32,
    most: usize,
) -> Result<(), String> {
    let reach = |program| Machine::new(program, Some(bound)).reachable(most);
    let (Some(theirs), Some(ours)) = (reach(original), reach(prepared)) else { return Ok(()) };
    let controls: BTreeSet<ControlLocation> = ours
        .iter()
        .flat_map(|state| state.threads.values().map(|thread| control_of(prepared, thread)))
        .collect();
    let view = View { shared: prepared.shared().ids().collect(), controls: controls.into_iter().collect() };
    let body = Body::Reached(Reached { threads: vec![], states: vec![], bound });
    let lifted = lift.certificate(Certificate {
        scope: Scope::threads(bound),
        view: view.clone(),
        body,
        passes: vec![],
    });
    let Some(Certificate { view: lifted, .. }) = lifted else { return Err("not lifted".into()) };
    let ours: Result<BTreeSet<Seen>, _> = ours.iter().map(|state| look(&view, prepared, state)).collect();
    let theirs: Result<BTreeSet<Seen>, _> =
        theirs.iter().map(|state| look(&lifted, original, state)).collect();
    let (ours, theirs) = (ours?, theirs?);
    match ours.symmetric_difference(&theirs).next() {
        None => Ok(()),
        Some(seen) => Err(format!(
            "only {} has {seen:?} of {view:?}",
            if ours.contains(seen) { "the prepared program" } else { "the original" }
        )),
    }
}
