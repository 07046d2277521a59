//! The engine against brute force over the reference semantics, on random programs with every construct.

mod support;

use base::Random;
use ir::bp::random::{Profile, program};
use ir::bp::{Init, Loc, LocalId, Program, Role};
use ir::{Bound, Verdict};
use support::silent::with_either;
use support::{configs, program_trace, reached, replay, run_program, same_states, truth};

/// Marks some locals as dead, and as silent all locations whose statements touch nothing that another thread can see and go forward.
/// The reference semantics sets dead locals to 0 whether or not somebody reads them: so any will do.
fn with_marks(program: &Program, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut builder = program.edit();
    let entries: Vec<Loc> = program.procedures().iter().map(|procedure| procedure.entry).collect();
    for loc in program.locations().ids() {
        // A thread must be able to start with the value that a dead local has.
        let dead = program.locals().enumerate().filter(|(id, local)| {
            let lives = local.role == Role::Plain && program.in_scope(loc, *id);
            lives && (!entries.contains(&loc) || local.init == Init::Fixed(false))
        });
        let dead: Vec<LocalId> = dead.filter(|_| random.percent(15)).map(|(id, _)| id).collect();
        builder.at(loc).dead = dead;
    }
    with_either(&builder.finish().expect("it was valid before"), seed)
}

fn check(program: &Program, bound: u32) -> bool {
    let Some(truth) = truth(program, bound, 1500) else { return false };
    for config in configs() {
        let verdict = run_program(program, Bound::AtMost(bound), config);
        match truth.shortest {
            None => same_states(program, reached(&verdict), &truth.states),
            Some(length) => {
                let trace = program_trace(verdict).expect("brute force finds an error");
                replay(program, Some(bound), &trace);
                assert!(trace.steps.len() >= length);
                if !config.reduction && !config.chains {
                    assert_eq!(trace.steps.len(), length);
                }
            }
        }
    }
    true
}

/// Any number of threads: errors are real without a bound, and what is safe has no error with a few more threads.
fn check_any(program: &Program) {
    for config in configs().filter(|config| config.symmetry) {
        match run_program(program, Bound::Any, config) {
            Verdict::Unsafe(ir::Trace::Program(trace)) => replay(program, None, &trace),
            Verdict::Safe { scope, certificate } => {
                assert_eq!(scope, ir::Scope::ANY);
                let bound = match certificate.expect("small").body {
                    ir::certificate::Body::Reached(reached) => reached.bound,
                    _ => panic!("a program has a reached set"),
                };
                let more = truth(program, bound + 1, 3000);
                assert!(more.is_none_or(|truth| truth.shortest.is_none()));
            }
            Verdict::Unknown(_) | Verdict::Unsafe(_) => {}
        }
    }
}

fn compare(profile: &Profile, first: u64, wanted: usize) {
    let flat = (first..).map(|seed| (seed, program(seed, profile))).filter(|(_, program)| program.is_flat());
    let mut compared = 0;
    for (seed, program) in flat.take(wanted) {
        let program = with_marks(&program, seed);
        let outcome = std::panic::catch_unwind(|| {
            check_any(&program);
            (1..=3).filter(|&bound| check(&program, bound)).count()
        });
        match outcome {
            Ok(count) => compared += count,
            Err(fault) => {
                eprintln!("seed {seed}, {profile:?}");
                std::panic::resume_unwind(fault);
            }
        }
    }
    assert!(compared > wanted, "most programs are small enough to compare: {compared} of {wanted} times 3");
}

#[test]
fn agrees_on_programs_with_everything() {
    compare(&Profile::ALL, 0, 900);
}

#[test]
fn agrees_on_broadcasts() {
    compare(&Profile { passive_conditions: 50, ..Profile::BROADCASTS }, 100_000, 500);
}

#[test]
fn agrees_on_thread_creation() {
    compare(&Profile::SPAWNING, 200_000, 400);
}

#[test]
fn agrees_on_longer_programs() {
    let profile = Profile { statements: 14, procedures: 0, templates: 50, ..Profile::ALL };
    compare(&profile, 300_000, 400);
}

/// Or the tests above would not test running on.
#[test]
fn locations_are_silent_often_enough() {
    let silent = |seed| {
        let program = with_marks(&program(seed, &Profile::ALL), seed);
        program.locations().iter().filter(|location| location.silent).count()
    };
    assert!((0..100).map(silent).sum::<usize>() > 100);
}
