//! Traces: those found by brute force replay, and mutants are judged as a second replay on the reference
//! semantics does.

mod common;

use base::{Id, Random};
use common::task;
use ir::bp::{Failure, FailureKind, Loc, Machine, Program, State, Step};
use ir::net::{self, Marking, Move};
use ir::trace::{NetTrace, ProgramTrace};
use ir::{Bound, Scope, Trace};
use std::collections::{HashMap, VecDeque};
use testing::bp::{Profile, program};

/// A shortest run into a failure.
fn search(program: &Program, bound: u32) -> Option<ProgramTrace> {
    let machine = Machine::new(program, Some(bound));
    let mut from: HashMap<State, Option<(State, Step)>> = HashMap::new();
    let mut work: VecDeque<State> = machine.starts().into();
    work.iter().for_each(|it| drop(from.insert(it.clone(), None)));
    while let Some(state) = work.pop_front() {
        if let Some(failure) = machine.failure(&state) {
            let (mut start, mut steps) = (state, vec![]);
            while let Some((before, step)) = from[&start].clone() {
                steps.push(step);
                start = before;
            }
            steps.reverse();
            return Some(ProgramTrace { start, steps, failure });
        }
        for &thread in state.threads.keys() {
            for (step, after) in machine.steps(&state, thread) {
                if !from.contains_key(&after) {
                    from.insert(after.clone(), Some((state.clone(), step)));
                    work.push_back(after);
                }
            }
        }
        if from.len() > 3000 {
            return None;
        }
    }
    None
}

/// A second opinion: the thread named is renamed to the first, so that the semantics looks at it first.
fn replays(program: &Program, bound: Option<u32>, trace: &ProgramTrace) -> bool {
    let machine = Machine::new(program, bound);
    if machine.starts_in(&trace.start).is_err() {
        return false;
    }
    let last = trace.steps.iter().try_fold(trace.start.clone(), |state, step| machine.apply(&state, step));
    let Ok(mut last) = last else { return false };
    let Some(thread) = last.threads.remove(&trace.failure.thread) else { return false };
    let others = last.threads.into_values().filter(|it| it.inside).collect::<Vec<_>>();
    let threads = (0..).zip([thread].into_iter().chain(others)).collect();
    let failure = machine.failure(&State { threads, ..last });
    failure == Some(Failure { thread: 0, ..trace.failure })
}

fn mutate(trace: &ProgramTrace, random: &mut Random) -> ProgramTrace {
    let mut mutant = trace.clone();
    let index = random.below(trace.steps.len());
    let other = random.below(4) as u32;
    let flip = |values: &mut [bool], random: &mut Random| {
        if !values.is_empty() {
            let index = random.below(values.len());
            values[index] ^= true;
        }
    };
    match random.below(12) {
        0 if !trace.steps.is_empty() => drop(mutant.steps.remove(index)),
        1 if !trace.steps.is_empty() => mutant.steps[index].thread = other,
        2 if !trace.steps.is_empty() => {
            let writes = &mut mutant.steps[index].writes;
            writes.iter_mut().take(1).for_each(|it| it.1 ^= true);
        }
        3 if !trace.steps.is_empty() => {
            mutant.steps[index].births.iter_mut().for_each(|it| it.thread = other);
        }
        4 if !trace.steps.is_empty() => {
            let births = mutant.steps[index].births.iter_mut();
            births.take(1).flat_map(|it| it.values.iter_mut().take(1)).for_each(|it| it.1 ^= true);
        }
        5 if !trace.steps.is_empty() => {
            let passive = mutant.steps[index].passive.iter_mut();
            passive.take(1).flat_map(|it| it.values.iter_mut().take(1)).for_each(|it| it.1 ^= true);
        }
        6 if !trace.steps.is_empty() => mutant.steps[index].to = Some(Loc::from_index(random.below(12))),
        7 => mutant.failure.thread = other,
        8 => mutant.failure.at = Loc::from_index(random.below(12)),
        9 => {
            mutant.failure.kind = match mutant.failure.kind {
                FailureKind::Assertion => FailureKind::Label,
                FailureKind::Label => FailureKind::Assertion,
            }
        }
        10 => flip(&mut mutant.start.shared, random),
        _ => mutant.start.threads.values_mut().for_each(|it| flip(&mut it.stack[0].values, random)),
    }
    mutant
}

