//! The rules about prose that can be counted: phrases that readers stumble over, and the width of comments.

use std::path::{Path, PathBuf};

/// Phrases that were too many once, each with the most files' lines that may still have it. The numbers only
/// fall.
const PHRASES: &[(&str, usize)] = &[
    (" is none", 0),
    ("whoever", 0),
    ("so many", 9),
    ("no meaning", 0),
    ("meaningless", 0),
    ("so-manieth", 0),
];

/// A harmless neighbour that a phrase is part of.
const PLAIN: &[&str] = &["there is none"];

/// The most columns of a comment, as of code.
const COLUMNS: usize = 110;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder with one of these extensions.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut work = vec![folder.to_path_buf()];
    while let Some(folder) = work.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("target") {
                work.push(path);
            } else if path.extension().is_some_and(|it| extensions.iter().any(|name| it == *name)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The lines of the sources and pages, with their places; this file names the phrases and does not count.
fn lines(extensions: &[&str]) -> Vec<(String, String)> {
    let root = root();
    let folders = ["crates", "docs", "xtask", "fuzz"].map(|name| root.join(name));
    let all = folders.iter().flat_map(|folder| files(folder, extensions));
    let mut found = vec![];
    for path in all.filter(|path| !path.ends_with("verify/tests/prose.rs")) {
        let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
        let place = |number: usize| format!("{}:{}", path.display(), number + 1);
        found.extend(text.lines().enumerate().map(|(number, line)| (place(number), line.to_string())));
    }
    assert!(found.len() > 1_000, "the sources are there");
    found
}

#[test]
fn phrases_become_fewer() {
    let lines = lines(&["rs", "md"]);
    for (phrase, most) in PHRASES {
        let has = |line: &str| {
            let line = PLAIN.iter().fold(line.to_lowercase(), |line, plain| line.replace(plain, ""));
            line.contains(phrase)
        };
        let found: Vec<&str> = lines.iter().filter(|(_, line)| has(line)).map(|it| it.0.as_str()).collect();
        assert!(found.len() <= *most, "`{phrase}` is in {} lines: {}", found.len(), found.join(", "));
        assert!(found.len() == *most, "`{phrase}` is in {} lines only: lower its cap", found.len());
    }
}

#[test]
fn comments_fit_the_page() {
    // A table and a line of code in a comment cannot be broken.
    let whole = |text: &str| text.starts_with('|') || text.starts_with("// expect:") || text.contains("goto");
    for (place, line) in lines(&["rs"]) {
        let Some(text) = line.trim_start().strip_prefix("//") else { continue };
        let text = text.trim_start_matches(['/', '!']).trim_start();
        let columns = line.chars().count();
        assert!(columns <= COLUMNS || whole(text), "{place}: a comment of {columns} columns");
    }
}
