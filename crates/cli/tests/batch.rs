//! Batches: what is kept survives whatever ends them, no process outlives them, and parts make the whole.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const SAFE: &str = "decl x;\nvoid main() begin\n  x := 0;\n  assert(!x);\nend\n";
const UNSAFE: &str = "decl x;\nvoid main() begin\n  x := 1;\n  assert(!x);\nend\n";
const WRONG: &str = "decl x;\nvoid main() begin\n  y := 1;\nend\n";

/// Safe with any number of threads, and explicit search never gets to the end of them.
const ENDLESS: &str = "decl taken := 0, inside := 0;\nvoid main() begin\n  while * do\n    start_thread f();\n  od\nend\n\
void f() begin\n  taken := 1 constrain !taken;\n  assert(!inside);\n  inside := 1;\n  inside := 0;\n  taken := 0;\nend\n";

/// Nothing that is waited for takes this long.
const LONG: Duration = Duration::from_secs(100);

/// A folder for one test, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("selvedge-batch-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("files")).expect("a folder for the test");
        Folder(path)
    }

    fn file(&self, name: &str, contents: &str) {
        std::fs::write(self.0.join("files").join(name), contents).expect("a file for the test");
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.args(arguments).current_dir(&self.0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the tool, which ends with this code.
    fn run(&self, code: i32, arguments: &[&str]) -> (String, String) {
        let Output { status, stdout, stderr } = self.command(arguments).output().expect("the binary runs");
        let text = |bytes| String::from_utf8(bytes).expect("the tool writes UTF-8");
        let (out, err) = (text(stdout), text(stderr));
        assert_eq!(status.code(), Some(code), "{arguments:?}\n--- out\n{out}\n--- err\n{err}");
        (out, err)
    }

    fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().expect("the binary runs")
    }

    /// The rows that are kept: number, file and verdict. None is there twice.
    fn rows(&self, out: &str) -> BTreeSet<(u64, String, String)> {
        let text = self.text(&format!("{out}/rows.jsonl"));
        let rows: Vec<_> = text.lines().map(row).collect();
        let all: BTreeSet<_> = rows.iter().cloned().collect();
        let numbers: BTreeSet<u64> = rows.iter().map(|it| it.0).collect();
        assert_eq!(numbers.len(), rows.len(), "a file has two rows:\n{text}");
        all
    }

    /// The processes at work on files of the folder, other than `but`.
    fn processes(&self, but: u32) -> Vec<u32> {
        let entries = std::fs::read_dir("/proc").expect("there are processes").flatten();
        let numbers = entries.filter_map(|it| it.file_name().to_string_lossy().parse::<u32>().ok());
        let is_ours = |number: &u32| {
            let folder = std::fs::read_link(format!("/proc/{number}/cwd")).unwrap_or_default();
            let words = std::fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
            folder == self.0 && !words.is_empty() && *number != but
        };
        numbers.filter(is_ours).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder left in the temporary directory harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn row(line: &str) -> (u64, String, String) {
    let row: Value = serde_json::from_str(line).expect("a row is whole");
    let text = |name: &str| row[name].as_str().expect("a row has it").to_string();
    (row["index"].as_u64().expect("a row has it"), text("file"), text("verdict"))
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONG, "{what} does not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(process: u32, name: &str) {
    let status = Command::new("kill").args([format!("-{name}"), process.to_string()]).status();
    assert!(status.expect("there is `kill`").success());
}

/// Some files, two of which take as long as their limit.
fn some_files(folder: &Folder) {
    for (number, text) in
        [SAFE, UNSAFE, ENDLESS, SAFE, UNSAFE, ENDLESS, SAFE, UNSAFE, SAFE].iter().enumerate()
    {
        folder.file(&format!("{number}.bp"), text);
    }
}

const BATCH: [&str; 7] =
    ["batch", "files", "--engine", "explicit", "--timeout=4s", "--memory=1G", "--jobs=2"];

fn with<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    BATCH.iter().chain(rest).copied().collect()
}

#[test]
fn a_batch_that_is_killed_twice_goes_on() {
    let folder = Folder::new("killed");
    some_files(&folder);
    folder.run(10, &with(&["--out", "whole"]));
    let whole = folder.rows("whole");
    assert_eq!(whole.len(), 9);
    for kill in 1..=2 {
        let mut batch = folder.start(&with(&["--out", "out"]));
        wait_until("a row", || folder.text("out/rows.jsonl").lines().count() >= 3 * kill);
        batch.kill().expect("it runs");
        batch.wait().expect("it ends");
        // What a process was writing when it was killed.
        let mut rows = folder.text("out/rows.jsonl");
        rows.push_str("{\"schema\":\"selvedge-batch-row/1\",\"ind");
        std::fs::write(folder.0.join("out/rows.jsonl"), rows).expect("it is ours");
        wait_until("the end of all processes", || folder.processes(0).is_empty());
    }
    let (out, err) = folder.run(10, &with(&["--out", "out"]));
    assert!(err.contains("goes on: "), "{err}");
    assert_eq!(folder.rows("out"), whole, "{out}");
    let again = folder.text("out/rows.jsonl");
    folder.run(10, &with(&["--out", "out"]));
    assert_eq!(folder.text("out/rows.jsonl"), again, "a batch that is done stays as it is");
}

#[test]
fn an_interrupt_ends_all_processes_and_keeps_no_rows_of_them() {
    let folder = Folder::new("interrupted");
    folder.file("a.bp", SAFE);
    folder.file("b.bp", ENDLESS);
    folder.file("c.bp", ENDLESS);
    let arguments = ["batch", "files", "--engine=explicit", "--out=out", "--jobs=2", "--threads=any"];
    let batch = folder.start(&arguments);
    wait_until("a row", || folder.text("out/rows.jsonl").lines().count() == 1);
    wait_until("two processes", || folder.processes(batch.id()).len() == 2);
    signal(batch.id(), "INT");
    let output = batch.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{err}");
    assert!(err.contains("interrupted; the same command continues the batch"), "{err}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 of 3 files: 1 safe"));
    assert_eq!(folder.rows("out").len(), 1);
    assert_eq!(folder.processes(0), [0; 0]);
}

