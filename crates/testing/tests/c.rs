//! What the generators write is C: the compiler takes it, and it means the same with and without
//! optimisation.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use testing::c::{concurrent, sequential};

/// A folder of this test run, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("selvedge-testing-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("the temporary folder can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that is left behind is no failure.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn gcc() -> bool {
    let found = Command::new("gcc").arg("--version").output().is_ok_and(|it| it.status.success());
    if !found {
        println!("skipped: there is no gcc");
    }
    found
}

fn accepts(arguments: &[&str], files: &[PathBuf]) {
    let output = Command::new("gcc").args(arguments).args(files).output().expect("gcc was there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_same_seed_gives_the_same_text() {
    for seed in 0..50 {
        assert_eq!(sequential(seed), sequential(seed));
        assert_eq!(concurrent(seed), concurrent(seed));
        assert_ne!(sequential(seed), sequential(seed + 1));
    }
}

#[test]
fn the_compiler_takes_them() {
    if !gcc() {
        return;
    }
    let folder = Folder::new("syntax");
    let mut files = vec![];
    for seed in 0..50 {
        files.push(folder.write(&format!("s{seed}.c"), &sequential(seed)));
        files.push(folder.write(&format!("c{seed}.c"), &concurrent(seed)));
    }
    accepts(&["-std=gnu11", "-w", "-pthread", "-fsyntax-only"], &files);
}

#[test]
fn sequential_programs_end_with_the_same_values_at_every_level() {
    if !gcc() {
        return;
    }
    let folder = Folder::new("run");
    for seed in 1000..1010 {
        let file = folder.write(&format!("s{seed}.c"), &sequential(seed));
        let mut printed = vec![];
        for level in ["-O0", "-O2"] {
            let program = folder.0.join(format!("s{seed}{level}"));
            let target = program.to_str().expect("the path is plain");
            accepts(&["-std=gnu11", "-w", "-fwrapv", level, "-o", target], std::slice::from_ref(&file));
            let output = Command::new(&program).output().expect("the program was just compiled");
            assert!(output.status.success(), "seed {seed}, {level}: {}", output.status);
            printed.push(output.stdout);
        }
        assert!(!printed[0].is_empty());
        assert_eq!(printed[0], printed[1], "seed {seed}");
    }
}

#[test]
fn programs_are_varied() {
    let all = |make: fn(u64) -> String| (0..200).map(make).collect::<Vec<_>>().join("\n");
    let text = all(sequential);
    for word in ["__int128", "_Bool", "switch", "goto", "do {", "case 2 ... 4", " : ", "turned("] {
        assert!(text.contains(word), "no sequential program has `{word}`");
    }
    let text = all(concurrent);
    for word in
        ["pthread_mutex_lock", "trylock", "_weak", "__sync_", "__atomic_", "atomic_begin", "while (__"]
    {
        assert!(text.contains(word), "no concurrent program has `{word}`");
    }
}

/// What the programs for the scheduler do not call, and why; `*` stands for the rest of a name.
const NOT_CALLED: &[(&str, &str)] = &[
    (
        "what the macros of headers become",
        "_pthread_cleanup_push _pthread_cleanup_pop __selvedge_cleanup_push __selvedge_cleanup_pop",
    ),
    ("the programs have their own ones of these names", "_assert"),
    ("more inputs than a search goes through", "gets pipe"),
    (
        "compared with the real ones over random arguments by `library.rs`",
        "__isoc99_sscanf __snprintf_chk __sprintf_chk __vsnprintf_chk __vsprintf_chk asprintf getopt getopt_long realloc \
         reallocarray posix_memalign sigaddset sigdelset sigemptyset sigfillset sigismember snprintf sprintf sscanf \
         strtod strtof vasprintf vsnprintf vsprintf vsscanf",
    ),
    (
        "signals, cancellation and calls by number: `library_*` of `tests/c`",
        "mmap munmap pthread_atfork pthread_cancel pthread_kill pthread_sigmask sigaction signal sigprocmask syscall",
    ),
    ("ends the program with a message: transcripts of the command line", "err errx verr verrx"),
    ("by type", "__VERIFIER_nondet* nondet* __SMACK_nondet*"),
];

/// The functions of the library whose results are right, or come from outside.
fn known_functions() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../front-c/library/functions.txt");
    let table = std::fs::read_to_string(path).expect("the table is there");
    let rows = table.lines().map(|line| line.split(" | ").collect::<Vec<_>>());
    let rows = rows.filter(|row| matches!(row[2], "exact" | "input"));
    rows.flat_map(|row| row[0].split(' ').map(String::from).collect::<Vec<_>>()).collect()
}

#[test]
fn programs_for_the_scheduler_call_every_function_of_the_library() {
    let mut missing: BTreeSet<String> = known_functions().into_iter().collect();
    assert!(missing.len() > 300, "only {} functions", missing.len());
    for (why, names) in NOT_CALLED {
        for name in names.split_whitespace() {
            assert!(missing.remove(name), "`{name}` ({why}) is not in the table");
        }
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for seed in 0..40_000 {
        if missing.is_empty() {
            return;
        }
        for name in testing::c::schedules(seed).body().split(|c| !is_part(c)) {
            missing.remove(name);
        }
    }
    panic!("no program calls {missing:?}");
}
