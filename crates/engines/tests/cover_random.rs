//! Backward coverability against brute force: it decides every monotone program and net, and every answer is confirmed.

mod support;

use base::{Budget, Settings};
use engines::{Cover, Cx, Engine, Facts};
use ir::bp::random::{self, Profile};
use ir::bp::{Machine, Program};
use ir::net::random as nets;
use ir::{Model, Net, Property, Reason, ReasonKind, Scope, Task, Trace, Verdict, net};
use std::sync::Arc;

fn run(model: Model, options: &[(&str, &str)]) -> Result<Verdict, Reason> {
    run_and_tell(model, options).map(|it| it.0)
}

fn run_and_tell(model: Model, options: &[(&str, &str)]) -> Result<(Verdict, Vec<base::Event>), Reason> {
    let mut settings = Settings::default();
    for (name, value) in options {
        settings.set(&[Cover.settings()], name, value).expect("the option exists");
    }
    let task = Task { model, property: Property::NoError, scope: Scope::ANY };
    Cover.accepts(&task)?;
    let (budget, facts) = (Budget::with_ticks(20_000_000), Facts::default());
    let mut events = vec![];
    let mut cx = Cx { budget: &budget, events: &mut events, facts: &facts, settings: &settings, seed: 0 };
    let verdict = Cover.run(&task, &mut cx).expect("the budget is large enough");
    Ok((verdict, events))
}

/// The least number of threads with an error, up to `most`, as far as brute force gets.
fn brute_force(program: &Program, most: u32) -> Option<Option<u32>> {
    for bound in 1..=most {
        let machine = Machine::new(program, Some(bound));
        if machine.reachable(1500)?.iter().any(|state| machine.failure(state).is_some()) {
            return Some(Some(bound));
        }
    }
    Some(None)
}

fn check_program(program: &Program, options: &[(&str, &str)], expected: Option<u32>, seed: u64) {
    let verdict = run(Model::Program(Arc::new(program.clone())), options).expect("it is monotone");
    match verdict {
        Verdict::Safe { scope: Scope::ANY, .. } => {
            assert_eq!(expected, None, "program {seed} has an error:\n{program:#?}");
        }
        Verdict::Unsafe(Trace::Program(trace)) => support::replay(program, None, &trace),
        verdict => panic!("program {seed}: {verdict:?}"),
    }
}

/// Ways to guess: not at all, with what few threads reach, and with so little knowledge that many guesses are wrong.
const GUESSES: [&[(&str, &str)]; 6] = [
    &[],
    &[DROP],
    &[CUTOFF],
    &[DROP, CUTOFF],
    &[DROP, CUTOFF, ("cover.forward_states", "1"), ("cover.width", "1")],
    &[DROP, ("cover.forward_states", "6"), ("cover.width", "1"), ("cover.chains", "off")],
];
const DROP: (&str, &str) = ("cover.drop", "on");
const CUTOFF: (&str, &str) = ("cover.cutoff", "on");

fn check_programs(profile: &Profile, seeds: std::ops::Range<u64>, least: usize) {
    let (mut safe, mut failing) = (0, 0);
    for seed in seeds {
        let program = random::program(seed, profile);
        if !program.is_flat() || !program.monotone() {
            continue;
        }
        let Some(expected) = brute_force(&program, 3) else { continue };
        *(if expected.is_some() { &mut failing } else { &mut safe }) += 1;
        check_program(&program, GUESSES[seed as usize % 6], expected, seed);
        check_program(&program, GUESSES[4 + seed as usize % 2], expected, seed);
        if seed % 3 == 0 {
            check_program(&program, &[("cover.width", "1"), ("cover.chains", "off")], expected, seed);
        }
    }
    assert!(
        safe + failing >= least && safe > least / 4 && failing > least / 4,
        "{safe} safe, {failing} failing"
    );
}

#[test]
fn decides_monotone_programs() {
    check_programs(&Profile::MONOTONE, 0..3000, 2000);
}

#[test]
fn decides_broadcasts() {
    check_programs(&Profile { passive_conditions: 10, ..Profile::BROADCASTS }, 10_000..11_200, 500);
}

#[test]
fn decides_spawning_programs() {
    check_programs(&Profile::SPAWNING, 20_000..21_200, 500);
}

fn check_net(net: &Net, seed: u64) -> Option<bool> {
    let machine = net::Machine::new(net, Some(4));
    let markings = machine.reachable(5000).expect("few tokens in few places");
    let hit = markings.iter().any(|marking| machine.at_target(marking));
    for options in [GUESSES[seed as usize % 6], GUESSES[4]] {
        let verdict = match run(Model::Net(Arc::new(net.clone())), options) {
            Ok(verdict) => verdict,
            Err(reason) => {
                assert!(reason.kind == ReasonKind::NonMonotone && !net.monotone());
                return None;
            }
        };
        match verdict {
            Verdict::Safe { scope: Scope::ANY, .. } => assert!(!hit, "net {seed} has an error"),
            Verdict::Unsafe(Trace::Net(trace)) => check_net_trace(net, &trace),
            verdict => panic!("net {seed}: {verdict:?}"),
        }
    }
    Some(hit)
}

fn check_net_trace(net: &Net, trace: &ir::trace::NetTrace) {
    let machine = net::Machine::new(net, None);
    assert!(machine.starts_in(&trace.start));
    let last = trace.steps.iter().fold(trace.start.clone(), |marking, step| {
        machine.apply(&marking, step).expect("every move is one of the net")
    });
    assert!(machine.at_target(&last));
}

#[test]
fn decides_monotone_nets() {
    let (mut safe, mut hit) = (0, 0);
    for seed in 0..1500 {
        for (profile, first) in [(nets::Profile::ALL, 0), (nets::Profile::SIMPLE, 10_000)] {
            match check_net(&nets::net(first + seed, &profile), first + seed) {
                Some(true) => hit += 1,
                Some(false) => safe += 1,
                None => {}
            }
        }
    }
    assert!(safe > 500 && hit > 500, "{safe} safe, {hit} reached");
}

/// With little knowledge elements are lowered often, and often wrongly: the other tests of this file are about that, too.
#[test]
fn guesses_are_made_and_taken_back() {
    let (mut lowered, mut wrong, mut cutoffs) = (0, 0, 0);
    for seed in 0..600 {
        let net = nets::net(10_000 + seed, &nets::Profile::SIMPLE);
        let narrow: &[(&str, &str)] = &[CUTOFF, ("cover.width", "1")];
        for (options, proofs) in [(GUESSES[5], false), (narrow, true)] {
            let Ok((verdict, events)) = run_and_tell(Model::Net(Arc::new(net.clone())), options) else {
                continue;
            };
            let counter = |wanted: &str| {
                let value = |event: &base::Event| match event {
                    base::Event::Counter { name, value, .. } if *name == wanted => Some(*value),
                    _ => None,
                };
                events.iter().find_map(value).unwrap_or(0)
            };
            lowered += counter("elements lowered");
            wrong += counter("wrong guesses");
            let safe = matches!(verdict, Verdict::Safe { .. });
            cutoffs += u64::from(proofs && safe && counter("cutoff guesses left") > 0);
        }
    }
    assert!(
        lowered > 100 && wrong > 20 && cutoffs > 5,
        "{lowered} lowered, {wrong} wrong, {cutoffs} cutoffs"
    );
}
