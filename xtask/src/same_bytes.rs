//! Whether the same question has the same answer: C programs are checked many times, on one core and on two,
//! and what the command line prints must be the same bytes apart from times and memory.

use crate::corpus::build;
use crate::options::{each, list};
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Quick and slow ones, answered by every engine for C: safe, unsafe, and unknown for a reason of its own.
const PROGRAMS: [&str; 30] = [
    "examples/handover.c",
    "examples/race.c",
    "examples/ticket.c",
    "tests/c/any_values_later_safe.c",
    "tests/c/barrier_rounds_safe.c",
    "tests/c/chosen_compared_safe.c",
    "tests/c/create_helper_safe.c",
    "tests/c/create_loop_safe.c",
    "tests/c/deadlock_safe.c",
    "tests/c/fill_loop_safe.c",
    "tests/c/gotos_safe.c",
    "tests/c/library_descriptors_safe.c",
    "tests/c/library_descriptors_unsafe.c",
    "tests/c/library_fails_safe.c",
    "tests/c/many_threads_safe.c",
    "tests/c/many_threads_unsafe.c",
    "tests/c/reallocation_safe.c",
    "tests/c/reallocation_unsafe.c",
    "tests/c/recursion_safe.c",
    "tests/c/rwlock_many_safe.c",
    "tests/c/sem_buffer_unsafe.c",
    "tests/c/unknown_function_safe.c",
    "tests/sapa/01_increment_lock_safe.c",
    "tests/sapa/01_increment_lock_unsafe.c",
    "tests/sapa/04_incdec_cas_safe.c",
    "tests/sapa/06_ticketlock_unsafe.c",
    "tests/sapa/10_findmax_cas_safe.c",
    "tests/sapa/12_findmaxopt_cas_unsafe.c",
    "tests/sapa/14_stack_cas_unsafe.c",
    "tests/sapa/22_intro_ppp_safe.c",
];

/// Fields of the JSON that tell what a run took, not what it found.
const MEASURED: [&str; 2] = ["\"time_seconds\":", "\"peak_memory_bytes\":"];

struct Plan {
    files: Vec<String>,
    runs: usize,
    /// Sets of cores as `taskset` takes them, apart by a slash.
    cores: String,
    /// Options of the command line, one set for each way to print, apart by a slash.
    formats: String,
    /// The command line that is tried; the one of this tree if none is given.
    tool: Option<PathBuf>,
}

