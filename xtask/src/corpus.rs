//! Runs the entries of a corpus manifest through the command line and compares the verdicts.
//!
//! A wrong verdict, a damaged file that is not refused, an answer that is neither (a crash, a time-out of the
//! tool itself), evidence that is not confirmed, and two forms of one program that disagree make the run
//! fail; an `unknown` is counted and listed.

use crate::options::Selection;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

/// One row of the manifest.
pub struct Entry {
    /// The file, from the manifest's folder.
    pub path: String,
    /// The options that its verdict goes with.
    pub args: Vec<String>,
    expected: String,
}

impl Entry {
    /// The same file with other options; nothing is expected of it then.
    pub fn with_args(&self, args: Vec<String>) -> Entry {
        Entry { path: self.path.clone(), args, expected: String::new() }
    }
}

/// What the tool said about an entry.
pub struct Answer {
    /// The verdict, or what came instead.
    pub verdict: String,
    /// Whether its evidence was confirmed.
    pub evidence: String,
    /// Why there is no answer, in the word of the contract.
    pub reason: String,
    detail: String,
    /// How long it took.
    pub seconds: f64,
}

/// How entries are put to the tool.
pub struct Asker {
    tool: PathBuf,
    folder: PathBuf,
    /// Seconds for each.
    pub timeout: u64,
}

/// The command `corpus`.
pub fn run(args: &[String]) -> Result<()> {
    let mut engine = "auto".to_string();
    let selection = Selection::read(args, |name, value| {
        let known = name == "--engine";
        if known {
            engine = value.to_string();
        }
        Ok(known)
    })?;
    let asker = Asker::new(&selection)?;
    let mut report = Report::default();
    for entry in entries(&selection)? {
        let answer = asker.ask(&engine, &entry)?;
        report.add(&entry, &answer);
    }
    report.finish()
}

/// The rows of the manifest that are selected.
pub fn entries(selection: &Selection) -> Result<Vec<Entry>> {
    let Selection { manifest, only, .. } = selection;
    let text =
        std::fs::read_to_string(manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
    Ok(text.lines().skip(1).filter_map(entry).filter(|entry| entry.path.contains(only)).collect())
}

/// Builds the command line and returns its path.
pub fn build() -> Result<PathBuf> {
    let status =
        Command::new("cargo").args(["build", "--release", "--quiet", "--package", "selvedge"]).status()?;
    ensure!(status.success(), "the command line does not build");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    Ok(target.join("release/selvedge").canonicalize()?)
}

/// Splits a row at commas outside quotes.
pub fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => fields.last_mut().expect("never empty").push(character),
        }
    }
    fields
}

fn entry(line: &str) -> Option<Entry> {
    let fields = fields(line);
    let [path, _, args, expected, ..] = &fields[..] else { return None };
    let args = args.split_whitespace().map(str::to_string).collect();
    Some(Entry { path: path.clone(), args, expected: expected.clone() })
}

impl Asker {
    /// Builds the tool.
    pub fn new(selection: &Selection) -> Result<Asker> {
        let folder = selection.manifest.parent().unwrap_or(Path::new(".")).to_path_buf();
        Ok(Asker { tool: build()?, folder, timeout: selection.timeout })
    }

    /// What an engine says of an entry.
    pub fn ask(&self, engine: &str, entry: &Entry) -> Result<Answer> {
        let begin = Instant::now();
        let output = Command::new(&self.tool)
            .args(["check", "--format", "json", "-q", "--engine", engine])
            .args(["--timeout", &format!("{}s", self.timeout)])
            .args(&entry.args)
            .arg(self.folder.join(&entry.path))
            .stdin(Stdio::null())
            .output()?;
        Ok(answer(&output, begin.elapsed().as_secs_f64()))
    }
}

fn answer(output: &Output, seconds: f64) -> Answer {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let json: serde_json::Value =
        stdout.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let verdict = match output.status.code() {
        Some(0) => "safe".to_string(),
        Some(10) => "unsafe".to_string(),
        Some(5) => "unknown".to_string(),
        Some(2) => "error".to_string(),
        code => format!("exit {code:?}"),
    };
    let claimed = text(&json["verdict"]);
    let verdict = if claimed.is_empty() || claimed == verdict {
        verdict
    } else {
        format!("{verdict}, but says {claimed}")
    };
    let detail = match verdict.as_str() {
        "unknown" => format!("{} {}", text(&json["reason"]["message"]), json["best"]),
        _ => String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_string(),
    };
    let (evidence, reason) = (text(&json["evidence"]), text(&json["reason"]["kind"]));
    Answer { verdict, evidence, reason, detail, seconds }
}

impl Answer {
    /// What must never be: refused evidence, a fault, or an end that is not in the contract.
    pub fn failure(&self) -> Option<String> {
        let known = matches!(self.verdict.as_str(), "safe" | "unsafe" | "unknown" | "error");
        let bad = !known || matches!(self.reason.as_str(), "rejected" | "fault");
        bad.then(|| format!("{} {} {}", self.verdict, self.reason, self.detail))
    }
}

#[derive(Default)]
struct Report {
    right: usize,
    open: usize,
    unknown: Vec<String>,
    wrong: Vec<String>,
    unchecked: Vec<String>,
    seconds: f64,
    /// Verdicts of the forms of one program, by path without extension.
    forms: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

impl Report {
    fn add(&mut self, entry: &Entry, answer: &Answer) {
        println!("{:>8.2} s  {:<8} {:<8} {}", answer.seconds, answer.verdict, entry.expected, entry.path);
        self.seconds += answer.seconds;
        let line =
            format!("{}: {} (expected {}) {}", entry.path, answer.verdict, entry.expected, answer.detail);
        let known = matches!(answer.verdict.as_str(), "safe" | "unsafe" | "unknown" | "error");
        if known && answer.verdict == entry.expected {
            self.right += 1;
        } else if answer.failure().is_some() {
            self.wrong.push(line);
        } else if answer.verdict == "unknown" {
            self.unknown.push(line);
        } else if known && entry.expected.is_empty() && answer.verdict != "error" {
            self.open += 1;
        } else {
            self.wrong.push(line);
        }
        if matches!(answer.verdict.as_str(), "safe" | "unsafe") {
            let stem = entry.path.rsplit_once('.').map_or(entry.path.as_str(), |(stem, _)| stem).to_string();
            self.forms
                .entry(stem)
                .or_default()
                .entry(answer.verdict.clone())
                .or_default()
                .push(entry.path.clone());
            if answer.evidence != "confirmed" {
                self.unchecked.push(entry.path.clone());
            }
        }
    }

    fn finish(self) -> Result<()> {
        let section = |title: &str, lines: &[String]| {
            if !lines.is_empty() {
                println!("\n{title}:\n  {}", lines.join("\n  "));
            }
        };
        section("not decided", &self.unknown);
        section("decided, evidence unchecked", &self.unchecked);
        section("WRONG", &self.wrong);
        let split = self.forms.iter().filter(|(_, verdicts)| verdicts.len() > 1);
        let split: Vec<String> = split.map(|(stem, verdicts)| format!("{stem}: {verdicts:?}")).collect();
        section("FORMS THAT DISAGREE", &split);
        let (right, open, unknown, wrong) = (self.right, self.open, self.unknown.len(), self.wrong.len());
        println!(
            "\n{right} as expected, {open} decided without an expectation, {unknown} not decided, {wrong} wrong, \
             {} forms disagree, {:.1} s",
            split.len(),
            self.seconds
        );
        ensure!(wrong == 0 && split.is_empty(), "the corpus is not as it should be");
        Ok(())
    }
}
