//! Words and marks of a C text, without comments, preprocessor lines, and what is in quotes.

/// A word, a mark, or something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name or a keyword.
    Word,
    /// One letter that is part of no word.
    Mark(u8),
    /// A number, a string or a character.
    Constant,
}

/// A token with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its first byte.
    pub start: u32,
    /// The byte after it.
    pub end: u32,
}

/// The tokens of a text.
pub fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let (mut found, mut at, mut line_begins) = (vec![], 0, true);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let kind = match byte {
            b'\n' => {
                line_begins = true;
                at += 1;
                continue;
            }
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = end_of_line(bytes, at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2);
                continue;
            }
            b'#' if line_begins => {
                at = end_of_line(bytes, at);
                continue;
            }
            b'"' | b'\'' => {
                at = end_of_quote(bytes, at);
                TokenKind::Constant
            }
            _ if byte.is_ascii_digit() => {
                at = end_of_word(bytes, at);
                TokenKind::Constant
            }
            _ if is_word(byte) => {
                at = end_of_word(bytes, at);
                TokenKind::Word
            }
            _ => {
                at += 1;
                TokenKind::Mark(byte)
            }
        };
        line_begins = false;
        found.push(Token { kind, start: start as u32, end: at as u32 });
    }
    found
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn end_of_word(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&it| !is_word(it)).map_or(bytes.len(), |end| at + end)
}

/// The end of a line that may go on behind a backslash.
fn end_of_line(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' => {
                let line_end = if bytes.get(at + 1) == Some(&b'\r') { 3 } else { 2 };
                at += line_end;
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

fn end_of_quote(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            _ if byte == bytes[start] => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_lines_of_the_preprocessor_and_quotes_hide_what_is_in_them() {
        let text = "a /* { */ b // {\n # define c \\\n {\n \"{\\\"\" '{' 0x1f é;";
        let words: Vec<&str> =
            tokens(text).iter().map(|it| &text[it.start as usize..it.end as usize]).collect();
        assert_eq!(words, ["a", "b", "\"{\\\"\"", "'{'", "0x1f", "é", ";"]);
        assert_eq!(tokens("/*").len() + tokens("\"").len() + tokens("//").len(), 1);
    }
}
