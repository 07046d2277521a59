//! Racy states against happens-before: in random programs whose states are all listed, without any reduction,
//! a state in which two next accesses race is reached if, and only if, a run has two conflicting accesses
//! that are not ordered. Runs are random; the pair of a racy state must be unordered in the run that leads
//! there and then makes both accesses.

mod clocks;

use base::Random;
use c::machine::Race;
use c::{Machine, State, Step, ThreadId};
use clocks::Detector;
use ir::c::{Model, Sought};
use ir::property::PropertySet;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use verify::{COptions, Origin, ReadOptions};

/// Programs with more states are left out.
const STATES: usize = 4_000;
const NUMBERS: [u128; 2] = [0, 1];
const RUNS: u64 = 25;
const STEPS: usize = 300;
/// How many steps a section may take to its end.
const SECTION: usize = 60;

/// How many programs of each kind: a test of ten times as many sets the variable.
fn programs() -> std::ops::Range<u64> {
    let number = |name: &str, usual| std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(usual);
    let first = number("SELVEDGE_RACE_FIRST", 0);
    first..first + number("SELVEDGE_RACE_SEEDS", 60)
}

fn model(name: &str, text: &str) -> Arc<Model> {
    let path: PathBuf = std::env::temp_dir().join(format!("selvedge-clocks-{}-{name}.c", std::process::id()));
    std::fs::write(&path, text).expect("a folder for files");
    let set = PropertySet::parse("race").expect("a property");
    let c = COptions { property: Sought::List(set), ..COptions::default() };
    let read = verify::read(&Origin::File(path.clone()), &ReadOptions { c, ..ReadOptions::default() });
    std::fs::remove_file(&path).expect("the file is there");
    let read = read.unwrap_or_else(|found| panic!("{name}: {:?}\n{text}", found.diagnostics));
    match read.source.model() {
        ir::Model::C(model) => model,
        _ => panic!("{name} is a C program"),
    }
}

/// A racy state with the steps that lead there.
struct Racy {
    steps: Vec<Step>,
    race: Race,
}

/// All states, from the start on: the first racy one, if there is one; `None` if there are too many.
fn racy(machine: &Machine<'_>) -> Option<Option<Racy>> {
    let start = machine.start();
    let mut came: HashMap<State, Option<(State, Step)>> = HashMap::from([(start.clone(), None)]);
    let mut work = VecDeque::from([start]);
    while let Some(state) = work.pop_front() {
        if let Some(race) = machine.race(&state) {
            let mut steps = vec![];
            let mut at = &state;
            while let Some((before, step)) = &came[at] {
                steps.push(*step);
                at = before;
            }
            steps.reverse();
            return Some(Some(Racy { steps, race }));
        }
        for (step, after) in machine.successors(&state, &NUMBERS) {
            if let Entry::Vacant(entry) = came.entry(after) {
                work.push_back(entry.key().clone());
                entry.insert(Some((state.clone(), step)));
            }
        }
        if came.len() > STATES {
            return None;
        }
    }
    Some(None)
}

/// Whether a random run has two unordered accesses.
fn run_races(machine: &Machine<'_>, random: &mut Random) -> bool {
    let (mut detector, mut state) = (Detector::default(), machine.start());
    for _ in 0..STEPS {
        let steps = machine.successors(&state, &NUMBERS);
        if steps.is_empty() {
            break;
        }
        let (step, _) = steps[random.below(steps.len())];
        state = detector.take(machine, &state, &step).expect("a successor is reached by its step");
    }
    detector.races
}

/// A step of a thread, as the detector sees it.
fn advance(machine: &Machine<'_>, detector: &mut Detector, state: &State, id: ThreadId) -> Option<State> {
    let mut steps = machine.successors(state, &NUMBERS).into_iter();
    let (step, _) = steps.find(|(step, _)| step.thread == id)?;
    detector.take(machine, state, &step)
}

/// Whether the accesses of a racy state are unordered in the run there; `None` if one of the threads cannot
/// make its access now, or its section does not end.
fn unordered(machine: &Machine<'_>, racy: &Racy) -> Option<bool> {
    let (mut detector, mut state) = (Detector::default(), machine.start());
    for step in &racy.steps {
        state = detector.take(machine, &state, step).expect("the steps lead to the state");
    }
    let mut threads = racy.race.accesses.map(|it| it.thread);
    let in_section = |state: &State, id: ThreadId| state.threads.get(&id).is_some_and(|it| it.section);
    if in_section(&state, threads[1]) {
        threads.reverse();
    }
    state = advance(machine, &mut detector, &state, threads[0])?;
    for _ in 0..SECTION {
        if !in_section(&state, threads[0]) {
            break;
        }
        state = advance(machine, &mut detector, &state, threads[0])?;
    }
    advance(machine, &mut detector, &state, threads[1])?;
    Some(detector.races)
}

#[test]
fn racy_states_are_those_of_unordered_accesses() {
    let (mut free, mut racing, mut by_runs, mut large) = (0, 0, 0, 0);
    for seed in programs() {
        for (kind, text) in
            [("concurrent", testing::c::concurrent(seed)), ("locking", testing::c::locking(seed))]
        {
            let name = format!("{kind}-{seed}");
            let model = model(&name, &text);
            let machine = Machine::new(&model.program, model.options(Some(3)));
            let Some(found) = racy(&machine) else {
                large += 1;
                continue;
            };
            let mut random = Random::new(seed);
            let by_run = (0..RUNS).any(|_| run_races(&machine, &mut random));
            match &found {
                None => assert!(!by_run, "{name}: no racy state, but a run has unordered accesses\n{text}"),
                Some(racy) => {
                    let pair = unordered(&machine, racy);
                    assert_ne!(pair, Some(false), "{name}: {:?} is ordered\n{text}", racy.race);
                }
            }
            free += u32::from(found.is_none());
            racing += u32::from(found.is_some());
            by_runs += u32::from(by_run);
        }
    }
    println!("{free} free of races, {racing} race ({by_runs} in a random run), {large} are too large");
    assert!(free > 5 && by_runs > 5, "{free} free, {racing} race, {by_runs} by runs, {large} too large");
}
