//! Statements without blocks.

use super::ast::{Action, List, Name, Reading};
use super::cursor::{Broken, Parser};
use super::statements::Body;
use super::token::{Kind, Word};

impl Parser<'_, '_> {
    /// The statement at the cursor; `None` if it makes no statement.
    pub(super) fn action(&mut self, body: &mut Body) -> Result<Option<Action>, Broken> {
        let token = self.peek();
        let Kind::Word(word) = token.kind else { return self.named_action().map(Some) };
        self.bump();
        Ok(Some(match word {
            Word::Skip => Action::Skip,
            Word::EndThread => Action::EndThread,
            Word::AtomicBegin => Action::AtomicBegin,
            Word::AtomicEnd => Action::AtomicEnd,
            Word::Goto => Action::Goto(self.names(Self::label_name)?),
            Word::Dead => Action::Dead(self.names(Self::variable_name)?),
            Word::Assume => Action::Assume(self.expr()?),
            Word::Assert => Action::Assert(self.expr()?),
            Word::Constrain => Action::Constrain(self.expr()?),
            Word::AbortIf => Action::AbortIf(self.expr()?),
            Word::Enforce => return self.enforce(body),
            Word::Return => Action::Return(self.values(|parser| parser.at_statement_end())?),
            Word::StartThread => self.start_thread()?,
            _ => {
                self.error(
                    "E0110",
                    (token.start, token.end),
                    "no statement begins with this word",
                    "remove it",
                );
                return Err(Broken);
            }
        }))
    }

    /// `enforce e;` for the procedure, or `enforce e:` for the next statement.
    fn enforce(&mut self, body: &mut Body) -> Result<Option<Action>, Broken> {
        let condition = self.expr()?;
        if self.eat(Kind::Colon) {
            body.enforce = Some(condition);
            return Ok(None);
        }
        if !body.blocks.is_empty() {
            let (what, help) = ("`enforce` stands inside a block", "move it to the start of the procedure");
            self.error("E0118", condition.bytes, what, help);
        }
        Ok(Some(Action::Enforce(condition)))
    }

    /// `goto L`, `L`, or `f(a, b)` behind `start_thread`.
    fn start_thread(&mut self) -> Result<Action, Broken> {
        if self.eat(Kind::Word(Word::Goto)) {
            return Ok(Action::StartAt(self.label_name()?));
        }
        let name = self.label_name()?;
        if self.peek().kind != Kind::Open {
            return Ok(Action::StartAt(name));
        }
        Ok(Action::StartCall { procedure: name, values: self.arguments()? })
    }

    /// A statement that begins with a name or a bracket.
    fn named_action(&mut self) -> Result<Action, Broken> {
        let (token, second) = (self.peek(), self.peek_second());
        match (self.spelled(token), second) {
            ("lock", Kind::Name) => {
                self.bump();
                Ok(Action::Lock(self.variable_name()?))
            }
            ("unlock", Kind::Name) => {
                self.bump();
                Ok(Action::Unlock(self.variable_name()?))
            }
            ("print", Kind::Open) if !self.defines_print => {
                self.skip_parentheses();
                Ok(Action::Skip)
            }
            ("sync", Kind::Name) | ("broadcast" | "wait", Kind::Semicolon) => {
                let word = self.spelled(token);
                let what = format!("`{word}` is not supported");
                let help = match word {
                    "sync" => "use shared variables and `assume` to synchronise",
                    _ => "use a shared variable with `assume` and broadcast assignments `x$ := e`",
                };
                Err(self.error("E0113", (token.start, token.end), &what, help))
            }
            (_, Kind::Open) => {
                let procedure = self.name("a statement")?;
                Ok(Action::Call { procedure, targets: List::default(), values: self.arguments()? })
            }
            _ => self.assignment(),
        }
    }

    fn skip_parentheses(&mut self) {
        let mut depth = 0usize;
        while self.peek().kind != Kind::End {
            match self.bump().kind {
                Kind::Open => depth += 1,
                Kind::Close if depth <= 1 => return,
                Kind::Close => depth -= 1,
                _ => {}
            }
        }
    }

    /// `x, y := a, b [constrain e]` or `x, _ := f(a)`
    fn assignment(&mut self) -> Result<Action, Broken> {
        let from = self.peek();
        let targets = self.targets()?;
        self.expect(Kind::Assign)?;
        if self.peek().kind == Kind::Name && self.peek_second() == Kind::Open {
            let procedure = self.take_name();
            let values = self.arguments()?;
            return Ok(Action::Call { procedure, targets, values });
        }
        let values = self.values(|_| false)?;
        let (left, right) = (targets.range().len(), values.range().len());
        if left != right {
            let what = format!("{left} left and {right} right side(s)");
            return Err(self.error("E0115", (from.start, self.last_end()), &what, "give one value to each"));
        }
        let constrain = if self.eat(Kind::Word(Word::Constrain)) { Some(self.expr()?) } else { None };
        Ok(Action::Assign { targets, values, constrain })
    }

    /// Left sides; `_` is kept as a name.
    fn targets(&mut self) -> Result<List, Broken> {
        let mut found: Vec<Reading> = vec![];
        loop {
            let token = self.peek();
            found.push(match (token.kind, self.spelled(token)) {
                (Kind::Name, "_") => Reading { name: self.take_name(), ticked: false, bracketed: false },
                (Kind::Name | Kind::OpenBracket, _) => self.reading()?,
                _ => {
                    return Err(self.unexpected(if found.is_empty() { "a statement" } else { "a variable" }));
                }
            });
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        let start = self.unit.targets.len() as u32;
        self.unit.targets.extend(found);
        Ok(List { start, end: self.unit.targets.len() as u32 })
    }

    fn names(&mut self, one: impl Fn(&mut Self) -> Result<Name, Broken>) -> Result<List, Broken> {
        let start = self.unit.names.len() as u32;
        loop {
            let name = one(self)?;
            self.unit.names.push(name);
            if !self.eat(Kind::Comma) {
                return Ok(List { start, end: self.unit.names.len() as u32 });
            }
        }
    }

    /// Expressions separated by commas; none if `empty` says so at once.
    fn values(&mut self, empty: impl Fn(&Self) -> bool) -> Result<List, Broken> {
        let mut found = vec![];
        if !empty(self) {
            found.push(self.expr()?);
            while self.eat(Kind::Comma) {
                found.push(self.expr()?);
            }
        }
        let start = self.unit.exprs.len() as u32;
        self.unit.exprs.extend(found);
        Ok(List { start, end: self.unit.exprs.len() as u32 })
    }

    fn arguments(&mut self) -> Result<List, Broken> {
        self.expect(Kind::Open)?;
        let list = self.values(|parser| parser.peek().kind == Kind::Close)?;
        self.expect(Kind::Close)?;
        Ok(list)
    }
}
