//! Traces of several rounds are replayed, and bounds on the threads are kept.

use super::*;
use crate::Rounds;
use crate::kit::{ask, replay, task};
use base::{Budget, NoEvents};
use ir::{Bound, Task, Trace, Verdict};
use std::sync::Arc;

fn question(program: &Program, threads: Bound) -> Task {
    task(&ir::Model::Program(Arc::new(program.clone())), threads)
}

const BY_GAME: &[(&str, &str)] = &[("rounds.most", "2"), ("rounds.closure", "off")];

/// The rounds of the first error that the equations find, without the first look at one round; its trace is
/// replayed.
fn rounds_of_error(program: &Program) -> Result<Option<usize>, Stop> {
    let Some(model) = model(program) else { return Ok(None) };
    let budget = Budget::with_ticks(20_000_000);
    let mut equations = Equations::new(model, 3, 1 << 20, &budget)?;
    for rounds in 1..=3 {
        if equations.next_round()? {
            let schedule = crate::rounds::trace::schedule(&mut equations)?;
            let trace = crate::rounds::replay::replay(&equations, &schedule, None);
            replay(&question(program, Bound::Any), &Trace::Program(trace.expect("a schedule is a run")));
            return Ok(Some(rounds));
        }
    }
    Ok(None)
}

/// One thread gives away its turn this many times before it fails, and gets it back each time: one round
/// more.
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
        let task = question(&program, Bound::AtMost(2));
        let budget = Budget::with_ticks(20_000_000);
        if let Ok(Verdict::Unsafe(trace)) = ask(&Rounds, &task, BY_GAME, &budget, &mut NoEvents) {
            replay(&task, &trace);
            kept += 1;
        }
    }
    assert!(kept > 8, "{kept}");
}
