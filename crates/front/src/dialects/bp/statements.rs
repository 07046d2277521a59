//! Statements. Blocks are kept on a stack of our own and come out as markers in the flat list, so that
//! nesting costs no call stack.

use super::ast::{Action, Bytes, Expr, List, Procedure, Statement};
use super::cursor::{Broken, Parser};
use super::token::{Kind, Word};

/// A block that is open.
pub(super) struct Block {
    /// `if`, or `else` once that was seen, or `while`.
    word: Word,
    bytes: Bytes,
}

/// A procedure while its body is read.
pub(super) struct Body {
    procedure: Procedure,
    pub(super) blocks: Vec<Block>,
    /// Labels that wait for their statement.
    labels: u32,
    pub(super) enforce: Option<Expr>,
}

impl Parser<'_, '_> {
    /// The statements up to `end`, which is read too.
    pub fn body(&mut self, procedure: Procedure) -> Procedure {
        let (first, labels) = (self.unit.statements.len() as u32, self.unit.names.len() as u32);
        let mut body = Body { procedure, blocks: vec![], labels, enforce: None };
        while !self.at_end_of_body() {
            self.statement(&mut body);
        }
        self.close_blocks(&mut body);
        body.procedure.body = List { start: first, end: self.unit.statements.len() as u32 };
        let end = self.peek();
        body.procedure.end = (end.start, end.end);
        let in_section = body.procedure.name.bytes.0 == body.procedure.name.bytes.1;
        if !self.eat(Kind::Word(Word::End)) && !in_section {
            self.unexpected("end");
        }
        body.procedure
    }

    fn at_end_of_body(&self) -> bool {
        matches!(self.peek().kind, Kind::End | Kind::Word(Word::End | Word::Void | Word::Bool))
    }

    fn close_blocks(&mut self, body: &mut Body) {
        for block in std::mem::take(&mut body.blocks).into_iter().rev() {
            let (open, close, action) = match block.word {
                Word::While => ("while", "od", Action::Od),
                _ => ("if", "fi", Action::Fi),
            };
            let (what, help) = (format!("this `{open}` has no end"), format!("close it with `{close}`"));
            self.error("E0111", block.bytes, &what, &help);
            self.emit(body, action, block.bytes.0);
        }
        if self.has_pending(body) {
            self.emit(body, Action::Nothing, self.peek().start);
        }
    }

    fn has_pending(&self, body: &Body) -> bool {
        body.enforce.is_some() || self.unit.names.len() as u32 > body.labels
    }

    /// Adds a statement with the labels that wait for it.
    fn emit(&mut self, body: &mut Body, action: Action, from: u32) {
        let names = self.unit.names.len() as u32;
        // The lists of the statement itself were added behind its labels.
        let labels = List { start: body.labels, end: own_names(action).map_or(names, |list| list.start) };
        let bytes = (from, self.last_end().max(from));
        self.unit.statements.push(Statement { labels, enforce: body.enforce.take(), action, bytes });
        body.labels = names;
    }

    /// One statement, label, or marker; errors are reported and skipped over.
    fn statement(&mut self, body: &mut Body) {
        let token = self.peek();
        match (token.kind, self.peek_second()) {
            (Kind::Semicolon, _) => drop(self.bump()),
            (Kind::Name | Kind::Number, Kind::Colon) => {
                let label = self.take_name();
                self.bump();
                self.unit.names.push(label);
            }
            (Kind::Word(Word::Decl), _) => {
                let found = self.variables().unwrap_or_default();
                body.procedure.locals.extend(found);
            }
            (Kind::Word(Word::If), _) => self.open(body, Word::If, Word::Then),
            (Kind::Word(Word::While), _) => self.open(body, Word::While, Word::Do),
            (Kind::Word(Word::Elsif | Word::Else), _) => self.alternative(body),
            (Kind::Word(Word::Fi), _) => self.close(body, Action::Fi),
            (Kind::Word(Word::Od), _) => self.close(body, Action::Od),
            _ => self.simple(body),
        }
    }

    // ---- blocks
    // ----------------------------------------------------------------------------------------------------

