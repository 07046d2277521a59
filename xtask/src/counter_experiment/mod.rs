//! Plain symbolic exploration against counter abstraction, without and with reduction, on generated drivers:
//! for n = 2, 3, ... until a time limit. Rows are appended to a file as they come, and those that are there
//! are not measured again; the table is made of all rows of the file.

mod plain;

use crate::drivers;
use crate::measure::{measured, median};
use crate::options::each;
use anyhow::{Context, Result, bail};
use base::Settings;
use engines::{Counter, Engine};
use ir::bp::Program;
use ir::{Model, Scope, Task};
use plain::Plain;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// What is compared.
struct Mode {
    name: &'static str,
    engine: &'static dyn Engine,
    /// Options that are not named keep their defaults.
    set: &'static [(&'static str, &'static str)],
}

const MODES: &[Mode] = &[
    Mode { name: "plain", engine: &Plain, set: &[] },
    Mode { name: "counter", engine: &Counter, set: &[("counter.reduction", "off")] },
    Mode { name: "counter+reduction", engine: &Counter, set: &[] },
];

struct Options {
    seeds: std::ops::Range<u64>,
    limit: f64,
    most: u32,
    out: PathBuf,
    modes: Vec<String>,
    set: Vec<(String, String)>,
}

/// One measurement.
struct Row {
    verdict: String,
    seconds: f64,
    states: u64,
    nodes: u64,
}

/// The command `counter-experiment`.
pub fn run(args: &[String]) -> Result<()> {
    let options = options(args)?;
    let mut done = read(&options)?;
    let mut file = fs::OpenOptions::new().create(true).append(true).open(&options.out)?;
    if done.is_empty() {
        writeln!(file, "seed,mode,threads,verdict,seconds,states,nodes")?;
    }
    for seed in options.seeds.clone() {
        let source = drivers::program(seed, &drivers::STANDARD);
        for Mode { name: mode, engine, set } in
            MODES.iter().filter(|it| options.modes.iter().any(|mode| mode == it.name))
        {
            let mut settings = Settings::default();
            let tables = [Counter.settings(), passes::SETTINGS];
            let set = set.iter().map(|&(name, value)| (name.to_string(), value.to_string()));
            for (name, value) in set.chain(options.set.iter().cloned()) {
                settings.set(&tables, &name, &value).map_err(anyhow::Error::msg)?;
            }
            let prepared =
                passes::prepare(&source, &settings, &base::Budget::unlimited(), &mut base::NoEvents);
            let program = Arc::new(prepared.map_err(|stop| anyhow::anyhow!(stop))?.program);
            for threads in 2..=options.most {
                let key = (seed, mode.to_string(), threads);
                if !done.contains_key(&key) {
                    let row = measure(*engine, &program, threads, &settings, options.limit)?;
                    let Row { verdict, seconds, states, nodes } = &row;
                    let line = format!("{seed},{mode},{threads},{verdict},{seconds:.3},{states},{nodes}");
                    writeln!(file, "{line}")?;
                    eprintln!("{line}");
                    done.insert(key.clone(), row.verdict);
                }
                // More threads only take longer.
                if !matches!(done[&key].as_str(), "safe" | "unsafe") {
                    break;
                }
            }
        }
    }
    table(&fs::read_to_string(&options.out)?, options.most)
}

/// How many programs each mode decides with n threads, and the median of the seconds that it takes for these.
fn table(rows: &str, most: u32) -> Result<()> {
    let mut seconds: BTreeMap<(u32, &str), Vec<f64>> = BTreeMap::new();
    for line in rows.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [_, mode, threads, verdict, time, ..] = fields[..] else { bail!("not a row: {line}") };
        if matches!(verdict, "safe" | "unsafe") {
            seconds.entry((threads.parse()?, mode)).or_default().push(time.parse()?);
        }
    }
    let names: Vec<&str> = MODES.iter().map(|it| it.name).collect();
    println!("| decided, median seconds | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
    for threads in 2..=most {
        let cells = names.iter().map(|name| match seconds.get_mut(&(threads, *name)) {
            Some(times) => format!("{}, {:.3}", times.len(), median(times)),
            None => "0".into(),
        });
        println!("| n = {threads} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    Ok(())
}

fn options(args: &[String]) -> Result<Options> {
    let all = MODES.iter().map(|it| it.name.to_string()).collect();
    let out = PathBuf::from("target/counter-experiment.csv");
    let mut options = Options { seeds: 1..41, limit: 60.0, most: 12, out, modes: all, set: vec![] };
    let (mut first, mut count) = (1, 40);
    each(args, |name, value| {
        match name {
            "--seed" => first = value.parse()?,
            "--count" => count = value.parse()?,
            "--limit" => options.limit = value.parse()?,
            "--most" => options.most = value.parse()?,
            "--out" => options.out = PathBuf::from(value),
            "--mode" => options.modes = vec![value.to_string()],
            "--set" => {
                let (name, value) = value.split_once('=').context("--set takes NAME=VALUE")?;
                options.set.push((name.to_string(), value.to_string()));
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    options.seeds = first..first + count;
    Ok(options)
}

fn read(options: &Options) -> Result<BTreeMap<(u64, String, u32), String>> {
    let Ok(text) = fs::read_to_string(&options.out) else { return Ok(BTreeMap::new()) };
    let mut done = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [seed, mode, threads, verdict, ..] = fields[..] else { bail!("not a row: {line}") };
        done.insert((seed.parse()?, mode.to_string(), threads.parse()?), verdict.to_string());
    }
    Ok(done)
}

fn measure(
    engine: &'static dyn Engine,
    program: &Arc<Program>,
    threads: u32,
    settings: &Settings,
    limit: f64,
) -> Result<Row> {
    let mut settings = settings.clone();
    for option in ["counter.certificate_states", "counter.certificate_pieces"] {
        settings.set(&[Counter.settings()], option, "0").map_err(anyhow::Error::msg)?;
    }
    let (model, scope) = (Model::Program(Arc::clone(program)), Scope::threads(threads));
    let task = Task::new(model, scope);
    let run = measured(engine, task, settings, limit)?;
    let (states, nodes) = (run.counter("states"), run.counter("decision diagram nodes (peak)"));
    Ok(Row { verdict: run.verdict().to_string(), seconds: run.seconds, states, nodes })
}
