//! Arm and stop against the definition of races: in random programs whose states are all listed, a racy state
//! is reached if, and only if, an assertion of the program fails in which threads stop before their accesses;
//! and the run into that assertion is one to a racy state.

use base::Budget;
use base::budget::StopHandle;
use c::{FailureKind, Machine, Options, Races, Refusal, State, Step};
use ir::c::{Model, Sought};
use ir::property::PropertySet;
use passes::lower::{Armed, Problem, arm};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use verify::{COptions, Origin, ReadOptions};

/// How many programs of each kind.
const PROGRAMS: u64 = 100;
/// Programs with more states are left out.
const STATES: usize = 2_000;
/// The same with the steps that are added.
const ARMED_STATES: usize = 12_000;
const NUMBERS: [u128; 2] = [0, 1];

fn model(name: &str, text: &str) -> Arc<Model> {
    let path: PathBuf = std::env::temp_dir().join(format!("selvedge-armed-{}-{name}.c", std::process::id()));
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

/// What a search comes to.
enum Found {
    Nothing,
    /// The steps to a racy state, or into an error.
    Error(Vec<Step>),
    TooMany,
}

/// The steps that lead to a state.
fn path<'a>(came: &'a HashMap<State, Option<(State, Step)>>, mut at: &'a State) -> Vec<Step> {
    let mut steps = vec![];
    while let Some((before, step)) = &came[at] {
        steps.push(*step);
        at = before;
    }
    steps.reverse();
    steps
}

/// All states, from the start on, to the first racy one or the first step that fails.
fn search(machine: &Machine<'_>, most: usize) -> Found {
    let start = machine.start();
    let mut came: HashMap<State, Option<(State, Step)>> = HashMap::from([(start.clone(), None)]);
    let mut work = VecDeque::from([start]);
    while let Some(state) = work.pop_front() {
        if machine.options().races.matter() && machine.race(&state).is_some() {
            return Found::Error(path(&came, &state));
        }
        for step in machine.candidates(&state, &NUMBERS) {
            match machine.apply(&state, &step) {
                Ok(after) => {
                    if let Entry::Vacant(entry) = came.entry(after) {
                        work.push_back(entry.key().clone());
                        entry.insert(Some((state.clone(), step)));
                    }
                }
                Err(Refusal::Fails(_)) => {
                    let mut steps = path(&came, &state);
                    steps.push(step);
                    return Found::Error(steps);
                }
                Err(Refusal::Unsupported(_)) => return Found::TooMany,
                Err(_) => {}
            }
        }
        if came.len() > most {
            return Found::TooMany;
        }
    }
    Found::Nothing
}

fn armed(model: &Model) -> Option<Armed> {
    let budget = Budget::new(u64::MAX, StopHandle::default());
    match arm(&model.program, model.machine.races.with_ends(), &budget) {
        Ok(armed) => Some(armed),
        Err(Problem::Unsupported(_)) => None,
        Err(Problem::Stop(stop)) => panic!("{stop:?}"),
    }
}

#[test]
fn assertions_fail_where_threads_race() {
    let (mut free, mut racing, mut large, mut refused, mut without) = (0, 0, 0, 0, 0);
    for seed in 0..PROGRAMS {
        for (kind, text) in
            [("concurrent", testing::c::concurrent(seed)), ("locking", testing::c::locking(seed))]
        {
            let name = format!("{kind}-{seed}");
            let model = model(&name, &text);
            let options = model.options(Some(2 + (seed % 2) as u32));
            let Some(armed) = armed(&model) else {
                refused += 1;
                continue;
            };
            let truth = search(&Machine::new(&model.program, options), STATES);
            let own = Options { races: Races::Ignored, ..options };
            let found = match &truth {
                Found::TooMany => Found::TooMany,
                _ => search(&Machine::new(&armed.program, own), ARMED_STATES),
            };
            match (truth, found) {
                (Found::TooMany, _) | (_, Found::TooMany) => large += 1,
                (Found::Nothing, Found::Nothing) => {
                    free += 1;
                    without += u32::from(armed.pairs == 0);
                }
                (Found::Error(_), Found::Nothing) => panic!("{name}: a race is missed\n{text}"),
                (truth, Found::Error(steps)) => {
                    let trace = armed.trace(&steps, options);
                    let races =
                        trace.as_ref().is_ok_and(|it| matches!(it.failure.kind, FailureKind::Race(_)));
                    assert!(races, "{name}: {:?}\n{text}", trace.err());
                    assert!(matches!(truth, Found::Error(_)), "{name}: no racy state\n{text}");
                    racing += 1;
                }
            }
        }
    }
    println!("{free} free ({without} without a pair), {racing} race, {large} too large, {refused} refused");
    assert!(free > 20 && racing > 20, "{free} free, {racing} race, {large} too large, {refused} refused");
}
