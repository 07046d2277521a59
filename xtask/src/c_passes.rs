//! Passes on C: runs them one after the other over C programs, validates each result and says what it saved;
//! or tries mutants of what they give on random programs.

#[path = "../../crates/passes/tests/c_mutants/mod.rs"]
mod c_mutants;

use crate::options::each;
use anyhow::{Result, ensure};
use c_mutants::{Counts, Programs, chain, literal_program, random_program, try_pass};
use passes::c::PASSES;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is done.
struct Wanted {
    paths: Vec<PathBuf>,
    /// The passes whose names contain this.
    only: String,
    first: u64,
    /// This many random programs, or none.
    count: u64,
    /// Mutants of each.
    tries: usize,
    /// Whether random programs are C; else they are normalised C that gives the pass something to do.
    c: bool,
}

/// The command `c-passes`.
pub fn run(args: &[String]) -> Result<()> {
    let mut wanted = Wanted { paths: vec![], only: String::new(), first: 0, count: 0, tries: 20, c: false };
    each(args, |name, value| {
        match name {
            "" => wanted.paths.push(value.into()),
            "--only" => wanted.only = value.into(),
            "--first" => wanted.first = value.parse()?,
            "--mutants" => wanted.count = value.parse()?,
            "--programs" => {
                ensure!(["c", "normalised"].contains(&value), "no kind of programs: {value}");
                wanted.c = value == "c";
            }
            "--tries" => wanted.tries = value.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let mut wrong = mutants(&wanted);
    let mut all = vec![];
    wanted.paths.iter().try_for_each(|path| collect(path, &mut all))?;
    wrong += files(&all)?;
    ensure!(wrong == 0, "{wrong} results are wrong");
    Ok(())
}

/// Tries mutants; how many results are wrong.
fn mutants(wanted: &Wanted) -> usize {
    let mut wrong = 0;
    let programs: Programs = if wanted.c { literal_program } else { random_program };
    let rows = PASSES.iter().map(|it| (it.name(), it.run));
    for (name, pass) in rows.filter(|(name, _)| wanted.count > 0 && name.contains(&wanted.only)) {
        let mut counts = Counts::default();
        let seeds = wanted.first..wanted.first + wanted.count;
        let found = try_pass((name, pass), programs, seeds, wanted.tries, &mut counts);
        println!("{name}: {counts:?}");
        found.iter().for_each(|why| println!("{name}: {why}"));
        wrong += found.len();
    }
    wrong
}

fn collect(path: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        found.push(path.into());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    entries.sort();
    entries.retain(|it| it.is_dir() || it.extension().is_some_and(|it| it == "c" || it == "i"));
    entries.iter().try_for_each(|it| collect(it, found))
}

/// Runs all passes on each file; how many results are refused.
fn files(paths: &[PathBuf]) -> Result<usize> {
    let (mut refused, mut read) = (0, 0);
    let (mut before, mut after) = (0, 0);
    let (mut passing, mut validating) = (Duration::ZERO, Duration::ZERO);
    for path in paths {
        let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
        let name = path.display().to_string();
        let Some(made) = testing::programs::read(&name, &text, &[]) else { continue };
        read += 1;
        let start = Instant::now();
        let done = chain(&made.program, |seconds| validating += seconds);
        passing += start.elapsed();
        before += made.program.locations().len();
        after += done.program.locations().len();
        for why in &done.refused {
            println!("{name}: {why}");
        }
        refused += done.refused.len();
        println!(
            "{name}: {} steps became {}; {}",
            made.program.locations().len(),
            done.program.locations().len(),
            done.runs.join(" ")
        );
    }
    if !paths.is_empty() {
        println!(
            "{read} of {} files read, {before} steps became {after}, {refused} results refused; {:.2} s, of which validation {:.2} s",
            paths.len(),
            passing.as_secs_f64(),
            validating.as_secs_f64()
        );
    }
    Ok(refused)
}
