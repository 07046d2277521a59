//! Sanitizers as judges of violations: each unsafe program of `tests/c/props` is run under the sanitizer that
//! knows its property, and that must report the lines that the verdict names. Races, deadlocks and invalid
//! accesses are those of the program that `--replay` writes; overflow and other undefined behaviour is that
//! of the program itself, which has no choices there.

use crate::corpus::build;
use crate::options::each;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What no sanitizer sees, with the ruling by which it is an error, or the reason.
const UNSEEN: &[(&str, &str)] = &[
    ("leak_cleanup_exit_unsafe", "leak.cleanup: a variable still leads to it at the end"),
    ("leak_cleanup_last_unsafe", "leak.cleanup: a variable still leads to it at the end"),
    ("leak_cleanup_unsafe", "leak.cleanup: a variable still leads to it at the end"),
    (
        "leak_killed_exit_unsafe",
        "P-30: it looks into the stacks of threads that the end of the program kills",
    ),
    ("leak_killed_unsafe", "P-30: it looks into the stacks of threads that the end of the program kills"),
    ("memory_constant_unsafe", "section 5: the replay keeps constants in memory that can be written"),
    ("mixed_sizes_unsafe", "P-14: atomic operations on bytes that overlap but are not the same"),
    ("overflow_constant_unsafe", "section 6: the compiler computes constants"),
    ("overflow_negation_unsafe", "section 6: `abs` is a function of the library"),
];

struct Plan {
    folder: PathBuf,
    only: String,
    tool: PathBuf,
    /// For what is compiled.
    work: PathBuf,
}

/// A way to run a program and to read off where it is wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Judge {
    Threads,
    Addresses,
    Leaks,
    Undefined,
    Watchdog,
    Assertion,
}

impl Judge {
    fn of(property: &str) -> Judge {
        match property.split(',').next().unwrap_or_default() {
            "race" => Judge::Threads,
            "memory" => Judge::Addresses,
            "leak" => Judge::Leaks,
            "overflow" | "undefined" => Judge::Undefined,
            "deadlock" => Judge::Watchdog,
            _ => Judge::Assertion,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Judge::Threads => "ThreadSanitizer",
            Judge::Addresses => "AddressSanitizer",
            Judge::Leaks => "LeakSanitizer",
            Judge::Undefined => "UndefinedBehaviorSanitizer",
            Judge::Watchdog => "watchdog",
            Judge::Assertion => "assertion",
        }
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Judge::Threads => &["-fsanitize=thread"],
            Judge::Addresses | Judge::Leaks => &["-fsanitize=address"],
            Judge::Undefined => &["-fsanitize=undefined"],
            Judge::Watchdog | Judge::Assertion => &[],
        }
    }

    /// The sets of lines that an output reports, one for each report.
    fn reports(self, output: &str, file: &str) -> Vec<BTreeSet<u32>> {
        match self {
            Judge::Threads => {
                let reports = output.split("WARNING: ThreadSanitizer: ").skip(1);
                reports.map(|it| stacks(it, file).into_iter().take(2).collect()).collect()
            }
            Judge::Addresses => {
                let reports = output.split("ERROR: AddressSanitizer: ").skip(1);
                reports.map(|it| stacks(it, file).into_iter().take(1).collect()).collect()
            }
            Judge::Leaks => {
                let leaks = output.split("irect leak of ").skip(1);
                leaks.map(|it| stacks(it, file).into_iter().take(1).collect()).collect()
            }
            Judge::Undefined => {
                let errors = output.lines().filter(|it| it.contains(": runtime error: "));
                errors.map(|it| lines(it, file).into_iter().take(1).collect()).collect()
            }
            Judge::Watchdog => output.lines().map(|it| lines(it, file).into_iter().collect()).collect(),
            Judge::Assertion => {
                let failed = output.lines().filter(|it| it.contains(": Assertion `"));
                failed.map(|it| lines(it, file).into_iter().take(1).collect()).collect()
            }
        }
    }
}

/// The lines of a file that a text names, in order.
fn lines(text: &str, file: &str) -> Vec<u32> {
    let name = format!("{file}:");
    let after = text.split(name.as_str()).skip(1);
    let number = |it: &str| it.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok();
    after.filter_map(number).collect()
}

