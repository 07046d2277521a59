//! The pragmas that gcc documents, by their first words.

use super::Treatment::{self, Harmless, Honoured, Refused};

/// A pragma.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pragma {
    /// The words that it begins with.
    pub name: &'static str,
    /// What becomes of it.
    pub treatment: Treatment,
    /// What it means, for the page.
    pub note: &'static str,
}

const fn row(name: &'static str, treatment: Treatment, note: &'static str) -> Pragma {
    Pragma { name, treatment, note }
}

/// The pragmas; longer names before the shorter ones that they begin with.
pub const PRAGMAS: &[Pragma] = &[
    row("GCC dependency", Harmless, "a warning of the preprocessor"),
    row("GCC diagnostic", Harmless, "warnings of the compiler"),
    row("GCC error", Harmless, "a message of the preprocessor, which ends there"),
    row("GCC ivdep", Harmless, "an optimisation"),
    row("GCC novector", Harmless, "an optimisation"),
    row("GCC optimize", Honoured, "levels of optimisation; functions under other options are refused"),
    row("GCC pch_preprocess", Harmless, "for the compiler itself"),
    row("GCC poison", Harmless, "names that the preprocessor refuses"),
    row("GCC pop_options", Honoured, "ends what `GCC optimize` says"),
    row("GCC push_options", Honoured, "keeps what `GCC optimize` says"),
    row("GCC reset_options", Honoured, "ends what `GCC optimize` says"),
    row("GCC system_header", Harmless, "warnings of the compiler"),
    row("GCC target", Harmless, "instructions that the compiler may use"),
    row("GCC unroll", Harmless, "an optimisation"),
    row("GCC visibility", Harmless, "what other files see"),
    row("GCC warning", Harmless, "a message of the preprocessor"),
    row("STDC CX_LIMITED_RANGE", Harmless, "complex numbers are refused anyway"),
    row("STDC FENV_ACCESS", Harmless, "the rounding mode is the one at the start"),
    row("STDC FENV_ROUND", Refused, "another rounding mode"),
    row("STDC FLOAT_CONST_DECIMAL64", Refused, "decimal floating constants"),
    row("STDC FP_CONTRACT", Harmless, "the machine has no fused operations"),
    row("acc", Refused, "OpenACC: parallel loops"),
    row("message", Harmless, "a message of the compiler"),
    row("ms_struct", Refused, "another layout"),
    row("omp", Refused, "OpenMP: threads that the text does not create"),
    row("once", Harmless, "for the preprocessor"),
    row("pack", Honoured, "alignments of members, with `push`, `pop` and names"),
    row("pop_macro", Harmless, "for the preprocessor"),
    row("push_macro", Harmless, "for the preprocessor"),
    row("redefine_extname", Honoured, "as an asm label"),
    row("scalar_storage_order", Honoured, "the machine's own order; types in the other one are refused"),
    row("weak", Honoured, "as the attributes `weak` and `alias`"),
];

/// The row of a pragma.
pub fn find(text: &str) -> Option<&'static Pragma> {
    let words: Vec<&str> = words(text);
    PRAGMAS.iter().find(|row| {
        let mut wanted = row.name.split(' ');
        words.iter().take(2).zip(&mut wanted).all(|(word, wanted)| *word == wanted) && wanted.next().is_none()
    })
}

/// The words, numbers and signs of a pragma.
pub fn words(text: &str) -> Vec<&str> {
    let mut found = vec![];
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

/// Whether options of optimisation leave the meaning of a program alone: a level, but not one that computes
/// floats in another way.
pub fn only_levels(options: &[&str]) -> bool {
    let plain = |option: &str| {
        let option = option.trim_matches('"').trim().trim_start_matches('-');
        let level = option.strip_prefix('O').unwrap_or(option);
        level.parse::<u32>().is_ok() || ["", "s", "g", "z"].contains(&level)
    };
    options.iter().flat_map(|option| option.split(',')).all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pragmas_are_found_by_their_words() {
        let name = |text| find(text).map(|row| row.name);
        assert_eq!(name(" pack(1)"), Some("pack"));
        assert_eq!(name("GCC   diagnostic push"), Some("GCC diagnostic"));
        assert_eq!(name("omp parallel"), Some("omp"));
        assert_eq!(name("GCC"), None);
        assert_eq!(name("packed"), None);
    }

    #[test]
    fn levels_of_optimisation_change_nothing() {
        assert!(only_levels(&["\"O3\"", "2", "\"-Os\""]));
        assert!(!only_levels(&["\"O2,fast-math\""]));
        assert!(!only_levels(&["\"Ofast\""]));
        assert!(!only_levels(&["\"trapv\""]));
    }
}
