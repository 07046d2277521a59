//! Labels that mark errors, in every language: those that look like one though nobody has named them, and
//! those that are named though no statement has them.

use base::spelling::similar;
use base::{Diagnostic, Span};

/// Whether a label looks like one of an error.
pub fn looks_like_error(label: &str) -> bool {
    let lower = label.to_ascii_lowercase();
    lower.contains("error") || ["err", "fail", "failure", "bad"].contains(&lower.as_str())
}

/// The finding about a label that looks like one of an error and that nobody has named.
pub fn unnamed(label: &str, span: impl Into<Option<Span>>) -> Diagnostic {
    let message = format!("the label `{label}` is not an error label: reaching it is no error");
    let help = format!("if it is meant as one, give `--error-label {label}`");
    Diagnostic::warning("W0802", span, message).help(help)
}

/// The finding about an error label that no statement has: most likely it is misspelt. `labels` are those
/// that there are.
pub fn missing<'n>(label: &str, labels: impl Iterator<Item = &'n str>) -> Diagnostic {
    let found = Diagnostic::error("E0206", None, format!("no statement has the error label `{label}`"));
    match similar(label, labels) {
        Some(hint) => found.help(hint),
        None => found,
    }
}
