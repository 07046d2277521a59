//! What must be believed of a proof about C, counted: prints the table of `docs/trust.md`, or writes
//! it there.

use crate::options::each;
use anyhow::{Context, Result};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A part, the files and folders that it is made of, and the tests that stand for it.
struct Part {
    name: &'static str,
    paths: &'static [&'static str],
    tests: &'static [&'static str],
}

/// In the order in which a sceptic reads them.
const PARTS: [Part; 10] = [
    Part {
        name: "preprocessing and annotations",
        paths: &[
            "crates/front-c/src/preprocess.rs",
            "crates/front-c/src/annotations.rs",
            "crates/front-c/headers",
        ],
        tests: &["crates/front-c/tests/files.rs"],
    },
    Part {
        name: "reader",
        paths: &[
            "crates/front-c/src/lex",
            "crates/front-c/src/parse",
            "crates/front-c/src/check",
            "crates/front-c/src/constructs",
            "crates/front-c/src/layout.rs",
            "crates/front-c/src/model.rs",
        ],
        tests: &[
            "crates/front-c/tests/compiler.rs",
            "crates/front-c/tests/known.rs",
            "crates/front-c/tests/refused.rs",
        ],
    },
    Part {
        name: "normaliser",
        paths: &["crates/front-c/src/normalise"],
        tests: &["crates/verify/tests/c_schedules.rs", "crates/testing/tests/c.rs"],
    },
    Part {
        name: "library in C",
        paths: &["crates/front-c/library", "crates/front-c/src/library"],
        tests: &["crates/front-c/tests/library.rs"],
    },
    Part {
        name: "normalised C and its machine",
        paths: &["crates/c/src"],
        tests: &["crates/front-c/tests/compiler.rs", "crates/verify/tests/c_schedules.rs"],
    },
    Part {
        name: "relation",
        paths: &["crates/relation/src"],
        tests: &["crates/front-c/tests/relation_covers.rs"],
    },
    Part {
        name: "validator of passes",
        paths: &["crates/check/src/c/passes"],
        tests: &["crates/passes/tests/c_passes.rs", "crates/passes/tests/c_wrong_passes.rs"],
    },
    Part {
        name: "checker of states of C",
        paths: &["crates/check/src/c/states.rs", "crates/check/src/c/mod.rs"],
        tests: &["crates/check/tests/c_states.rs"],
    },
    Part {
        name: "checker of proofs by predicates",
        paths: &["crates/check-formulas/src/c", "crates/check-formulas/src/proof.rs"],
        tests: &["crates/check-formulas/src/c/tests/random.rs"],
    },
    Part { name: "base", paths: &["crates/base/src"], tests: &[] },
];

const FILE: &str = "docs/trust.md";
const MARKS: [&str; 2] = ["<!-- made by `cargo xtask trusted --write yes` -->", "<!-- end -->"];

/// The command `trusted`.
pub fn run(args: &[String]) -> Result<()> {
    let mut write = false;
    each(args, |name, value| {
        write = name == "--write" && value == "yes";
        Ok(write)
    })?;
    let table = table()?;
    if !write {
        print!("{table}");
        return Ok(());
    }
    let path = root().join(FILE);
    let text = std::fs::read_to_string(&path)?;
    let (before, rest) = text.split_once(MARKS[0]).context("the page has no place for the table")?;
    let (_, after) = rest.split_once(MARKS[1]).context("the table has no end")?;
    std::fs::write(path, format!("{before}{}\n\n{table}\n{}{after}", MARKS[0], MARKS[1]))?;
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn table() -> Result<String> {
    let mut text = "| part | files | lines | tests |\n|---|---|---|---|\n".to_string();
    let mut all = 0;
    for part in &PARTS {
        let lines = part.paths.iter().map(|path| count(&root().join(path))).sum::<Result<usize>>()?;
        all += lines;
        let quoted = |names: &[&str]| names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(" ");
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "| {} | {} | {lines} | {} |", part.name, quoted(part.paths), quoted(part.tests));
    }
    let _ = writeln!(text, "| all | | {all} | |");
    Ok(text)
}

/// The lines of a file or folder, without tests.
fn count(path: &Path) -> Result<usize> {
    let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    if name == "tests" || name == "tests.rs" {
        return Ok(0);
    }
    if !path.is_dir() {
        let text = std::fs::read(path).with_context(|| path.display().to_string())?;
        return Ok(String::from_utf8_lossy(&text).lines().count());
    }
    std::fs::read_dir(path)?.map(|entry| count(&entry?.path())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is promised of the validator: one reads it in an hour.
    #[test]
    fn the_validator_of_passes_stays_short() {
        let lines = count(&root().join("crates/check/src/c/passes")).expect("the folder is there");
        assert!(lines <= 1_500, "the validator of passes has {lines} lines");
    }

    #[test]
    fn the_page_names_every_part_and_its_tests() {
        let page = std::fs::read_to_string(root().join(FILE)).expect("the page is there");
        for part in &PARTS {
            assert!(page.contains(&format!("| {} |", part.name)), "{} is missing", part.name);
            for path in part.paths.iter().chain(part.tests) {
                assert!(root().join(path).exists(), "there is no {path}");
                assert!(page.contains(&format!("`{path}`")), "{path} is missing");
            }
        }
    }
}
