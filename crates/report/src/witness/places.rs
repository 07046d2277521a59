//! Where the steps of a run are, in the terms of witnesses: in which statement of which file.

use super::statements::{Statement, Statements};
use super::tokens::{TokenKind, tokens};
use crate::trace::states::StateNames;
use ::c::{Loc, NumberChoice, Program, State, ThreadId};
use base::{FileId, SourceMap, Span};
use std::collections::BTreeMap;

/// The texts of a program, each with its statements.
pub struct Texts<'a> {
    /// The texts.
    pub sources: &'a SourceMap,
    /// The program.
    pub program: &'a Program,
    statements: BTreeMap<FileId, Statements>,
}

/// A place in a statement: the statement itself is where it begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spot {
    /// The file.
    pub file: FileId,
    /// The byte where witnesses say that it is.
    pub anchor: u32,
}

/// A place as witnesses say it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Location {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: Option<u32>,
    /// The function that it is in, if that is known.
    pub function: Option<String>,
}

impl<'a> Texts<'a> {
    /// The texts of a program.
    pub fn new(sources: &'a SourceMap, program: &'a Program) -> Texts<'a> {
        let files = program.locations().iter().filter_map(|it| it.span).map(|it| it.file);
        let mut statements = BTreeMap::new();
        for file in files.filter(|it| !sources.file(*it).is_library()) {
            statements.entry(file).or_insert_with(|| Statements::of(sources.file(file).text()));
        }
        Texts { sources, program, statements }
    }

    /// Where the next step of a thread is in the user's text.
    pub fn span(&self, state: &State, thread: ThreadId, at: Loc) -> Option<Span> {
        let names = StateNames { sources: self.sources, program: self.program, state };
        names.span(thread, at).filter(|it| !self.sources.file(it.file).is_library())
    }

    /// The statement that a place is in.
    pub fn statement(&self, span: Span) -> Option<&Statement> {
        self.statements.get(&span.file)?.at(span.start)
    }

    /// The statement that a place is in, or the place itself where no statement is known.
    pub fn spot(&self, span: Span) -> Spot {
        let anchor = self.statement(span).map_or(span.start, |it| it.anchor);
        Spot { file: span.file, anchor }
    }

    /// The spot of the next step of a thread; none if it belongs to no statement, such as the end of a
    /// function.
    pub fn spot_of(&self, state: &State, thread: ThreadId) -> Option<Spot> {
        let at = state.threads.get(&thread)?.loc();
        let span = self.span(state, thread, at)?;
        self.statement(span).map(|it| Spot { file: span.file, anchor: it.anchor })
    }

    /// The place of a byte.
    pub fn location(&self, spot: Spot) -> Location {
        let file = self.sources.file(spot.file);
        let position = file.position(spot.anchor);
        let function = self.statements.get(&spot.file).and_then(|it| it.function_at(spot.anchor));
        Location {
            file: file.name().to_string(),
            line: position.line,
            column: Some(position.column),
            function: function.map(|it| it.name.clone()),
        }
    }

    /// Where a function of a file is.
    pub fn function(&self, name: &str, file: FileId) -> Option<Location> {
        let found = self.statements.get(&file)?.functions.iter().find(|it| it.name == name)?;
        Some(self.location(Spot { file, anchor: found.start }))
    }

    /// The right parenthesis of a call, or where the call begins if it has none in the text.
    pub fn end_of_call(&self, span: Span) -> Spot {
        let text = self.sources.file(span.file).text().as_bytes();
        let rest = text.get(span.start as usize..).unwrap_or_default();
        let mut depth = 0;
        for (at, byte) in rest.iter().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 1 => return Spot { file: span.file, anchor: span.start + at as u32 },
                b')' => depth -= 1,
                b';' => break,
                _ => {}
            }
        }
        Spot { file: span.file, anchor: span.start }
    }

    /// What the condition of the statement at `from` came out as, if control went on to `to` from there.
    pub fn outcome(&self, from: Span, to: Option<Span>) -> Option<bool> {
        let statement = self.statement(from)?;
        let (body, to) = (statement.body?, to?);
        Some(to.file == from.file && (statement.end..body).contains(&to.start))
    }

    /// Whether the statement that a place is in is a condition that decides about another one.
    pub fn is_condition(&self, span: Span) -> bool {
        self.statement(span).is_some_and(|it| it.body.is_some())
    }

    /// The statements of a function of a file.
    pub fn in_function(&self, name: &str, file: FileId) -> Vec<Statement> {
        let Some(found) = self.statements.get(&file) else { return vec![] };
        let number = found.functions.iter().position(|it| it.name == name);
        found.all.iter().filter(|it| Some(it.function) == number).copied().collect()
    }

    /// Whether a name is used in the program's files, and no declaration in a function is of it.
    pub fn is_declared_outside(&self, name: &str) -> bool {
        let local = |file: FileId, it: &Statement| {
            let text = self.snippet(Span { file, start: it.start, end: it.end });
            ["static ", "extern "].iter().any(|word| text.starts_with(word))
                && words(text).any(|it| it == name)
        };
        let hidden = self.statements.iter().any(|(&file, all)| all.all.iter().any(|it| local(file, it)));
        !hidden && self.has_word(name)
    }

    /// Whether a word is used in the program's files.
    pub fn has_word(&self, name: &str) -> bool {
        self.statements.keys().any(|&file| words(self.sources.file(file).text()).any(|it| it == name))
    }

    /// The text of a span.
    pub fn snippet(&self, span: Span) -> &str {
        self.sources.snippet(span)
    }

    /// Whether a step chooses a value that a call in the program's text returns.
    pub fn chooses_input(&self, at: Loc, span: Span) -> bool {
        let chooses = self.program.effects(at).chooses;
        matches!(chooses.number, NumberChoice::Input(_)) && self.snippet(span).contains("__VERIFIER_nondet")
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let all = tokens(text).into_iter().filter(|it| it.kind == TokenKind::Word);
    all.filter_map(|it| text.get(it.start as usize..it.end as usize))
}
