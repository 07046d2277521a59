//! The rules of the house that can be read off the sources: who may use whom, and what never appears.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Which crates of the workspace each crate may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("ir", &["base"]),
    ("front", &["base", "ir"]),
    ("solve", &["base"]),
    ("passes", &["base", "ir"]),
    ("engines", &["base", "ir", "solve"]),
    ("check", &["base", "ir"]),
    ("check-formulas", &["base", "ir", "check"]),
    ("verify", &["base", "ir", "front", "solve", "passes", "engines", "check", "check-formulas"]),
    ("cli", &["base", "ir", "verify"]),
];

/// The engines: none may use another.
const ENGINES: &[&str] = &["explicit", "counter", "simulate", "modular", "cover", "rounds"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All Rust sources below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut work = vec![folder.to_path_buf()];
    while let Some(folder) = work.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn all_sources() -> Vec<PathBuf> {
    MAY_USE.iter().flat_map(|(name, _)| sources(&root().join("crates").join(name).join("src"))).collect()
}

/// The part of a source that is not its unit tests.
fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

#[test]
fn crates_use_only_what_the_map_allows() {
    let known: BTreeSet<&str> = MAY_USE.iter().map(|(name, _)| *name).collect();
    for (name, allowed) in MAY_USE {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap_or_default();
        for line in dependencies.lines() {
            let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
            assert!(!known.contains(used) || allowed.contains(&used), "`{name}` must not use `{used}`");
        }
    }
}

#[test]
fn engines_do_not_use_each_other() {
    for engine in ENGINES {
        let module = root().join("crates/engines/src").join(engine);
        for path in
            sources(&module).into_iter().chain([module.with_extension("rs")]).filter(|path| path.exists())
        {
            for other in ENGINES.iter().filter(|other| *other != engine) {
                let text = read(&path);
                assert!(!text.contains(&format!("crate::{other}")), "{} uses `{other}`", path.display());
            }
        }
    }
}

#[test]
fn engines_know_no_clock_and_no_terminal() {
    for path in sources(&root().join("crates/engines/src")) {
        let text = read(&path);
        for word in ["std::time", "std::fs", "println!", "eprintln!", "std::io", "std::thread"] {
            assert!(!without_tests(&text).contains(word), "{} mentions `{word}`", path.display());
        }
    }
}

#[test]
fn nobody_unwraps_or_leaves_work_undone() {
    for path in all_sources() {
        let text = read(&path);
        for word in [".unwrap()", "todo!(", "unimplemented!(", "dbg!(", "#[ignore"] {
            assert!(!without_tests(&text).contains(word), "{} has `{word}`", path.display());
        }
    }
}

#[test]
fn only_main_exits() {
    for path in all_sources().into_iter().filter(|path| !path.ends_with("cli/src/main.rs")) {
        assert!(!read(&path).contains("process::exit"), "{} exits the process", path.display());
    }
}

#[test]
fn every_file_says_what_it_does() {
    for path in all_sources() {
        assert!(read(&path).starts_with("//!"), "{} does not say what it does", path.display());
    }
}

/// The lines of the kernel that everything is believed by, without its unit tests.
const KERNEL_LINES: usize = 2900;

#[test]
fn the_kernel_stays_small_and_knows_no_solver() {
    let kernel = root().join("crates/check");
    let lines: usize =
        sources(&kernel.join("src")).iter().map(|it| without_tests(&read(it)).lines().count()).sum();
    assert!(lines <= KERNEL_LINES, "the kernel has {lines} lines");
    let manifest = read(&kernel.join("Cargo.toml"));
    let dependencies: Vec<&str> =
        manifest.split("[dependencies]").nth(1).unwrap_or_default().lines().collect();
    let allowed = ["", "base.workspace = true", "ir.workspace = true"];
    assert!(dependencies.iter().all(|it| allowed.contains(it)), "the kernel uses {dependencies:?}");
    for path in sources(&kernel.join("src")) {
        for word in ["sat::", "Solver", "solve("] {
            assert!(!read(&path).contains(word), "{} mentions `{word}`", path.display());
        }
    }
}

#[test]
fn checkers_of_formulas_use_no_solver_but_their_own() {
    let manifest = read(&root().join("crates/check-formulas/Cargo.toml"));
    let dependencies: Vec<&str> =
        manifest.split("[dependencies]").nth(1).unwrap_or_default().lines().collect();
    let allowed = ["", "base.workspace = true", "check.workspace = true", "ir.workspace = true"];
    assert!(dependencies.iter().all(|it| allowed.contains(it)), "it uses {dependencies:?}");
}

#[test]
fn files_stay_readable() {
    for path in all_sources() {
        let lines = without_tests(&read(&path)).lines().count();
        assert!(lines <= 500, "{} has {lines} lines: split it", path.display());
    }
}
