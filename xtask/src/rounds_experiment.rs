//! Linear interfaces and the adequacy game on small generated drivers, one kernel and any number of clients:
//! for k = 1 to 4 the search of k+1 rounds with the games up to k, without the closure; and what the closure
//! and `cover` say. Rows are appended to a file as they come, and those that are there are not measured
//! again; the table is made of all rows of the file.

use crate::drivers;
use crate::measure::{measured, median};
use crate::options::each;
use anyhow::{Result, bail};
use base::Settings;
use engines::{Cover, Engine, Rounds};
use ir::{Model, Scope, Task};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// A name, an engine and its options.
type Mode = (&'static str, &'static dyn Engine, &'static [(&'static str, &'static str)]);

/// What is run.
const MODES: &[Mode] = &[
    ("game 1", &Rounds, &[("rounds.closure", "off"), ("rounds.most", "1")]),
    ("game 2", &Rounds, &[("rounds.closure", "off"), ("rounds.most", "2")]),
    ("game 3", &Rounds, &[("rounds.closure", "off"), ("rounds.most", "3")]),
    ("game 4", &Rounds, &[("rounds.closure", "off"), ("rounds.most", "4")]),
    ("closure", &Rounds, &[("rounds.game", "off"), ("rounds.most", "1")]),
    ("cover", &Cover, &[]),
];

/// The command `rounds-experiment`.
pub fn run(args: &[String]) -> Result<()> {
    let (mut first, mut count, mut limit) = (1u64, 60u64, 2.0f64);
    let mut out = PathBuf::from("target/rounds-experiment.csv");
    each(args, |name, value| {
        match name {
            "--first" => first = value.parse()?,
            "--count" => count = value.parse()?,
            "--limit" => limit = value.parse()?,
            "--out" => out = PathBuf::from(value),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let text = fs::read_to_string(&out).unwrap_or_default();
    let key = |line: &str| line.splitn(3, ',').take(2).collect::<Vec<_>>().join(",");
    let done: BTreeSet<String> = text.lines().map(key).collect();
    let mut file = fs::OpenOptions::new().create(true).append(true).open(&out)?;
    if done.is_empty() {
        writeln!(file, "seed,mode,verdict,seconds,nodes,certificate")?;
    }
    for seed in first..first + count {
        let source = drivers::program(seed, &drivers::SMALL);
        for &(mode, engine, set) in MODES {
            if done.contains(&format!("{seed},{mode}")) {
                continue;
            }
            let mut settings = Settings::default();
            for (name, value) in set {
                settings.set(&[engine.settings()], name, value).map_err(anyhow::Error::msg)?;
            }
            let prepared =
                passes::prepare(&source, &settings, &base::Budget::unlimited(), &mut base::NoEvents);
            let program = Arc::new(prepared.map_err(|stop| anyhow::anyhow!(stop))?.program);
            let task = Task::new(Model::Program(program), Scope::ANY);
            let run = measured(engine, task, settings, limit)?;
            let certified = match &run.answer {
                Ok(ir::Verdict::Safe { certificate, .. }) => certificate.is_some(),
                _ => false,
            };
            let (verdict, nodes) = (run.verdict(), run.counter("peak nodes"));
            let line = format!("{seed},{mode},{verdict},{:.3},{nodes},{certified}", run.seconds);
            writeln!(file, "{line}")?;
            eprintln!("{line}");
        }
    }
    table(&fs::read_to_string(&out)?)
}

/// What the rows of a file say of each mode.
fn table(rows: &str) -> Result<()> {
    println!("| | safe | unsafe | unknown | time | median s | most s | median nodes | most nodes |");
    println!("|{}", "---|".repeat(9));
    for (mode, ..) in MODES {
        let mut verdicts = [("safe", 0), ("unsafe", 0), ("unknown", 0), ("time", 0)];
        let (mut seconds, mut nodes) = (vec![], vec![]);
        for line in rows.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let [_, name, verdict, time, count, _] = fields[..] else { bail!("not a row: {line}") };
            if name == *mode {
                verdicts.iter_mut().filter(|it| it.0 == verdict).for_each(|it| it.1 += 1);
                seconds.push(time.parse()?);
                nodes.push(count.parse()?);
            }
        }
        let counts = verdicts.map(|it| it.1.to_string()).join(" | ");
        let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let times = format!("{:.3} | {:.3}", median(&mut seconds), most(&seconds));
        println!("| {mode} | {counts} | {times} | {:.0} | {:.0} |", median(&mut nodes), most(&nodes));
    }
    Ok(())
}