#[test]
fn a_crash_is_a_row() {
    let folder = Folder::new("crash");
    folder.file("a.bp", ENDLESS);
    folder.file("b.bp", SAFE);
    let batch =
        folder.start(&["batch", "files", "--engine=explicit", "--jobs=1", "--format=json", "--timeout=60s"]);
    wait_until("a process", || folder.processes(batch.id()).len() == 1);
    signal(folder.processes(batch.id())[0], "KILL");
    let output = batch.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(6));
    let out = String::from_utf8_lossy(&output.stdout);
    let verdicts: Vec<String> = out.lines().map(|line| row(line).2).collect();
    assert_eq!(verdicts, ["crash", "safe"]);
    assert!(out.contains("killed by signal 9"), "{out}");
    let summary = String::from_utf8_lossy(&output.stderr);
    assert!(summary.contains("2 files: 1 safe, 1 crash"), "{summary}");
}

#[test]
fn one_folder_takes_one_batch_with_its_options() {
    let folder = Folder::new("locked");
    folder.file("a.bp", ENDLESS);
    let arguments = ["batch", "files", "--engine=explicit", "--out=out", "--threads=any"];
    let mut batch = folder.start(&arguments);
    wait_until("a process", || folder.processes(batch.id()).len() == 1);
    let (_, err) = folder.run(1, &arguments);
    assert!(err.contains("another batch is writing to `out`"), "{err}");
    batch.kill().expect("it runs");
    batch.wait().expect("it ends");
    let (_, err) = folder.run(1, &["batch", "files", "--engine=explicit", "--out=out", "--threads=3"]);
    assert!(err.contains("it was with `--threads=any --engine=explicit`, not `--threads=3 "), "{err}");
    folder.file("b.bp", SAFE);
    let (_, err) = folder.run(1, &arguments);
    assert!(err.contains("another list of files (1 then, 2 now)"), "{err}");
}

