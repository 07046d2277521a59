//! The lexer of preprocessed C: comments, line markers, names with `$` and beyond ASCII, digraphs.

mod align;
mod directives;
pub mod lines;
mod scan;
pub mod token;
pub mod universal;

use std::collections::HashMap;

use base::{Budget, Diagnostic, Span, Stop};

use lines::Lines;
use token::{Kind, Token};

/// The most bytes of preprocessed text that are read.
pub const LONGEST_TEXT: usize = 200 << 20;

/// All tokens of a text, closed by an end token, and what is wrong with it.
pub struct Lexed {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The pragmas between them, in order.
    pub pragmas: Vec<Pragma>,
    /// What is wrong.
    pub errors: Vec<Diagnostic>,
}

/// A pragma. It stands between tokens, so that it may come anywhere.
#[derive(Clone, Debug)]
pub struct Pragma {
    /// The index of the token after it.
    pub before: usize,
    /// What comes after `#pragma`.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// Cuts a preprocessed text into tokens.
pub fn lex(text: &str, lines: &mut Lines<'_>, budget: &Budget) -> Result<Lexed, Stop> {
    let mut lexer = Lexer {
        text: text.as_bytes(),
        at: 0,
        lines,
        keywords: token::keywords(),
        tokens: vec![],
        pragmas: vec![],
        errors: vec![],
    };
    lexer.run(text, budget)?;
    let mut lexed = Lexed { tokens: lexer.tokens, pragmas: lexer.pragmas, errors: lexer.errors };
    directives::take_operators(&mut lexed, text);
    Ok(lexed)
}

struct Lexer<'a, 'b> {
    text: &'a [u8],
    at: usize,
    lines: &'a mut Lines<'b>,
    keywords: HashMap<&'static str, u8>,
    tokens: Vec<Token>,
    pragmas: Vec<Pragma>,
    errors: Vec<Diagnostic>,
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn continues_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit()
}

impl Lexer<'_, '_> {
    fn run(&mut self, text: &str, budget: &Budget) -> Result<(), Stop> {
        let mut at_line_start = true;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    at_line_start = true;
                    budget.spend(1)?;
                    continue;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if matches!(self.peek(1), b'\n' | b'\r') => self.at += 2,
                b'/' if self.peek(1) == b'/' => self.skip_line(),
                b'/' if self.peek(1) == b'*' => self.skip_comment(),
                b'#' if at_line_start => self.directive(text),
                b'%' if at_line_start && self.peek(1) == b':' => self.directive(text),
                _ => {
                    at_line_start = false;
                    self.token(text);
                    if self.tokens.len().is_multiple_of(1024) {
                        budget.spend(1024)?;
                    }
                }
            }
        }
        let span = self.lines.span(text.len(), text.len());
        let end = text.len() as u32;
        self.tokens.push(Token { kind: Kind::End, start: end, end, span });
        Ok(())
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_line(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            if byte == b'\n' {
                return;
            }
            // A backslash at the end joins the next line.
            self.at += if byte == b'\\' && self.peek(1) == b'\n' { 2 } else { 1 };
        }
    }

    fn skip_comment(&mut self) {
        let start = self.at;
        match self.text[start + 2..].windows(2).position(|pair| pair == b"*/") {
            Some(length) => self.at = start + 2 + length + 2,
            None => {
                self.at = self.text.len();
                let span = self.lines.span(start, start + 2);
                self.error("E1002", span, "this comment does not end", "close it with `*/`");
            }
        }
    }

    fn token(&mut self, text: &str) {
        let start = self.at;
        let kind = match self.text[start] {
            b'"' => self.quoted(0),
            b'\'' => self.quoted(0),
            b'L' | b'u' | b'U' if self.prefix_length() > 0 => self.quoted(self.prefix_length()),
            byte if byte.is_ascii_digit() || byte == b'.' && self.peek(1).is_ascii_digit() => self.number(),
            byte if starts_name(byte) || byte == b'\\' && matches!(self.peek(1), b'u' | b'U') => {
                self.name(text)
            }
            _ => match token::punctuation(&self.text[start..]) {
                Some((index, length)) => {
                    self.at += length;
                    Some(Kind::Fixed(index))
                }
                None => self.stray(),
            },
        };
        let span = self.lines.span(start, self.at);
        if let Some(kind) = kind {
            self.tokens.push(Token { kind, start: start as u32, end: self.at as u32, span });
        }
    }

    /// The length of `L`, `u`, `U`, `u8` before a quote, or 0.
    fn prefix_length(&self) -> usize {
        let quote = |byte| matches!(byte, b'"' | b'\'');
        if quote(self.peek(1)) {
            1
        } else if self.text[self.at] == b'u' && self.peek(1) == b'8' && quote(self.peek(2)) {
            2
        } else {
            0
        }
    }

    fn quoted(&mut self, prefix: usize) -> Option<Kind> {
        let start = self.at;
        let quote = self.peek(prefix);
        self.at += prefix + 1;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\\' => self.at = (self.at + 2).min(self.text.len()),
                b'\n' => break,
                _ if byte == quote => {
                    self.at += 1;
                    return Some(if quote == b'"' { Kind::String } else { Kind::Character });
                }
                _ => self.at += 1,
            }
        }
        let span = self.lines.span(start, start + prefix + 1);
        let what = if quote == b'"' { "string literal" } else { "character constant" };
        let help = format!("close it with `{}` on the same line", quote as char);
        self.error("E1003", span, &format!("this {what} does not end"), &help);
        Some(if quote == b'"' { Kind::String } else { Kind::Character })
    }

    fn number(&mut self) -> Option<Kind> {
        while let Some(&byte) = self.text.get(self.at) {
            let exponent = matches!(byte, b'e' | b'E' | b'p' | b'P') && matches!(self.peek(1), b'+' | b'-');
            let hexadecimal_e = self.is_hexadecimal() && matches!(byte, b'e' | b'E');
            if exponent && !hexadecimal_e {
                self.at += 2;
            } else if continues_name(byte) || byte == b'.' {
                self.at += 1;
            } else {
                break;
            }
        }
        Some(Kind::Number)
    }

    /// Whether the number being read is hexadecimal: `0x1e+2` is a sum.
    fn is_hexadecimal(&self) -> bool {
        let mut start = self.at;
        while start > 0 && (continues_name(self.text[start - 1]) || self.text[start - 1] == b'.') {
            start -= 1;
        }
        self.text[start..self.at].starts_with(b"0x") || self.text[start..self.at].starts_with(b"0X")
    }

    fn name(&mut self, text: &str) -> Option<Kind> {
        let start = self.at;
        while let Some(&byte) = self.text.get(self.at) {
            if continues_name(byte) {
                self.at += 1;
            } else if byte == b'\\' && matches!(self.peek(1), b'u' | b'U') {
                self.at += 2;
            } else {
                break;
            }
        }
        let name = &text[start..self.at];
        if let Some((at, letter)) = name.char_indices().find(|(_, letter)| base::bytes::is_byte(*letter)) {
            let span = self.lines.span(start + at, start + at + letter.len_utf8());
            self.error("E1001", span, "a byte that is not UTF-8 cannot stand here", "remove this character");
        }
        let keyword = self.keywords.get(name);
        Some(keyword.map_or(Kind::Name, |&index| Kind::Fixed(index)))
    }

    fn stray(&mut self) -> Option<Kind> {
        let start = self.at;
        self.at += 1;
        let span = self.lines.span(start, self.at);
        let shown = char::from(self.text[start]).escape_default().to_string();
        self.error("E1001", span, &format!("`{shown}` cannot stand here"), "remove this character");
        None
    }

    fn error(&mut self, code: &'static str, span: Span, message: &str, help: &str) {
        // More than this nobody reads; the parser counts what it does not show.
        if self.errors.len() < 100 {
            self.errors.push(Diagnostic::error(code, span, message).help(help));
        }
    }
}
