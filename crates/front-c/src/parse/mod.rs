//! The parser of C11 and GNU C: recursive descent over the tokens, calling the type checker for each
//! construct, so that type names and constants are known when the grammar needs them. After a mistake it goes
//! on with the next statement or declaration. Nesting is limited.

pub mod assembler;
pub mod attributes;
mod blocks;
pub mod declarations;
pub mod declarators;
pub mod expressions;
pub mod functions;
pub mod initialisers;
mod locked;
pub mod modes;
pub mod pragmas;
pub mod primary;
pub mod sizes;
pub mod specifiers;
pub mod statements;
pub mod tags;

use std::collections::HashSet;

use base::{Budget, Span, Stop};

use super::check::Checker;
use super::hints;
use super::hir::{MAX_DEPTH, StmtId, VarId};
use super::lex::token::{Kind, Token, spelling};
use pragmas::Pragmas;

/// Why parsing did not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fail {
    /// A mistake, which has been told.
    Syntax,
    /// The end of a resource.
    Stop(Stop),
}

impl From<Stop> for Fail {
    fn from(stop: Stop) -> Self {
        Fail::Stop(stop)
    }
}

/// The result of parsing something.
pub type Parsed<T> = Result<T, Fail>;

/// The parser of one unit.
pub struct Parser<'a> {
    /// The type checker.
    pub check: &'a mut Checker,
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    budget: &'a Budget,
    depth: u32,
    /// The pragmas.
    pub pragmas: Pragmas,
    /// The handlers of the declarations since the last statement: the rest of the block is under them.
    pub guards: Vec<VarId>,
    /// The blocks that were made for handlers.
    guarded: HashSet<StmtId>,
}

impl<'a> Parser<'a> {
    /// A parser of the tokens of a text.
    pub fn new(check: &'a mut Checker, text: &'a str, tokens: Vec<Token>, budget: &'a Budget) -> Self {
        let (pragmas, guards, guarded) = (Pragmas::default(), vec![], HashSet::new());
        Self { check, text, tokens, at: 0, budget, depth: 0, pragmas, guards, guarded }
    }

    /// Reads a whole unit.
    pub fn unit(&mut self) -> Result<(), Stop> {
        self.check.start_unit();
        while !self.at_end() && !self.check.gives_up() {
            let before = self.at;
            match self.external_declaration() {
                Ok(()) => {}
                Err(Fail::Stop(stop)) => return Err(stop),
                Err(Fail::Syntax) => {
                    self.check.function = None;
                    self.guards.clear();
                    self.check.scopes.truncate(1);
                    self.depth = 0;
                    self.recover_outside();
                }
            }
            if self.at == before {
                self.at += 1;
            }
        }
        self.at = self.tokens.len();
        self.follow_pragmas();
        self.check.finish_unit();
        Ok(())
    }

    /// The current token.
    pub fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    /// A token further on.
    pub fn ahead(&self, count: usize) -> Token {
        self.tokens[(self.at + count).min(self.tokens.len() - 1)]
    }

    /// The place of the current token.
    pub fn span(&self) -> Span {
        self.token().span
    }

