//! The adapter against enumeration, its cores, its interruption; the encoder against evaluation.

use super::*;
use crate::aig::{Aig, Lit};
use crate::random::Random;
use base::Id;
use std::time::{Duration, Instant};

/// Random clauses of three literals over `vars` variables, as bits of a word.
fn random_clauses(random: &mut Random, vars: usize, count: usize) -> Vec<Vec<(usize, bool)>> {
    (0..count).map(|_| (0..3).map(|_| (random.below(vars), random.flag())).collect()).collect()
}

fn satisfies(row: u64, clauses: &[Vec<(usize, bool)>]) -> bool {
    clauses.iter().all(|clause| clause.iter().any(|&(var, value)| (row >> var & 1 == 1) == value))
}

#[test]
fn answers_models_and_cores_are_right() {
    let budget = Budget::unlimited();
    let mut random = Random::new(1);
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..300 {
        let mut clauses = random_clauses(&mut random, 8, 20);
        let mut solver = Batsat::new();
        let vars: Vec<Var> = (0..8).map(|_| solver.new_var()).collect();
        for clause in &clauses {
            solver.add_clause(&clause.iter().map(|&(v, value)| vars[v].literal(value)).collect::<Vec<_>>());
        }
        for _ in 0..6 {
            let assumed: Vec<(usize, bool)> = (0..3).map(|_| (random.below(8), random.flag())).collect();
            let units: Vec<_> = assumed.iter().map(|&unit| vec![unit]).collect();
            let holds = |row: u64| satisfies(row, &clauses) && satisfies(row, &units);
            let literals: Vec<Literal> = assumed.iter().map(|&(v, value)| vars[v].literal(value)).collect();
            match solver.solve_under(&literals, &budget).expect("nothing stops it") {
                Answer::Sat => {
                    sat += 1;
                    assert!(holds(
                        (0..8).fold(0, |row, v| row | u64::from(solver.value(vars[v].positive())) << v)
                    ));
                }
                Answer::Unsat => {
                    unsat += 1;
                    assert!(!(0..256).any(holds));
                    let core = solver.failed().to_vec();
                    assert!(core.iter().all(|literal| literals.contains(literal)));
                    assert_eq!(solver.solve_under(&core, &budget), Ok(Answer::Unsat));
                }
            }
            // Grow between calls: this is what incremental means.
            let clause = random_clauses(&mut random, 8, 1).remove(0);
            solver.add_clause(&clause.iter().map(|&(v, value)| vars[v].literal(value)).collect::<Vec<_>>());
            clauses.push(clause);
        }
    }
    assert!(sat > 200 && unsat > 200, "{sat} sat, {unsat} unsat");
}

#[test]
fn the_empty_clause_ends_it() {
    let mut solver = Batsat::new();
    let var = solver.new_var();
    assert_eq!(solver.solve(&Budget::unlimited()), Ok(Answer::Sat));
    solver.add_clause(&[]);
    assert_eq!(solver.solve_under(&[var.positive()], &Budget::unlimited()), Ok(Answer::Unsat));
    assert!(solver.failed().is_empty());
}

/// One pigeon more than holes: hopeless for a solver without counting.
fn pigeons(solver: &mut Batsat, holes: usize) {
    let at: Vec<Vec<Var>> = (0..=holes).map(|_| (0..holes).map(|_| solver.new_var()).collect()).collect();
    for pigeon in &at {
        solver.add_clause(&pigeon.iter().map(|var| var.positive()).collect::<Vec<_>>());
    }
    for (first, one) in at.iter().enumerate() {
        for other in &at[..first] {
            for (here, there) in one.iter().zip(other) {
                solver.add_clause(&[here.negative(), there.negative()]);
            }
        }
    }
}

#[test]
fn another_thread_interrupts_a_hard_call() {
    let mut solver = Batsat::new();
    pigeons(&mut solver, 14);
    let budget = Budget::unlimited();
    let handle = budget.handle().clone();
    let waiter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        handle.stop(Stop::Cancelled);
        Instant::now()
    });
    assert_eq!(solver.solve(&budget), Err(Stop::Cancelled));
    let raised = waiter.join().expect("the waiter only waits");
    assert!(raised.elapsed() < Duration::from_secs(2));
    // The solver is still good for easy questions.
    let fresh = solver.new_var();
    solver.add_clause(&[fresh.positive()]);
    assert_eq!(solver.solve_under(&[fresh.negative()], &Budget::unlimited()), Ok(Answer::Unsat));
    assert_eq!(solver.failed(), [fresh.negative()]);
}

#[test]
fn ticks_stop_it_at_the_same_point() {
    let run = || {
        let mut solver = Batsat::new();
        pigeons(&mut solver, 12);
        let budget = Budget::with_ticks(50_000);
        assert_eq!(solver.solve(&budget), Err(Stop::Ticks));
        (budget.spent(), solver.counters())
    };
    let first = run();
    assert!(first.0 < 300_000);
    assert_eq!(run(), first);
}

#[test]
fn encoded_formulas_have_the_models_of_the_graph() {
    let budget = Budget::unlimited();
    let mut random = Random::new(5);
    for seed in 0..60 {
        let mut aig = Aig::new(seed);
        let mut pool: Vec<Lit> = vec![Lit::TRUE];
        for _ in 0..5 {
            let input = aig.new_input();
            pool.push(aig.input(input));
        }
        let mut solver = Batsat::new();
        let mut encoder = Encoder::new();
        for _ in 0..30 {
            let [a, b] = [0, 1].map(|_| pool[random.below(pool.len())].negate_if(random.flag()));
            let made = if random.flag() { aig.and(a, b) } else { aig.xor(a, b) };
            pool.push(made);
            let literal = encoder.literal(&aig, made, &mut solver, &budget).expect("nothing stops it");
            let rows = (0..32usize).map(|row| aig.eval(made, |input| row >> input.index() & 1 == 1));
            let (mut can, mut cannot) = (false, false);
            rows.for_each(|value| if value { can = true } else { cannot = true });
            for (assumed, expected) in [(literal, can), (!literal, cannot)] {
                let answer = solver.solve_under(&[assumed], &budget).expect("nothing stops it");
                assert_eq!(answer == Answer::Sat, expected);
                if expected {
                    let value = aig.eval(made, |input| encoder.value(&aig, input, &solver));
                    assert_eq!(value, assumed == literal);
                }
            }
        }
    }
}
