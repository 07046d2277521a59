//! Runs the binary and keeps what it says.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What the binary printed, and how it ended.
pub struct Transcript {
    pub out: String,
    pub err: String,
    pub code: Option<i32>,
}

impl Transcript {
    pub fn of(output: Output) -> Transcript {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the tool writes UTF-8");
        Transcript { out: text(output.stdout), err: text(output.stderr), code: output.status.code() }
    }

    /// The last line of standard output: the verdict.
    pub fn verdict(&self) -> &str {
        self.out.lines().last().unwrap_or_default()
    }

    /// Fails unless the exit code is this one and standard error holds the text; a panic always fails.
    pub fn expect(self, code: i32, err: &str) -> Transcript {
        let all = format!("code {:?}\n--- out\n{}\n--- err\n{}", self.code, self.out, self.err);
        assert_eq!(self.code, Some(code), "{all}");
        assert!(self.err.contains(err), "expected `{err}`\n{all}");
        assert!(!self.err.contains("panicked"), "{all}");
        self
    }
}

/// The binary with these arguments.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the binary.
pub fn selvedge(arguments: &[&str]) -> Transcript {
    Transcript::of(command(arguments).output().expect("the binary runs"))
}

/// Runs the binary with a text on standard input.
pub fn selvedge_reads(arguments: &[&str], text: &str) -> Transcript {
    let mut child = command(arguments).stdin(Stdio::piped()).spawn().expect("the binary runs");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    Transcript::of(child.wait_with_output().expect("it ends"))
}

/// A folder for one test, gone when the test ends.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("selvedge-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a plain name").to_string()
    }

    pub fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.join(name), contents).expect("a file for the test");
        self.path(name)
    }

    /// The names of all files in it, hidden ones too.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("an entry").file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder left in the temporary directory harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file of this repository.
pub fn repository(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path).to_str().expect("a plain name").to_string()
}

/// One thread, one assertion that holds.
pub const SAFE: &str = "decl x;\nvoid main() begin\n  x := 0;\n  assert(!x);\nend\n";

/// Two threads are needed for the assertion in line 8 to fail.
pub const UNSAFE: &str = "decl x;\nvoid main() begin\n  x := 0;\n  start_thread f();\n  x := 1;\n  x := 0;\nend\nvoid f() begin\n  assert(!x);\nend\n";

/// Safe with any number of threads, and explicit search never gets to the end of them.
pub const ENDLESS: &str = "decl taken := 0, inside := 0;\nvoid main() begin\n  while * do\n    start_thread f();\n  od\nend\n\
void f() begin\n  taken := 1 constrain !taken;\n  assert(!inside);\n  inside := 1;\n  inside := 0;\n  taken := 0;\nend\n";

/// A net whose target is covered with two threads, and one whose target is not.
pub const COVERED: &str = "2 3\n0 0 -> 0 1\n0 1 -> 1 2\n1|2,1\n";
pub const UNCOVERED: &str = "2 3\n0 0 -> 1 1\n1 1 -> 0 2\n1|1,1\n";
