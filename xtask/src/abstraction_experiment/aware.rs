//! Table 1: the Boolean program that knows of symmetry, for 2 threads, 3, … and any number, beside the one that does not.

use super::programs::{EngineResult, Subject, ask, bounded, proved_by_pairs, subject};
use super::{Options, files, stem};
use anyhow::Result;
use cegar::boolean::{Abstraction, oblivious};
use ir::Scope;
use ir::c::ExprId;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// From more predicates than these none are left out where they are a proof.
const MOST_TRIED: usize = 34;

/// Prints the table, row by row.
pub fn run(options: &Options) -> Result<()> {
    println!(
        "| program | predicates | abstraction | the paper's | any number | n | aware | oblivious: predicates | abstraction | check |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut total = Duration::ZERO;
    for path in files(options, "_safe")? {
        total += program(&path, options)?;
    }
    println!("abstraction of all aware programs together: {:.2} s", total.as_secs_f64());
    Ok(())
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

/// The rows of a program; the time that its abstraction took.
fn program(path: &Path, options: &Options) -> Result<Duration> {
    let all = subject(path, None, options.limit * 3)?;
    let Some(row) = row(&all, options)? else {
        println!("| {} | {} | no proof | | | | | | | |", stem(path), all.predicated.conditions.len());
        return Ok(Duration::ZERO);
    };
    let Row { subject: last, any, made, time } = row;
    let pairs = last.pairs.len();
    let count = last.predicated.conditions.len();
    let count = if pairs > 0 { format!("{count} and {pairs}") } else { count.to_string() };
    let paper = paper(path);
    let mut head = format!("| {} | {count} | {} | {paper} | {any} |", stem(path), seconds(Some(time)));
    let mut late = [false; 2];
    for workers in 2..=options.most {
        let (result, took) = match late[0] {
            true => (EngineResult::Late, options.limit),
            false => bounded(&made.program, workers + 1, options)?,
        };
        late[0] |= result == EngineResult::Late;
        let other = if late[1] {
            [String::new(), String::new(), "—".into()]
        } else {
            baseline(&last, workers, options)?
        };
        late[1] |= other[2] == "T.O." || other[1] == "T.O.";
        println!("{head} {workers} | {} | {} | {} | {} |", cell(result, took), other[0], other[1], other[2]);
        head = "| | | | | |".into();
        if late[0] && late[1] {
            break;
        }
    }
    Ok(time)
}

/// The Boolean program that proves it or else, where pairs of threads do, that over the predicates of their proof.
fn row(all: &Subject, options: &Options) -> Result<Option<Row>> {
    if let Some(subject) = needed(all, options)? {
        let Some((made, time)) = subject.boolean(options.limit) else { return Ok(None) };
        let (result, any) = ask(&made.program, Scope::ANY, "modular", options.limit)?;
        return Ok(Some(Row { subject, any: cell(result, any), made, time }));
    }
    let Some((subject, proof)) = proved_by_pairs(all, options.limit * 3) else { return Ok(None) };
    let Some((made, time)) = subject.boolean(options.limit) else { return Ok(None) };
    let any = format!("by pairs: {}", seconds(Some(proof)));
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

/// The program without symmetry: predicates, time of the abstraction, time of the check.
fn baseline(last: &Subject, workers: usize, options: &Options) -> Result<[String; 3]> {
    let exprs = &last.predicated.exprs;
    let made = match oblivious(&last.relation, exprs, &last.predicated.conditions, &last.pairs, workers) {
        Ok(made) => made,
        Err(why) => return Ok([String::new(), why, "—".into()]),
    };
    let conditions = made.conditions.len().to_string();
    let subject = Subject {
        predicated: cegar::boolean::Predicated {
            exprs: made.relation.exprs.clone(),
            conditions: made.conditions,
            pairs: vec![],
        },
        relation: Arc::new(made.relation),
        starts: made.starts,
        ..last.clone()
    };
    let Some((program, time)) = subject.boolean(options.limit) else {
        return Ok([conditions, "T.O.".into(), "—".into()]);
    };
    let (result, took) = bounded(&program.program, workers, options)?;
    Ok([conditions, seconds(Some(time)), cell(result, took)])
}

/// The program over as few of its conditions as can be found by leaving out more and more of them, first many at once; `None` if it is not proved over what is left. While
/// there are too many to decide, fewer that do not end in an alarm are better.
fn needed(all: &Subject, options: &Options) -> Result<Option<Subject>> {
    let mut kept: Vec<ExprId> = all.predicated.conditions.clone();
    let mut proved = says(&all.over(kept.clone()), options)? == Some(EngineResult::Safe);
    if proved && kept.len() > MOST_TRIED {
        return Ok(Some(all.over(kept)));
    }
    let mut size = kept.len();
    while size > 0 {
        let mut at = kept.len();
        while at > 0 {
            let from = at.saturating_sub(size);
            let fewer: Vec<ExprId> = kept[..from].iter().chain(&kept[at..]).copied().collect();
            match says(&all.over(fewer.clone()), options)? {
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

fn says(subject: &Subject, options: &Options) -> Result<Option<EngineResult>> {
    let limit = options.limit / 4;
    match subject.boolean(limit) {
        Some((made, _)) => Ok(Some(ask(&made.program, Scope::ANY, "modular", limit)?.0)),
        None => Ok(None),
    }
}

fn seconds(time: Option<Duration>) -> String {
    time.map_or("T.O.".into(), |it| format!("{:.3}", it.as_secs_f64()))
}

fn cell(result: EngineResult, time: Duration) -> String {
    match result {
        EngineResult::Safe => seconds(Some(time)),
        EngineResult::Fails => format!("fails, {}", seconds(Some(time))),
        EngineResult::Alarm => "alarm".into(),
        EngineResult::Late => "T.O.".into(),
    }
}
