//! The file as a whole: declarations, procedures, and the few items of our own. Recovers after an error, so
//! that all errors of a file are told in one run.

use super::ast::{Bytes, First, Global, List, Name, Population, Procedure, Unit, Variable};
use super::cursor::{Broken, Parser};
use super::dialect::Dialect;
use super::token::{Kind, Word};
use base::Stop;

/// More results than anybody writes; a guard against numbers that only waste memory.
const MOST_RESULTS: u32 = 1 << 16;

impl<'s> Parser<'s, '_> {
    /// Reads the whole file; also returns the places that another dialect would read differently.
    pub fn file(mut self) -> Result<(Unit<'s>, Vec<Bytes>), Stop> {
        while self.peek().kind != Kind::End {
            if self.global().is_err() {
                self.skip_to_global();
            }
        }
        self.close_section();
        match self.stopped {
            Some(stop) => Err(stop),
            None => Ok((self.unit, self.unclear)),
        }
    }

    fn global(&mut self) -> Result<(), Broken> {
        let second = self.peek_second();
        match self.peek().kind {
            Kind::Semicolon => drop(self.bump()),
            Kind::Word(Word::Decl) => {
                let found = self.variables()?;
                self.unit.globals.extend(found.into_iter().map(Global::Shared));
            }
            Kind::Word(Word::Void | Word::Bool) => self.procedure()?,
            Kind::Name if second == Kind::Name => return self.soft_item(),
            Kind::Name if second == Kind::Word(Word::Void) || second == Kind::Word(Word::Bool) => {
                if !self.at_soft_word("dfs") {
                    return Err(self.unexpected("a declaration or a procedure"));
                }
                let token = self.bump();
                let help = "remove it: procedures are explored in the engine's order";
                self.error("E0113", (token.start, token.end), "`dfs` is not supported", help);
            }
            _ => return self.section_body(),
        }
        Ok(())
    }

    /// Items that begin with a word that is not reserved.
    fn soft_item(&mut self) -> Result<(), Broken> {
        let token = self.peek();
        match self.spelled(token) {
            "shared" => {
                self.section();
                let found = self.variables()?;
                self.unit.globals.extend(found.into_iter().map(Global::Shared));
            }
            "local" => {
                let found = self.variables()?;
                self.section().locals.extend(found);
            }
            "thread_local" => {
                let found = self.variables()?;
                self.unit.globals.extend(found.into_iter().map(Global::ThreadLocal));
            }
            "lock" if self.section.is_none() => {
                self.bump();
                let name = self.variable_name()?;
                self.unit.globals.push(Global::Lock(name));
                self.end_item()?;
            }
            "atomic_variable" => {
                self.bump();
                let name = self.variable_name()?;
                self.unit.atomic_variables.push(name);
                self.end_item()?;
            }
            "error_label" => {
                self.bump();
                let name = self.label_name()?;
                self.unit.error_labels.push(name);
                self.end_item()?;
            }
            "start" => self.start_item()?,
            _ => return self.section_body(),
        }
        Ok(())
    }

    fn end_item(&mut self) -> Result<(), Broken> {
        self.expect(Kind::Semicolon).map(drop)
    }

    /// `start init f;`, `start f 2;`, `start f any;`, `start f some;`, `start f at_least 2;`
    fn start_item(&mut self) -> Result<(), Broken> {
        self.bump();
        if self.at_soft_word("init") && self.peek_second() == Kind::Name && !self.at_count() {
            self.bump();
            let name = self.name("a procedure")?;
            self.unit.starts.push((name, Population::Init));
            return self.end_item();
        }
        let name = self.name("a procedure")?;
        let token = self.peek();
        let population = match (token.kind, self.spelled(token)) {
            (Kind::Number, _) => Population::Exactly(self.number()?),
            (_, word @ ("any" | "some")) => {
                self.bump();
                Population::AtLeast(u32::from(word == "some"))
            }
            (_, "at_least") => {
                self.bump();
                Population::AtLeast(self.number()?)
            }
            _ => return Err(self.unexpected("a number, `any`, `some` or `at_least N`")),
        };
        self.unit.starts.push((name, population));
        self.end_item()
    }

    /// Whether a word for a number of threads comes second: then `init` before it is a procedure's name.
    fn at_count(&self) -> bool {
        matches!(self.spelled(self.ahead[1]), "any" | "some" | "at_least")
    }

    /// `decl x := 0, y;` and its like, behind any leading word. What could be read is kept when something is
    /// wrong.
    pub(super) fn variables(&mut self) -> Result<Vec<Variable>, Broken> {
        self.bump();
        let mut found = vec![];
        loop {
            match self.variable() {
                Ok(variable) => found.push(variable),
                Err(Broken) => {
                    self.skip_statement();
                    return Ok(found);
                }
            }
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        if !self.eat(Kind::Semicolon) {
            self.unexpected("`;`");
            self.skip_statement();
        }
        Ok(found)
    }

    fn variable(&mut self) -> Result<Variable, Broken> {
        let name = self.variable_name()?;
        if !self.eat(Kind::Assign) && !self.eat(Kind::Equal) {
            return Ok(Variable { name, first: First::Open });
        }
        let token = self.peek();
        let first = match (token.kind, self.spelled(token)) {
            (Kind::Star, _) => First::Any,
            (_, "0" | "F") => First::Fixed(false),
            (_, "1" | "T") => First::Fixed(true),
            _ => return Err(self.unexpected("0, 1 or `*` as first value")),
        };
        self.bump();
        Ok(Variable { name, first })
    }

    /// A procedure. When its head is broken its body is read all the same, for the errors in it.
    fn procedure(&mut self) -> Result<(), Broken> {
        let at = self.peek();
        let mut procedure = self.unnamed((at.start, at.end));
        if let Err(Broken) = self.head(&mut procedure) {
            let stop = |kind| {
                matches!(kind, Kind::End | Kind::Word(Word::Begin | Word::End | Word::Void | Word::Bool))
            };
            while !stop(self.peek().kind) {
                self.bump();
            }
            if !self.eat(Kind::Word(Word::Begin)) {
                return Err(Broken);
            }
        }
        let procedure = self.body(procedure);
        self.unit.procedures.push(procedure);
        Ok(())
    }

    fn unnamed(&mut self, bytes: Bytes) -> Procedure {
        let name = Name { symbol: self.unit.symbols.add(""), bytes };
        let (params, locals, body) = (vec![], vec![], List::default());
        Procedure { name, results: 0, params, locals, body, end: bytes }
    }

    /// `bool<2> f(a, b) begin`
    fn head(&mut self, procedure: &mut Procedure) -> Result<(), Broken> {
        procedure.results = self.results()?;
        procedure.name = self.name("the name of a procedure")?;
        self.expect(Kind::Open)?;
        while self.peek().kind != Kind::Close {
            procedure.params.push(self.variable_name()?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::Close)?;
        self.expect(Kind::Word(Word::Begin)).map(drop)
    }

    fn results(&mut self) -> Result<usize, Broken> {
        if self.bump().kind == Kind::Word(Word::Void) {
            return Ok(0);
        }
        if !self.eat(Kind::Less) {
            return Ok(1);
        }
        let at = self.peek();
        let results = self.number()?;
        self.expect(Kind::Greater)?;
        if results > MOST_RESULTS {
            let help = "a procedure returns at most 65536 values";
            return Err(self.error("E0104", (at.start, at.end), "too many results", help));
        }
        Ok(results as usize)
    }

    /// The one procedure of a file with sections.
    fn section(&mut self) -> &mut Procedure {
        if self.section.is_none() {
            let at = self.peek().start;
            let mut procedure = self.unnamed((at, at));
            procedure.name.symbol = self.unit.symbols.add("main");
            self.section = Some(procedure);
        }
        self.section.as_mut().expect("it was just made")
    }

    /// The statements of a file with sections: all that is left of the file.
    fn section_body(&mut self) -> Result<(), Broken> {
        if self.section.is_none() && self.dialect != Dialect::Broadcast {
            return Err(self.unexpected("a declaration or a procedure"));
        }
        self.section();
        let procedure = self.section.take().expect("it was just made");
        self.section = Some(self.body(procedure));
        Ok(())
    }

    /// Makes the statements of a file with sections its procedure `main`.
    fn close_section(&mut self) {
        let Some(section) = self.section.take() else { return };
        if self.unit.procedures.is_empty() {
            self.unit.sections = true;
            self.unit.procedures.push(section);
        } else if !section.locals.is_empty() || !section.body.range().is_empty() {
            let help = "move the statements into a procedure, or remove the procedures";
            self.error("E0117", section.name.bytes, "a file has either sections or procedures", help);
        }
    }

    /// Skips to something that begins an item or a procedure.
    fn skip_to_global(&mut self) {
        while !matches!(self.peek().kind, Kind::End | Kind::Word(Word::Void | Word::Bool | Word::Decl)) {
            self.bump();
        }
    }
}
