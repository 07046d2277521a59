//! What the tests of the engine share: running it, and brute force over the reference semantics.
#![allow(dead_code, reason = "each test binary uses a part")]

pub mod silent;

use base::{Budget, Settings, Silent};
use engines::{Cx, Engine, Explicit, Facts};
use ir::bp::{Loc, Machine, State};
use ir::certificate::{Body, Reached};
use ir::trace::ProgramTrace;
use ir::{Bound, Model, Net, Program, Property, Scope, Task, Trace, Verdict};
use std::collections::HashSet;
use std::sync::Arc;

/// Which of the engine's techniques are on.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    pub reduction: bool,
    pub symmetry: bool,
    pub chains: bool,
}

pub const PLAIN: Config = Config { reduction: false, symmetry: true, chains: false };

pub fn configs() -> impl Iterator<Item = Config> {
    (0..8).map(|bits| Config { reduction: bits & 1 != 0, symmetry: bits & 2 != 0, chains: bits & 4 != 0 })
}

pub fn run(model: Model, threads: Bound, config: Config, further: &[(&str, &str)]) -> Verdict {
    let word = |on: bool| if on { "on" } else { "off" };
    let mut settings = Settings::default();
    let switches = [
        ("explicit.reduction", word(config.reduction)),
        ("explicit.symmetry", word(config.symmetry)),
        ("explicit.chains", word(config.chains)),
    ];
    for (name, value) in switches.iter().chain(further) {
        settings.set(&[Explicit.settings()], name, value).expect("the option exists");
    }
    let task = Task { model, property: Property::NoError, scope: Scope { threads, ..Scope::ANY } };
    Explicit.accepts(&task).expect("tests give it what it can do");
    let (budget, facts) = (Budget::unlimited(), Facts::default());
    let mut cx = Cx { budget: &budget, events: &mut Silent, facts: &facts, settings: &settings, seed: 0 };
    Explicit.run(&task, &mut cx).expect("the budget has no end")
}

pub fn run_program(program: &Program, threads: Bound, config: Config) -> Verdict {
    run(Model::Program(Arc::new(program.clone())), threads, config, &[("explicit.most_threads", "4")])
}

pub fn run_net(net: &Net, threads: Bound) -> Verdict {
    run(Model::Net(Arc::new(net.clone())), threads, PLAIN, &[("explicit.most_threads", "5")])
}

/// What brute force knows of a program under a bound.
pub struct Truth {
    /// The length of a shortest run into an error.
    pub shortest: Option<usize>,
    /// All states, up to the names of threads; if there is no error.
    pub states: HashSet<State>,
}

/// Breadth-first search over the reference semantics; `None` if there are too many states.
pub fn truth(program: &Program, bound: u32, most: usize) -> Option<Truth> {
    let machine = Machine::new(program, Some(bound));
    let mut level: Vec<State> = machine.starts();
    let mut states: HashSet<State> = level.iter().map(State::canonical).collect();
    for depth in 0.. {
        if level.iter().any(|state| machine.failure(state).is_some()) {
            return Some(Truth { shortest: Some(depth), states });
        }
        let mut next = vec![];
        for state in &level {
            for &thread in state.threads.keys() {
                for (_, after) in machine.steps(state, thread) {
                    let after = after.canonical();
                    if !states.contains(&after) {
                        states.insert(after.clone());
                        next.push(after);
                    }
                }
            }
            if states.len() > most {
                return None;
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    Some(Truth { shortest: None, states })
}

/// Replays a trace step by step.
pub fn replay(program: &Program, bound: Option<u32>, trace: &ProgramTrace) {
    let machine = Machine::new(program, bound);
    machine.starts_in(&trace.start).expect("the program starts so");
    let mut state = trace.start.clone();
    for step in &trace.steps {
        assert!(machine.failure(&state).is_none() || !trace.steps.is_empty());
        state = machine.apply(&state, step).expect("every step is one of the program");
    }
    let failure = machine.failure(&state).expect("the last state is in error");
    assert_eq!(failure, trace.failure);
}

pub fn program_trace(verdict: Verdict) -> Option<ProgramTrace> {
    match verdict {
        Verdict::Unsafe(Trace::Program(trace)) => Some(trace),
        _ => None,
    }
}

/// A state as a certificate shows it: whether `init` still runs, the shared values, and the threads, sorted.
pub type Shown = (bool, Vec<bool>, Vec<(Loc, bool, Vec<bool>)>);

/// The states that a certificate shows.
pub fn shown(reached: &Reached) -> HashSet<Shown> {
    let states = reached.states.iter();
    states
        .map(|state| {
            let mut threads: Vec<_> = state
                .threads
                .iter()
                .flat_map(|&(thread, count)| {
                    let view = &reached.threads[thread];
                    let point = &reached.view.points[view.point];
                    let shown = (point.stack[0], point.inside, view.values.clone());
                    (0..count).map(move |_| shown.clone())
                })
                .collect();
            threads.sort();
            (state.initialising, state.shared.clone(), threads)
        })
        .collect()
}

/// The certificate says the same as brute force: a view of every state, and no other.
pub fn same_states(program: &Program, reached: &Reached, states: &HashSet<State>) {
    assert_eq!(reached.states.len(), states.len());
    let shown = shown(reached);
    for state in states {
        let mut threads: Vec<_> = state
            .threads
            .values()
            .map(|thread| {
                let (at, locals) = (thread.loc(), program.locals().ids());
                let alive =
                    locals.filter(|&it| program.in_scope(at, it) && !program.at(at).dead.contains(&it));
                let values: Vec<bool> = alive.map(|local| thread.value(program, 0, local)).collect();
                (thread.loc(), thread.inside, values)
            })
            .collect();
        threads.sort();
        assert!(shown.contains(&(state.initialising, state.shared.clone(), threads)));
    }
}

pub fn reached(verdict: &Verdict) -> &Reached {
    match verdict {
        Verdict::Safe { certificate: Some(certificate), .. } => match &certificate.body {
            Body::Reached(reached) => reached,
            _ => panic!("a program has a reached set"),
        },
        _ => panic!("safe, with a certificate"),
    }
}