#[test]
fn traces_replay_and_mutants_do_so_only_if_they_are_runs() {
    let profiles = [Profile::ALL, Profile::RECURSIVE, Profile::BROADCASTS, Profile::SPAWNING];
    let (mut found, mut accepted, mut rejected) = (0, 0, 0);
    for seed in 0..1500 {
        let program = program(seed, &profiles[seed as usize % 4]);
        let bound = 1 + seed as u32 % 3;
        let Some(trace) = search(&program, bound) else { continue };
        let replay = |scope, trace: &ProgramTrace| {
            check::trace(&task(&program, scope), &Trace::Program(trace.clone())).map_err(|why| why.why)
        };
        let seen = replay(Scope::threads(bound), &trace).expect("it is a run");
        let check::Run::Program(states) = &seen.run else { panic!("a run of a program") };
        assert_eq!(states.len(), trace.steps.len() + 1, "seed {seed}");
        assert_eq!(states.iter().map(|it| it.threads.len() as u64).max(), Some(seen.threads), "seed {seed}");
        // Without a bound nothing is skipped: only traces that never met the bound are runs.
        let unbounded = replays(&program, None, &trace);
        assert_eq!(replay(Scope::ANY, &trace).is_ok(), unbounded, "seed {seed}");
        found += 1;
        let mut random = Random::new(seed);
        for _ in 0..20 {
            let mutant = mutate(&trace, &mut random);
            let expected = replays(&program, Some(bound), &mutant);
            let answer = replay(Scope::threads(bound), &mutant);
            assert_eq!(answer.is_ok(), expected, "seed {seed}: {answer:?}");
            if expected { accepted += 1 } else { rejected += 1 }
        }
    }
    println!("traces {found}, mutants that replay {accepted}, others {rejected}");
    assert!(found > 150 && accepted > 200 && rejected > 1000, "{found} {accepted} {rejected}");
}

#[test]
fn ill_formed_starts_are_rejected() {
    let (program, trace) = (0..)
        .map(|seed| program(seed, &Profile::ALL))
        .find_map(|program| search(&program, 2).map(|trace| (program, trace)))
        .expect("some program fails");
    let spoil: [&dyn Fn(&mut State); 7] = [
        &|start| start.shared.clear(),
        &|start| start.threads.clear(),
        &|start| start.threads.values_mut().for_each(|it| it.stack.clear()),
        &|start| start.threads.values_mut().for_each(|it| it.values.clear()),
        &|start| start.threads.values_mut().for_each(|it| it.stack[0].values.clear()),
        &|start| start.threads.values_mut().for_each(|it| it.stack[0].loc = Loc::from_index(4_000_000)),
        &|start| start.threads.values_mut().for_each(|it| it.stack.push(it.stack[0].clone())),
    ];
    for spoil in spoil {
        let mut mutant = trace.clone();
        spoil(&mut mutant.start);
        assert!(check::trace(&task(&program, Scope::threads(2)), &Trace::Program(mutant)).is_err());
    }
}

#[test]
fn runs_of_nets_replay() {
    let net = common::nets::producer();
    let task = common::nets::task(&net, Bound::Any);
    let step = |rule| Move { rule: net::RuleId::from_index(rule), moved: vec![] };
    let start = Marking { shared: net.start().shared, tokens: vec![1, 0] };
    let run = |start: &Marking, rules: &[usize]| {
        let steps = rules.iter().map(|&rule| step(rule)).collect();
        check::trace(&task, &Trace::Net(NetTrace { start: start.clone(), steps }))
    };
    let seen = run(&start, &[0, 0, 0]).expect("it is a run");
    assert_eq!(seen.threads, 4);
    assert!(run(&start, &[0, 0]).is_err(), "the target needs three tokens");
    assert!(run(&start, &[0, 0, 1]).is_err(), "the last rule takes a token away");
    assert!(run(&start, &[0, 0, 9]).is_err(), "there is no such rule");
    assert!(run(&Marking { tokens: vec![1], ..start.clone() }, &[]).is_err(), "places are missing");
    assert!(run(&Marking { tokens: vec![2, 3], ..start.clone() }, &[]).is_err(), "no such start");
    let bounded = common::nets::task(&net, Bound::AtMost(3));
    let steps = vec![step(0), step(0), step(0)];
    let long = Trace::Net(NetTrace { start, steps });
    assert!(check::trace(&bounded, &long).is_err(), "four tokens pass the bound");
}
