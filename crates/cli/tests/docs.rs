//! Every example in `docs/` is run: the commands of a document one after the other, in a folder of its own,
//! with what they are said to print. `$ cat FILE` shows a file that the examples after it use, unless there
//! is one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// A command and what it is said to print.
struct Example {
    line: usize,
    command: String,
    expected: Vec<String>,
}

/// The examples of a document: in its code blocks, the lines after `$ `.
fn examples(text: &str) -> Vec<Example> {
    let (mut all, mut inside, mut open): (Vec<Example>, bool, bool) = (vec![], false, false);
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            (inside, open) = (!inside, false);
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            all.push(Example { line: number + 1, command: command.to_string(), expected: vec![] });
            open = true;
        } else if let Some(example) = all.last_mut().filter(|_| inside && open) {
            example.expected.push(line.to_string());
        }
    }
    all
}

/// Tools of others, which not every machine has and which print what they like: they are tried where
/// translations are tested.
const FOREIGN: [&str; 2] = ["spin", "NuSMV"];

/// Runs the examples of one document; how many.
fn run(document: &Path, folder: &Path) -> usize {
    let binary = Path::new(env!("CARGO_BIN_EXE_selvedge")).parent().expect("a folder of the binary");
    let (tools, others) = (folder.join("tools"), std::env::var("PATH").unwrap_or_default());
    let path = format!("{}:{}:{others}", binary.display(), tools.display());
    let text = fs::read_to_string(document).expect("a document");
    let (mut count, mut code) = (0, 0);
    for Example { line, command, expected } in examples(&text) {
        if let Some(file) = command.strip_prefix("cat ").filter(|file| !folder.join(file).exists()) {
            fs::write(folder.join(file), format!("{}\n", expected.join("\n"))).expect("a file for the test");
            continue;
        }
        if FOREIGN.iter().any(|tool| command.starts_with(tool)) {
            continue;
        }
        let script = format!("( exit {code} )\n{command}");
        let output =
            Command::new("bash").args(["-c", &script]).current_dir(folder).env("PATH", &path).output();
        let output = output.expect("there is a shell");
        code = output.status.code().unwrap_or(-1);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let all = format!("{err}{out}");
        let printed: Vec<&str> = all.lines().filter(|line| !is_of_the_shell(line)).collect();
        assert_eq!(printed, expected, "{}:{line}: {command}", document.display());
        count += 1;
    }
    count
}

/// The shell says that a program aborted; with which words is its own affair. Assumptions about C are listed
/// elsewhere.
fn is_of_the_shell(line: &str) -> bool {
    line.starts_with("bash: ") || line.starts_with("assumption: ")
}

/// Every optional tool is there and of no use: what is expected must not depend on which of them a machine
/// has.
fn make_tools(folder: &Path) {
    fs::create_dir(folder).expect("a folder for the test");
    for tool in FOREIGN.into_iter().chain(["z3", "cvc5"]) {
        let path = folder.join(tool);
        fs::write(&path, "#!/bin/sh\necho nothing of use\nexit 7\n").expect("a file for the test");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&path, mode).expect("it is ours");
    }
}

#[test]
fn every_example_of_the_documents_holds() {
    let docs = repository().join("docs");
    let folders = [docs.clone(), docs.join("engines"), docs.join("formats"), docs.join("decisions")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder of documents"));
    let mut documents: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    documents.retain(|path| path.extension().is_some_and(|it| it == "md"));
    documents.push(repository().join("README.md"));
    documents.sort();
    let mut count = 0;
    for (number, document) in documents.iter().enumerate() {
        let folder = std::env::temp_dir().join(format!("selvedge-docs-{number}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        std::os::unix::fs::symlink(repository().join("examples"), folder.join("examples")).expect("a link");
        std::os::unix::fs::symlink(repository().join("tests"), folder.join("tests")).expect("a link");
        make_tools(&folder.join("tools"));
        count += run(document, &folder);
        fs::remove_dir_all(&folder).expect("the folder of the test");
    }
    assert!(count >= 15, "{count} examples are found: the documents have more");
}
