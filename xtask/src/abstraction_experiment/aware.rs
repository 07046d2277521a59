//! Table 1: the Boolean program that knows of symmetry, for 2 threads, 3, … and any number, beside the one
//! that does not.

use super::programs::{EngineResult, Subject, ask, bounded, keep, proved_by_pairs, refined_subject};
use super::times::Time;
use super::{Options, files, stem};
use anyhow::Result;
use c::ExprId;
use ir::Scope;
use predicates::boolean::{Abstraction, Predicated, oblivious};
use relation::proof::PairPredicate;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// From more predicates than these none are left out where they are a proof.
const MOST_TRIED: usize = 34;
/// The fewest workers for which the two programs are compared in the end: with fewer both are ready at once.
const COMPARED: usize = 3;

const HEAD: &str = "| program | predicates | abstraction | the paper's | any number | n | aware | oblivious: predicates | abstraction | check | ratio |";

/// Prints the table, row by row, and what it says in the end.
pub fn run(options: &Options) -> Result<()> {
    println!("{HEAD}");
    println!("|{}", "---|".repeat(HEAD.matches('|').count() - 1));
    let mut totals = Totals::default();
    for path in files(options, "_safe")? {
        program(&path, options, &mut totals)?;
    }
    println!("\nabstraction of all aware programs together: {:.2} s", totals.abstraction.as_secs_f64());
    println!(
        "\nfrom {COMPARED} workers on, abstraction and check together: aware is quicker in {} rows",
        totals.quicker
    );
    for (names, text) in [(&totals.slower, "not quicker"), (&totals.open, "not compared")] {
        println!("\n{text}: {}", if names.is_empty() { "none".into() } else { names.join(", ") });
    }
    Ok(())
}

/// What the rows say together.
#[derive(Default)]
struct Totals {
    /// The abstraction of all aware programs.
    abstraction: Duration,
    /// In how many rows aware is quicker.
    quicker: usize,
    /// Those in which it is not.
    slower: Vec<String>,
    /// Those without two times that can be compared.
    open: Vec<String>,
}

/// A program with what its proof needs.
struct Row {
    subject: Subject,
    /// How it is proved for any number of threads.
    any: String,
    /// The Boolean program, which proves it or not.
    made: Abstraction,
    /// The time of its abstraction.
    time: Duration,
}

/// The rows of a program.
fn program(path: &Path, options: &Options, totals: &mut Totals) -> Result<()> {
    let all = refined_subject(path, options)?;
    let Some(row) = row(&all, options)? else {
        println!("| {} | {} | no proof | | | | | | | | |", stem(path), all.predicated.conditions.len());
        totals.open.push(stem(path));
        return Ok(());
    };
    keep(path, &row.subject.predicated, options)?;
    totals.abstraction += row.time;
    let (pairs, count) = (row.subject.lemmas.len(), row.subject.predicated.conditions.len());
    let count = if pairs > 0 { format!("{count} and {pairs}") } else { count.to_string() };
    let time = Time::Took(row.time);
    let mut head = format!("| {} | {count} | {time} | {} | {} |", stem(path), paper(path), row.any);
    if options.most < 2 {
        println!("{head} | | | | | |");
    }
    for workers in 2..=options.most {
        let (result, check) = bounded(&row.made.program, workers + 1, options)?;
        let aware = (result != EngineResult::Fails).then(|| time.plus(check));
        let other = baseline(&row.subject, workers, options)?;
        let (ratio, list) = match (aware, other.together) {
            (Some(aware), Some(other)) if aware.is_below(other) => (other.ratio(aware), None),
            (Some(aware), Some(other)) => (other.ratio(aware), Some(&mut totals.slower)),
            _ => ("—".into(), Some(&mut totals.open)),
        };
        match list {
            _ if workers < COMPARED => {}
            Some(list) => list.push(format!("{} with {workers}", stem(path))),
            None => totals.quicker += 1,
        }
        println!("{head} {workers} | {} | {} | {ratio} |", cell(result, check), other.cells.join(" | "));
        head = "| | | | | |".into();
    }
    Ok(())
}

/// The Boolean program that proves it, under lemmas about two threads if it needs some, or else, where pairs
/// of threads do, that over the predicates of their proof.
fn row(all: &Subject, options: &Options) -> Result<Option<Row>> {
    let needed = needed(all, options)?;
    if let Some(subject) =
        needed.and_then(|it| if it.lemmas.is_empty() { Some(it) } else { it.settled(options.refine) })
    {
        let Some((made, time)) = subject.boolean(options.refine) else { return Ok(None) };
        let (result, any) = ask(&made.program, Scope::ANY, "modular", options.limit)?;
        return Ok(Some(Row { subject, any: cell(result, any), made, time }));
    }
    let Some((subject, proof)) = proved_by_pairs(all, options.refine) else { return Ok(None) };
    let Some((made, time)) = subject.boolean(options.refine) else { return Ok(None) };
    let any = format!("by pairs: {}", Time::Took(proof));
    Ok(Some(Row { subject, any, made, time }))
}

