//! Sets of elements against listed elements and brute force: the same verdicts on every monotone program, and every trace replays.

mod support;

use base::{Budget, Settings, Silent, Stop};
use engines::{Cover, Cx, Engine, Facts};
use ir::bp::random::{self, Profile};
use ir::bp::{Machine, Program};
use ir::{Model, Property, Scope, Task, Trace, Verdict};
use std::sync::Arc;

type Options<'a> = &'a [(&'a str, &'a str)];

fn run(program: &Program, options: Options<'_>, ticks: u64) -> Result<Verdict, Stop> {
    let mut settings = Settings::default();
    for (name, value) in options {
        settings.set(&[Cover.settings()], name, value).expect("the option exists");
    }
    let model = Model::Program(Arc::new(program.clone()));
    let task = Task { model, property: Property::NoError, scope: Scope::ANY };
    Cover.accepts(&task).expect("it is monotone");
    let (budget, facts) = (Budget::with_ticks(ticks), Facts::default());
    let mut cx = Cx { budget: &budget, events: &mut Silent, facts: &facts, settings: &settings, seed: 0 };
    Cover.run(&task, &mut cx)
}

/// Whether the program fails; its trace replays.
fn fails(program: &Program, options: Options<'_>, seed: u64) -> bool {
    match run(program, options, 200_000_000) {
        Ok(Verdict::Safe { scope: Scope::ANY, .. }) => false,
        Ok(Verdict::Unsafe(Trace::Program(trace))) => {
            support::replay(program, None, &trace);
            true
        }
        verdict => panic!("program {seed}: {verdict:?}"),
    }
}

/// Whether few threads fail, as far as brute force gets.
fn brute_force(program: &Program) -> Option<bool> {
    for bound in 1..=3 {
        let machine = Machine::new(program, Some(bound));
        if machine.reachable(1000)?.iter().any(|state| machine.failure(state).is_some()) {
            return Some(true);
        }
    }
    Some(false)
}

const SETS: Options<'_> = &[("cover.sets", "bdd")];
const LISTS: Options<'_> = &[("cover.sets", "explicit")];
/// So little room that it has to grow.
const NARROW: Options<'_> = &[("cover.sets", "bdd"), ("cover.room", "1"), ("cover.width", "1")];
/// A closure that rules out less, so that more is left to the search.
const BLIND: Options<'_> = &[("cover.sets", "bdd"), ("cover.width", "1")];
const WIDE: Options<'_> = &[("cover.sets", "bdd"), ("cover.width", "3")];

fn compare(profile: &Profile, seeds: std::ops::Range<u64>, least: usize) {
    let (mut safe, mut failing) = (0, 0);
    for seed in seeds {
        let program = random::program(seed, profile);
        if !program.is_flat() || !program.monotone() {
            continue;
        }
        let expected = fails(&program, LISTS, seed);
        for options in [BLIND, [SETS, NARROW, WIDE][seed as usize % 3]] {
            assert_eq!(fails(&program, options, seed), expected, "program {seed}:\n{program:#?}");
        }
        assert!(
            brute_force(&program) != Some(true) || expected,
            "program {seed} has an error:\n{program:#?}"
        );
        *(if expected { &mut failing } else { &mut safe }) += 1;
    }
    assert!(safe > least && failing > least, "{safe} safe, {failing} failing");
}

#[test]
fn agrees_with_lists() {
    compare(&Profile::MONOTONE, 40_000..40_800, 100);
}

#[test]
fn agrees_with_lists_on_broadcasts() {
    compare(&Profile { passive_conditions: 10, ..Profile::BROADCASTS }, 50_000..50_600, 100);
}

#[test]
fn agrees_with_lists_on_spawning_programs() {
    compare(&Profile::SPAWNING, 60_000..60_600, 100);
}
