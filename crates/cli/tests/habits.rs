//! Completions that shells can read, manual pages that `man` can read, and an explanation for every code that
//! the sources can emit.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn selvedge(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.args(arguments).stdin(Stdio::null()).output().expect("the binary runs")
}

fn printed(arguments: &[&str]) -> String {
    let output = selvedge(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the tool writes UTF-8")
}

/// Whether a program of the system is there.
fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Has a program read a text on standard input, if it is there; what it says about it.
fn read_by(program: &str, arguments: &[&str], text: &str) -> Option<Output> {
    if !is_there(program) {
        return None;
    }
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it is there");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    Some(child.wait_with_output().expect("it ends"))
}

/// All sources of the crates.
fn sources() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut work: Vec<PathBuf> =
        std::fs::read_dir(crates).expect("the crates").flatten().map(|it| it.path().join("src")).collect();
    let mut found = vec![];
    while let Some(path) = work.pop() {
        if let Ok(entries) = std::fs::read_dir(&path) {
            work.extend(entries.flatten().map(|it| it.path()).filter(|it| !it.ends_with("src/codes")));
        } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found
}

/// The codes in a source, outside of its unit tests.
fn codes(text: &str) -> impl Iterator<Item = &str> {
    let text = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let is_code = |it: &&str| {
        let digits = it.strip_prefix(['E', 'W']).unwrap_or_default();
        digits.len() == 4 && digits.bytes().all(|it| it.is_ascii_digit())
    };
    text.split('"').filter(is_code)
}

#[test]
fn every_code_has_its_text_and_every_text_its_code() {
    let sources: Vec<String> =
        sources().iter().map(|it| std::fs::read_to_string(it).expect("a source")).collect();
    let emitted: BTreeSet<&str> = sources.iter().flat_map(|it| codes(it)).collect();
    let explained: BTreeSet<&str> = base::codes::all().map(|it| it.code).collect();
    assert!(emitted.len() > 100, "the sources are there");
    let (no_text, no_code): (Vec<_>, Vec<_>) =
        (emitted.difference(&explained).collect(), explained.difference(&emitted).collect());
    assert!(no_text.is_empty(), "without a text in `base::codes`: {no_text:?}");
    assert!(no_code.is_empty(), "explained, but nobody emits them: {no_code:?}");
}

#[test]
fn codes_are_explained() {
    let text = printed(&["explain", "e0201", "cover", "race", "suspect"]);
    let starts: Vec<&str> = text.lines().filter(|it| !it.starts_with(' ')).collect();
    let expected = [
        "E0201: undeclared variable",
        "cover: an engine for Boolean programs and nets",
        "race: a class of properties",
        "suspect: a kind of `unknown`",
    ];
    assert_eq!(starts, expected);
    assert_eq!(printed(&["explain", "memory"]).lines().filter(|it| it.starts_with("memory: ")).count(), 2);
    assert!(printed(&["explain"]).lines().count() > 150);
    let wrong = selvedge(&["explain", "expilcit"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean `explicit`?"));
}

#[test]
fn shells_read_the_completions() {
    for (shell, arguments) in [("bash", &["-n"][..]), ("zsh", &["-n"]), ("fish", &["--no-execute"])] {
        let script = printed(&["completions", shell]);
        for word in ["batch", "confirm", "certificate", "timeout"] {
            assert!(script.contains(word), "{shell} knows `{word}`");
        }
        if let Some(output) = read_by(shell, arguments, &script) {
            let complaints = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && complaints.is_empty(), "{shell}: {complaints}");
        }
    }
    assert_eq!(selvedge(&["completions", "tcsh"]).status.code(), Some(1));
}

#[test]
fn bash_completes_commands_and_options() {
    let script = printed(&["completions", "bash"]);
    let script = format!(
        "{script}\nCOMP_WORDS=(selvedge batch --ti); COMP_CWORD=2; _selvedge selvedge --ti batch\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    );
    let output = read_by("bash", &[], &script).expect("bash is there");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "--timeout\n");
}

#[test]
fn manual_pages_are_read_without_warnings() {
    let folder = std::env::temp_dir().join(format!("selvedge-man-{}", std::process::id()));
    let place = folder.to_str().expect("a plain name");
    assert_eq!(printed(&["man", place]), "");
    let pages: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("the folder").flatten().map(|it| it.path()).collect();
    let help = printed(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty()).filter(|line| !line.contains(" help "));
    assert_eq!(pages.len(), commands.count() + 1, "a page for each command, and the first");
    assert!(pages.contains(&folder.join("selvedge.1")) && pages.contains(&folder.join("selvedge-batch.1")));
    for page in &pages {
        let text = std::fs::read_to_string(page).expect("a page");
        assert!(text.contains("\n.SH NAME\n") && text.contains("\n.SH SYNOPSIS\n"), "{}", page.display());
        if let Some(output) = read_by("groff", &["-man", "-ww", "-z", "-K", "utf8"], &text) {
            let complaints = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && complaints.is_empty(), "{}: {complaints}", page.display());
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder of the test");
    assert!(printed(&["man"]).contains(".TH selvedge 1"));
}
