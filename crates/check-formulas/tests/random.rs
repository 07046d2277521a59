//! Certificates of random programs: made by brute force they are confirmed, and what the checker says of
//! their mutants is what brute force says.

#[path = "../../check/tests/common/mod.rs"]
mod common;

use base::{Budget, Random};
use check::Refused;
use check_formulas::Checker;
use common::{Brute, certificate, symbolic, task};
use ir::bp::Program;
use ir::certificate::{Body, Reached};
use ir::{Certificate, Scope};
use testing::Viewed;
use testing::bp::{Profile, program};

/// Children of threads that hold locks.
const LOCKING: Profile = Profile { locks: 100, spawns: 100, broadcasts: 0, procedures: 0, ..Profile::ALL };
/// Broadcasts to, and conditions over, threads with several activations.
const STACKED: Profile = Profile {
    procedures: 100,
    recursion: 100,
    broadcasts: 100,
    passive_conditions: 100,
    spawns: 100,
    ..Profile::ALL
};
const PROFILES: [Profile; 7] = [
    Profile::ALL,
    Profile::RECURSIVE,
    Profile::MONOTONE,
    Profile::BROADCASTS,
    Profile::SPAWNING,
    LOCKING,
    STACKED,
];

fn confirm(program: &Program, requested: Scope, body: Viewed<Reached>) -> Result<Scope, String> {
    confirm_as(program, requested, body, false)
}

/// Confirms a set. If it is known to be a proof, as formulas it may be confirmed though the list is not:
/// there a forgotten variable has one value wherever a statement reads it.
fn confirm_as(
    program: &Program,
    requested: Scope,
    body: Viewed<Reached>,
    proof: bool,
) -> Result<Scope, String> {
    let formulas = symbolic::symbolic(&body, &mut Random::new(body.states.len() as u64));
    let answer = judge(program, requested, &certificate(body.clone()));
    if let Some(formulas) = formulas {
        let formulas = symbolic::certificate(formulas);
        same_as_formulas(&answer, &judge(program, requested, &formulas), &formulas, proof);
    }
    answer
}

fn judge(program: &Program, requested: Scope, certificate: &Certificate) -> Result<Scope, String> {
    match check_formulas::certificate(&task(program, requested), certificate, &Budget::unlimited()) {
        Ok(scope) => Ok(scope),
        Err(Refused::Rejected(why)) => Err(why.why),
        Err(Refused::Stopped(stop)) => panic!("nothing stops an unlimited budget: {stop}"),
    }
}

/// The same set as formulas is a proof just when the list is one.
fn same_as_formulas(
    answer: &Result<Scope, String>,
    symbolic: &Result<Scope, String>,
    formulas: &Certificate,
    proof: bool,
) {
    match (answer, symbolic) {
        (Ok(_), symbolic) => assert_eq!(symbolic, answer, "{formulas:?}"),
        (Err(_), Err(_)) => {}
        // What a list may not hold at all a formula may.
        (Err(why), Ok(_)) => assert!(
            proof || why.contains("dead local is not 0") || why.contains("same thread twice"),
            "{why}: {formulas:?}"
        ),
    }
}

fn cases() -> impl Iterator<Item = (u64, Program, u32)> {
    (0..1400).map(|seed| {
        let program = program(seed, &PROFILES[seed as usize % 7]);
        let program = if seed % 3 == 0 { with_dead_locals(&program, seed) } else { program };
        (seed, program, 1 + seed as u32 / 7 % 3)
    })
}

/// Locals die at random: another program, but one whose meaning is just as clear.
fn with_dead_locals(program: &Program, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut builder = program.edit();
    for loc in program.locations().ids() {
        let seen = program.locals().ids().filter(|&local| program.in_scope(loc, local));
        builder.at(loc).dead = seen.filter(|_| random.percent(15)).collect();
    }
    builder.finish().expect("still valid")
}