/// The paper's predicates and seconds for the same, from `table1.csv` beside the programs.
fn paper(path: &Path) -> String {
    let text = std::fs::read_to_string(path.with_file_name("table1.csv")).unwrap_or_default();
    let name = stem(path);
    let name = name.trim_end_matches("_safe");
    let line = text.lines().find(|line| line.split(',').next() == Some(name));
    let fields: Vec<&str> = line.map(|line| line.split(',').collect()).unwrap_or_default();
    match fields[..] {
        [_, _, _, _, _, _, predicates, seconds, _] => format!("{predicates}: {seconds} s"),
        _ => String::new(),
    }
}

/// The program without symmetry.
struct Baseline {
    /// Its predicates, the time of its abstraction and that of its check.
    cells: [String; 3],
    /// Both times together, if there is such a program.
    together: Option<Time>,
}

fn baseline(last: &Subject, workers: usize, options: &Options) -> Result<Baseline> {
    let Predicated { exprs, conditions, .. } = &last.predicated;
    let pairs: Vec<PairPredicate> = last.lemmas.iter().map(|it| it.pair).collect();
    let made = match oblivious(&last.relation, exprs, conditions, &pairs, workers) {
        Ok(made) => made,
        Err(why) => return Ok(Baseline { cells: [String::new(), why, "—".into()], together: None }),
    };
    let count = made.conditions.len().to_string();
    let exprs = made.relation.exprs.clone();
    let predicated = Predicated { exprs, conditions: made.conditions, pairs: vec![] };
    let relation = Arc::new(made.relation);
    let subject = Subject { relation, predicated, lemmas: vec![], starts: made.starts, ..last.clone() };
    let Some((program, time)) = subject.boolean(options.limit) else {
        let late = Time::MoreThan(options.limit);
        return Ok(Baseline { cells: [count, late.to_string(), "—".into()], together: Some(late) });
    };
    let time = Time::Took(time);
    let (result, check) = bounded(&program.program, workers, options)?;
    let mut together = time.plus(check);
    if result == EngineResult::Fails {
        // It has not proved anything by then.
        together = Time::MoreThan(together.least());
    }
    let together = Some(together);
    Ok(Baseline { cells: [count, time.to_string(), cell(result, check)], together })
}

/// The program over as few of its conditions as can be found by leaving out more and more of them, first many
/// at once; `None` if it is not proved over what is left. While there are too many to decide, fewer that do
/// not end in an alarm are better.
fn needed(all: &Subject, options: &Options) -> Result<Option<Subject>> {
    let mut kept: Vec<ExprId> = all.predicated.conditions.clone();
    let mut proved = says(&all.over(kept.clone()), options.limit)? == Some(EngineResult::Safe);
    if proved && kept.len() > MOST_TRIED {
        return Ok(Some(all.over(kept)));
    }
    let mut size = kept.len();
    while size > 0 {
        let mut at = kept.len();
        while at > 0 {
            let from = at.saturating_sub(size);
            let fewer: Vec<ExprId> = kept[..from].iter().chain(&kept[at..]).copied().collect();
            match says(&all.over(fewer.clone()), options.limit / 4)? {
                Some(EngineResult::Safe) => (kept, proved) = (fewer, true),
                Some(EngineResult::Late) | None if !proved => kept = fewer,
                _ => {}
            }
            at = from;
        }
        size /= 2;
    }
    Ok(proved.then(|| all.over(kept)))
}

fn says(subject: &Subject, limit: Duration) -> Result<Option<EngineResult>> {
    if !subject.lemmas.is_empty() {
        return Ok(subject.settled(limit).map(|_| EngineResult::Safe));
    }
    match subject.boolean(limit) {
        Some((made, _)) => Ok(Some(ask(&made.program, Scope::ANY, "modular", limit)?.0)),
        None => Ok(None),
    }
}

fn cell(result: EngineResult, time: Time) -> String {
    match result {
        EngineResult::Safe | EngineResult::Late => time.to_string(),
        EngineResult::Fails => format!("fails, {time}"),
        EngineResult::Alarm => "alarm".into(),
    }
}