    /// `if e then`, `while e do` or `elsif e then`, from the first word on. A broken condition is replaced,
    /// so that the block stays whole.
    fn condition(&mut self, follows: Word) -> Expr {
        let at = self.bump();
        let found = self.expr().and_then(|e| self.expect(Kind::Word(follows)).map(|_| e));
        found.unwrap_or_else(|Broken| {
            while !self.at_statement_end() && !matches!(self.peek().kind, Kind::Word(Word::Then | Word::Do)) {
                self.bump();
            }
            self.eat(Kind::Word(follows));
            self.any_expr((at.start, at.end))
        })
    }

    fn open(&mut self, body: &mut Body, word: Word, follows: Word) {
        let at = self.peek();
        let condition = self.condition(follows);
        let action = if word == Word::If { Action::If(condition) } else { Action::While(condition) };
        self.emit(body, action, at.start);
        body.blocks.push(Block { word, bytes: (at.start, at.end) });
    }

    fn alternative(&mut self, body: &mut Body) {
        let at = self.peek();
        let action = match at.kind {
            Kind::Word(Word::Else) => {
                self.bump();
                Action::Else
            }
            _ => Action::Elsif(self.condition(Word::Then)),
        };
        match body.blocks.last_mut() {
            Some(block) if block.word == Word::If => {
                if matches!(action, Action::Else) {
                    block.word = Word::Else;
                }
                self.mark(body, action, at.start);
            }
            _ => drop(self.error("E0112", (at.start, at.end), "there is no open `if` here", "remove it")),
        }
    }

    fn close(&mut self, body: &mut Body, action: Action) {
        let at = self.bump();
        let matches = body
            .blocks
            .last()
            .is_some_and(|block| (block.word == Word::While) == matches!(action, Action::Od));
        if matches {
            body.blocks.pop();
            self.mark(body, action, at.start);
            self.eat(Kind::Semicolon);
        } else {
            let block = if matches!(action, Action::Od) { "while" } else { "if" };
            let what = format!("there is no open `{block}` to close here");
            self.error("E0112", (at.start, at.end), &what, "remove it, or close the inner block first");
        }
    }

    /// A marker that closes a block. Labels before it name the end of that block, not what follows.
    fn mark(&mut self, body: &mut Body, action: Action, from: u32) {
        if self.has_pending(body) {
            self.emit(body, Action::Skip, from);
        }
        self.emit(body, action, from);
    }

    // ---- simple statements
    // -----------------------------------------------------------------------------------------

    fn simple(&mut self, body: &mut Body) {
        let from = self.peek().start;
        let names = self.unit.names.len();
        match self.action(body) {
            Ok(Some(action)) => {
                self.emit(body, action, from);
                self.terminator();
            }
            Ok(None) => {}
            Err(Broken) => {
                self.unit.names.truncate(names);
                self.skip_statement();
                // The labels of a broken statement stay: jumps to them are no further errors.
                self.emit(body, Action::Skip, from);
            }
        }
    }

    pub(super) fn at_statement_end(&self) -> bool {
        let word = |word| {
            use Word::{Begin, Decl, Else, Elsif, End, Fi, Od};
            matches!(word, End | Fi | Od | Else | Elsif | Begin | Decl | Word::Void | Word::Bool)
        };
        match self.peek().kind {
            Kind::Semicolon | Kind::End => true,
            Kind::Word(found) => word(found),
            _ => false,
        }
    }

    fn terminator(&mut self) {
        if self.eat(Kind::Semicolon) || self.at_end_of_body() {
            return;
        }
        if !matches!(self.peek().kind, Kind::Word(Word::Fi | Word::Od | Word::Else | Word::Elsif)) {
            self.unexpected("`;`");
            // Most often only the `;` is missing; anything but the start of a statement is skipped.
            if !matches!(self.peek().kind, Kind::Name | Kind::Number | Kind::Word(_)) {
                self.skip_statement();
            }
        }
    }

    /// Skips the rest of a statement and its `;`.
    pub fn skip_statement(&mut self) {
        while !self.at_statement_end() {
            self.bump();
        }
        self.eat(Kind::Semicolon);
    }
}

/// The list of names that belongs to a statement itself.
fn own_names(action: Action) -> Option<List> {
    match action {
        Action::Goto(list) | Action::Dead(list) => Some(list),
        _ => None,
    }
}
