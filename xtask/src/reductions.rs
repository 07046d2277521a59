//! Shows on many random programs that the reductions of `explicit` change no verdict, and counts what they
//! save.

use anyhow::{Context, Result, ensure};
use base::{Budget, Event, NoEvents, Settings, Stop};
use engines::{Cx, Engine, Explicit, Facts};
use ir::{Model, Scope, Task, Verdict};
use std::sync::Arc;
use testing::bp::{Profile, program};

/// The combinations compared: what is switched off in each. The first is the search with nothing switched on.
const COMBINATIONS: &[(&str, &[&str])] = &[
    ("nothing", &["explicit.reduction", "explicit.symmetry", "explicit.transition_merging"]),
    ("symmetry", &["explicit.reduction", "explicit.transition_merging"]),
    ("partial-order reduction", &["explicit.symmetry", "explicit.transition_merging"]),
    ("transition merging", &["explicit.reduction", "explicit.symmetry"]),
    ("everything", &[]),
];

/// A program with more work than this is left out: the same for all combinations, so that the sums compare.
const MOST_TICKS: u64 = 400_000;

/// The command `reductions`.
pub fn run(args: &[String]) -> Result<()> {
    let number = |index: usize, default: u64| args.get(index).map_or(Ok(default), |text| text.parse());
    let (count, first) = (number(0, 10_000)?, number(1, 0)?);
    let profiles = [Profile::ALL, Profile::BROADCASTS, Profile::SPAWNING];
    let mut states = vec![0u64; COMBINATIONS.len()];
    let (mut safe, mut failing, mut large) = (0u64, 0u64, 0u64);
    for seed in first..first + count {
        let program = program(seed, &profiles[(seed % 3) as usize]);
        let model = Model::Program(Arc::new(program));
        let task = Task::new(model, Scope::threads(2 + (seed % 2) as u32));
        let answers: Result<Vec<Answer>, Stop> =
            COMBINATIONS.iter().map(|(_, off)| ask(&task, off)).collect();
        let Ok(answers) = answers else {
            large += 1;
            continue;
        };
        for ((name, _), answer) in COMBINATIONS.iter().zip(&answers) {
            ensure!(answer.safe == answers[0].safe, "seed {seed}: the verdict changes with {name}");
        }
        if answers[0].safe {
            safe += 1;
            // Only a search that runs to its end shows what a reduction saves.
            states.iter_mut().zip(&answers).for_each(|(sum, answer)| *sum += answer.states);
        } else {
            failing += 1;
        }
    }
    println!(
        "{count} programs from seed {first}: {safe} safe, {failing} unsafe, {large} left out as too large."
    );
    println!("No verdict changes with any combination. For the safe ones:\n");
    println!("| on | states stored | |\n|---|---|---|");
    for ((name, _), sum) in COMBINATIONS.iter().zip(&states) {
        println!("| {name} | {sum} | {:.0} % |", *sum as f64 * 100.0 / states[0].max(1) as f64);
    }
    Ok(())
}

struct Answer {
    safe: bool,
    states: u64,
}

fn ask(task: &Task, off: &[&str]) -> Result<Answer, Stop> {
    let mut settings = Settings::default();
    let tables = [Explicit.settings(), passes::SETTINGS];
    for name in off {
        settings.set(&tables, name, "off").expect("the option exists");
    }
    settings.set(&tables, "explicit.certificate_states", "0").expect("the option exists");
    let Model::Program(program) = &task.model else { unreachable!("only programs are made") };
    let prepared = passes::prepare(program, &settings, &Budget::unlimited(), &mut NoEvents)?.program;
    let prepared = Task { model: Model::Program(Arc::new(prepared)), ..task.clone() };
    let budget = Budget::with_ticks(MOST_TICKS);
    let mut events: Vec<Event> = vec![];
    let facts = Facts::default();
    let mut cx = Cx { budget: &budget, events: &mut events, facts: &facts, settings: &settings, seed: 0 };
    let verdict = Explicit.run(&prepared, &mut cx)?;
    let states = events.iter().find_map(|event| match event {
        Event::Counter { name: "states", value, .. } => Some(*value),
        _ => None,
    });
    let states = states.context("the engine counts its states").expect("it does");
    Ok(Answer { safe: matches!(verdict, Verdict::Safe { .. }), states })
}
