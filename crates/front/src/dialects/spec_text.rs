//! The text of a mist `.spec` file: words, then sections. What the rules mean is worked out in
//! [`super::spec_rules`].

use super::spec_lexer::{Word, WordKind, words};
use base::{Arena, Diagnostic, Diagnostics, FileId, Id, Span};
use ir::net::{Interval, Place, PlaceId};
use std::collections::HashMap;

/// `x >= n`, `x = n` or `x in [a, b]`.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    pub place: PlaceId,
    pub interval: Interval,
    pub span: Span,
}

/// `x' = y + z + n`.
#[derive(Clone, Debug)]
pub(super) struct Update {
    pub place: PlaceId,
    pub sum: Vec<PlaceId>,
    pub constant: i64,
    pub span: Span,
}

/// `guard -> updates;`
#[derive(Clone, Debug)]
pub(super) struct RuleText {
    pub guards: Vec<Constraint>,
    pub updates: Vec<Update>,
    pub span: Span,
}

/// A whole file, names resolved.
#[derive(Debug, Default)]
pub(super) struct SpecText {
    pub places: Arena<PlaceId, Place>,
    pub rules: Vec<RuleText>,
    pub init: Option<Vec<Constraint>>,
    /// A disjunction of conjunctions.
    pub targets: Option<Vec<Vec<Constraint>>>,
    /// Whether something is said that makes no sense, as with a place that does not exist: what follows from
    /// it is no error of its own.
    pub strange: bool,
}

/// Reads the sections of a file; what is wrong goes to `found`.
pub(super) fn read(text: &str, file: FileId, found: &mut Diagnostics) -> SpecText {
    let mut parser = SpecParser {
        words: words(text, file),
        at: 0,
        names: HashMap::new(),
        spec: SpecText::default(),
        found,
    };
    parser.file();
    parser.spec
}

/// An error was reported; reading goes on further down.
struct Reported;

type Read<T> = Result<T, Reported>;

struct SpecParser<'t, 'd> {
    words: Vec<Word<'t>>,
    at: usize,
    names: HashMap<&'t str, PlaceId>,
    spec: SpecText,
    found: &'d mut Diagnostics,
}

