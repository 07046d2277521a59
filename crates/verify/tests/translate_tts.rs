//! Translation to thread transition systems, against brute force on both sides.

use base::{Budget, Id, SourceMap};
use front::ReadOptions;
use front::dialects::tts::read_tts;
use ir::bp::program::{Count, Op};
use ir::bp::state::State;
use ir::net::Marking;
use ir::{Model, Net, Program};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use testing::bp::{self as random, Profile};
use verify::translate::{Target, translate};

const MOST: usize = 60_000;

/// Explores; `None` if there are too many states.
fn explore<S: Clone + Eq + std::hash::Hash>(
    starts: Vec<S>,
    bad: impl Fn(&S) -> bool,
    next: impl Fn(&S) -> Vec<S>,
) -> Option<bool> {
    let mut seen: HashSet<S> = starts.iter().cloned().collect();
    let mut work: Vec<S> = starts;
    while let Some(state) = work.pop() {
        if bad(&state) {
            return Some(true);
        }
        for after in next(&state) {
            if seen.insert(after.clone()) {
                work.push(after);
            }
        }
        if seen.len() > MOST {
            return None;
        }
    }
    Some(false)
}

/// Whether the program has an error with at most this many threads, when a `start_thread` at the bound waits
/// instead of doing nothing, as a rule of a net does.
fn program_fails(program: &Program, bound: u32) -> Option<bool> {
    let machine = ir::bp::machine::Machine::new(program, Some(bound));
    let next = |state: &State| {
        let mut all = vec![];
        for &thread in state.threads.keys() {
            for (step, after) in machine.steps(state, thread) {
                if !step.births.is_empty() || !matches!(program.at(step.at).op, Op::Start(_)) {
                    all.push(after.canonical());
                }
            }
        }
        all
    };
    let starts = machine.starts().iter().map(State::canonical).collect();
    explore(starts, |state| machine.failure(state).is_some(), next)
}

/// The same for its translation, where ended threads and `init` do not count.
fn net_fails(net: &Net, idle: &BTreeSet<usize>, ended: usize, bound: u32) -> Option<bool> {
    let machine = ir::net::Machine::new(net, None);
    let bounded = ir::net::Machine::new(net, Some(bound + 1));
    let fits = |marking: &Marking| {
        let live = marking.tokens.iter().enumerate().filter(|(place, _)| !idle.contains(place));
        live.map(|(_, &n)| n).sum::<u32>() <= bound
    };
    let settle = |mut marking: Marking| {
        marking.tokens[ended] = 0;
        marking
    };
    let starts = bounded.starts().into_iter().filter(&fits).collect();
    let next = |marking: &Marking| {
        let after = machine.steps(marking).into_iter().map(|(_, after)| settle(after));
        after.filter(&fits).collect()
    };
    explore(starts, |marking| machine.at_target(marking), next)
}

struct Translated {
    net: Net,
    /// Places whose tokens are no live threads.
    idle: BTreeSet<usize>,
    ended: usize,
}

fn read_back(text: &str, init: Option<&str>) -> Translated {
    let start =
        text.lines().next().and_then(|line| line.split('\'').nth(1)).expect("the first line says the start");
    let mut map = SourceMap::new();
    let file = map.add("translated.tts", text);
    let options = ReadOptions { start: Some(start.to_string()), ..ReadOptions::default() };
    let (net, warnings) = read_tts(&map, file, &options, None).unwrap_or_else(|it| panic!("{it:?}\n{text}"));
    assert!(warnings.is_empty());
    // The last place is where a failing thread goes, that of `init` among them.
    let mut idle = BTreeSet::from([net.places().len() - 1]);
    let mut ended = 0;
    for line in text.lines().filter_map(|line| line.strip_prefix("# local ")) {
        let (number, what) = line.split_once(": ").expect("`local n: what`");
        let number: usize = number.parse().expect("a number");
        if what == "ended" {
            ended = number;
            idle.insert(number);
        }
        if init.is_some_and(|init| what.split(' ').next() == Some(init)) {
            idle.insert(number);
        }
    }
    // Where the locals of `init` are chosen its thread waits: it is the first place of the start.
    if init.is_some() {
        let first =
            start.split(['|', ',', '/']).nth(1).and_then(|it| it.parse().ok()).expect("`init` starts first");
        idle.insert(first);
    }
    Translated { net, idle, ended }
}

fn compare(profile: &Profile, seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut compared, mut unsafe_ones) = (0, 0);
    for seed in seeds {
        let program = random::program(seed, profile);
        let model = Model::Program(Arc::new(program.clone()));
        if !program.monotone() {
            continue;
        }
        let text = match translate(&model, Target::Tts, None, &Budget::unlimited()) {
            Ok(text) => text,
            Err(reason) => {
                assert_eq!(reason.message, "`init` starts threads", "seed {seed}");
                continue;
            }
        };
        let init = program.start().init.map(|init| program.procedures()[init].name.as_str());
        let Translated { net, idle, ended } = read_back(&text, init);
        // The threads that wait for `init` are there before it ends: where they pass the bound the two cannot
        // be compared.
        let least = program.start().templates.iter().map(|it| match it.count {
            Count::Exactly(n) | Count::AtLeast(n) => n,
        });
        for bound in least.sum::<u32>().max(1)..=3 {
            let Some(expected) = program_fails(&program, bound) else { break };
            let Some(found) = net_fails(&net, &idle, ended, bound) else { break };
            assert_eq!(found, expected, "seed {seed}, {bound} threads\n{program:?}\n{text}");
            compared += 1;
            unsafe_ones += usize::from(expected);
        }
    }
    (compared, unsafe_ones)
}

#[test]
fn random_programs_keep_their_verdicts() {
    for profile in [Profile::SPAWNING, Profile::BROADCASTS, Profile::MONOTONE] {
        let profile = Profile { statements: 5, ..profile };
        let (compared, unsafe_ones) = compare(&profile, 0..150);
        assert!(compared > 200, "{compared}");
        assert!(unsafe_ones * 10 > compared && unsafe_ones < compared, "{unsafe_ones} of {compared}");
    }
}

#[test]
fn systems_survive_the_way_there_and_back() {
    let text = "2 3\n0 0 -> 1 1 2 ~> 0 2 ~> 1\n0 0 +> 1 2\n0 1 +> 0 1\n1 2 ~> 0 0\n0 0 ~> 1 0\n1|1,1\n0|2\n";
    let mut map = SourceMap::new();
    let file = map.add("a.tts", text);
    let options = ReadOptions { start: Some("0|1,1/0".into()), ..ReadOptions::default() };
    let (net, _) = read_tts(&map, file, &options, None).expect("a good file");
    let again = translate(&Model::Net(Arc::new(net.clone())), Target::Tts, None, &Budget::unlimited());
    let again = read_back(&again.expect("it came from a transition system"), None).net;
    assert_eq!(again.targets(), net.targets());
    assert_eq!(again.start(), net.start());
    let same = |(a, b): (&ir::net::Rule, &ir::net::Rule)| {
        ir::net::Rule { span: None, ..a.clone() } == ir::net::Rule { span: None, ..b.clone() }
    };
    assert_eq!(again.rules().len(), net.rules().len());
    assert!(again.rules().iter().zip(net.rules().iter()).all(same));
    assert_eq!(net.places().ids().last().map(Id::index), Some(2));
}
