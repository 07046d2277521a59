//! What the codes of errors and warnings mean: a row for each code that a diagnostic may have, for
//! `selvedge explain`. A test compares the rows with the codes in the sources.

mod c;
mod files;
mod programs;

/// What a code means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeText {
    /// The code, such as `E0201`.
    pub code: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What it means, and what to do about it.
    pub text: &'static str,
}

const fn row(code: &'static str, title: &'static str, text: &'static str) -> CodeText {
    CodeText { code, title, text }
}

/// The rows of all codes, area by area.
pub fn all() -> impl Iterator<Item = &'static CodeText> {
    [programs::CODES, c::CODES, files::CODES].into_iter().flatten()
}

/// The row of a code.
pub fn find(code: &str) -> Option<&'static CodeText> {
    all().find(|it| it.code.eq_ignore_ascii_case(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_one_row_that_says_something() {
        let mut seen = std::collections::HashSet::new();
        for row in all() {
            assert!(seen.insert(row.code), "{} is there twice", row.code);
            assert!(row.code.len() == 5 && row.code.starts_with(['E', 'W']), "{}", row.code);
            assert!(!row.title.is_empty() && row.text.len() > 20 && row.text.ends_with('.'), "{}", row.code);
        }
        assert_eq!(find("e0201").map(|it| it.code), Some("E0201"));
        assert_eq!(find("E9999"), None);
    }
}
