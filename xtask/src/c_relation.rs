//! Random concurrent C programs as guarded commands: every step of the machine with few threads is covered by
//! a command, by enumeration.

#[path = "../../crates/front-c/tests/relation_cover/mod.rs"]
mod relation_cover;

use crate::options::each;
use ::c::{Machine, Options};
use anyhow::{Result, ensure};
use base::{Budget, Random};
use relation::Relation;
use relation_cover::mutants::MUTANTS;
use relation_cover::{Enumeration, Tally, cover, enumerate, walk};
use std::time::Instant;

struct Wanted {
    first: u64,
    count: u64,
    threads: u32,
    text: fn(u64) -> String,
    limits: Enumeration,
    /// Random runs with more threads, beside the enumeration.
    walks: u64,
    /// Whether wrong relations are tried, too.
    mutants: bool,
}

/// The command `c-relation`.
pub fn run(args: &[String]) -> Result<()> {
    let limits = Enumeration { numbers: &[0, 1, 2, 3], states: 3_000, problems: 3 };
    let mut wanted = Wanted {
        first: 0,
        count: 200,
        threads: 3,
        text: testing::c::concurrent,
        limits,
        walks: 2,
        mutants: false,
    };
    each(args, |name, value| {
        match name {
            "--first" => wanted.first = value.parse()?,
            "--count" => wanted.count = value.parse()?,
            "--threads" => wanted.threads = value.parse()?,
            "--states" => wanted.limits.states = value.parse()?,
            "--programs" if value == "concurrent" => wanted.text = testing::c::concurrent,
            "--programs" if value == "locking" => wanted.text = testing::c::locking,
            "--programs" if value == "schedules" => wanted.text = |seed| testing::c::schedules(seed).plain(),
            "--walks" => wanted.walks = value.parse()?,
            "--mutants" => wanted.mutants = value.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let begun = Instant::now();
    let mut seen = Seen::default();
    for seed in wanted.first..wanted.first.saturating_add(wanted.count) {
        try_program(seed, &wanted, &mut seen);
    }
    let Tally { steps, commands, failures, stuck, problems } = &seen.tally;
    println!(
        "{} of {} programs have a relation, {} were enumerated to the end; {steps} steps, {commands} commands, {failures} of them fail, {stuck} wait for ever; {} problems; {:.0} s",
        seen.read,
        wanted.count,
        seen.complete,
        problems.len(),
        begun.elapsed().as_secs_f64()
    );
    for (at, (name, _)) in MUTANTS.iter().enumerate().filter(|_| wanted.mutants) {
        println!("  {name}: seen in {} of {} programs", seen.found[at], seen.wrong[at]);
    }
    let all = seen.found.iter().zip(&seen.wrong).all(|(found, wrong)| *wrong == 0 || *found > 0);
    ensure!(problems.is_empty() && all, "{} problems, or a wrong relation that nobody sees", problems.len());
    Ok(())
}

/// What came of all programs.
#[derive(Default)]
struct Seen {
    tally: Tally,
    read: usize,
    complete: usize,
    /// By mutant: in how many programs it changes something, and in how many that is seen.
    wrong: [usize; MUTANTS.len()],
    found: [usize; MUTANTS.len()],
}

fn try_program(seed: u64, wanted: &Wanted, seen: &mut Seen) {
    let made = testing::programs::normalised("random.c", &(wanted.text)(seed), &[]);
    let Some(program) = made.map(|it| it.program) else { return };
    let relation = Relation::of(&program, &Options::default(), &Budget::with_ticks(10_000_000));
    let Ok(relation) = relation else { return };
    seen.read += 1;
    let machine = Machine::new(&program, Options { threads: Some(wanted.threads), ..Options::default() });
    let before = seen.tally.problems.len();
    let limits = Enumeration { problems: before + wanted.limits.problems, ..wanted.limits };
    seen.complete += usize::from(enumerate(&machine, &relation, limits, &mut seen.tally));
    let many = Machine::new(&program, relation_cover::options());
    for run in 0..wanted.walks {
        cover(&many, &relation, &walk(&many, &mut Random::new(run), 150), &mut seen.tally);
    }
    seen.tally.problems[before..].iter().for_each(|it| println!("seed {seed}: {it}"));
    for (at, (_, mutant)) in MUTANTS.iter().enumerate().filter(|_| wanted.mutants) {
        let (mut changed, mut tally) = (relation.clone(), Tally::default());
        if mutant(&mut changed) {
            seen.wrong[at] += 1;
            enumerate(&machine, &changed, Enumeration { problems: 1, ..wanted.limits }, &mut tally);
            seen.found[at] += usize::from(!tally.problems.is_empty());
        }
    }
}
