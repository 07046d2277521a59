//! Tokens of the text form.

/// A token and the byte where it starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it begins.
    pub start: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
/// The kinds of tokens.
pub enum Kind {
    /// A word or a bare name.
    Word(String),
    /// A quoted name or text.
    Quoted(String),
    /// A number, perhaps negative: its sign and its size.
    Number(bool, u128),
    /// One of `( ) [ ] { } , & @ * ::` `:` `:=` `=>` `..` `=`
    Mark(&'static str),
    /// The end of the text.
    End,
}

const MARKS: [&str; 16] =
    [":=", "::", "=>", "..", "(", ")", "[", "]", "{", "}", ",", "&", "@", "*", ":", "="];

/// Words that say what is assigned: a register of that name is quoted.
const RESERVED: [&str; 6] = ["any", "load", "me", "alloc", "rmw", "sizeof"];

/// Whether a name can stand without quotes.
pub fn is_bare(name: &str) -> bool {
    !RESERVED.contains(&name)
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A name or text in quotes.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The tokens of a text; `;` starts a comment that ends with the line. The error is where and why.
pub fn tokens(text: &str) -> Result<Vec<Token>, (u32, String)> {
    let mut found = vec![];
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at as u32;
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first == ';' {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            found.push(Token { kind: Kind::Word(rest[..end].into()), start });
            at += end;
        } else if first == '"' {
            let (content, length) = quoted(rest).ok_or((start, "a quote is not closed".to_string()))?;
            found.push(Token { kind: Kind::Quoted(content), start });
            at += length;
        } else if first.is_ascii_digit() || first == '-' {
            let digits = &rest[usize::from(first == '-')..];
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            let number = digits[..end].parse().map_err(|_| (start, "a number is too large".to_string()))?;
            found.push(Token { kind: Kind::Number(first == '-', number), start });
            at += end + usize::from(first == '-');
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            found.push(Token { kind: Kind::Mark(mark), start });
            at += mark.len();
        } else {
            return Err((start, format!("`{first}` means nothing here")));
        }
    }
    found.push(Token { kind: Kind::End, start: at as u32 });
    Ok(found)
}

/// The content of a quoted text at the start of `rest`, and its length with the quotes.
fn quoted(rest: &str) -> Option<(String, usize)> {
    let mut content = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((content, at + 1)),
            '\\' => match chars.next()?.1 {
                'n' => content.push('\n'),
                escaped => content.push(escaped),
            },
            _ => content.push(c),
        }
    }
    None
}
