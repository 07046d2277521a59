//! Cuts the text into tokens, on demand: a large file never has all its tokens in memory.

use super::report::Report;
use super::token::{Kind, Token, Word};
use std::ops::Range;

/// Reads tokens one after the other.
pub struct Lexer<'s> {
    text: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    /// Starts at the beginning, after a byte order mark if there is one.
    pub fn new(text: &'s str) -> Self {
        Self { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } }
    }

    /// The next token; findings go to `report` if there is one.
    pub fn next(&mut self, mut report: Option<&mut Report>) -> Token {
        loop {
            self.skip_blanks(report.as_deref_mut());
            let start = self.at;
            if start >= self.text.len() {
                return self.token(Kind::End, start);
            }
            match self.kind(start, report.as_deref_mut()) {
                Some(kind) => return self.token(kind, start),
                None => self.strange(start, report.as_deref_mut()),
            }
        }
    }

    fn token(&self, kind: Kind, start: usize) -> Token {
        Token { kind, start: start as u32, end: self.at as u32 }
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn skip_blanks(&mut self, mut report: Option<&mut Report>) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match (byte, self.byte(self.at + 1)) {
                (b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'/') => {
                    let line = bytes[self.at..].iter().position(|&byte| byte == b'\n');
                    self.at = line.map_or(bytes.len(), |length| self.at + length);
                }
                (b'/', b'*') => self.skip_comment(report.as_deref_mut()),
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self, report: Option<&mut Report>) {
        let start = self.at;
        match self.text[start + 2..].find("*/") {
            Some(length) => self.at = start + 2 + length + 2,
            None => {
                self.at = self.text.len();
                error(report, "E0102", start..start + 2, "this comment has no end", "close it with `*/`");
            }
        }
    }

    /// The kind of the token that starts here, and moves behind it; `None` if no token starts here.
    fn kind(&mut self, start: usize, report: Option<&mut Report>) -> Option<Kind> {
        let kind = match self.byte(start) {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => return Some(self.name(start)),
            b'0'..=b'9' => {
                self.at = self.end_of(start, |byte| byte.is_ascii_digit());
                return Some(Kind::Number);
            }
            b'{' => return Some(self.enclosed(b'}', Kind::Name, report)),
            b'"' => return Some(self.enclosed(b'"', Kind::Text, report)),
            byte => punctuation(byte, self.byte(start + 1))?,
        };
        self.at += kind.1;
        Some(kind.0)
    }

    fn end_of(&self, start: usize, inside: impl Fn(u8) -> bool) -> usize {
        let rest = &self.text.as_bytes()[start..];
        rest.iter().position(|&byte| !inside(byte)).map_or(self.text.len(), |length| start + length)
    }

    /// A name or a word. A `-` belongs to a name, as in SatAbs, unless it begins an arrow.
    fn name(&mut self, start: usize) -> Kind {
        let inside = |byte: u8| byte.is_ascii_alphanumeric() || b"_$#-".contains(&byte);
        self.at = self.end_of(start, inside);
        if self.byte(self.at - 1) == b'-' && self.byte(self.at) == b'>' {
            self.at -= 1;
        }
        Word::of(&self.text[start..self.at]).map_or(Kind::Name, Kind::Word)
    }

    /// `{any name}` or `"a text"`, on one line.
    fn enclosed(&mut self, close: u8, kind: Kind, report: Option<&mut Report>) -> Kind {
        let start = self.at;
        let end = self.end_of(start + 1, |byte| byte != close && byte != b'\n');
        let closed = self.byte(end) == close;
        self.at = if closed { end + 1 } else { end };
        if !closed {
            let help = if close == b'}' { "close the name with `}`" } else { "close the text with `\"`" };
            error(report, "E0103", start..start + 1, "this is not closed on its line", help);
        } else if kind == Kind::Name && end == start + 1 {
            error(report, "E0103", start..end + 1, "this name is empty", "write a name between the braces");
        }
        kind
    }

    /// Skips a run of characters that no token starts with.
    fn strange(&mut self, start: usize, report: Option<&mut Report>) {
        let rest = self.text[start..].char_indices();
        let mut run = rest.skip_while(|&(_, c)| !(c.is_ascii_graphic() || c.is_ascii_whitespace()));
        let first = self.text[start..].chars().next().expect("the text does not end here");
        let length = match run.next() {
            Some((0, c)) => c.len_utf8(),
            Some((length, _)) => length,
            None => self.text.len() - start,
        };
        self.at = start + length;
        let message = format!("the character `{}` is not expected here", first.escape_debug());
        error(
            report,
            "E0101",
            start..self.at,
            &message,
            "remove it; names are made of letters, digits, `_` and `$`",
        );
    }
}

