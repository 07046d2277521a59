//! Every example in `docs/` is run: the commands of a document one after the other, in a folder of its own, with what they are said to
//! print. `$ cat FILE` shows a file that the examples after it use, unless there is one.

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

/// Tools that not every machine has.
fn is_missing(command: &str) -> bool {
    let tools = ["spin", "NuSMV"];
    let found = |tool: &str| Command::new("sh").args(["-c", &format!("command -v {tool}")]).output();
    tools
        .into_iter()
        .filter(|tool| command.starts_with(tool))
        .any(|tool| !found(tool).is_ok_and(|output| output.status.success()))
}

/// Runs the examples of one document; how many.
fn run(document: &Path, folder: &Path) -> usize {
    let binary = Path::new(env!("CARGO_BIN_EXE_selvedge")).parent().expect("a folder of the binary");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let text = fs::read_to_string(document).expect("a document");
    let (mut count, mut code) = (0, 0);
    for Example { line, command, expected } in examples(&text) {
        if let Some(file) = command.strip_prefix("cat ").filter(|file| !folder.join(file).exists()) {
            fs::write(folder.join(file), format!("{}\n", expected.join("\n"))).expect("a file for the test");
            continue;
        }
        if is_missing(&command) {
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

/// The shell says that a program aborted; with which words is its own affair. Assumptions about C are listed elsewhere.
fn is_of_the_shell(line: &str) -> bool {
    line.starts_with("bash: ") || line.starts_with("assumption: ")
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
        count += run(document, &folder);
        fs::remove_dir_all(&folder).expect("the folder of the test");
    }
    assert!(count >= 15, "{count} examples are found: the documents have more");
}
