//! The words of a mist `.spec` file.

use base::{FileId, Span};

/// What a word is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WordKind {
    Section,
    Name,
    Number,
    Sign,
    End,
}

/// A word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'t> {
    pub kind: WordKind,
    pub text: &'t str,
    pub span: Span,
    /// Whether it is the first of its line: where reading goes on after an error.
    pub first: bool,
}

const SECTIONS: [&str; 5] = ["vars", "rules", "init", "target", "invariants"];

/// The words of a text, with one of kind `End` after the last.
pub(super) fn words(text: &str, file: FileId) -> Vec<Word<'_>> {
    let mut all: Vec<Word<'_>> = vec![];
    let (mut at, mut first) = (0, true);
    while let Some(head) = text[at..].chars().next() {
        let rest = &text[at..];
        let len = match head {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            _ if head.is_ascii_digit() => run(rest, |c| c.is_ascii_digit()),
            _ if begins_name(head) => {
                run(rest, |c| begins_name(c) || c.is_ascii_digit() || ".@$".contains(c))
            }
            '-' | '>' if rest.starts_with("->") || rest.starts_with(">=") => 2,
            _ => head.len_utf8(),
        };
        let (kind, text) = match head {
            '#' => (None, ""),
            _ if head.is_whitespace() => (None, ""),
            _ if head.is_ascii_digit() => (Some(WordKind::Number), &rest[..len]),
            _ if SECTIONS.contains(&&rest[..len]) => (Some(WordKind::Section), &rest[..len]),
            _ if begins_name(head) => (Some(WordKind::Name), &rest[..len]),
            _ => (Some(WordKind::Sign), &rest[..len]),
        };
        first |= head == '\n';
        if let Some(kind) = kind {
            let span = Span { file, start: at as u32, end: (at + len) as u32 };
            all.push(Word { kind, text, span, first });
            first = false;
        }
        at += len;
    }
    let span = Span { file, start: at as u32, end: at as u32 };
    all.push(Word { kind: WordKind::End, text: "", span, first: true });
    all
}

fn run(text: &str, fits: impl Fn(char) -> bool) -> usize {
    text.find(|c| !fits(c)).unwrap_or(text.len())
}

fn begins_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}
