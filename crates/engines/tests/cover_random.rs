//! Backward coverability against brute force: it decides every monotone program and net, and every answer is confirmed.

mod support;

use base::{Budget, Settings, Silent};
use engines::{Cover, Cx, Engine, Facts};
use ir::bp::random::{self, Profile};
use ir::bp::{Machine, Program};
use ir::net::random as nets;
use ir::{Model, Net, Property, Reason, ReasonKind, Scope, Task, Trace, Verdict, net};
use std::sync::Arc;

fn run(model: Model, options: &[(&str, &str)]) -> Result<Verdict, Reason> {
    let mut settings = Settings::default();
    for (name, value) in options {
        settings.set(&[Cover.settings()], name, value).expect("the option exists");
    }
    let task = Task { model, property: Property::NoError, scope: Scope::ANY };
    Cover.accepts(&task)?;
    let (budget, facts) = (Budget::with_ticks(20_000_000), Facts::default());
    let mut cx = Cx { budget: &budget, events: &mut Silent, facts: &facts, settings: &settings, seed: 0 };
    Ok(Cover.run(&task, &mut cx).expect("the budget is large enough"))
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

fn check_programs(profile: &Profile, seeds: std::ops::Range<u64>, least: usize) {
    let (mut safe, mut failing) = (0, 0);
    for seed in seeds {
        let program = random::program(seed, profile);
        if !program.is_flat() || !program.monotone() {
            continue;
        }
        let Some(expected) = brute_force(&program, 3) else { continue };
        *(if expected.is_some() { &mut failing } else { &mut safe }) += 1;
        check_program(&program, &[], expected, seed);
        if seed % 3 == 0 {
            check_program(&program, &[("cover.width", "1"), ("cover.chains", "off")], expected, seed);
        }
    }
    assert!(safe > least && failing > least, "{safe} safe, {failing} failing");
}

#[test]
fn decides_monotone_programs() {
    check_programs(&Profile::MONOTONE, 0..2000, 300);
}

#[test]
fn decides_broadcasts() {
    check_programs(&Profile { passive_conditions: 10, ..Profile::BROADCASTS }, 10_000..11_200, 150);
}

#[test]
fn decides_spawning_programs() {
    check_programs(&Profile::SPAWNING, 20_000..21_200, 150);
}

fn check_net(net: &Net, seed: u64) -> Option<bool> {
    let machine = net::Machine::new(net, Some(4));
    let markings = machine.reachable(5000).expect("few tokens in few places");
    let hit = markings.iter().any(|marking| machine.at_target(marking));
    let verdict = match run(Model::Net(Arc::new(net.clone())), &[]) {
        Ok(verdict) => verdict,
        Err(reason) => {
            assert!(reason.kind == ReasonKind::NonMonotone && !net.monotone());
            return None;
        }
    };
    match verdict {
        Verdict::Safe { scope: Scope::ANY, .. } => assert!(!hit, "net {seed} has an error"),
        Verdict::Unsafe(Trace::Net(trace)) => {
            let machine = net::Machine::new(net, None);
            assert!(machine.starts_in(&trace.start));
            let last = trace.steps.iter().fold(trace.start.clone(), |marking, step| {
                machine.apply(&marking, step).expect("every move is one of the net")
            });
            assert!(machine.at_target(&last));
        }
        verdict => panic!("net {seed}: {verdict:?}"),
    }
    Some(hit)
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
