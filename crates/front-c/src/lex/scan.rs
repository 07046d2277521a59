//! Cuts C into tokens before preprocessing, as far as their places are asked for: comments and directives are
//! skipped.

use super::token;

/// What kind of token it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    /// A name.
    Name,
    /// A number, a character or a string.
    Literal,
    /// An annotation `//@ assert`, up to that word.
    Annotation,
    /// Anything else.
    Sign,
}

/// Where a token stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Its first byte.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
    /// What it is.
    pub kind: PieceKind,
    /// Whether it is part of an annotation.
    pub noted: bool,
}

/// All tokens of a part of a text that begins a line.
pub fn scan(text: &str, from: usize, to: usize) -> Vec<Piece> {
    let mut scanner = Scanner {
        bytes: &text.as_bytes()[..to],
        at: from,
        noted_until: from,
        line_start: true,
        found: vec![],
    };
    while scanner.at < to {
        scanner.step();
    }
    scanner.found
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the annotation ends that is being read.
    noted_until: usize,
    /// Whether nothing but spaces came before in this line.
    line_start: bool,
    found: Vec<Piece>,
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

impl Scanner<'_> {
    fn step(&mut self) {
        let rest = &self.bytes[self.at..];
        match rest {
            [b'\n', ..] => {
                self.line_start = true;
                self.at += 1;
            }
            [b' ' | b'\t' | b'\r' | 0x0b | 0x0c, ..] => self.at += 1,
            [b'\\', b'\n', ..] => self.at += 2,
            [b'/', b'/', ..] => self.comment(line_end(rest)),
            [b'/', b'*', ..] => {
                let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
                self.comment(end.map_or(rest.len(), |end| end + 4));
            }
            [b'#', ..] if self.line_start => self.at += line_end(rest),
            _ => self.token(),
        }
    }

    /// Skips a comment, but for what it asserts.
    fn comment(&mut self, length: usize) {
        let text = &self.bytes[self.at..self.at + length];
        let words = text.get(2..).unwrap_or_default();
        let asserted = words.strip_prefix(b"@").map(<[u8]>::trim_ascii_start);
        match asserted.and_then(|it| it.strip_prefix(b"assert")) {
            Some(condition) if self.at >= self.noted_until => {
                let end = self.at + length;
                let start = self.at;
                self.noted_until = end;
                self.push(start, end - condition.len(), PieceKind::Annotation);
            }
            _ => self.at += length,
        }
    }

    fn token(&mut self) {
        self.line_start = false;
        let start = self.at;
        let rest = &self.bytes[start..];
        let (length, kind) = match rest[0] {
            quote @ (b'"' | b'\'') => (quoted(rest, quote), PieceKind::Literal),
            byte if byte.is_ascii_digit() => (number(rest), PieceKind::Literal),
            b'.' if rest.get(1).is_some_and(u8::is_ascii_digit) => (number(rest), PieceKind::Literal),
            byte if is_name(byte) => {
                (rest.iter().take_while(|byte| is_name(**byte)).count(), PieceKind::Name)
            }
            _ => (token::punctuation(rest).map_or(1, |(_, length)| length), PieceKind::Sign),
        };
        self.push(start, start + length, kind);
    }

    fn push(&mut self, start: usize, end: usize, kind: PieceKind) {
        let noted = start < self.noted_until;
        self.found.push(Piece { start: start as u32, end: end as u32, kind, noted });
        self.at = end;
    }
}

/// The length of a line, with those that a backslash joins to it.
fn line_end(rest: &[u8]) -> usize {
    let is_end = |at: &usize| rest[*at] == b'\n' && !rest[..*at].ends_with(b"\\");
    (0..rest.len()).find(is_end).unwrap_or(rest.len())
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut length = 1;
    while length < rest.len() && rest[length] != b'\n' {
        match rest[length] {
            b'\\' => length += 2,
            byte if byte == quote => return length + 1,
            _ => length += 1,
        }
    }
    length.min(rest.len())
}

fn number(rest: &[u8]) -> usize {
    let mut length = 1;
    while let Some(&byte) = rest.get(length) {
        let signed = matches!(rest[length - 1], b'e' | b'E' | b'p' | b'P') && matches!(byte, b'+' | b'-');
        if !signed && !is_name(byte) && byte != b'.' {
            break;
        }
        length += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_directives_are_skipped() {
        let text = "#define A \\\n b\nx /* y */ += \"//\\\"\"; // z\n#\n'\\'' 1e+5 <<=é";
        let pieces = scan(text, 0, text.len());
        let found: Vec<&str> =
            pieces.iter().map(|piece| &text[piece.start as usize..piece.end as usize]).collect();
        assert_eq!(found, ["x", "+=", "\"//\\\"\"", ";", "'\\''", "1e+5", "<<=", "é"]);
    }

    #[test]
    fn annotations_are_read() {
        let text = "//@ assert x;\n/*@ invariant y; */ /*@assert z */";
        let pieces = scan(text, 0, text.len());
        let found: Vec<&str> =
            pieces.iter().map(|piece| &text[piece.start as usize..piece.end as usize]).collect();
        assert_eq!(found, ["//@ assert", "x", ";", "/*@assert", "z", "*", "/"]);
        assert!(pieces.iter().all(|piece| piece.noted));
    }
}