/// For each stack of a report the first line of the file in it; none where a stack does not meet the file.
fn stacks(report: &str, file: &str) -> Vec<u32> {
    let mut found = vec![];
    let mut is_open = false;
    for frame in report.lines().map(str::trim_start).filter(|it| it.starts_with('#')) {
        is_open |= frame.starts_with("#0 ");
        if let Some(line) = lines(frame, file).first().filter(|_| is_open) {
            found.push(*line);
            is_open = false;
        }
    }
    found
}

/// What a program of the folder asks, and what came of it.
struct Row {
    name: String,
    judge: Judge,
    verdict: BTreeSet<u32>,
    reported: Vec<BTreeSet<u32>>,
    /// Whether the program is one that nobody decides.
    open: bool,
}

impl Row {
    fn result(&self) -> &'static str {
        if self.open && self.verdict.is_empty() {
            return "not decided";
        }
        let unseen = UNSEEN.iter().any(|it| it.0 == self.name);
        let agrees = !self.verdict.is_empty() && self.reported.iter().any(|it| self.agrees_with(it));
        match (agrees, unseen) {
            (true, false) => "agree",
            (true, true) => "disagree: seen, but it is on the list",
            (false, true) => "cannot see",
            (false, false) => "disagree",
        }
    }

    /// Who looks for leaks says where the memory was allocated, and not where it was lost.
    fn agrees_with(&self, report: &BTreeSet<u32>) -> bool {
        if self.judge == Judge::Leaks { report.is_subset(&self.verdict) } else { *report == self.verdict }
    }

    fn print(&self) {
        let set = |it: &BTreeSet<u32>| it.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let reported = self.reported.iter().map(set).collect::<Vec<_>>().join("; ");
        let why = UNSEEN.iter().find(|it| it.0 == self.name).map(|it| format!(": {}", it.1));
        let result = format!("{}{}", self.result(), why.unwrap_or_default());
        println!(
            "| {} | {} | {} | {reported} | {result} |",
            self.name,
            self.judge.name(),
            set(&self.verdict)
        );
    }
}

