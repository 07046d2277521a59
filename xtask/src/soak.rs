//! Asks every engine, in every mode that computes its answer in another way, about random programs, and compares with brute force for few
//! threads: what the tests do with fixed seeds, for as long as one likes and with fresh ones. Refused evidence and faults count as
//! wrong answers.

use crate::options::each;
use anyhow::{Result, ensure};
use base::{Budget, Settings, Silent};
use engines::{Counter, Cover, Cx, Engine, Explicit, Facts, Modular, Rounds, Simulate};
use ir::bp::Machine;
use ir::bp::random::{Profile, program};
use ir::{Bound, Model, Program, Property, ReasonKind, Scope, Task};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use verify::{Evidence, Outcome};

/// An engine and its options.
type Mode = (&'static dyn Engine, &'static [(&'static str, &'static str)]);

const MODES: &[Mode] = &[
    (&Explicit, &[]),
    (&Explicit, &[("explicit.reduction", "off"), ("explicit.chains", "off")]),
    (&Counter, &[]),
    (&Simulate, &[]),
    (&Modular, &[("modular.sets", "explicit")]),
    (&Modular, &[("modular.sets", "bdd")]),
    (&Modular, &[("modular.relation", "threads")]),
    (&Cover, &[("cover.sets", "explicit")]),
    (&Cover, &[("cover.sets", "bdd")]),
    (&Cover, &[("cover.sets", "explicit"), ("cover.width", "1"), ("cover.chains", "off")]),
    (&Rounds, &[("rounds.most", "3")]),
    (&Rounds, &[("rounds.most", "3"), ("rounds.closure", "off")]),
];

const PROFILES: &[Profile] =
    &[Profile::ALL, Profile::MONOTONE, Profile::BROADCASTS, Profile::SPAWNING, Profile::RECURSIVE];

/// The most threads of the brute force.
const THREADS: u32 = 3;
/// Programs with more states than this are left out.
const MOST_STATES: usize = 3000;
/// What an engine may spend on a program. Some go on for ever where any number of threads is asked for.
const TICKS: u64 = 100_000;

/// How often a mode said `safe`, `unsafe` and nothing, and how many of the proofs were not checked.
type Tally = [u64; 4];

/// The command `soak`.
pub fn run(args: &[String]) -> Result<()> {
    let (mut seconds, mut seed) = (60u64, 1_000_000_000u64);
    each(args, |name, value| {
        match name {
            "--seconds" => seconds = value.parse()?,
            "--seed" => seed = value.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let (first, end) = (seed, Instant::now() + Duration::from_secs(seconds));
    let (mut left_out, mut wrong, mut tallies) = (0, 0, BTreeMap::<usize, Tally>::new());
    while Instant::now() < end {
        let profile = &PROFILES[(seed % PROFILES.len() as u64) as usize];
        let program = program(seed, profile);
        match Truth::of(&program, profile.recursion > 0) {
            Some(truth) => wrong += ask_all(&program, &truth, seed, &mut tallies),
            None => left_out += 1,
        }
        seed += 1;
    }
    println!("seeds {first} to {seed}, {left_out} left out as too large");
    for (mode, [safe, failing, unknown, unchecked]) in tallies {
        println!(
            "{safe:>8} safe ({unchecked} unchecked) {failing:>8} unsafe {unknown:>8} unknown  {}",
            title(&MODES[mode])
        );
    }
    ensure!(wrong == 0, "{wrong} wrong answers");
    Ok(())
}

fn title((engine, set): &Mode) -> String {
    set.iter().fold(engine.name().to_string(), |title, (name, value)| format!("{title} {name}={value}"))
}

/// What brute force says.
struct Truth {
    /// For each number of threads whether there is an error.
    fails: [bool; THREADS as usize],
    /// Whether all states were looked at.
    complete: bool,
}

impl Truth {
    /// `None` for a program with too many states, unless these are the states of a recursion: then errors that are found are real.
    fn of(program: &Program, recursive: bool) -> Option<Truth> {
        let mut truth = Truth { fails: Default::default(), complete: true };
        for (bound, fails) in (1..).zip(&mut truth.fails) {
            let machine = Machine::new(program, Some(bound));
            *fails = match machine.reachable(MOST_STATES) {
                Some(states) => states.iter().any(|state| machine.failure(state).is_some()),
                None if recursive => {
                    truth.complete = false;
                    machine.fails_with_short_stacks(4, MOST_STATES)
                }
                None => return None,
            };
        }
        Some(truth)
    }

    /// Whether an error is known within the bound.
    fn fails(&self, bound: Bound) -> bool {
        match bound {
            Bound::AtMost(n) => self.fails[n as usize - 1],
            Bound::Any => self.fails.contains(&true),
        }
    }
}

/// Asks every mode about the program with few threads and with any number. Gives how many wrong answers there are.
fn ask_all(program: &Program, truth: &Truth, seed: u64, tallies: &mut BTreeMap<usize, Tally>) -> u64 {
    let mut wrong = 0;
    for bound in [Bound::AtMost(2), Bound::AtMost(THREADS), Bound::Any] {
        let model = Model::Program(Arc::new(program.clone()));
        let task = Task { model, property: Property::NoError, scope: Scope { threads: bound, ..Scope::ANY } };
        for (index, mode) in MODES.iter().enumerate() {
            let Some(outcome) = decide(mode, &task) else { continue };
            let tally = tallies.entry(index).or_default();
            let complaint = match outcome {
                Outcome::Safe { evidence, .. } => {
                    tally[0] += 1;
                    tally[3] += u64::from(evidence == Evidence::Unchecked);
                    truth.fails(bound).then(|| "safe, but brute force finds an error".to_string())
                }
                Outcome::Unsafe { .. } => {
                    tally[1] += 1;
                    let knows = matches!(bound, Bound::AtMost(_)) && truth.complete;
                    (knows && !truth.fails(bound)).then(|| "unsafe, but brute force finds none".to_string())
                }
                Outcome::Unknown(reason) => {
                    tally[2] += 1;
                    let bad = matches!(reason.kind, ReasonKind::Rejected | ReasonKind::Fault);
                    bad.then_some(reason.message)
                }
            };
            if let Some(complaint) = complaint {
                wrong += 1;
                println!("WRONG: seed {seed}, {bound:?}, {}: {complaint}", title(mode));
            }
        }
    }
    wrong
}

/// What the whole path says: prepare, run, lift, confirm. `None` if the engine refuses the program or its ticks run out.
fn decide(&(engine, set): &Mode, task: &Task) -> Option<Outcome> {
    let mut settings = Settings::default();
    for (name, value) in set {
        verify::set(&mut settings, name, value).expect("the option exists");
    }
    let Model::Program(program) = &task.model else { unreachable!("only programs are made") };
    let (prepared, lifts) = match passes::prepare(program, &settings, &mut Silent) {
        Ok((program, lifts)) => {
            (Task { model: Model::Program(Arc::new(program)), ..task.clone() }, Some(lifts))
        }
        Err(_) => (task.clone(), None),
    };
    engine.accepts(&prepared).ok()?;
    let (budget, facts) = (Budget::with_ticks(TICKS), Facts::default());
    let mut cx = Cx { budget: &budget, events: &mut Silent, facts: &facts, settings: &settings, seed: 0 };
    let verdict = engine.run(&prepared, &mut cx).ok()?;
    Some(verify::judge(task, lifts.as_ref(), verdict, &Budget::unlimited(), |_| {}).outcome)
}
