//! Paths against brute force over schedules.

use super::brute::{calls, visited};
use super::*;
use base::Budget;

const ROUNDS: usize = 3;

/// Compares the thread states of k = 1, 2, 3 rounds; says whether brute force could finish.
fn agrees(program: &Program, threads: u32, exact: bool) -> Result<bool, Stop> {
    let Some(model) = model(program) else { return Ok(false) };
    let mut expected: Vec<BTreeSet<Visible>> = vec![BTreeSet::new(); ROUNDS];
    for threads in 1..=threads {
        let Some(sets) = visited(&model, ROUNDS, threads, 15_000) else { return Ok(false) };
        expected.iter_mut().zip(sets).for_each(|(all, more)| all.extend(more));
    }
    let budget = Budget::unlimited();
    let mut equations = Equations::new(model, ROUNDS, 1 << 20, &budget)?;
    for rounds in 1..=ROUNDS {
        assert!(!equations.next_round()?, "harmless programs have no errors");
        let found = visible(&mut equations, rounds)?;
        let missing: Vec<_> = expected[rounds - 1].difference(&found).collect();
        assert!(missing.is_empty(), "{rounds} rounds lack {missing:?} in {program:#?}");
        let extra: Vec<_> = found.difference(&expected[rounds - 1]).collect();
        assert!(!exact || extra.is_empty(), "{rounds} rounds invent {extra:?} in {program:#?}");
    }
    Ok(true)
}

#[test]
fn transition_systems_agree_with_brute_force() -> Result<(), Stop> {
    let mut compared = 0;
    for seed in 0..60 {
        compared += usize::from(agrees(&transition_system(seed), 4, true)?);
    }
    assert!(compared > 30, "only {compared} were small enough");
    Ok(())
}

#[test]
fn programs_with_sections_locks_and_init_agree_with_brute_force() -> Result<(), Stop> {
    let mut compared = 0;
    for seed in 0..150 {
        compared += usize::from(agrees(&harmless(&random_program(seed, &STATIC)), 3, false)?);
    }
    assert!(compared > 60, "only {compared} were small enough");
    Ok(())
}

#[test]
fn programs_with_calls_agree_with_brute_force() -> Result<(), Stop> {
    let mut compared = 0;
    for seed in 0..250 {
        let program = harmless(&random_program(seed, &CALLS));
        compared += usize::from(calls(&program) && agrees(&program, 2, false)?);
    }
    assert!(compared > 20, "only {compared} were small enough");
    Ok(())
}
