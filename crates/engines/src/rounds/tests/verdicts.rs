//! Traces of several rounds are replayed, and bounds on the threads are kept.

use super::*;
use crate::{Cx, Engine, Facts};
use base::{Budget, NoEvents, Settings};
use ir::bp::Machine;
use ir::task::{Model as TaskModel, Property, Scope, Task};
use ir::{Trace, Verdict, Why};
use std::sync::Arc;

pub fn run(program: &Program, scope: Scope, set: &[(&str, &str)]) -> Verdict {
    let engine = super::super::Rounds;
    let task =
        Task { model: TaskModel::Program(Arc::new(program.clone())), property: Property::NoError, scope };
    let mut settings = Settings::default();
    for (name, value) in set {
        settings.set(&[engine.settings()], name, value).expect("a fair value");
    }
    let (budget, facts) = (Budget::with_ticks(20_000_000), Facts::default());
    let mut cx = Cx { budget: &budget, events: &mut NoEvents, facts: &facts, settings: &settings, seed: 0 };
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

const BY_GAME: &[(&str, &str)] = &[("rounds.most", "2"), ("rounds.closure", "off")];

/// The rounds of the first error that the equations find, without the first look at one round; its trace is replayed.
fn rounds_of_error(program: &Program) -> Result<Option<usize>, Stop> {
    let Some(model) = model(program) else { return Ok(None) };
    let budget = Budget::with_ticks(20_000_000);
    let mut equations = Equations::new(model, 3, 1 << 20, &budget)?;
    for rounds in 1..=3 {
        if equations.next_round()? {
            let schedule = crate::rounds::trace::schedule(&mut equations)?;
            let trace = crate::rounds::replay::replay(&equations, &schedule, None);
            confirm(program, &Trace::Program(trace.expect("a schedule is a run")), None);
            return Ok(Some(rounds));
        }
    }
    Ok(None)
}

/// One thread gives away its turn so many times before it fails, and gets it back each time: one round more.
fn alternating(turns: usize) -> Program {
    let mut builder = Builder::new();
    let (main, other) = (builder.declare("main", 0), builder.declare("other", 0));
    let turn = Var::Shared(builder.shared("turn".to_string(), Init::Fixed(false)));
    let given = builder.exprs().var(turn);
    let back = builder.exprs().not(given);
    let [zero, one] = [false, true].map(|value| builder.exprs().constant(value));
    let set = |value| Op::Assign { targets: vec![(turn, value)], broadcast: vec![], constrain: None };
    builder.begin(main);
    for _ in 0..turns {
        builder.push(main, Op::Assume(back), None);
        builder.push(main, set(one), None);
    }
    builder.push(main, Op::Assume(back), None);
    let fails = builder.here();
    builder.push(main, Op::Skip, None);
    builder.at(fails).error = true;
    builder.end(main, None);
    builder.begin(other);
    let head = builder.here();
    builder.push(other, Op::Assume(given), None);
    builder.push(other, set(zero), None);
    builder.push(other, Op::Goto(vec![head]), None);
    builder.end(other, None);
    builder.template(main, Count::Exactly(1));
    builder.template(other, Count::AtLeast(0));
    builder.finish().expect("a valid program")
}

#[test]
fn errors_of_every_round_are_replayed() {
    let recursive = Profile { broadcasts: 0, passive_conditions: 0, statements: 5, ..Profile::RECURSIVE };
    let random = [STATIC, Profile::SPAWNING, recursive];
    let random = random.iter().flat_map(|profile| (0..100).map(move |seed| random_program(seed, profile)));
    // What is too large stops; that is no trace.
    let errors = random.filter_map(|program| rounds_of_error(&program).ok().flatten()).count();
    assert!(errors > 40, "{errors}");
    for turns in 0..3 {
        assert_eq!(rounds_of_error(&alternating(turns)), Ok(Some(turns + 1)));
    }
}

#[test]
fn a_bound_on_threads_is_kept() {
    let mut kept = 0;
    for seed in 0..80 {
        let program = random_program(seed, &Profile::SPAWNING);
        if model(&program).is_none() {
            continue;
        }
        if let Verdict::Unsafe(trace) = run(&program, Scope::threads(2), BY_GAME) {
            confirm(&program, &trace, Some(2));
            kept += 1;
        }
    }
    assert!(kept > 8, "{kept}");
}
