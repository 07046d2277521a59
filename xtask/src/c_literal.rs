//! C programs read literally against the same programs as they are verified: whatever a search of all states
//! says of one it says of the other.

#[path = "../../crates/verify/tests/c_literal/mod.rs"]
mod literal;

use crate::options::each;
use anyhow::{Result, anyhow, bail, ensure};
use literal::{Compared, Effort, Outcome, compare, typed};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use testing::programs::Expectation;

struct Options {
    folders: Vec<PathBuf>,
    programs: Option<fn(u64) -> String>,
    first: u64,
    count: u64,
    only: String,
    effort: Effort,
}

/// The command `c-literal`.
pub fn run(args: &[String]) -> Result<()> {
    let options = options(args)?;
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for (name, text) in texts(&options)? {
        // A file without such lines needs no options.
        let args = Expectation::read(&text).map_or(vec![], |it| it.args);
        let program = match typed(&name, &text, &args) {
            Ok(program) => program,
            Err(why) => {
                println!("{name}: {why}");
                *counts.entry("not read".into()).or_default() += 1;
                continue;
            }
        };
        for memory in [false, true] {
            let compared = compare(&program, memory, options.effort);
            let compared = compared.map_err(|why| anyhow!("{name}: {why}"))?;
            let property = if memory { "memory" } else { "assert" };
            if !matches!(compared, Compared::Same(_) | Compared::Open) {
                println!("{name} ({property}): {compared}");
            }
            *counts.entry(format!("{property}: {}", kind(&compared))).or_default() += 1;
        }
    }
    for (kind, count) in &counts {
        println!("{count:6} {kind}");
    }
    let different = counts.iter().filter(|(kind, _)| kind.ends_with("DIFFERENT")).map(|(_, count)| count);
    let different: u32 = different.sum();
    ensure!(different == 0, "{different} differences");
    Ok(())
}

fn options(args: &[String]) -> Result<Options> {
    let effort = Effort { threads: 3, ticks: 300_000 };
    let mut options =
        Options { folders: vec![], programs: None, first: 0, count: 200, only: String::new(), effort };
    each(args, |name, value| {
        match name {
            "--programs" => {
                options.programs = Some(match value {
                    "concurrent" => testing::c::concurrent,
                    "locking" => testing::c::locking,
                    "schedules" => |seed| testing::c::schedules(seed).plain(),
                    _ => bail!("no programs: {value}"),
                });
            }
            "--first" => options.first = value.parse()?,
            "--count" => options.count = value.parse()?,
            "--threads" => options.effort.threads = value.parse()?,
            "--ticks" => options.effort.ticks = value.parse()?,
            "--only" => options.only = value.to_string(),
            "" => options.folders.push(value.into()),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if options.folders.is_empty() {
        options.folders = vec!["tests/c".into(), "tests/sapa".into()];
    }
    Ok(options)
}

/// The programs with their names.
fn texts(options: &Options) -> Result<Vec<(String, String)>> {
    if let Some(programs) = options.programs {
        let seeds = options.first..options.first.saturating_add(options.count);
        return Ok(seeds.map(|seed| (format!("seed {seed}.c"), programs(seed))).collect());
    }
    let mut found = vec![];
    let mut folders = options.folders.clone();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_program(&path) && path.to_string_lossy().contains(&options.only) {
                found.push((path.display().to_string(), base::bytes::decode(std::fs::read(&path)?)));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c" || extension == "i")
}

fn kind(compared: &Compared) -> String {
    match compared {
        Compared::Same(Outcome::Refused(_)) => "same, refused".into(),
        Compared::Same(outcome) => format!("same, {outcome}"),
        Compared::Open => "not ended".into(),
        Compared::Refused(_) => "refused by the literal reading alone".into(),
        Compared::Gained(_) => "refused by the usual reading alone".into(),
        Compared::Different(..) => "DIFFERENT".into(),
    }
}
