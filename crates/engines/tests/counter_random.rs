//! The engine `counter` against brute force over the reference semantics, on random programs with every construct.

mod support;

use base::{Budget, Settings, Silent};
use engines::{Counter, Cx, Engine, Facts};
use ir::bp::random::{Profile, program};
use ir::bp::{Program, State};
use ir::certificate::Reached;
use ir::{Bound, Model, Property, Scope, Task, Verdict};
use std::collections::HashSet;
use std::sync::Arc;
use support::silent::with_either;
use support::{program_trace, reached, replay, shown, truth};

/// Which of the engine's techniques are on.
type Config = [(&'static str, &'static str); 6];

const DEFAULT: Config = config("counter", "on", "on", "on", "shared-top");

const fn config(
    mode: &'static str,
    merging: &'static str,
    reduction: &'static str,
    chains: &'static str,
    order: &'static str,
) -> Config {
    [
        ("counter.mode", mode),
        ("counter.merging", merging),
        ("counter.reduction", reduction),
        ("counter.chains", chains),
        ("counter.order", order),
        ("counter.collect", "grown"),
    ]
}

/// The same, with a collection after every state: a function that nobody holds would be missed at once.
const fn collecting(mut config: Config) -> Config {
    config[5].1 = "always";
    config
}

/// Every technique on and off, every order, both modes; a rotating part of the combinations is tried on each program.
const CONFIGS: &[Config] = &[
    DEFAULT,
    collecting(config("counter", "on", "off", "off", "structure")),
    config("counter", "off", "on", "on", "declaration"),
    config("counter", "off", "off", "off", "shared-top"),
    config("plain", "on", "off", "off", "shared-top"),
    collecting(config("plain", "on", "on", "on", "structure")),
    collecting(config("counter", "on", "on", "on", "shared-top")),
    config("counter", "on", "on", "off", "structure"),
    config("counter", "off", "off", "on", "structure"),
];

fn run(program: &Program, threads: Bound, config: &Config) -> Verdict {
    let mut settings = Settings::default();
    for (name, value) in config.iter().chain(&[("counter.most_threads", "4"), ("counter.memory", "256")]) {
        settings.set(&[Counter.settings()], name, value).expect("the option exists");
    }
    let (model, property) = (Model::Program(Arc::new(program.clone())), Property::NoError);
    let task = Task { model, property, scope: Scope { threads, ..Scope::ANY } };
    Counter.accepts(&task).expect("tests give it what it can do");
    let (budget, facts) = (Budget::unlimited(), Facts::default());
    let mut cx = Cx { budget: &budget, events: &mut Silent, facts: &facts, settings: &settings, seed: 0 };
    Counter.run(&task, &mut cx).expect("the budget has no end")
}

/// The certificate says the same as brute force, seen through its view: every state, and no other.
fn same_states(program: &Program, reached: &Reached, states: &HashSet<State>) {
    let show = |state: &State| {
        let mut threads: Vec<_> = state
            .threads
            .values()
            .map(|thread| {
                let at = |point: &ir::certificate::Point| {
                    point.stack == [thread.loc()] && point.inside == thread.inside
                };
                let point = reached.view.points.iter().find(|point| at(point)).expect("the place is known");
                let values: Vec<bool> =
                    point.kept.iter().map(|it| thread.value(program, 0, it.local)).collect();
                (thread.loc(), thread.inside, values)
            })
            .collect();
        threads.sort();
        (state.initialising, state.shared.clone(), threads)
    };
    let expected: HashSet<_> = states.iter().map(show).collect();
    let found = shown(reached);
    assert!(expected == found, "{} states, found {}", expected.len(), found.len());
}

fn check(program: &Program, bound: u32, configs: &[&Config]) -> bool {
    let Some(truth) = truth(program, bound, 1500) else { return false };
    for config in configs {
        let verdict = run(program, Bound::AtMost(bound), config);
        match truth.shortest {
            None => same_states(program, reached(&verdict), &truth.states),
            Some(length) => {
                let trace = program_trace(verdict).unwrap_or_else(|| panic!("missed an error: {config:?}"));
                replay(program, Some(bound), &trace);
                assert!(trace.steps.len() >= length);
            }
        }
    }
    true
}

/// Any number of threads: errors are real without a bound, and what is safe has no error with a few more threads.
fn check_any(program: &Program, config: &Config) {
    match run(program, Bound::Any, config) {
        Verdict::Unsafe(ir::Trace::Program(trace)) => replay(program, None, &trace),
        Verdict::Safe { scope, certificate } => {
            assert_eq!(scope, Scope::ANY);
            let bound = match certificate.map(|it| it.body) {
                Some(ir::certificate::Body::Reached(reached)) => reached.bound,
                _ => 2,
            };
            let more = truth(program, bound + 1, 3000);
            assert!(more.is_none_or(|truth| truth.shortest.is_none()));
        }
        Verdict::Unknown(_) | Verdict::Unsafe(_) => {}
    }
}

fn compare(profile: &Profile, first: u64, wanted: usize, bounds: u32) {
    let flat = (first..).map(|seed| (seed, program(seed, profile))).filter(|(_, program)| program.is_flat());
    let mut compared = 0;
    for (number, (seed, program)) in flat.take(wanted).enumerate() {
        let program = with_either(&program, number as u64);
        let turn = |offset: usize| &CONFIGS[1 + (number + offset) % (CONFIGS.len() - 1)];
        let configs = [&DEFAULT, turn(0), turn(3)];
        let outcome = std::panic::catch_unwind(|| {
            check_any(&program, &DEFAULT);
            check_any(&program, turn(1));
            (1..=bounds).filter(|&bound| check(&program, bound, &configs)).count()
        });
        match outcome {
            Ok(count) => compared += count,
            Err(fault) => {
                eprintln!("seed {seed}, {profile:?}");
                std::panic::resume_unwind(fault);
            }
        }
    }
    assert!(
        compared > wanted,
        "most programs are small enough to compare: {compared} of {wanted} times {bounds}"
    );
}

#[test]
fn agrees_on_programs_with_everything() {
    compare(&Profile::ALL, 0, 900, 3);
}

#[test]
fn agrees_on_broadcasts() {
    compare(&Profile::BROADCASTS, 100_000, 350, 3);
    compare(&Profile { passive_conditions: 60, ..Profile::BROADCASTS }, 150_000, 250, 3);
}

#[test]
fn agrees_on_broadcasts_with_four_threads() {
    compare(&Profile { spawns: 0, templates: 100, ..Profile::BROADCASTS }, 170_000, 200, 4);
}

#[test]
fn agrees_on_thread_creation() {
    compare(&Profile::SPAWNING, 200_000, 400, 3);
}

#[test]
fn agrees_on_longer_programs() {
    let profile = Profile { statements: 14, procedures: 0, templates: 50, ..Profile::ALL };
    compare(&profile, 300_000, 200, 3);
}
