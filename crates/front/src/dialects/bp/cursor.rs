//! What all parts of the parser stand on: two tokens ahead, messages, names and constants.

use super::ast::{Bytes, Item, Name, Procedure, Unit};
use super::dialect::Dialect;
use super::lexer::Lexer;
use super::report::Report;
use super::token::{Kind, Token, Word};
use base::{Budget, Stop};

/// Something was wrong and has been reported.
#[derive(Debug)]
pub struct Broken;

/// Reads one file.
pub struct Parser<'s, 'r> {
    text: &'s str,
    lexer: Lexer<'s>,
    pub(super) ahead: [Token; 2],
    last_end: u32,
    pub(super) report: &'r mut Report,
    pub(super) dialect: Dialect,
    /// Whether `print` is a procedure of the file.
    pub(super) defines_print: bool,
    pub(super) unit: Unit<'s>,
    /// The procedure of a file with sections.
    pub(super) section: Option<Procedure>,
    /// The expressions that another dialect would read differently.
    pub(super) unclear: Vec<Bytes>,
    budget: &'r Budget,
    /// Why reading ended before the text did.
    pub(super) stopped: Option<Stop>,
}

impl<'s, 'r> Parser<'s, 'r> {
    /// Ready to read.
    pub fn new(
        text: &'s str,
        dialect: Dialect,
        defines_print: bool,
        report: &'r mut Report,
        budget: &'r Budget,
    ) -> Self {
        let mut lexer = Lexer::new(text);
        let ahead = [lexer.next(Some(report)), lexer.next(Some(report))];
        let (unit, section, unclear) = (Unit::default(), None, vec![]);
        let (last_end, stopped) = (0, None);
        Self {
            text,
            lexer,
            ahead,
            last_end,
            report,
            dialect,
            defines_print,
            unit,
            section,
            unclear,
            budget,
            stopped,
        }
    }

    // ---- tokens
    // ----------------------------------------------------------------------------------------------------

    pub(super) fn peek(&self) -> Token {
        self.ahead[0]
    }

    pub(super) fn peek_second(&self) -> Kind {
        self.ahead[1].kind
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.ahead[0];
        self.last_end = token.end;
        if self.stopped.is_none() {
            self.stopped = self.budget.spend(1).err();
        }
        // When the budget ends, so does the text: what is found after that is dropped.
        let next = match self.stopped {
            Some(_) => Token { kind: Kind::End, start: token.end, end: token.end },
            None => self.lexer.next(Some(self.report)),
        };
        self.ahead = [self.ahead[1], next];
        token
    }

    pub(super) fn last_end(&self) -> u32 {
        self.last_end
    }

    pub(super) fn eat(&mut self, kind: Kind) -> bool {
        let found = self.peek().kind == kind;
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: Kind) -> Result<Token, Broken> {
        if self.peek().kind == kind { Ok(self.bump()) } else { Err(self.unexpected(kind.describe())) }
    }

    pub(super) fn spelled(&self, token: Token) -> &'s str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// Whether the next token is this word, which is no reserved one.
    pub(super) fn at_soft_word(&self, word: &str) -> bool {
        self.peek().kind == Kind::Name && self.spelled(self.peek()) == word
    }

    // ---- messages
    // --------------------------------------------------------------------------------------------------

    pub(super) fn error(&mut self, code: &'static str, bytes: Bytes, what: &str, help: &str) -> Broken {
        self.report.error(code, bytes, || (what.to_string(), Some(help.to_string())));
        Broken
    }

    pub(super) fn unexpected(&mut self, wanted: &str) -> Broken {
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the end of the file".to_string(),
            Kind::Word(word) => format!("the reserved word `{}`", word.text()),
            _ => format!("`{}`", self.spelled(token)),
        };
        let wanted = if wanted.starts_with(|c: char| c.is_ascii_lowercase()) && Word::of(wanted).is_some() {
            format!("`{wanted}`")
        } else {
            wanted.to_string()
        };
        // What is missing at the end of a statement is missing there, not where the next one begins.
        let missing = wanted == Kind::Semicolon.describe();
        let bytes = if missing { (self.last_end, self.last_end) } else { (token.start, token.end) };
        self.report.error("E0110", bytes, || (format!("expected {wanted}, found {found}"), None));
        Broken
    }

    // ---- names and constants
    // ---------------------------------------------------------------------------------------

    /// A name of anything but a variable; a number where labels are numbers.
    pub(super) fn label_name(&mut self) -> Result<Name, Broken> {
        match self.peek().kind {
            Kind::Name | Kind::Number => Ok(self.take_name()),
            _ => Err(self.unexpected("a label")),
        }
    }

    pub(super) fn name(&mut self, what: &str) -> Result<Name, Broken> {
        if self.peek().kind == Kind::Name { Ok(self.take_name()) } else { Err(self.unexpected(what)) }
    }

    /// A name that is no constant and no `_`.
    pub(super) fn variable_name(&mut self) -> Result<Name, Broken> {
        let token = self.peek();
        let reserved = match self.spelled(token) {
            "T" => "`T` is the constant 1 and names no variable",
            "F" => "`F` is the constant 0 and names no variable",
            "_" | "{_}" => "`_` only drops a result of a call",
            _ => return self.name("a variable"),
        };
        self.bump();
        Err(self.error("E0105", (token.start, token.end), reserved, "use another name"))
    }

    /// The name under the cursor, braces and leading zeros taken off.
    pub(super) fn take_name(&mut self) -> Name {
        let token = self.bump();
        let spelled = self.spelled(token);
        let text = match token.kind {
            Kind::Number => {
                let digits = spelled.trim_start_matches('0');
                if digits.is_empty() { &spelled[spelled.len() - 1..] } else { digits }
            }
            _ => spelled.strip_prefix('{').map_or(spelled, |text| text.trim_end_matches('}')),
        };
        Name { symbol: self.unit.symbols.add(text), bytes: (token.start, token.end) }
    }

    /// 0 or 1.
    pub(super) fn constant(&mut self) -> Result<Item, Broken> {
        let token = self.bump();
        match self.spelled(token) {
            "0" => Ok(Item::Const(false)),
            "1" => Ok(Item::Const(true)),
            _ => {
                Err(self.error("E0104", (token.start, token.end), "a constant is 0 or 1", "use 0, 1, F or T"))
            }
        }
    }

    pub(super) fn number(&mut self) -> Result<u32, Broken> {
        let token = self.expect(Kind::Number)?;
        self.spelled(token).parse().map_err(|_| {
            self.error("E0104", (token.start, token.end), "this number is too large", "write a smaller one")
        })
    }
}
