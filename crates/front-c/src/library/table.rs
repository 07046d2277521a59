//! The functions that the library knows, what each means, and how well: the rows of `functions.txt`. What is
//! not there and has no body is external. `docs/c.md` shows the same rows, and a test compares the two.

/// The rows: names with spaces between them (`*` at the end stands for any rest), what they mean, how well.
const ROWS: &str = include_str!("../../library/functions.txt");

/// Whether the library knows a function.
pub(crate) fn is_known(name: &str) -> bool {
    let fits = |known: &str| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == known,
    };
    ROWS.lines().filter_map(|row| row.split(" | ").next()).any(|names| names.split(' ').any(fits))
}

/// Whether this is what the table says a function means.
pub(super) fn says(name: &str, meaning: &str) -> bool {
    ROWS.lines().any(|row| {
        let mut columns = row.split(" | ");
        let names = columns.next().unwrap_or_default();
        columns.next() == Some(meaning) && names.split(' ').any(|it| it == name)
    })
}

/// Whether the library knows a function and only approximates what it gives.
pub(super) fn is_approximated(name: &str) -> bool {
    let rows = ROWS.lines().filter(|row| row.ends_with("| approximation"));
    rows.filter_map(|row| row.split(" | ").next()).any(|names| names.split(' ').any(|it| it == name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ROWS, is_known};

    /// The table as the documentation shows it.
    fn shown() -> String {
        let row = |row: &str| {
            let (names, rest) = row.split_once(" | ").expect("a row has three columns");
            let names: Vec<_> = names.split(' ').map(|name| format!("`{name}`")).collect();
            format!("| {} | {rest} |\n", names.join(" "))
        };
        ROWS.lines().map(row).collect()
    }

    #[test]
    fn the_documentation_shows_this_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/c.md");
        let text = std::fs::read_to_string(path).expect("docs/c.md is there");
        let (start, end) = ("| calls | meaning | how well |\n|---|---|---|\n", "\nEvery other function");
        let found = text.split(start).nth(1).and_then(|rest| rest.split(end).next()).unwrap_or_default();
        assert_eq!(found, shown(), "docs/c.md must show the rows of functions.txt");
    }

    #[test]
    fn rows_are_well_formed() {
        let mut seen = BTreeSet::new();
        for row in ROWS.lines() {
            let columns: Vec<_> = row.split(" | ").collect();
            let [names, _, how] = columns[..] else { panic!("{row}") };
            assert!(["exact", "input", "approximation", "refused"].contains(&how), "{row}");
            for name in names.split(' ') {
                assert!(seen.insert(name), "{name} is there twice");
            }
        }
        assert!(is_known("sqrt") && is_known("__VERIFIER_nondet_int") && !is_known("strlenx"));
    }

    #[test]
    fn every_model_is_in_the_table() {
        for name in super::super::models::names() {
            assert!(is_known(name), "{name}");
        }
    }
}