/// The command `same-bytes`.
pub fn run(args: &[String]) -> Result<()> {
    let (cores, formats) = ("0/0,1".to_string(), "--format json/--format text".to_string());
    let mut plan = Plan { files: vec![], runs: 20, cores, formats, tool: None };
    each(args, |name, value| {
        match name {
            "--runs" => plan.runs = value.parse()?,
            "--cores" => plan.cores = value.to_string(),
            "--formats" => plan.formats = value.to_string(),
            "--tool" => plan.tool = Some(PathBuf::from(value)),
            "" => plan.files.extend(list(value).map(String::from)),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if plan.files.is_empty() {
        plan.files.extend(PROGRAMS.map(String::from));
    }
    let tool = plan.tool.clone().map_or_else(build, Ok)?;
    let mut different = 0;
    println!("| program | runs | verdict | different |\n|---|---|---|---|");
    for file in &plan.files {
        let seen = Seen::of(&tool, &plan, file)?;
        println!("| `{file}` | {} | {} | {} |", seen.runs, seen.verdict, seen.differences.len());
        seen.differences.iter().for_each(|it| eprintln!("{file}: {it}"));
        different += usize::from(!seen.differences.is_empty());
    }
    println!(
        "\n{} of {} programs with the same bytes in all runs.",
        plan.files.len() - different,
        plan.files.len()
    );
    ensure!(different == 0, "{different} programs with different bytes");
    Ok(())
}

/// What the runs of one program printed.
struct Seen {
    runs: usize,
    verdict: String,
    differences: Vec<String>,
}

impl Seen {
    fn of(tool: &Path, plan: &Plan, file: &str) -> Result<Seen> {
        let mut seen = Seen { runs: 0, verdict: String::new(), differences: vec![] };
        for format in plan.formats.split('/') {
            let mut first: Option<String> = None;
            for cores in plan.cores.split('/').flat_map(|it| std::iter::repeat_n(it, plan.runs)) {
                let bytes = bytes(tool, file, cores, format)?;
                let expected = first.get_or_insert_with(|| bytes.clone());
                if let Some(difference) = difference(expected, &bytes) {
                    seen.differences.push(format!("`{format}` on cores {cores}: {difference}"));
                }
                seen.runs += 1;
            }
            let code = first.as_deref().and_then(|it| it.lines().next()).unwrap_or_default();
            seen.verdict = verdict(code).to_string();
        }
        Ok(seen)
    }
}

/// What an exit code says.
fn verdict(code: &str) -> &'static str {
    match code {
        "0" => "safe",
        "10" => "unsafe",
        "5" => "unknown",
        _ => "none",
    }
}

/// The exit code, and what a run prints to both streams, without what it took.
fn bytes(tool: &Path, file: &str, cores: &str, format: &str) -> Result<String> {
    let text = std::fs::read_to_string(file)?;
    let options = text.lines().take(5).find_map(|line| line.strip_prefix("// args:")).unwrap_or_default();
    let output = Command::new("taskset")
        .args(["-c", cores])
        .arg(tool)
        .args(["check", "--memory", "3G"])
        .args(format.split_whitespace())
        .args(options.split_whitespace())
        .arg(file)
        .stdin(Stdio::null())
        .output()?;
    let code = output.status.code().map_or("a signal".to_string(), |it| it.to_string());
    let [out, err] = [output.stdout, output.stderr].map(|it| unmeasured(&String::from_utf8_lossy(&it)));
    Ok(format!("{code}\n{out}\n{err}"))
}

/// A text with a mark in place of each time and each amount of memory: the fields of the JSON, and numbers
/// before `s` and `MiB`.
fn unmeasured(text: &str) -> String {
    let mut lines = vec![];
    for line in text.lines() {
        let line = MEASURED.iter().fold(line.to_string(), |line, field| without_value(&line, field));
        let is_number = |word: &str| word.trim_start_matches('(').parse::<f64>().is_ok();
        let mut words: Vec<&str> = line.split(' ').collect();
        for at in 1..words.len() {
            let unit = words[at].trim_end_matches([',', ';', ')', '.']);
            if matches!(unit, "s" | "KiB" | "MiB" | "GiB") && is_number(words[at - 1]) {
                words[at - 1] = "#";
                words[at] = "#";
            }
        }
        lines.push(words.join(" "));
    }
    lines.join("\n")
}

/// A line of JSON without the number after a field.
fn without_value(line: &str, field: &str) -> String {
    let Some((before, after)) = line.split_once(field) else { return line.to_string() };
    let rest = after.trim_start_matches(|it: char| it.is_ascii_digit() || matches!(it, '.' | 'e' | '-'));
    format!("{before}{field}#{rest}")
}

/// The first place at which two texts differ, with what stands around it in both.
fn difference(expected: &str, seen: &str) -> Option<String> {
    if expected == seen {
        return None;
    }
    let common = expected.chars().zip(seen.chars()).take_while(|(one, other)| one == other).count();
    let around = |text: &str| -> String { text.chars().skip(common.saturating_sub(60)).take(160).collect() };
    Some(format!("`{}` and `{}`", around(expected), around(seen)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_and_memory_are_left_out() {
        let json = r#"{"verdict":"safe","time_seconds":0.38e-1,"peak_memory_bytes":567,"stats":{"a":1}}"#;
        let other = json.replace("0.38e-1", "12.5").replace("567", "9");
        assert_eq!(unmeasured(json), unmeasured(&other));
        assert_ne!(unmeasured(json), unmeasured(&json.replace("\"a\":1", "\"a\":2")));
        assert_eq!(unmeasured("  2.528 s, 183.3 MiB"), unmeasured("  0.1 s, 20 MiB"));
        assert_ne!(unmeasured("3 predicates; 0.1 s"), unmeasured("4 predicates; 0.1 s"));
    }

    #[test]
    fn a_difference_is_shown_with_what_stands_around_it() {
        assert_eq!(difference("safe", "safe"), None);
        assert_eq!(difference("3 states", "4 states").as_deref(), Some("`3 states` and `4 states`"));
        assert!(difference("safe", "safe: 2").is_some());
    }
}
