//! The words of a condition.

use super::{NO_FLOATS, SHOWN, shown};
use std::fmt;

/// A word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// A name, perhaps with a function in front.
    Name(String),
    /// A number.
    Number {
        /// Its value.
        value: u128,
        /// Whether a suffix says that it is unsigned.
        unsigned: bool,
        /// Whether a suffix says that it is long.
        long: bool,
    },
    /// An operator or a parenthesis.
    Mark(&'static str),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Name(name) => f.write_str(&shown(name)),
            Token::Number { value, .. } => value.fmt(f),
            Token::Mark(mark) => f.write_str(mark),
        }
    }
}

/// The longest first.
const MARKS: [&str; 25] = [
    "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!",
    "~", "(", ")", ",", "?", ":",
];

/// The words, or what is not one.
pub fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut rest = text.trim_start();
    let mut found = vec![];
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() {
            let length = rest.find(|it: char| !it.is_ascii_alphanumeric()).unwrap_or(rest.len());
            if rest[length..].starts_with('.') {
                return Err(format!("`{}.`: {NO_FLOATS}", shown(&rest[..length])));
            }
            found.push(number(&rest[..length])?);
            length
        } else if is_name(first) && (first != ':' || rest.starts_with("::")) {
            let length = rest.find(|it: char| !is_name(it) && !it.is_ascii_digit()).unwrap_or(rest.len());
            found.push(Token::Name(rest[..length].into()));
            length
        } else {
            let mark = MARKS.iter().find(|mark| rest.starts_with(**mark));
            let mark = mark.ok_or_else(|| format!("`{first}` is no part of a condition"))?;
            found.push(Token::Mark(mark));
            mark.len()
        };
        rest = rest[length..].trim_start();
    }
    if found.is_empty() {
        return Err("there is no condition".into());
    }
    Ok(found)
}

/// Names of ghosts and of cells have marks of their own.
fn is_name(it: char) -> bool {
    it.is_alphabetic() || matches!(it, '_' | '$' | ':' | '@' | '.' | '[' | ']' | '#')
}

fn number(word: &str) -> Result<Token, String> {
    let lower = word.to_ascii_lowercase();
    let hexadecimal = lower.strip_prefix("0x");
    let digits = hexadecimal.unwrap_or(&lower).trim_end_matches(['u', 'l']);
    let suffix = &lower[lower.len() - (hexadecimal.unwrap_or(&lower).len() - digits.len())..];
    let radix = match hexadecimal {
        Some(_) => 16,
        None if digits.len() > 1 && digits.starts_with('0') => 8,
        None => 10,
    };
    let value = u128::from_str_radix(digits, radix).map_err(|_| no_number(word))?;
    if value > u128::from(u64::MAX) {
        return Err(format!("`{}` has more than 64 bits", shown(word)));
    }
    Ok(Token::Number { value, unsigned: suffix.contains('u'), long: suffix.contains('l') })
}

fn no_number(word: &str) -> String {
    let is_long = word.len() > SHOWN && word.bytes().all(|it| it.is_ascii_digit());
    format!("`{}` {}", shown(word), if is_long { "has more than 64 bits" } else { "is no number" })
}