#[test]
fn reached_sets_are_confirmed_just_when_they_are_safe() {
    let (mut safe, mut failing, mut unbounded) = (0, 0, 0);
    for (seed, program, bound) in cases() {
        let brute = Brute::full(&program, bound);
        let Some(set) = brute.least(500) else { continue };
        let fails = set.iter().any(|it| brute.machine().failure(&it.0).is_some());
        let answer = confirm(&program, Scope::threads(bound), brute.reached(&set));
        match answer {
            Ok(scope) => {
                assert!(!fails, "seed {seed}: an unsafe program was confirmed");
                safe += 1;
                if scope == Scope::ANY {
                    unbounded += 1;
                    no_more_with_more_threads(seed, &program, bound);
                } else {
                    assert_eq!(scope, Scope::threads(bound));
                }
            }
            Err(why) => {
                assert!(fails, "seed {seed}, bound {bound}: {why}");
                failing += 1;
            }
        }
    }
    println!("safe {safe}, failing {failing}, any number {unbounded}");
    assert!(safe > 200 && failing > 200 && unbounded > 20, "{safe} {failing} {unbounded}");
}

/// A proof for any number of threads: with a higher bound the same states are reached.
fn no_more_with_more_threads(seed: u64, program: &Program, bound: u32) {
    let set = |bound| Brute::full(program, bound).least(500);
    assert_eq!(set(bound), set(bound + 2), "seed {seed}");
}

#[test]
fn mutants_are_judged_as_brute_force_does() {
    let (mut accepted, mut rejected) = (0, 0);
    for (seed, program, bound) in cases() {
        let brute = Brute::full(&program, bound);
        let Some(set) = brute.least(150) else { continue };
        if set.iter().any(|it| brute.machine().failure(&it.0).is_some()) {
            continue;
        }
        let body = brute.reached(&set);
        let mut random = Random::new(seed);
        for _ in 0..12 {
            let mutant = mutate(&body, &mut random);
            let judge = Brute::full(&program, mutant.bound);
            let expected = judge.read(&mutant).is_some_and(|set| judge.is_proof(&set) == Some(true));
            let answer = confirm(&program, Scope::threads(mutant.bound), mutant);
            assert_eq!(answer.is_ok(), expected, "seed {seed}, bound {bound}: {answer:?}");
            if expected { accepted += 1 } else { rejected += 1 }
        }
    }
    println!("mutants that are proofs {accepted}, others {rejected}");
    assert!(accepted > 100 && rejected > 1000, "{accepted} {rejected}");
}

fn mutate(body: &Viewed<Reached>, random: &mut Random) -> Viewed<Reached> {
    let mut mutant = body.clone();
    let state = random.below(body.states.len());
    let thread = random.below(body.threads.len());
    match random.below(9) {
        0 if !body.states.is_empty() => drop(mutant.states.remove(state)),
        1 if !body.states.is_empty() => mutant.states[state].initialising ^= true,
        2 => flip(mutant.states.get_mut(state).map(|it| &mut it.shared), random),
        3 => flip(mutant.threads.get_mut(thread).map(|it| &mut it.values), random),
        4 if !body.threads.is_empty() => drop(mutant.threads.remove(thread)),
        5 if !body.view.controls.is_empty() => {
            drop(mutant.view.controls.remove(random.below(body.view.controls.len())))
        }
        6 => {
            let threads = mutant.states.get_mut(state).map(|it| &mut it.threads).filter(|it| !it.is_empty());
            if let Some(threads) = threads {
                let index = random.below(threads.len());
                threads[index].1 = random.below(3) as u32;
            }
        }
        7 => mutant.bound = (mutant.bound + 1).saturating_sub(random.below(3) as u32),
        _ if !body.states.is_empty() => {
            let copy = mutant.states[random.below(body.states.len())].threads.clone();
            mutant.states[state].threads = copy;
        }
        _ => {}
    }
    mutant
}

fn flip(values: Option<&mut Vec<bool>>, random: &mut Random) {
    if let Some(values) = values.filter(|it| !it.is_empty()) {
        let index = random.below(values.len());
        values[index] ^= true;
    }
}

