//! Public suites of C programs that check themselves: each that the compiler compiles and that ends with 0
//! may not be `unsafe` about its assertions, with default options only where a sanitizer reports the same
//! place, and not `safe` when an error is put behind its `main`; and not `unsafe` when the error is there
//! only if its `main` returns something else than 0. What a program prints is not compared. The suites are
//! laid out elsewhere; nothing of them is kept here.

use crate::corpus::build;
use crate::options::each;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The error behind `main`; the macro that renames the program's own is not for this file.
const DRIVER: &str = "#undef main
extern void reach_error(void);
int original_main();
int main(int argc, char **argv) { CONDITION(original_main(ARGUMENTS)) reach_error(); return 0; }
";
/// What `reach_error` does where the driver is compiled.
const REACHED: &str = "#include <unistd.h>\nvoid reach_error(void) { _exit(77); }\n";
const REACHED_CODE: i32 = 77;

struct Plan {
    folder: PathBuf,
    timeout: u64,
    only: String,
    tool: PathBuf,
    /// For what is compiled.
    work: PathBuf,
}

/// The questions about a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Question {
    Assertions,
    Defaults,
    Driver,
    Result,
}

impl Question {
    const ALL: [Question; 4] = [Question::Assertions, Question::Defaults, Question::Driver, Question::Result];

    fn name(self) -> &'static str {
        match self {
            Question::Assertions => "--property assert: not unsafe",
            Question::Defaults => "default options: unsafe only where a sanitizer reports it",
            Question::Driver => "an error behind main: not safe",
            Question::Result => "an error if main does not return 0: not unsafe",
        }
    }
}

/// What the tool says.
struct Reported {
    verdict: String,
    line: String,
    refused: Vec<String>,
}

