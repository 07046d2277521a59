//! Round trips of witnesses: each unsafe program of `tests/c` and `tests/c/props` is checked, its run is
//! written as witnesses in both formats, and `confirm` must come back to the error by them. What is written
//! as SARIF is compared with the published schema, where that is at hand and Python has `jsonschema`.

use crate::corpus::build;
use crate::options::each;
use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Plan {
    tool: PathBuf,
    timeout: u64,
    /// The published schema of SARIF.
    schema: Option<PathBuf>,
    /// For what is written.
    work: PathBuf,
}

/// A program with what its first lines say.
struct Program {
    path: PathBuf,
    arguments: Vec<String>,
    property: String,
}

#[derive(Default)]
struct Summary {
    counts: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

/// Asks Python whether a document is valid.
const VALIDATE: &str = "import json, sys, jsonschema
schema, document = (json.load(open(it)) for it in sys.argv[1:])
found = list(jsonschema.validators.validator_for(schema)(schema).iter_errors(document))
sys.exit('; '.join(it.message[:100] for it in found[:3]) if found else 0)";

/// The command `witnesses`.
pub fn run(args: &[String]) -> Result<()> {
    let mut folders = vec![];
    let (mut timeout, mut only, mut schema) = (20, String::new(), None);
    each(args, |name, value| {
        match name {
            "--timeout" => timeout = value.parse()?,
            "--only" => only = value.to_string(),
            "--sarif-schema" => schema = Some(PathBuf::from(value)),
            "" => folders.push(PathBuf::from(value)),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if folders.is_empty() {
        folders = ["tests/c", "tests/c/props"].map(PathBuf::from).to_vec();
    }
    let work = std::env::temp_dir().join(format!("selvedge-witnesses-{}", std::process::id()));
    std::fs::create_dir_all(&work)?;
    let plan = Plan { tool: build()?, timeout, schema, work };
    let mut summary = Summary::default();
    for folder in folders {
        let entries =
            std::fs::read_dir(folder)?.map(|it| Ok(it?.path())).collect::<Result<Vec<PathBuf>>>()?;
        let mut files: Vec<PathBuf> = entries
            .into_iter()
            .filter(|it| it.extension().is_some_and(|it| it == "c") && it.to_string_lossy().contains(&only))
            .collect();
        files.sort();
        for file in files {
            if let Some(program) = program(&file)? {
                round_trips(&plan, &program, &mut summary)?;
            }
        }
    }
    std::fs::remove_dir_all(&plan.work)?;
    summary.finish()
}

/// A program, if it is an unsafe one.
fn program(path: &Path) -> Result<Option<Program>> {
    let bytes = std::fs::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let stated = |key: &str| {
        let lines =
            text.lines().filter_map(|it| it.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "));
        lines.map(str::trim).map(String::from).collect::<Vec<_>>()
    };
    if !stated("expect").iter().any(|it| it.starts_with("unsafe")) {
        return Ok(None);
    }
    let mut arguments: Vec<String> =
        stated("args").iter().flat_map(|it| it.split_whitespace()).map(String::from).collect();
    arguments.extend(stated("set").into_iter().flat_map(|it| ["--set".to_string(), it]));
    let property = stated("property").into_iter().next().unwrap_or_else(|| "assert".to_string());
    Ok(Some(Program { path: path.to_path_buf(), arguments, property }))
}

fn round_trips(plan: &Plan, program: &Program, summary: &mut Summary) -> Result<()> {
    let sarif = plan.work.join("results.sarif");
    for extension in ["yml", "graphml"] {
        let witness = plan.work.join(format!("witness.{extension}"));
        let _ = std::fs::remove_file(&witness);
        let mut check = tool(plan, "check", program);
        check.arg("--property").arg(&program.property).arg("-q").arg(&program.path);
        let output = check.arg("--witness").arg(&witness).arg("--sarif").arg(&sarif).output()?;
        let verdict = String::from_utf8_lossy(&output.stdout).into_owned();
        if !verdict.starts_with("unsafe") {
            summary.count("no error found", "");
            return Ok(());
        }
        if !witness.exists() {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            let why =
                why.lines().find_map(|it| it.strip_prefix("error: ")).unwrap_or("no reason").to_string();
            let known = why.contains("deadlocks") || why.contains("data races") || why.contains("undefined");
            summary.count(extension, if known { "has no form" } else { "not written" });
            if !known {
                summary.wrong.push(format!("{} ({extension}): {why}", program.path.display()));
            }
            continue;
        }
        let output = tool(plan, "confirm", program).arg(&program.path).arg(&witness).output()?;
        let verdict = String::from_utf8_lossy(&output.stdout).into_owned();
        let word = verdict.split(':').next().unwrap_or_default();
        summary.count(extension, word);
        if word != "confirmed" {
            summary.wrong.push(format!("{} ({extension}): {}", program.path.display(), verdict.trim()));
        }
    }
    validate(plan, program, &sarif, summary)
}

fn tool(plan: &Plan, command: &str, program: &Program) -> Command {
    let mut tool = Command::new(&plan.tool);
    tool.arg(command).args(["--timeout", &format!("{}s", plan.timeout)]).args(&program.arguments);
    tool.stdin(Stdio::null());
    tool
}

fn validate(plan: &Plan, program: &Program, sarif: &Path, summary: &mut Summary) -> Result<()> {
    let Some(schema) = &plan.schema else { return Ok(()) };
    let output = Command::new("python3").args(["-c", VALIDATE]).arg(schema).arg(sarif).output()?;
    let valid = output.status.success();
    summary.count("sarif", if valid { "valid" } else { "not valid" });
    if !valid {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_string();
        summary.wrong.push(format!("{} (sarif): {why}", program.path.display()));
    }
    Ok(())
}

impl Summary {
    fn count(&mut self, what: &str, word: &str) {
        *self.counts.entry(format!("{what} {word}").trim().to_string()).or_default() += 1;
    }

    fn finish(self) -> Result<()> {
        println!("| what came of it | programs |\n|---|---|");
        for (what, count) in &self.counts {
            println!("| {what} | {count} |");
        }
        for wrong in &self.wrong {
            println!("{wrong}");
        }
        ensure!(self.wrong.is_empty(), "{} witnesses or results are not accepted", self.wrong.len());
        Ok(())
    }
}
