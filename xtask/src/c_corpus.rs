//! Runs the tasks of a corpus of C programs through the command line: a row for each (read or not, what was
//! refused, verdict, way, time), a summary by construct that was refused, and the verdicts beside those that
//! are expected. A wrong verdict, evidence that is not confirmed and a crash make the run fail.

use crate::corpus::{build, fields};
use crate::options::each;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What is to be run, and how.
struct Plan {
    folder: PathBuf,
    tasks: Option<PathBuf>,
    timeout: u64,
    only: String,
    args: Vec<String>,
}

/// One program.
struct Task {
    file: PathBuf,
    name: String,
    /// `safe`, `unsafe`, or nothing that is known about assertions.
    expected: &'static str,
    /// Whether the author of the verdict was sure.
    sure: bool,
    args: Vec<String>,
}

/// What came out.
struct Row {
    read: bool,
    refused: Vec<String>,
    verdict: String,
    way: String,
    evidence: String,
    detail: String,
    seconds: f64,
}

/// The command `c-corpus`.
pub fn run(args: &[String]) -> Result<()> {
    let mut plan =
        Plan { folder: PathBuf::new(), tasks: None, timeout: 10, only: String::new(), args: vec![] };
    each(args, |name, value| {
        match name {
            "--tasks" => plan.tasks = Some(PathBuf::from(value)),
            "--timeout" => plan.timeout = value.parse()?,
            "--only" => plan.only = value.to_string(),
            "--args" => plan.args = value.split_whitespace().map(str::to_string).collect(),
            "" => plan.folder = PathBuf::from(value),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    ensure!(plan.folder.is_dir(), "c-corpus needs the folder in which the programs are");
    let tool = build()?;
    let mut summary = Summary::default();
    println!("file,read,verdict,way,seconds,refused or why");
    for task in tasks(&plan)? {
        let row = ask(&tool, &plan, &task)?;
        summary.add(&task, &row);
    }
    summary.finish()
}

fn tasks(plan: &Plan) -> Result<Vec<Task>> {
    let list = plan.tasks.clone().unwrap_or_else(|| plan.folder.join("tasks.csv"));
    let manifest = plan.folder.join("manifest.csv");
    let found = if list.is_file() {
        listed(plan, &list, "property")?
    } else if manifest.is_file() {
        listed(plan, &manifest, "assertion_verdict")?
    } else {
        unlisted(plan)?
    };
    Ok(found.into_iter().filter(|task| task.name.contains(&plan.only)).collect())
}

/// The programs of a table whose first line names its columns. Those that are not laid out are left out.
fn listed(plan: &Plan, list: &Path, needs: &str) -> Result<Vec<Task>> {
    let text = std::fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
    let mut lines = text.lines();
    let columns = fields(lines.next().unwrap_or_default());
    ensure!(columns.iter().any(|it| it == needs), "{} has no column `{needs}`", list.display());
    let column = |row: &[String], name: &str| {
        let at = columns.iter().position(|it| it == name);
        at.and_then(|at| row.get(at)).cloned().unwrap_or_default()
    };
    let mut found = vec![];
    for row in lines.map(fields) {
        let name = column(&row, "file");
        let file = plan.folder.join(&name);
        let about_assertions = needs != "property" || column(&row, "property") == "unreach-call";
        let verdict = column(&row, if needs == "property" { "verdict" } else { needs });
        let expected = match verdict.as_str() {
            "true" if about_assertions => "safe",
            "false" if about_assertions => "unsafe",
            _ => "",
        };
        let sure = !matches!(column(&row, "confidence").as_str(), "medium" | "low");
        if file.is_file() {
            // Competitions ask about assertions alone.
            let args = ["--property", "assert"].map(String::from).to_vec();
            found.push(Task { file, name, expected, sure, args });
        }
    }
    Ok(found)
}

/// All C files of the folder, with what their first lines or their names say.
fn unlisted(plan: &Plan) -> Result<Vec<Task>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&plan.folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    files.retain(|path| path.extension().is_some_and(|it| it == "c" || it == "i"));
    let task = |file: PathBuf| {
        let text = std::fs::read(&file)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let name = file.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        let line = |key: &str| {
            text.lines().take(5).find_map(|line| Some(line.strip_prefix(key)?.trim().to_string()))
        };
        let expected = match line("// expect:").as_deref() {
            // What is expected is expected of assertions; undefined behaviour that happens is told before
            // them.
            Some(_) if line("// undefined:").is_some() => "unsafe",
            Some("safe") => "safe",
            Some(other) if other.starts_with("unsafe") => "unsafe",
            _ => "",
        };
        let args = line("// args:").map(|it| it.split_whitespace().map(str::to_string).collect());
        Ok(Task { file, name, expected, sure: true, args: args.unwrap_or_default() })
    };
    files.into_iter().map(task).collect()
}

fn ask(tool: &Path, plan: &Plan, task: &Task) -> Result<Row> {
    let begin = Instant::now();
    let output = Command::new(tool)
        .args(["check", "--format", "json", "-q", "--memory", "3G"])
        .args(["--timeout", &format!("{}s", plan.timeout)])
        .args(&plan.args)
        .args(&task.args)
        .arg(&task.file)
        .stdin(Stdio::null())
        .output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let json: Value =
        stdout.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let verdict = match output.status.code() {
        Some(0) => "safe".to_string(),
        Some(10) => "unsafe".to_string(),
        Some(5) => format!("unknown ({})", text(&json["reason"]["kind"])),
        Some(2) => "not read".to_string(),
        code => format!("exit {code:?}"),
    };
    let refused = json["refused"].as_array().into_iter().flatten().map(|it| text(&it["construct"])).collect();
    let detail = match &json["reason"]["message"] {
        Value::String(message) => message.clone(),
        _ => text(&json["diagnostics"][0]["message"]),
    };
    let (way, evidence) = (text(&json["way"]), text(&json["evidence"]));
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Row { read: output.status.code() != Some(2), refused, verdict, way, evidence, detail, seconds })
}

#[derive(Default)]
struct Summary {
    verdicts: BTreeMap<String, usize>,
    constructs: BTreeMap<String, usize>,
    programs: usize,
    right: usize,
    unchecked: usize,
    unsure: Vec<String>,
    wrong: Vec<String>,
}

impl Summary {
    fn add(&mut self, task: &Task, row: &Row) {
        let Row { verdict, way, seconds, .. } = row;
        let read = if row.read { "read" } else { "not read" };
        let mut refused = row.refused.clone();
        refused.sort();
        refused.dedup();
        let why =
            if verdict == "safe" || verdict == "unsafe" { refused.join("; ") } else { row.detail.clone() };
        println!("{},{read},{verdict},{way},{seconds:.2},\"{}\"", task.name, why.replace('"', "'"));
        self.programs += 1;
        *self.verdicts.entry(verdict.clone()).or_default() += 1;
        for construct in refused {
            *self.constructs.entry(construct).or_default() += 1;
        }
        let decided = verdict == "safe" || verdict == "unsafe";
        self.right += usize::from(decided && verdict == task.expected);
        self.unchecked += usize::from(row.evidence == "unchecked");
        let crashed = verdict.starts_with("exit");
        if crashed || (verdict == "unsafe" && row.evidence != "confirmed") {
            self.wrong.push(format!("{}: {verdict} {} {}", task.name, row.evidence, row.detail));
        } else if decided && !task.expected.is_empty() && verdict != task.expected {
            let line = format!("{}: {verdict}, but {} is expected", task.name, task.expected);
            if task.sure { self.wrong.push(line) } else { self.unsure.push(line) }
        }
    }

    fn finish(self) -> Result<()> {
        println!("\n{} programs", self.programs);
        for (verdict, count) in &self.verdicts {
            println!("{count:6}  {verdict}");
        }
        println!("{:6}  as expected, {} proofs unchecked", self.right, self.unchecked);
        let mut constructs: Vec<_> = self.constructs.into_iter().collect();
        constructs.sort_by_key(|(construct, count)| (std::cmp::Reverse(*count), construct.clone()));
        println!("\nrefused, in how many programs");
        for (construct, count) in constructs {
            println!("{count:6}  {construct}");
        }
        for line in &self.unsure {
            println!("otherwise than expected, which is not sure: {line}");
        }
        for line in &self.wrong {
            println!("WRONG: {line}");
        }
        ensure!(self.wrong.is_empty(), "{} wrong", self.wrong.len());
        Ok(())
    }
}
