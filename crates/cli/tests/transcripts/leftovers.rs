//! However a run ends, no temporary file and no process of it stays behind.

use crate::support::{Folder, Transcript};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str =
    "#include <assert.h>\n#include <stdio.h>\nint x;\nint main(void) { assert(!x); return 0; }\n";

/// A folder with a program, and one for temporary files.
struct Place {
    folder: Folder,
    program: String,
}

impl Place {
    fn new(name: &str) -> Place {
        let folder = Folder::new(name);
        let program = folder.file("secret.c", PROGRAM);
        std::fs::create_dir_all(folder.path("temporary")).expect("a folder for the test");
        Place { folder, program }
    }

    /// The tool, with a compiler that never ends if it is asked for one.
    fn start(&self, before: &str, options: &str, slow: bool) -> Child {
        let script = "echo begun >> \"$(dirname \"$0\")/begun\"\nsleep 100 & sleep 100\n";
        let slow =
            if slow { format!("--cc 'sh {}'", self.folder.file("slow.sh", script)) } else { String::new() };
        let program = &self.program;
        let script =
            format!("{before}\nexec {} check {program} {slow} {options}", env!("CARGO_BIN_EXE_selvedge"));
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script]).env("TMPDIR", self.folder.path("temporary")).env_remove("CC");
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        shell.spawn().expect("there is a shell")
    }

    /// Waits until the slow compiler is at work.
    fn wait_for_compiler(&self) {
        let start = Instant::now();
        while !self.folder.names().iter().any(|name| name == "begun") {
            assert!(start.elapsed() < Duration::from_secs(60), "the compiler was not started");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The temporary files that are left.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path("temporary")).expect("the folder");
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// The processes that are left: all of them have the temporary folder among their arguments.
    fn processes(&self) -> Vec<String> {
        let mine = self.folder.path("temporary");
        let entries = std::fs::read_dir("/proc").expect("there are processes");
        let line = |entry: std::fs::DirEntry| std::fs::read(entry.path().join("cmdline")).ok();
        let lines = entries.flatten().filter_map(line);
        let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
        lines.filter(|line| line.contains(&mine)).collect()
    }

    fn assert_clean(&self, what: &str) {
        assert_eq!((self.files(), self.processes()), (vec![], vec![]), "{what}");
    }

    /// Nobody can wait for the process that cleans up after a process that was killed: it takes a moment.
    fn assert_soon_clean(&self, what: &str) {
        let start = Instant::now();
        while !(self.files().is_empty() && self.processes().is_empty()) {
            if start.elapsed() > Duration::from_secs(20) {
                return self.assert_clean(what);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("/bin/sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

fn end(child: Child) -> Transcript {
    Transcript::of(child.wait_with_output().expect("it ends"))
}

#[test]
fn a_time_limit_may_fall_anywhere() {
    let place = Place::new("leftovers-time");
    for milliseconds in (1..=40).chain([50, 60, 70, 80]) {
        let transcript = end(place.start("", &format!("--timeout {milliseconds}ms"), false));
        assert!(matches!(transcript.code, Some(0 | 5)), "{:?} {}", transcript.code, transcript.err);
        place.assert_clean(&format!("{milliseconds} ms"));
    }
    let transcript = end(place.start("", "--timeout 300ms", true)).expect(5, "");
    assert_eq!(transcript.verdict(), "unknown: time limit 0.3 s reached");
    place.assert_clean("a compiler that does not end");
}

/// Whether the tests run under `nohup` or its like, which children inherit.
fn hang_ups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[test]
fn signals_end_the_preprocessor_too() {
    // The second time the work is done by a worker.
    for before in ["", "ulimit -v 4000000"] {
        for name in ["INT", "TERM", "HUP", "QUIT"] {
            if name == "HUP" && hang_ups_are_ignored() {
                continue;
            }
            let place = Place::new(&format!("leftovers-{name}-{}", before.len()));
            let child = place.start(before, "", true);
            place.wait_for_compiler();
            signal(&child, name);
            let transcript = end(child).expect(5, "");
            assert_eq!(transcript.verdict(), "unknown: interrupted", "{name}");
            place.assert_clean(name);
        }
        for (number, wait) in [0, 1, 5].into_iter().enumerate() {
            let place = Place::new(&format!("leftovers-twice-{number}-{}", before.len()));
            let child = place.start(before, "", true);
            place.wait_for_compiler();
            signal(&child, "INT");
            std::thread::sleep(Duration::from_millis(wait));
            signal(&child, "INT");
            let code = end(child).code;
            assert!(matches!(code, Some(5 | 130)), "{code:?}");
            place.assert_soon_clean("two interrupts");
        }
        let place = Place::new(&format!("leftovers-killed-{}", before.len()));
        let mut child = place.start(before, "", true);
        place.wait_for_compiler();
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        place.assert_soon_clean("killed");
    }
}

#[test]
fn other_limits_leave_nothing() {
    let place = Place::new("leftovers-limits");
    end(place.start("", "--memory 1M", false)).expect(5, "");
    place.assert_clean("--memory");
    // No byte can be written to a file: nobody can preprocess, and it is said why.
    end(place.start("ulimit -f 0", "", false)).expect(2, "File too large");
    place.assert_clean("ulimit -f");
    let certificate = place.folder.path("out.cert");
    end(place.start("ulimit -f 0", &format!("--certificate {certificate}"), false));
    assert!(!place.folder.names().iter().any(|name| name.contains("out.cert")), "no half of a file");
    end(place.start("TMPDIR=/nonexistent/folder", "", false)).expect(2, "set TMPDIR");
}

/// A name that expands to a text that does not fit into any memory.
#[test]
fn the_memory_limit_holds_for_the_preprocessor() {
    let place = Place::new("leftovers-bomb");
    let names: Vec<String> = (1..40).map(|n| format!("#define A{n}(x) A{}(x x)", n - 1)).collect();
    let bomb = format!("#define A0(x) x\n{}\nint x = sizeof \"A39(1)\" A39(1);\n", names.join("\n"));
    place.folder.file("secret.c", bomb);
    let transcript = end(place.start("", "--memory 200M", false)).expect(5, "");
    assert_eq!(transcript.verdict(), "unknown: memory limit 200 MiB reached");
    place.assert_clean("a bomb");
}

/// While the preprocessor is at work nobody else can read the source.
#[cfg(unix)]
#[test]
fn temporary_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new("leftovers-private");
    let child = place.start("umask 000", "", true);
    place.wait_for_compiler();
    let mut open = vec![std::path::PathBuf::from(place.folder.path("temporary"))];
    let mut seen = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let metadata = entry.metadata().expect("it is there");
            assert_eq!(metadata.permissions().mode() & 0o077, 0, "{}", entry.path().display());
            seen += 1;
            open.extend(metadata.is_dir().then(|| entry.path()));
        }
    }
    assert!(seen >= 3, "{seen} files are seen");
    signal(&child, "TERM");
    end(child).expect(5, "");
}