impl<'t> SpecParser<'t, '_> {
    fn word(&self) -> Word<'t> {
        self.words[self.at]
    }

    fn step(&mut self) -> Word<'t> {
        let word = self.word();
        if word.kind != WordKind::End {
            self.at += 1;
        }
        word
    }

    fn is(&self, text: &str) -> bool {
        self.word().text == text
    }

    fn eats(&mut self, text: &str) -> bool {
        let is = self.is(text);
        if is {
            self.step();
        }
        is
    }

    fn error<T>(&mut self, span: Span, message: String, help: &str) -> Read<T> {
        self.found.push(Diagnostic::error("E0521", span, message).help(help));
        Err(Reported)
    }

    fn expected<T>(&mut self, what: &str, help: &str) -> Read<T> {
        let word = self.word();
        let message = match word.kind {
            WordKind::End => format!("expected {what}, found the end of the file"),
            _ => format!("expected {what}, found `{}`", word.text),
        };
        self.error(word.span, message, help)
    }

    fn expect(&mut self, text: &str, help: &str) -> Read<()> {
        if self.eats(text) { Ok(()) } else { self.expected(&format!("`{text}`"), help) }
    }

    fn in_section(&self) -> bool {
        !matches!(self.word().kind, WordKind::Section | WordKind::End)
    }

    // ---- sections
    // --------------------------------------------------------------------------------------------------

    fn file(&mut self) {
        let mut seen: Vec<&str> = vec![];
        while self.word().kind != WordKind::End {
            if self.word().kind != WordKind::Section {
                let _: Read<()> = self
                    .expected("a section", "a file has the sections `vars`, `rules`, `init` and `target`");
                while self.in_section() {
                    self.step();
                }
                continue;
            }
            let word = self.step();
            if seen.contains(&word.text) {
                let message = format!("a second section `{}`", word.text);
                let _: Read<()> = self.error(word.span, message, "put all of it into one section");
            }
            seen.push(word.text);
            match word.text {
                "vars" => self.vars(),
                "rules" => self.rules(),
                "init" => self.init(),
                "target" => {
                    let targets = self.groups();
                    self.spec.targets.get_or_insert_default().extend(targets);
                }
                // P-invariants are hints for a tool that wants them.
                _ => drop(self.groups()),
            }
        }
        for section in ["vars", "rules", "init", "target"].into_iter().filter(|it| !seen.contains(it)) {
            let help = format!("add `{section}` with its contents");
            self.found.push(
                Diagnostic::error("E0522", None, format!("there is no section `{section}`")).help(help),
            );
        }
    }

    fn vars(&mut self) {
        while self.in_section() {
            let word = self.step();
            if word.kind != WordKind::Name {
                let message = format!("`{}` is no name of a place", word.text);
                let _: Read<()> =
                    self.error(word.span, message, "names are letters, digits and `_`, separated by spaces");
            } else if self.names.contains_key(word.text) {
                let message = format!("`{}` is declared twice", word.text);
                let _: Read<()> = self.error(word.span, message, "drop one of the two");
            } else {
                let place = self.spec.places.push(Place { name: word.text.to_string() });
                self.names.insert(word.text, place);
            }
        }
    }

    fn init(&mut self) {
        let groups = self.groups();
        if let Some(second) = groups.get(1).and_then(|it| it.first()) {
            let help = "separate the conditions by `,`: there is one set of initial markings";
            self.spec.strange = true;
            let _: Read<()> = self.error(second.span, "`init` is one conjunction".into(), help);
        }
        self.spec.init.get_or_insert_default().extend(groups.into_iter().flatten());
    }

    fn rules(&mut self) {
        while self.in_section() {
            let first = self.word().span;
            match self.rule() {
                Ok((guards, updates)) => {
                    let span = first.to(self.words[self.at - 1].span);
                    self.spec.rules.push(RuleText { guards, updates, span });
                }
                Err(Reported) => while self.in_section() && self.step().text != ";" {},
            }
        }
    }

    /// Conjunctions, one after the other without a separator.
    fn groups(&mut self) -> Vec<Vec<Constraint>> {
        let mut all = vec![];
        while self.in_section() {
            match self.conjunction() {
                Ok(group) => all.push(group),
                Err(Reported) => {
                    // The word at fault is dropped and so is the rest of its line, but never the next
                    // section.
                    while self.in_section() {
                        self.step();
                        if self.word().first {
                            break;
                        }
                    }
                }
            }
        }
        all
    }

    // ---- parts
    // -----------------------------------------------------------------------------------------------------

    fn rule(&mut self) -> Read<(Vec<Constraint>, Vec<Update>)> {
        let mut guards = vec![];
        loop {
            if !self.eats("true") {
                guards.push(self.constraint()?);
            }
            if !self.eats(",") {
                break;
            }
        }
        self.expect("->", "a rule is written `x >= 1, y >= 1 -> x' = x - 1;`")?;
        let mut updates = vec![];
        while !self.is(";") {
            updates.push(self.update()?);
            if !self.eats(",") {
                break;
            }
        }
        if !self.is(";") && self.word().first {
            // The next rule begins here, and its errors are to be told too.
            let last = self.words[self.at - 1].span;
            let behind = Span { start: last.end, ..last };
            let _: Read<()> =
                self.error(behind, "expected `;` at the end of the rule".into(), "end the rule with `;`");
            return Ok((guards, updates));
        }
        self.expect(";", "end the rule with `;`")?;
        Ok((guards, updates))
    }

    fn conjunction(&mut self) -> Read<Vec<Constraint>> {
        let mut all = vec![self.constraint()?];
        while self.eats(",") {
            all.push(self.constraint()?);
        }
        Ok(all)
    }

    fn constraint(&mut self) -> Read<Constraint> {
        let first = self.word().span;
        let place = self.place()?;
        let interval = if self.eats(">=") {
            Interval::at_least(self.number()?)
        } else if self.eats("=") {
            Interval::exactly(self.number()?)
        } else if self.eats("in") {
            self.bounds()?
        } else {
            return self
                .expected("`>=`, `=` or `in`", "a condition is written `x >= 1`, `x = 1` or `x in [1, 2]`");
        };
        Ok(Constraint { place, interval, span: first.to(self.words[self.at - 1].span) })
    }

    fn bounds(&mut self) -> Read<Interval> {
        let help = "an interval is written `x in [1, 2]`";
        self.expect("[", help)?;
        let least = self.number()?;
        self.expect(",", help)?;
        let at = self.word().span;
        let most = self.number()?;
        self.expect("]", help)?;
        if least > most {
            return self.error(
                at,
                format!("no number lies in [{least}, {most}]"),
                "write the smaller end first",
            );
        }
        Ok(Interval { least, most: Some(most) })
    }

    fn update(&mut self) -> Read<Update> {
        let first = self.word().span;
        let place = self.place()?;
        let help = "an update is written `x' = x + y - 1`";
        self.expect("'", help)?;
        self.expect("=", help)?;
        let (mut sum, mut constant, mut minus) = (vec![], 0i64, false);
        loop {
            if self.word().kind == WordKind::Number {
                let n = i64::from(self.number()?);
                constant += if minus { -n } else { n };
            } else if minus {
                return self.expected("a number", "only a number can be taken away");
            } else {
                sum.push(self.place()?);
            }
            minus = self.is("-");
            if !self.eats("+") && !self.eats("-") {
                break;
            }
        }
        Ok(Update { place, sum, constant, span: first.to(self.words[self.at - 1].span) })
    }

    fn place(&mut self) -> Read<PlaceId> {
        let word = self.word();
        if word.kind != WordKind::Name || word.text == "true" || word.text == "in" {
            return self.expected("a place", "places are declared in the section `vars`");
        }
        // An unknown name spoils nothing around it: report it and read on.
        self.step();
        if let Some(&place) = self.names.get(word.text) {
            return Ok(place);
        }
        self.spec.strange = true;
        let _: Read<()> =
            self.error(word.span, format!("there is no place `{}`", word.text), "declare it in `vars`");
        Ok(PlaceId::from_index(0))
    }

    fn number(&mut self) -> Read<u32> {
        let word = self.word();
        if word.kind != WordKind::Number {
            return self.expected("a number", "numbers are written in digits");
        }
        self.step();
        match word.text.parse() {
            Ok(n) => Ok(n),
            Err(_) => self.error(word.span, "this number is too large".into(), "numbers go up to 4294967295"),
        }
    }
}