#[test]
fn shards_are_merged() {
    let folder = Folder::new("shards");
    some_files(&folder);
    folder.run(10, &with(&["--out", "whole"]));
    let shards: Vec<Child> = (1..=3)
        .map(|it| folder.start(&with(&["--out", &format!("s{it}"), "--shard", &format!("{it}/3")])))
        .collect();
    for shard in shards {
        assert!(shard.wait_with_output().expect("it ends").status.code().is_some());
    }
    let (out, err) = folder.run(5, &["merge", "s1", "s3", "--out", "part"]);
    assert!(out.starts_with("6 of 9 files: ") && err.contains("3 of 9 files have no row yet"), "{out}{err}");
    let page =
        folder.run(10, &["merge", "s1", "s2", "s3", "--out", "all", "--html", "a.html", "--junit", "a.xml"]);
    assert!(page.0.starts_with("9 files: 4 safe, 3 unsafe, 2 unknown\n"), "{}", page.0);
    assert_eq!(folder.rows("all"), folder.rows("whole"));
    assert_eq!(folder.text("a.html").matches("<tr class=").count(), 9);
    assert_eq!(folder.text("a.xml").matches("<testcase ").count(), 9);
    let (_, err) = folder.run(1, &["merge", "s1", "part"]);
    assert!(err.contains("has a row in `s1` and one in `part`"), "{err}");
    let (_, err) = folder.run(1, &["merge", "s1", "--out", "all"]);
    assert!(err.contains("`all` holds a batch already"), "{err}");
    // What is merged can be completed.
    folder.run(10, &with(&["--out", "part"]));
    assert_eq!(folder.rows("part"), folder.rows("whole"));
    let (out, _) = folder.run(10, &["merge", "part", "--against", "whole", "--html", "b.html"]);
    assert!(out.contains("compared with the older result: 9 files in both"), "{out}");
    assert_eq!(folder.text("b.html").matches("<svg").count(), 2);
}

#[test]
fn a_manifest_decides_what_is_wrong() {
    let folder = Folder::new("manifest");
    for (name, text) in [("a.bp", SAFE), ("b.bp", UNSAFE), ("c.bp", WRONG)] {
        folder.file(name, text);
    }
    let manifest = |text: &str| std::fs::write(folder.0.join("files/m.csv"), text).expect("it is ours");
    manifest("path,args,expected\na.bp,,safe\nb.bp,--threads 2,unsafe\nc.bp,,error\n");
    let (out, _) = folder.run(0, &["batch", "--manifest", "files/m.csv"]);
    assert!(out.contains("\n3 as expected, 0 wrong, 0 undecided, 0 without an expectation\n"), "{out}");
    manifest("path,args,expected\na.bp,,safe\nb.bp,,safe\n");
    let (out, _) = folder.run(1, &["batch", "--manifest", "files/m.csv"]);
    assert!(out.contains("WRONG: safe is expected\n") && out.contains("\nWRONG: 1\n  files/b.bp: "), "{out}");
    let (out, _) = folder.run(2, &["batch", "files", "--manifest", "files/m.csv", "--junit", "m.xml"]);
    assert!(out.contains("\n1 as expected, 1 wrong, 0 undecided, 1 without an expectation\n"), "{out}");
    assert!(folder.text("m.xml").contains("failures=\"1\" errors=\"1\""), "{}", folder.text("m.xml"));
    manifest("path,args,expected\na.bp,--thraeds 2,safe\n");
    let (out, err) = folder.run(1, &["batch", "--manifest", "files/m.csv"]);
    assert!(out.is_empty() && err.contains("options of `files/a.bp` in the manifest: "), "{err}");
}

#[test]
fn wrong_usage_is_told_before_the_first_file() {
    let folder = Folder::new("usage");
    folder.file("a.bp", SAFE);
    for (arguments, expected) in [
        (&["batch", "files", "--engine=nothing"][..], "there is no engine `nothing`"),
        (&["batch", "files", "--trace=x"], "unexpected argument '--trace'"),
        (&["batch", "files", "--shard=3/2"], "parts count from 1 to N"),
        (&["batch", "files", "--against=files"], "`files` holds no batch"),
        (&["batch", "files", "--property=assert", "--spec=x"], ""),
        (&["batch"], "<PATH>"),
        (&["merge", "files"], "`files` holds no batch"),
    ] {
        let (out, err) = folder.run(1, arguments);
        assert!(out.is_empty() && err.contains(expected), "{arguments:?}: {err}");
    }
    let (out, _) = folder.run(2, &["batch", "files/none.bp"]);
    assert!(out.starts_with("error") && out.contains("E0901"), "{out}");
    assert!(!Path::new(&folder.0).join("none").exists());
}
