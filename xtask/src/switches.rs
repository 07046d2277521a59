//! Runs an engine on programs with one technique switched off, or set to another of its words, at a time: a
//! table of what each is worth. The options come from the engine's own table, so that a new one is measured
//! as soon as it is there.

use crate::corpus::build;
use crate::options::{each, list};
use anyhow::{Context, Result, ensure};
use base::settings::Allowed;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Options {
    engine: String,
    threads: String,
    timeout: u64,
    counters: Vec<String>,
    set: Vec<String>,
    files: Vec<PathBuf>,
}

/// The command `switches`.
pub fn run(args: &[String]) -> Result<()> {
    let options = options(args)?;
    let tool = build()?;
    let names: Vec<String> = options.files.iter().map(|file| short(file)).collect();
    println!("| | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
    for change in changes(&options.engine)? {
        let mut cells = vec![];
        for file in &options.files {
            cells.push(ask(&tool, &options, &change, file)?);
        }
        let name = if change.is_empty() { "all on".to_string() } else { format!("`{change}`") };
        println!("| {name} | {} |", cells.join(" | "));
    }
    Ok(())
}

fn options(args: &[String]) -> Result<Options> {
    let mut options = Options {
        engine: String::new(),
        threads: "any".into(),
        timeout: 10,
        counters: vec!["states".into()],
        set: vec![],
        files: vec![],
    };
    each(args, |name, value| {
        match name {
            "--threads" => options.threads = value.to_string(),
            "--timeout" => options.timeout = value.parse()?,
            "--counters" => options.counters = list(value).map(str::to_string).collect(),
            "--set" => options.set.push(value.to_string()),
            "" if options.engine.is_empty() => options.engine = value.to_string(),
            "" => options.files.push(PathBuf::from(value)),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    ensure!(!options.files.is_empty(), "`switches` takes an engine and files");
    Ok(options)
}

fn short(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Nothing first, then each switch the other way and each other word.
fn changes(engine: &str) -> Result<Vec<String>> {
    let found = verify::engines().iter().find(|it| it.name() == engine);
    let table = found.with_context(|| format!("there is no engine `{engine}`"))?.settings();
    let mut changes = vec![String::new()];
    for setting in table {
        let words = match setting.allowed {
            Allowed::Switch => &["on", "off"][..],
            Allowed::Word(words) | Allowed::Command(words) => words,
            Allowed::Number { .. } => continue,
        };
        let others = words.iter().filter(|&&word| word != setting.default);
        changes.extend(others.map(|word| format!("{}={word}", setting.name)));
    }
    Ok(changes)
}

/// Seconds on the processor, the verdict unless it is safe, and the counters.
fn ask(tool: &Path, options: &Options, change: &str, file: &Path) -> Result<String> {
    let mut command = Command::new(tool);
    command.args(["check", "--format", "json", "--stats", "-q", "--engine", &options.engine]);
    command.args(["--threads", &options.threads, "--timeout", &format!("{}s", options.timeout)]);
    let set = options.set.iter().map(String::as_str).chain([change]).filter(|it| !it.is_empty());
    command.args(set.flat_map(|it| ["--set", it]));
    let before = children_seconds();
    let output = command.arg(file).stdin(Stdio::null()).output()?;
    let seconds = children_seconds() - before;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let json: Value = stdout.lines().last().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default();
    let mut cell = format!("{seconds:.2} s");
    match json["verdict"].as_str() {
        Some("safe") => {}
        Some("unknown") => cell += &format!(", {}", json["reason"]["kind"].as_str().unwrap_or("unknown")),
        other => cell += &format!(", {}", other.unwrap_or("no answer")),
    }
    for name in &options.counters {
        if let Some(value) = json["stats"][&options.engine][name].as_u64() {
            cell += &format!(", {value}");
        }
    }
    Ok(cell)
}

/// The processor time of all processes that were started and waited for: other work on the machine does not
/// count.
fn children_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in the second field may have spaces; after its bracket come the third field and so on. 16 and
    // 17 count hundredths of seconds.
    let fields: Vec<&str> =
        text.rsplit_once(')').map(|it| it.1.split_whitespace().collect()).unwrap_or_default();
    let hundredths = fields.get(13..15).unwrap_or_default().iter().filter_map(|it| it.parse::<f64>().ok());
    hundredths.sum::<f64>() / 100.0
}
