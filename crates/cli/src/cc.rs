//! `selvedge cc`: notes how a file is compiled, and then is the compiler. With `CC="selvedge cc" make` the
//! files of a project and their options are known afterwards, in a `compile_commands.json`.

use crate::args::Compile;
use crate::c::database::FILE;
use crate::output;
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names the compiler, perhaps with options.
const COMPILER: &str = "SELVEDGE_CC";
/// Names the file or the folder of the record.
const PLACE: &str = "SELVEDGE_COMMANDS";
/// Set for the compiler: one that is this command again would never end.
const INSIDE: &str = "SELVEDGE_CC_RUNS";

/// Runs the command. It ends only if there is no compiler.
pub fn run(arguments: &Compile) -> Result<u8, String> {
    if std::env::var_os(INSIDE).is_some() {
        return Err(format!("`selvedge cc` would call itself for ever: name the compiler with {COMPILER}"));
    }
    let named = std::env::var(COMPILER).ok().filter(|it| !it.trim().is_empty());
    let found =
        || ["cc", "gcc", "clang"].into_iter().find(|it| verify::is_executable(it)).map(str::to_string);
    let compiler =
        named.or_else(found).ok_or_else(|| format!("no C compiler is found: name one with {COMPILER}"))?;
    let words: Vec<&str> = compiler.split_whitespace().collect();
    // The compiler decides what becomes of the build; a record that cannot be written is told.
    if let Err(why) = record(&words, &arguments.line) {
        output::tell_line(format!("selvedge cc: not recorded: {why}"));
    }
    let (program, options) = words.split_first().expect("a command has a word");
    let failed = Command::new(program).args(options).args(&arguments.line).env(INSIDE, "1").exec();
    Err(format!("`{program}` cannot be started: {}", verify::plain(&failed)))
}

/// Notes each C file that a line compiles.
fn record(compiler: &[&str], line: &[std::ffi::OsString]) -> Result<(), String> {
    let line: Vec<String> = line.iter().map(|it| it.to_string_lossy().into_owned()).collect();
    if line.iter().any(|it| matches!(it.as_str(), "-E" | "-M" | "-MM" | "-###")) {
        return Ok(());
    }
    let is_c = |word: &&String| !word.starts_with('-') && (word.ends_with(".c") || word.ends_with(".i"));
    let is_value =
        |at: usize| at > 0 && matches!(line[at - 1].as_str(), "-o" | "-MF" | "-MT" | "-MQ" | "-include");
    let sources: Vec<&String> =
        line.iter().enumerate().filter(|it| !is_value(it.0)).map(|it| it.1).filter(is_c).collect();
    if sources.is_empty() {
        return Ok(());
    }
    let here = std::env::current_dir().map_err(|error| verify::plain(&error))?;
    let words: Vec<&str> = compiler.iter().copied().chain(line.iter().map(String::as_str)).collect();
    let records =
        sources.iter().map(|file| json!({"directory": here, "file": file, "arguments": words}).to_string());
    let path = place(&here);
    append(&path, &records.collect::<Vec<_>>()).map_err(|why| format!("`{}`: {why}", path.display()))
}

/// Where the record goes: what the environment says; else the nearest folder above that has a record; else
/// the root of the repository; else here. Above a folder to which anybody may write nobody looks.
fn place(here: &Path) -> PathBuf {
    if let Some(named) = std::env::var_os(PLACE).filter(|it| !it.is_empty()) {
        let path = here.join(named);
        return if path.is_dir() { path.join(FILE) } else { path };
    }
    let is_open = |it: &Path| it.metadata().is_ok_and(|it| it.permissions().mode() & 0o002 != 0);
    let above = || here.ancestors().take_while(|it| !is_open(it));
    let recorded = above().find(|it| it.join(FILE).is_file());
    let root = || above().find(|it| it.join(".git").exists());
    recorded.or_else(root).unwrap_or(here).join(FILE)
}

const BEGIN: &str = "[\n";
const BETWEEN: &str = ",\n";
const END: &str = "\n]\n";

/// Adds records that are not there yet, one a line. Several processes may do so at once: the file is locked,
/// and what is in it is a list of JSON at every moment but one, in which one call writes its end.
fn append(path: &Path, records: &[String]) -> Result<(), String> {
    let plain = |error: std::io::Error| verify::plain(&error);
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(plain)?;
    // The lock goes with the file.
    file.lock().map_err(plain)?;
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(plain)?;
    if !text.is_empty() && !is_ours(&text) {
        return Err(format!("it is not by `selvedge cc`; set {PLACE} to another file or folder"));
    }
    let known: Vec<&str> = text.lines().map(|line| line.trim_end_matches(',')).collect();
    let new: Vec<&str> = records.iter().map(String::as_str).filter(|it| !known.contains(it)).collect();
    if new.is_empty() {
        return Ok(());
    }
    let (before, first) = match text.strip_suffix(END) {
        Some(kept) => (kept.len(), BETWEEN),
        None => (0, BEGIN),
    };
    write_at(&mut file, before, &format!("{first}{}{END}", new.join(BETWEEN))).map_err(plain)
}

/// Whether a list has one record a line, as it is written here.
fn is_ours(text: &str) -> bool {
    let inside = text.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
    inside.is_some_and(|it| it.split(BETWEEN).all(|line| line.starts_with('{') && line.ends_with('}')))
}

fn write_at(file: &mut File, at: usize, text: &str) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(at as u64))?;
    file.write_all(text.as_bytes())
}