fn error(report: Option<&mut Report>, code: &'static str, bytes: Range<usize>, what: &str, help: &str) {
    if let Some(report) = report {
        report.error(code, (bytes.start as u32, bytes.end as u32), || {
            (what.to_string(), Some(help.to_string()))
        });
    }
}

/// The token that starts with these two bytes, and its length.
fn punctuation(first: u8, second: u8) -> Option<(Kind, usize)> {
    Some(match (first, second) {
        (b':', b'=') => (Kind::Assign, 2),
        (b'!', b'=') => (Kind::Unequal, 2),
        (b'=', b'>') | (b'-', b'>') => (Kind::Implies, 2),
        (b'&', b'&') => (Kind::And, 2),
        (b'|', b'|') => (Kind::Or, 2),
        (b'(', _) => (Kind::Open, 1),
        (b')', _) => (Kind::Close, 1),
        (b'[', _) => (Kind::OpenBracket, 1),
        (b']', _) => (Kind::CloseBracket, 1),
        (b'<', _) => (Kind::Less, 1),
        (b'>', _) => (Kind::Greater, 1),
        (b',', _) => (Kind::Comma, 1),
        (b';', _) => (Kind::Semicolon, 1),
        (b':', _) => (Kind::Colon, 1),
        (b'=', _) => (Kind::Equal, 1),
        (b'!' | b'~', _) => (Kind::Not, 1),
        (b'&', _) => (Kind::And, 1),
        (b'|', _) => (Kind::Or, 1),
        (b'^', _) => (Kind::Xor, 1),
        (b'\'', _) => (Kind::Tick, 1),
        (b'*', _) => (Kind::Star, 1),
        (b'?', _) => (Kind::Question, 1),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::SourceMap;

    fn check(text: &str, expected: &str) {
        let mut map = SourceMap::new();
        let file = map.add("t.bp", text);
        let mut report = Report::new(file);
        let mut lexer = Lexer::new(text);
        let mut found = vec![];
        loop {
            let token = lexer.next(Some(&mut report));
            if token.kind == Kind::End {
                break;
            }
            found.push(&text[token.start as usize..token.end as usize]);
        }
        let errors = report.finish().map_or_else(|errors| errors.len(), |_| 0);
        assert_eq!(format!("{} /{errors}", found.join(" ")), expected, "{text:?}");
    }

    #[test]
    fn tokens() {
        check("decl a,b$;// rest\nx:=!y", "decl a , b$ ; x := ! y /0");
        check("a-b a->b a--->b c$$main {an id}:", "a-b a -> b a-- -> b c$$main {an id} : /0");
        check("a=>b != 'c /* x */ && ||^~", "a => b != ' c && || ^ ~ /0");
        check("0 001 \"no code\" ?*", "0 001 \"no code\" ? * /0");
        check("\u{feff}x", "x /0");
    }

    #[test]
    fn strange_input() {
        check("a \0\u{e9}\u{e8} b", "a b /1");
        check("a @ b @", "a b /2");
        check("x /* y", "x /1");
        check("{a\nb", "{a b /1");
        check("{}", "{} /1");
        check("-", " /1");
    }
}