#[derive(Default)]
struct Summary {
    programs: usize,
    /// Why programs are left out.
    left_out: BTreeMap<&'static str, usize>,
    counts: BTreeMap<(Question, &'static str), usize>,
    refused: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

/// The command `c-suites`.
pub fn run(args: &[String]) -> Result<()> {
    let mut folder = PathBuf::new();
    let (mut timeout, mut only) = (10, String::new());
    each(args, |name, value| {
        match name {
            "--timeout" => timeout = value.parse()?,
            "--only" => only = value.to_string(),
            "" => folder = PathBuf::from(value),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    ensure!(folder.is_dir(), "c-suites needs the folder in which the suites are");
    let work = std::env::temp_dir().join(format!("selvedge-suites-{}", std::process::id()));
    std::fs::create_dir_all(&work)?;
    let plan = Plan { folder: folder.canonicalize()?, timeout, only, tool: build()?.canonicalize()?, work };
    let mut summary = Summary::default();
    let mut files = vec![];
    collect(&plan.folder, &mut files)?;
    files.sort();
    for file in files.iter().filter(|it| it.to_string_lossy().contains(&plan.only)) {
        try_program(&plan, file, &mut summary)?;
    }
    std::fs::remove_dir_all(&plan.work)?;
    summary.finish()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|it| it == "c") {
            files.push(path);
        }
    }
    Ok(())
}

fn try_program(plan: &Plan, file: &Path, summary: &mut Summary) -> Result<()> {
    let binary = plan.work.join("program");
    let mut left_out = |why| *summary.left_out.entry(why).or_default() += 1;
    if !compile(file, &binary, &["-O1"], &[])? {
        left_out("not compiled alone");
        return Ok(());
    }
    match execute(plan, file, &binary)?.status.code() {
        Some(0) => {}
        Some(124) => {
            left_out("does not end in time");
            return Ok(());
        }
        _ => {
            left_out("does not end with 0");
            return Ok(());
        }
    }
    summary.programs += 1;
    for question in Question::ALL {
        let (result, reported) = answer(plan, file, question)?;
        *summary.counts.entry((question, result)).or_default() += 1;
        let name = file.strip_prefix(&plan.folder).unwrap_or(file).display();
        println!("{name},{},{result},{}", question.name(), reported.line);
        if question == Question::Assertions && reported.verdict != "safe" {
            reported.refused.iter().for_each(|it| *summary.refused.entry(it.clone()).or_default() += 1);
        }
        if result == "wrong" {
            summary.wrong.push(format!("{name}: {}: {}", question.name(), reported.line));
        }
    }
    Ok(())
}

/// How the answer to a question is to be judged.
fn answer(plan: &Plan, file: &Path, question: Question) -> Result<(&'static str, Reported)> {
    let driver = plan.work.join("driver.c");
    let mut args: Vec<String> = vec![];
    if question != Question::Defaults {
        args.extend(["--property".into(), "assert".into()]);
    }
    if matches!(question, Question::Driver | Question::Result) {
        let is_result = question == Question::Result;
        let text = std::fs::read(file)?;
        let arguments = if takes_nothing(&String::from_utf8_lossy(&text)) { "" } else { "argc, argv" };
        let condition = if is_result { "if (0 != " } else { "(" };
        let text = DRIVER.replace("ARGUMENTS", arguments).replace("CONDITION(", condition);
        std::fs::write(&driver, if is_result { text } else { text.replace(") reach", "); reach") })?;
        args.extend(["-Dmain=original_main".into(), "--with".into(), driver.display().to_string()]);
        // The program may end by itself, a `main` without `return` returns 0 under its own name only, and
        // what one returns that has parameters depends on them.
        let depends = is_result && !arguments.is_empty();
        if depends || reaches_error(plan, file, &driver)? == is_result {
            let line = "compiled, it ends otherwise, or may".to_string();
            return Ok(("left out", Reported { verdict: String::new(), line, refused: vec![] }));
        }
    }
    let reported = ask(plan, file, &args)?;
    let result = match (question, reported.verdict.as_str()) {
        (_, "unknown") if reported.refused.is_empty() || !reported.line.contains("not supported") => {
            "unknown"
        }
        (_, "unknown") => "refused",
        (Question::Driver, "unsafe") => "right",
        (Question::Assertions | Question::Defaults | Question::Result, "safe") => "right",
        (Question::Defaults, "unsafe") if sanitizer_agrees(plan, file, &reported.line)? => "right",
        (_, "safe" | "unsafe") => "wrong",
        (_, "not read") => "not read",
        _ => "wrong",
    };
    Ok((result, reported))
}

/// Whether `main` has no parameters.
fn takes_nothing(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("main") {
        rest = &rest[at + 4..];
        let Some(inside) = rest.trim_start().strip_prefix('(') else { continue };
        let inside = inside.split(')').next().unwrap_or_default().trim();
        return inside.is_empty() || inside == "void";
    }
    true
}

fn reaches_error(plan: &Plan, file: &Path, driver: &Path) -> Result<bool> {
    let (binary, reached) = (plan.work.join("driven"), plan.work.join("reached.c"));
    std::fs::write(&reached, REACHED)?;
    let compiled = compile(file, &binary, &["-O1", "-Dmain=original_main"], &[driver, &reached])?;
    Ok(compiled && execute(plan, file, &binary)?.status.code() == Some(REACHED_CODE))
}

/// Whether a sanitizer reports the line that the verdict names.
fn sanitizer_agrees(plan: &Plan, file: &Path, line: &str) -> Result<bool> {
    let binary = plan.work.join("sanitized");
    if !compile(file, &binary, &["-g", "-O0", "-fsanitize=address,undefined"], &[])? {
        return Ok(false);
    }
    let output = execute(plan, file, &binary)?;
    let reports = String::from_utf8_lossy(&output.stderr).into_owned();
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some((_, number)) = line.split_once(&format!("{name}:")) else { return Ok(false) };
    let number: String = number.chars().take_while(char::is_ascii_digit).collect();
    Ok(reports.contains(&format!("{name}:{number}")))
}

fn compile(file: &Path, binary: &Path, flags: &[&str], with: &[&Path]) -> Result<bool> {
    let mut command = Command::new("cc");
    command.args(["-w", "-fwrapv"]).args(flags).arg("-o").arg(binary).arg(file).args(with).arg("-lm");
    let run = command.stdin(Stdio::null()).output().context("no C compiler")?;
    Ok(run.status.success())
}

/// Runs a program in the folder of its source, with nothing to read.
fn execute(plan: &Plan, file: &Path, binary: &Path) -> Result<Output> {
    let mut command = Command::new("timeout");
    command.arg("5").arg(binary).current_dir(file.parent().unwrap_or(&plan.folder));
    command.stdin(Stdio::null()).output().context("cannot run `timeout`")
}

fn ask(plan: &Plan, file: &Path, args: &[String]) -> Result<Reported> {
    let mut command = Command::new(&plan.tool);
    command.args(["check", "--format", "json", "-q", "--memory", "3G"]);
    command.args(["--timeout", &format!("{}s", plan.timeout)]).args(args).arg(file);
    let output = command.stdin(Stdio::null()).output().context("cannot run selvedge")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let json: Value =
        text.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let verdict = match output.status.code() {
        Some(0) => "safe",
        Some(10) => "unsafe",
        Some(5) => "unknown",
        Some(2) => "not read",
        _ => "fault",
    };
    let line = match verdict {
        "unsafe" => format!("{} at {}", word(&json["property"]["kind"]), word(&json["property"]["location"])),
        "safe" => word(&json["way"]),
        "unknown" => word(&json["reason"]["message"]),
        _ => word(&json["diagnostics"][0]["message"]),
    };
    let refused = json["refused"].as_array().into_iter().flatten().map(|it| word(&it["construct"])).collect();
    Ok(Reported { verdict: verdict.into(), line, refused })
}

impl Summary {
    fn finish(&self) -> Result<()> {
        println!("\n{} programs that end with 0", self.programs);
        for (why, count) in &self.left_out {
            println!("left out, {why}: {count}");
        }
        for question in Question::ALL {
            let counts = self.counts.iter().filter(|((it, _), _)| *it == question);
            let counts: Vec<String> = counts.map(|((_, name), count)| format!("{name} {count}")).collect();
            println!("{}: {}", question.name(), counts.join(", "));
        }
        for (what, count) in &self.refused {
            println!("refused, {what}: {count}");
        }
        for wrong in &self.wrong {
            println!("WRONG {wrong}");
        }
        ensure!(self.wrong.is_empty(), "{} wrong answers", self.wrong.len());
        Ok(())
    }
}
