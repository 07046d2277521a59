//! Tables in `bench/`: another command is run, and what it prints becomes `bench/NAME.md`, below the commit,
//! the machine and the command that it is from. What stands above these lines in the file (its title, what
//! the columns mean) stays.

use anyhow::{Context, Result, bail, ensure};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// The first of the lines that say where a table is from.
const ORIGIN: &str = "- commit: ";

/// The command `bench`.
pub fn run(args: &[String]) -> Result<()> {
    let [name, command, options @ ..] = args else {
        bail!("`bench` takes the name of a table and a command")
    };
    ensure!(command != "bench", "a table is made by another command");
    let file = Path::new("bench").join(name).with_extension("md");
    let above = above(&std::fs::read_to_string(&file).unwrap_or_default(), name);
    // Before the command runs: it says on what the table was made, and how busy the machine was then.
    let origin = origin(command, options)?;
    let table = printed(command, options)?;
    std::fs::create_dir_all("bench")?;
    std::fs::write(&file, above + &origin + &table).with_context(|| format!("{}", file.display()))
}

/// What stands above the origin of a table; a title where there is no table.
fn above(old: &str, name: &str) -> String {
    match old.split_inclusive('\n').position(|line| line.starts_with(ORIGIN)) {
        Some(at) => old.split_inclusive('\n').take(at).collect(),
        None => format!("# {name}\n\n"),
    }
}

/// Where a table is from.
fn origin(command: &str, options: &[String]) -> Result<String> {
    let commit = first_line("git", &["describe", "--always", "--dirty=, with changes", "--exclude=*"]);
    let words = options.iter().map(|it| if it.contains(' ') { format!("\"{it}\"") } else { it.clone() });
    let line = ["cargo", "xtask", command].map(String::from).into_iter().chain(words);
    let line = line.collect::<Vec<_>>().join(" ");
    Ok(format!("{ORIGIN}{commit}\n- machine: {}\n- command: `{line}`\n\n", machine()?))
}

/// Processor, cores, memory, compiler, and how much else the machine does.
fn machine() -> Result<String> {
    let field = |file: &str, name: &str| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.split_once(':'));
        value.map(|it| it.1.trim().to_string()).unwrap_or_default()
    };
    let kilobytes: f64 =
        field("/proc/meminfo", "MemTotal").trim_end_matches(" kB").parse().unwrap_or_default();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    Ok(format!(
        "{}, {} cores, {:.0} GB, {}; load {} at the start",
        field("/proc/cpuinfo", "model name"),
        std::thread::available_parallelism()?,
        kilobytes / 1e6,
        first_line("rustc", &["--version"]),
        load.split(' ').next().unwrap_or_default(),
    ))
}

/// The first line that a program prints; a copy of the sources without their history has no commit.
fn first_line(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().map(|it| it.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&output).into_owned();
    text.lines().next().map_or_else(|| "not known".to_string(), String::from)
}

/// What a command prints, shown as it comes.
fn printed(command: &str, options: &[String]) -> Result<String> {
    let mut tool = Command::new(std::env::current_exe()?);
    let mut child = tool.arg(command).args(options).stdout(Stdio::piped()).spawn()?;
    let mut text = String::new();
    for line in BufReader::new(child.stdout.take().context("its output is piped")?).lines() {
        let line = line?;
        println!("{line}");
        text += &(line + "\n");
    }
    ensure!(child.wait()?.success(), "`{command}` fails, and the table stays as it was");
    Ok(framed(text))
}

/// Markdown as it is; anything else as a block of text.
fn framed(text: String) -> String {
    match text.lines().any(|line| line.starts_with('|')) {
        true => text.trim_start().to_string(),
        false => format!("```\n{text}```\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_above_a_table_stays() {
        let old = format!("# A title\n\nThe columns.\n\n{ORIGIN}abc\n- machine: m\n\n| 1 |\n");
        assert_eq!(above(&old, "name"), "# A title\n\nThe columns.\n\n");
        assert_eq!(above("", "name"), "# name\n\n");
    }

    #[test]
    fn what_is_no_table_is_shown_as_it_is() {
        assert_eq!(framed("\n| a |\n|---|\n".into()), "| a |\n|---|\n");
        assert_eq!(framed("file,verdict\n".into()), "```\nfile,verdict\n```\n");
    }

    #[test]
    fn a_table_says_where_it_is_from() {
        let options = ["--threads".to_string(), "a b".to_string()];
        let origin = origin("switches", &options).expect("the machine has cores");
        assert!(origin.contains("- command: `cargo xtask switches --threads \"a b\"`\n"), "{origin}");
        assert!(origin.starts_with(ORIGIN) && origin.contains("- machine: "), "{origin}");
    }
}
