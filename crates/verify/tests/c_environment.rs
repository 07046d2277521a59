//! Programs with what they are run with (`tests/c/environment`): the strings of `argv`, what standard input
//! holds. Whatever is answered is right, and evidence is confirmed with the same.

use base::Event;
use ir::{Bound, Scope};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use verify::{COptions, CProperty, Limits, Origin, Outcome, Plan, Question, ReadOptions, Report};

/// What the first lines of a program say.
#[derive(Default)]
struct Given {
    is_safe: bool,
    arguments: Option<Vec<OsString>>,
    input: Option<Vec<u8>>,
}

impl Given {
    fn read(text: &str) -> Given {
        let mut given = Given::default();
        for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
            let Some((key, value)) = line.split_once(':') else { continue };
            match key {
                "expect" => given.is_safe = value.trim() == "safe",
                "arguments" => given.arguments = Some(value.split_whitespace().map(OsString::from).collect()),
                "stdin" => given.input = Some(value.trim_start().replace("\\n", "\n").into_bytes()),
                _ => panic!("no such directive: {key}"),
            }
        }
        given
    }
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/environment");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    found.sort();
    found
}

fn ask(path: &Path, c: COptions) -> Report {
    let reading = ReadOptions { c, ..ReadOptions::default() };
    let plan = Plan::named(&["concrete".to_string()]).expect("there is such an engine");
    let limits = Limits { time: Some(Duration::from_secs(60)), memory: Some(3 << 30), ..Limits::default() };
    let question = Question { reading, scope: Scope { threads: Bound::Any }, plan, limits, each: false };
    verify::check(&Origin::File(path.to_path_buf()), &question, &mut Vec::<Event>::new())
}

/// The file with what standard input holds, removed at the end.
struct InputFile(PathBuf);

impl InputFile {
    fn new(program: &Path, bytes: &[u8]) -> InputFile {
        let name = program.file_stem().expect("a program has a name").to_string_lossy().into_owned();
        let path = std::env::temp_dir().join(format!("selvedge-input-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("a temporary file can be written");
        InputFile(path)
    }
}

impl Drop for InputFile {
    fn drop(&mut self) {
        // What is left behind in the folder for temporary files harms nobody.
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn programs_get_what_they_are_run_with() {
    let mut wrong = vec![];
    for path in programs() {
        let text = std::fs::read_to_string(&path).expect("the program can be read");
        let given = Given::read(&text);
        let file = given.input.as_ref().map(|bytes| InputFile::new(&path, bytes));
        let c = COptions {
            arguments: given.arguments.clone(),
            stdin: file.as_ref().map(|file| file.0.clone()),
            property: CProperty::Default,
            ..COptions::default()
        };
        let report = ask(&path, c);
        let right = match report.outcome() {
            Some(Outcome::Safe { .. }) => given.is_safe,
            Some(Outcome::Unsafe { .. }) => !given.is_safe,
            _ => false,
        };
        if !right {
            let kind = report.outcome().map(|it| matches!(it, Outcome::Safe { .. }));
            wrong.push(format!("{}: safe {kind:?} {:?}", path.display(), report.diagnostics));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn without_them_nobody_knows_the_strings() {
    let path = programs().into_iter().find(|path| path.ends_with("arguments_none_safe.c"));
    let report = ask(&path.expect("the program is there"), COptions::default());
    let unsafe_or_unknown = !matches!(report.outcome(), Some(Outcome::Safe { .. }) | None);
    assert!(unsafe_or_unknown, "{:?}", report.outcome());
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    let path = programs().remove(0);
    let c = COptions { stdin: Some("/nowhere/input".into()), ..COptions::default() };
    let report = ask(&path, c);
    assert!(report.outcome().is_none() && report.diagnostics.iter().any(|it| it.code == "E0901"));
}