#[test]
fn forgetting_variables_stays_sound_and_mostly_precise() {
    let (mut confirmed, mut lost, mut failing) = (0, 0, 0);
    for (seed, program, bound) in cases() {
        let mut random = Random::new(seed);
        let mut brute = Brute::full(&program, bound.min(2));
        brute.kept.retain(|_| random.percent(60));
        let Some(set) = brute.least(100) else { continue };
        let Some(proof) = brute.is_proof(&set) else { continue };
        let answer = confirm_as(&program, Scope::threads(brute.bound), brute.reached(&set), proof);
        match (proof, &answer) {
            (true, Ok(_)) => confirmed += 1,
            (true, Err(_)) => lost += 1,
            (false, Err(_)) => failing += 1,
            (false, Ok(_)) => panic!("seed {seed}: confirmed, but a state that looks so fails"),
        }
    }
    println!("confirmed {confirmed}, lost {lost}, failing {failing}");
    assert!(confirmed > 100 && failing > 100 && lost * 5 < confirmed, "{confirmed} {lost} {failing}");
}

#[test]
fn unsafe_programs_are_never_proved_whatever_is_forgotten() {
    let mut tried = 0;
    for (seed, program, bound) in cases() {
        let full = Brute::full(&program, bound.min(2));
        let Some(set) = full.least(400) else { continue };
        if !set.iter().any(|it| full.machine().failure(&it.0).is_some()) {
            continue;
        }
        let mut random = Random::new(seed);
        for _ in 0..3 {
            let mut brute = Brute::full(&program, bound.min(2));
            brute.kept.retain(|_| random.percent(50));
            let seen = set.iter().map(|it| brute.show(&it.0)).collect();
            let mut body = brute.reached(&seen);
            assert!(confirm(&program, Scope::ANY, body.clone()).is_err(), "seed {seed}");
            let fails = |it: &common::Shown| brute.machine().failure(&it.0).is_some();
            body = brute.reached(&seen.into_iter().filter(|it| !fails(it)).collect());
            assert!(confirm(&program, Scope::ANY, body).is_err(), "seed {seed}, failing states left out");
            tried += 1;
        }
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn a_claim_may_be_smaller_but_not_larger_than_the_proof() {
    let mut seen = [0, 0];
    for (seed, program, bound) in cases().take(300) {
        let brute = Brute::full(&program, bound);
        let Some(set) = brute.least(150) else { continue };
        let Ok(proved) = confirm(&program, Scope::ANY, brute.reached(&set)) else { continue };
        for claim in [Scope::ANY, Scope::threads(bound + 1), Scope::threads(bound), Scope::threads(0)] {
            let mut evidence = certificate(brute.reached(&set));
            evidence.scope = claim;
            let answer =
                check_formulas::certificate(&task(&program, Scope::ANY), &evidence, &Budget::unlimited());
            assert_eq!(answer.is_ok(), proved.covers(claim), "seed {seed}");
            seen[usize::from(answer.is_ok())] += 1;
        }
    }
    assert!(seen[0] > 50 && seen[1] > 50, "{seen:?}");
}

/// The kernel knows just the kinds that are said to be its own.
#[test]
fn who_checks_is_who_is_said_to() {
    let bodies = [
        Body::Reached(Default::default()),
        Body::Closure(Default::default()),
        Body::Symbolic(Default::default()),
        Body::ClassClosure(Default::default()),
        Body::Summaries(Default::default()),
        Body::Game(Default::default()),
    ];
    let requested = task(&program(1, &Profile::ALL), Scope::ANY);
    let is_unknown = |refused: Refused| refused.to_string().contains("lists nothing about a program");
    for body in bodies {
        let certificate = Certificate { scope: Scope::ANY, view: Default::default(), body, passes: vec![] };
        let by_kernel = check::certificate(&requested, &certificate, &Budget::unlimited());
        let is_known = !by_kernel.is_err_and(is_unknown);
        assert_eq!(is_known, Checker::of(&certificate.body) == Checker::Kernel, "{certificate:?}");
        let by_all = check_formulas::certificate(&requested, &certificate, &Budget::unlimited());
        assert!(!by_all.is_err_and(is_unknown), "{certificate:?}");
    }
}
