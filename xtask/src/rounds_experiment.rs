//! Linear interfaces and the adequacy game on small generated drivers, one kernel and any number of clients: for k = 1 to 4 the search of k+1
//! rounds with the games up to k, without the closure; and what the closure and `cover` say. Rows are appended to a file as they come,
//! and those that are there are not measured again.

use crate::drivers;
use crate::measure::measured;
use crate::options::each;
use anyhow::Result;
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
            println!("{line}");
        }
    }
    Ok(())
}