/// The command `sanitizers`.
pub fn run(args: &[String]) -> Result<()> {
    let mut folder = PathBuf::from("tests/c/props");
    let (mut only, mut tool) = (String::new(), None);
    each(args, |name, value| {
        match name {
            "--only" => only = value.to_string(),
            "--tool" => tool = Some(PathBuf::from(value)),
            "" => folder = PathBuf::from(value),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let work = std::env::temp_dir().join(format!("selvedge-sanitizers-{}", std::process::id()));
    std::fs::create_dir_all(&work)?;
    let tool = tool.map_or_else(build, Ok)?.canonicalize()?;
    let plan = Plan { folder: folder.canonicalize()?, only, tool, work };
    let rows = judge_all(&plan)?;
    std::fs::remove_dir_all(&plan.work)?;
    let count = |result: &str| rows.iter().filter(|it| it.result().starts_with(result)).count();
    let (agree, unseen, disagree) = (count("agree"), count("cannot see"), count("disagree"));
    let open = count("not decided");
    println!("\n{agree} agree, {unseen} cannot be seen, {disagree} disagree, {open} are not decided");
    ensure!(!rows.is_empty() && disagree == 0, "{disagree} of {} programs disagree", rows.len());
    Ok(())
}

fn judge_all(plan: &Plan) -> Result<Vec<Row>> {
    let entries = std::fs::read_dir(&plan.folder)?.map(|it| Ok(it?.path())).collect::<Result<Vec<_>>>()?;
    let is_unsafe = |it: &PathBuf| it.to_string_lossy().ends_with("_unsafe.c");
    let mut files: Vec<PathBuf> = entries.into_iter().filter(is_unsafe).collect();
    files.sort();
    println!("| program | judge | lines of the verdict | lines reported | |\n|---|---|---|---|---|");
    files.retain(|it| it.to_string_lossy().contains(&plan.only));
    let rows = testing::in_parallel(&files, |file| {
        let row = judge(plan, file).with_context(|| file.display().to_string())?;
        row.print();
        Ok(row)
    });
    rows.into_iter().collect()
}

/// The value of a directive in the first lines of a program.
fn directive<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let lines = text.lines().take_while(|it| it.starts_with("// "));
    lines.filter_map(|it| it.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": ")).next()
}

fn judge(plan: &Plan, file: &Path) -> Result<Row> {
    let text = std::fs::read_to_string(file)?;
    let property = directive(&text, "property").context("no property is named")?;
    let name = file.file_stem().context("a file has a name")?.to_string_lossy().into_owned();
    let source = format!("{name}.c");
    let (replay, judge) = (plan.work.join(format!("{name}-run.c")), Judge::of(property));
    let mut check = Command::new(&plan.tool);
    check.args(["check", "-q", "--timeout", "60s", "--property", property, "--replay"]).arg(&replay);
    if let Some(set) = directive(&text, "set") {
        check.args(["--set", set]);
    }
    let transcript = output(check.arg(&source).current_dir(&plan.folder))?;
    let verdict = transcript.lines().rfind(|it| it.starts_with("unsafe: ")).unwrap_or_default();
    // What stands between quotes says which object it is, not where it is accessed.
    let verdict = verdict.split('`').step_by(2).collect::<String>();
    let verdict: BTreeSet<u32> = lines(&verdict, &source).into_iter().collect();
    let open = directive(&text, "open").is_some();
    if open && verdict.is_empty() {
        return Ok(Row { name, judge, verdict, reported: vec![], open });
    }
    let program = if judge == Judge::Undefined { file } else { &replay };
    let reported = execute(plan, judge, program)?;
    let mut reported = judge.reports(&reported, &source);
    reported.retain(|it| !it.is_empty());
    reported.dedup();
    Ok(Row { name, judge, verdict, reported, open })
}

/// What a program prints that is compiled for a judge.
fn execute(plan: &Plan, judge: Judge, program: &Path) -> Result<String> {
    let binary = plan.work.join(program.file_stem().context("a file has a name")?);
    let mut compile = Command::new("cc");
    compile.args(["-w", "-g", "-O0", "-pthread"]).args(judge.flags()).arg("-o").arg(&binary).arg(program);
    let compiled = compile.stdin(Stdio::null()).output().context("no C compiler")?;
    ensure!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    // Randomised addresses are beyond what ThreadSanitizer can map.
    let mut run = Command::new("timeout");
    run.args(["20", "setarch", "-R"])
        .arg(&binary)
        .env("ASAN_OPTIONS", format!("detect_leaks={}", u32::from(judge == Judge::Leaks)));
    let report = output(&mut run)?;
    let bare = judge == Judge::Leaks || report.contains("<null> <null>");
    if bare { with_lines(&report, &binary) } else { Ok(report) }
}

/// A report with the lines of places that it tells by address only: once the first thread has ended, a
/// sanitizer cannot read the program that it runs in.
fn with_lines(report: &str, binary: &Path) -> Result<String> {
    // Some name the program with its folder, some without.
    let name = binary.file_name().context("a program has a name")?;
    let place = format!("{}+", name.to_string_lossy());
    let mut text = String::new();
    for line in report.lines() {
        text += line;
        let address = line.split_once(&place).and_then(|(_, after)| after.strip_suffix(')'));
        let address = address.and_then(|it| u64::from_str_radix(it.trim_start_matches("0x"), 16).ok());
        if let Some(address) = address {
            // A call returns to what follows it.
            let before = format!("{:#x}", address - 1);
            text += " ";
            text += output(Command::new("addr2line").arg("-e").arg(binary).arg(before))?.trim_end();
        }
        text += "\n";
    }
    Ok(text)
}

/// Both outputs of a command.
fn output(command: &mut Command) -> Result<String> {
    let done = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?}"))?;
    Ok(String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_the_file_in_each_stack_counts() {
        let report = "data race (pid=1)\n  Write of size 4 by thread T1:\n    #0 f f.c:8 (a.out)\n    \
                      #1 g f.c:3 (a.out)\n\n  Previous read of size 4 by main thread:\n    #0 memset ??\n    \
                      #1 main f.c:15 (a.out)\n";
        assert_eq!(stacks(report, "f.c"), [8, 15]);
        let output = format!("WARNING: ThreadSanitizer: {report}");
        assert_eq!(Judge::Threads.reports(&output, "f.c"), [BTreeSet::from([8, 15])]);
    }
}