    /// The place of the token before.
    pub fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span
    }

    /// The place from a token to the one just read.
    pub fn from(&self, start: Span) -> Span {
        super::check::nodes::join(start, self.last_span())
    }

    /// The text of a token.
    pub fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// Whether the file is at its end.
    pub fn at_end(&self) -> bool {
        self.token().kind == Kind::End
    }

    /// Whether a token is a keyword or punctuation.
    pub fn is(token: Token, fixed: &str) -> bool {
        matches!(token.kind, Kind::Fixed(index) if spelling(index) == fixed)
    }

    /// Whether the current token is a keyword or punctuation.
    pub fn at(&self, fixed: &str) -> bool {
        Self::is(self.token(), fixed)
    }

    /// The keyword or punctuation that the current token is.
    pub fn fixed(&self) -> Option<&'static str> {
        match self.token().kind {
            Kind::Fixed(index) => Some(spelling(index)),
            _ => None,
        }
    }

    /// Takes the current token.
    pub fn bump(&mut self) -> Token {
        let token = self.token();
        if self.at < self.tokens.len() - 1 {
            self.at += 1;
        }
        token
    }

    /// Takes a keyword or punctuation if it is there.
    pub fn eat(&mut self, fixed: &str) -> bool {
        let there = self.at(fixed);
        if there {
            self.bump();
        }
        there
    }

    /// Takes a keyword or punctuation that must be there.
    pub fn expect(&mut self, fixed: &str) -> Parsed<()> {
        if self.eat(fixed) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{fixed}`")))
    }

    /// Takes a name that must be there.
    pub fn expect_name(&mut self) -> Parsed<(&'a str, Span)> {
        let token = self.token();
        if token.kind == Kind::Name {
            self.bump();
            return Ok((self.text_of(token), token.span));
        }
        Err(self.unexpected("a name"))
    }

    /// The current name, if it is one.
    pub fn peek_name(&self) -> Option<&'a str> {
        let token = self.token();
        (token.kind == Kind::Name).then(|| self.text_of(token))
    }

    /// Says that something else was expected.
    pub fn unexpected(&mut self, wanted: &str) -> Fail {
        let token = self.token();
        if token.kind == Kind::End {
            let last = self.last_span();
            self.check.error(
                "E1005",
                last,
                format!("the file ends where {wanted} was expected"),
                "close all braces and parentheses",
            );
        } else {
            let shown: String = self.text_of(token).chars().take(40).collect();
            let message = format!("found `{shown}` where {wanted} was expected");
            let last = self.last_span();
            let help = match wanted {
                "`;`" => "put `;` at the end of the statement before".to_string(),
                _ => "check the spelling, and what comes before".to_string(),
            };
            let span = if wanted == "`;`" && last.file == token.span.file { last } else { token.span };
            self.check.error("E1006", span, message, help);
        }
        Fail::Syntax
    }

    /// Says that the current name is no type.
    pub fn no_type(&mut self, name: &str) -> Fail {
        let span = self.span();
        let help = hints::declare_type(name);
        self.check.error("E1202", span, format!("`{name}` is no type"), help);
        self.declare_after();
        Fail::Syntax
    }

    /// Declares what stands after a name that is no type: it was meant to be declared, and should not be told
    /// of again.
    fn declare_after(&mut self) {
        let mut ahead = 1;
        while ahead < 4 && Self::is(self.ahead(ahead), "*") {
            ahead += 1;
        }
        let token = self.ahead(ahead);
        if token.kind == Kind::Name {
            let name = self.text_of(token);
            self.check.declare_unknown(name, token.span);
        }
    }

    /// Runs a part one level deeper. The depth of the parser's own calls is limited, whatever the file says.
    pub fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.span();
            self.check.too_deep(span);
            return Err(Fail::Syntax);
        }
        // The system may have granted a smaller stack than such a depth needs.
        if base::stack::is_low() {
            return Err(Stop::Memory.into());
        }
        self.depth += 1;
        self.budget.spend(1)?;
        let result = part(self);
        self.depth = self.depth.saturating_sub(1);
        result
    }

    /// Skips to where a declaration of the file may start: after `;` or `}` outside of braces.
    fn recover_outside(&mut self) {
        let mut depth = 0i64;
        while !self.at_end() {
            match self.fixed() {
                Some("{" | "(" | "[") => depth += 1,
                Some(")" | "]") => depth = (depth - 1).max(0),
                Some("}") => {
                    depth -= 1;
                    if depth <= 0 {
                        // Several closing braces are one mistake.
                        while self.eat("}") || self.eat(";") {}
                        return;
                    }
                }
                Some(";") if depth <= 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to the end of the statement: after `;`, or before `}`.
    pub fn recover_inside(&mut self) {
        let mut depth = 0i64;
        while !self.at_end() {
            match self.fixed() {
                Some("{" | "(" | "[") => depth += 1,
                Some(")" | "]") if depth > 0 => depth -= 1,
                Some("}") if depth <= 0 => return,
                Some("}") => {
                    depth -= 1;
                    if depth <= 0 {
                        self.bump();
                        return;
                    }
                }
                Some(";") if depth <= 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips what stands between matching brackets, the current token being the opening one.
    pub fn skip_balanced(&mut self) -> Parsed<()> {
        let mut depth = 0u64;
        loop {
            match self.fixed() {
                Some("(" | "[" | "{") => depth += 1,
                Some(")" | "]" | "}") => depth = depth.saturating_sub(1),
                _ if self.at_end() => return Err(self.unexpected("a closing bracket")),
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
