//! Asks several engines about every program of a corpus with the same few threads, and compares what they
//! say. An engine may not know; two that know differently, refused evidence and faults make the run fail.

use crate::corpus::{Asker, Entry, entries};
use crate::options::{Selection, list};
use anyhow::{Result, ensure};
use std::collections::BTreeMap;

/// What an engine did over all questions.
#[derive(Default)]
struct Score {
    decided: usize,
    confirmed: usize,
    seconds: f64,
}

/// The command `agree`.
pub fn run(args: &[String]) -> Result<()> {
    let mut engines = vec!["counter".to_string(), "explicit".to_string()];
    let mut numbers = vec![2, 3];
    let selection = Selection::read(args, |name, value| {
        match name {
            "--engines" => engines = list(value).map(str::to_string).collect(),
            "--threads" => numbers = list(value).map(str::parse).collect::<Result<_, _>>()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let asker = Asker::new(&selection)?;
    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    let (mut questions, mut split, mut failures) = (0, vec![], vec![]);
    for entry in entries(&selection)? {
        for &threads in &numbers {
            let entry = with_threads(&entry, threads);
            let mut verdicts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
            for engine in &engines {
                let answer = asker.ask(engine, &entry)?;
                let score = scores.entry(engine).or_default();
                score.seconds += answer.seconds;
                if let Some(failure) = answer.failure() {
                    failures.push(format!("{} with {threads} threads, {engine}: {failure}", entry.path));
                    continue;
                }
                if answer.verdict == "unknown" {
                    continue;
                }
                score.decided += 1;
                score.confirmed += usize::from(answer.evidence == "confirmed");
                verdicts.entry(answer.verdict).or_default().push(engine);
            }
            questions += 1;
            if verdicts.len() > 1 {
                split.push(format!("{} with {threads} threads: {verdicts:?}", entry.path));
            }
        }
    }
    println!("{questions} questions");
    for (engine, Score { decided, confirmed, seconds }) in &scores {
        println!("{engine:<10} decided {decided}, {confirmed} with confirmed evidence, {seconds:.1} s");
    }
    ensure!(failures.is_empty(), "{} answers failed:\n  {}", failures.len(), failures.join("\n  "));
    ensure!(split.is_empty(), "engines disagree:\n  {}", split.join("\n  "));
    println!("no two disagree");
    Ok(())
}

/// The entry with this number of threads in the place of its own.
fn with_threads(entry: &Entry, threads: u32) -> Entry {
    let mut args = vec![];
    let mut old = entry.args.iter();
    while let Some(arg) = old.next() {
        match arg.as_str() {
            "--threads" => drop(old.next()),
            _ => args.push(arg.clone()),
        }
    }
    args.extend(["--threads".to_string(), threads.to_string()]);
    entry.with_args(args)
}
