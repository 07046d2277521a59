//! The search forward against the search backward.

use super::listed::{ahead, narrow};
use super::{Cover, directed};
use crate::closure;
use crate::engine::{Cx, Engine};
use crate::facts::Facts;
use crate::kit::{replay, task};
use base::{Budget, Id, NoEvents, Settings, Stop};
use ir::net::{Interval, Net, NetStart, Place, PlaceId, Rule, SharedStateId, Target};
use ir::{Bound, Model, Trace, Verdict};
use std::sync::Arc;
use testing::bp::{Profile, program};
use testing::net::{self as nets, net};

/// What both searches say; of the search forward, whether it came to its end.
fn ask(model: &Model) -> (Verdict, Result<Option<Trace>, Stop>) {
    let mut settings = Settings::default();
    settings.set(&[Cover.settings()], "cover.accelerate", "0").expect("the option exists");
    let (budget, facts) = (Budget::with_ticks(20_000_000), Facts::default());
    let mut cx = Cx { budget: &budget, events: &mut NoEvents, facts: &facts, settings: &settings, seed: 0 };
    let mut system = closure::system(model, true).expect("the model is flat");
    let forward = ahead(&mut system, &Budget::with_ticks(100_000), &mut cx);
    (Cover.run(&task(model, Bound::Any), &mut cx).expect("the budget is large enough"), forward)
}

/// Compares the searches. `whole` if the search forward looks at all rules. Gives whether there is an error,
/// if it found out.
fn compare(model: &Model, whole: bool, name: &str) -> Option<bool> {
    let (backward, forward) = ask(model);
    match (forward, backward) {
        (Ok(Some(trace)), Verdict::Unsafe(_)) => drop(replay(&task(model, Bound::Any), &trace)),
        (Ok(None), Verdict::Unsafe(_)) => {
            assert!(!whole, "{name}: an error was missed");
            return None;
        }
        (Ok(None), Verdict::Safe { .. }) => return Some(false),
        (Err(Stop::Ticks), _) => return None,
        (forward, backward) => panic!("{name}: forward {forward:?}, backward {backward:?}"),
    }
    Some(true)
}

#[test]
fn programs_fail_forward_as_backward() {
    let mut decided = [0, 0];
    for seed in 0..500 {
        let profile = if seed % 2 == 0 { Profile::SPAWNING } else { Profile::MONOTONE };
        let program = program(400_000 + seed, &profile);
        if program.is_flat() && program.monotone() {
            let model = Model::Program(Arc::new(program));
            let decision = compare(&model, profile.broadcasts == 0, &format!("program {seed}"));
            decision.into_iter().for_each(|fails| decided[usize::from(fails)] += 1);
        }
    }
    assert!(decided[0] > 50 && decided[1] > 50, "{decided:?}");
}

#[test]
fn nets_fail_forward_as_backward() {
    let mut decided = [0, 0];
    for seed in 0..500 {
        let net = net(500_000 + seed, &nets::Profile::ALL);
        if net.monotone() {
            let whole = net.rules().iter().all(|rule| rule.moves.is_empty());
            let decision = compare(&Model::Net(Arc::new(net)), whole, &format!("net {seed}"));
            decision.into_iter().for_each(|fails| decided[usize::from(fails)] += 1);
        }
    }
    assert!(decided[0] > 50 && decided[1] > 50, "{decided:?}");
}

/// The directed search finds an error where the search backward does and its rules are all there are, and
/// nowhere else.
#[test]
fn nets_fail_in_the_directed_search_as_backward() {
    let mut decided = [0, 0];
    for seed in 0..300 {
        let net = net(600_000 + seed, &nets::Profile::ALL);
        if !net.monotone() {
            continue;
        }
        let whole = net.rules().iter().all(|rule| rule.moves.is_empty());
        let model = Model::Net(Arc::new(net));
        let mut settings = Settings::default();
        for (name, value) in [("cover.accelerate", "0"), ("cover.directed", "off")] {
            settings.set(&[Cover.settings()], name, value).expect("the option exists");
        }
        let (budget, facts) = (Budget::with_ticks(20_000_000), Facts::default());
        let mut cx =
            Cx { budget: &budget, events: &mut NoEvents, facts: &facts, settings: &settings, seed: 0 };
        let task = task(&model, Bound::Any);
        let backward = Cover.run(&task, &mut cx).expect("the budget is large enough");
        let mut system = closure::system(&model, true).expect("nets are flat");
        let closed = narrow(&mut system, &mut cx).expect("the budget is large enough");
        let targets: Vec<_> = closed.goals.into_iter().map(|(shared, goal)| (shared, goal.threads)).collect();
        match (directed::search(&task, &mut system, &targets, &Budget::with_ticks(50_000), &mut cx), backward)
        {
            (Ok(Some(Verdict::Unsafe(trace))), Verdict::Unsafe(_)) => {
                replay(&task, &trace);
                decided[1] += 1;
            }
            (Ok(None), Verdict::Unsafe(_)) => assert!(!whole, "net {seed}: an error was missed"),
            (Ok(None), Verdict::Safe { .. }) => decided[0] += 1,
            (Err(Stop::Ticks), _) => {}
            (directed, backward) => panic!("net {seed}: directed {directed:?}, backward {backward:?}"),
        }
    }
    assert!(decided[0] > 30 && decided[1] > 30, "{decided:?}");
}

/// Parts are made from two parts of the stage before, by a machine that is given back: 40 of each stage need
/// 400 tokens.
#[test]
fn many_tokens_are_found_by_acceleration() {
    let place = |index: usize| PlaceId::from_index(index);
    let only = SharedStateId::from_index(0);
    let names: Vec<Place> =
        ["machine", "raw", "half", "done"].map(|name| Place { name: name.to_string() }).to_vec();
    let stage = |from: usize| Rule {
        from: only,
        to: only,
        take: vec![(place(0), 1), (place(from), 2)],
        make: vec![(place(0), 1), (place(from + 1), 1)],
        tests: vec![],
        moves: vec![],
        span: None,
    };
    let exactly = |n| Interval { least: n, most: Some(n) };
    let tokens = vec![exactly(1), Interval { least: 0, most: None }, exactly(0), exactly(0)];
    let wanted = Interval { least: 40, most: None };
    let target = Target { shared: None, places: (1..4).map(|index| (place(index), wanted)).collect() };
    let start = NetStart { shared: only, tokens };
    let rules = [stage(1), stage(2)].into_iter().collect();
    let shared = ["0".to_string()].into_iter().collect();
    let net = Net::new(shared, names.into_iter().collect(), rules, start, vec![target]);
    let model = Model::Net(Arc::new(net.expect("the net is well formed")));
    let (budget, facts, settings) = (Budget::with_ticks(10_000), Facts::default(), Settings::default());
    let mut cx = Cx { budget: &budget, events: &mut NoEvents, facts: &facts, settings: &settings, seed: 0 };
    let mut system = closure::system(&model, true).expect("nets are flat");
    let trace =
        ahead(&mut system, &budget, &mut cx).expect("few ticks are enough").expect("there is an error");
    replay(&task(&model, Bound::Any), &trace);
    let Trace::Net(trace) = trace else { unreachable!("the trace of a net") };
    assert_eq!(trace.start.tokens, [1, 40 + 2 * (40 + 2 * 40), 0, 0]);
}
