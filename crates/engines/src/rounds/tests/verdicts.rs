//! Verdicts of the engine against exhaustive search, and every trace replayed.

use super::*;
use crate::{Cx, Engine, Facts};
use base::{Budget, Settings, Silent};
use ir::bp::Machine;
use ir::task::{Model as TaskModel, Property, Scope, Task};
use ir::{Trace, Verdict, Why};
use std::sync::Arc;

pub fn run(program: &Program, scope: Scope, most: &str) -> Verdict {
    let engine = super::super::Rounds;
    let task =
        Task { model: TaskModel::Program(Arc::new(program.clone())), property: Property::NoError, scope };
    let mut settings = Settings::default();
    settings.set(&[engine.settings()], "rounds.most", most).expect("a fair value");
    let (budget, facts) = (Budget::with_ticks(20_000_000), Facts::default());
    let mut cx = Cx { budget: &budget, events: &mut Silent, facts: &facts, settings: &settings, seed: 0 };
    engine.run(&task, &mut cx).unwrap_or_else(|stop| Verdict::Unknown(Why::Stopped(stop)))
}

/// The trace runs from a start to its failure.
pub fn confirm(program: &Program, trace: &Trace, bound: Option<u32>) {
    let Trace::Program(trace) = trace else { panic!("a trace of a program") };
    let machine = Machine::new(program, bound);
    machine.starts_in(&trace.start).expect("it starts where the program may");
    let mut state = trace.start.clone();
    for step in &trace.steps {
        state = machine.apply(&state, step).expect("each step is one");
    }
    assert_eq!(machine.failure(&state), Some(trace.failure));
}

#[derive(Default, Debug)]
pub struct Tally {
    safe: usize,
    wrong: usize,
    confirmed: usize,
    unknown: usize,
    refused: usize,
}

/// Whether exhaustive search with up to `threads` threads finds an error; `None` if there are too many states.
fn fails(program: &Program, threads: u32) -> Option<bool> {
    let machine = Machine::new(program, Some(threads));
    let states = machine.reachable(20_000)?;
    Some(states.iter().any(|state| machine.failure(state).is_some()))
}

fn compare(program: &Program, tally: &mut Tally) {
    if model(program).is_none() {
        tally.refused += 1;
        return;
    }
    match run(program, Scope::ANY, "2") {
        Verdict::Unsafe(trace) => {
            confirm(program, &trace, None);
            tally.confirmed += 1;
        }
        Verdict::Safe { scope, .. } => {
            assert_eq!(scope, Scope::ANY);
            tally.safe += 1;
            let wrong = (1..=4).map_while(|threads| fails(program, threads)).any(|fails| fails);
            assert!(!wrong, "claimed safe: {program:#?}");
            tally.wrong += usize::from(wrong);
        }
        Verdict::Unknown(Why::Because(reason)) => panic!("{reason:?} in {program:#?}"),
        Verdict::Unknown(_) => tally.unknown += 1,
    }
}

fn tally(profile: &Profile, seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        compare(&random_program(seed, profile), &mut tally);
    }
    tally
}

#[test]
fn verdicts_about_fixed_programs_are_right() {
    let tally = tally(&STATIC, 0..500);
    assert!(tally.safe > 100 && tally.confirmed > 100 && tally.wrong == 0, "{tally:?}");
}

#[test]
fn verdicts_about_spawning_programs_are_right() {
    let tally = tally(&Profile::SPAWNING, 0..500);
    assert!(tally.safe > 50 && tally.confirmed > 100 && tally.wrong == 0, "{tally:?}");
}
