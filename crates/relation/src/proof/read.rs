//! Reads the text form of a proof (`docs/formats/c-proof.md`), one record a line, for a given relation. It
//! asks only whether the text is one of this form about this program; whether it proves anything is the
//! checker's question.

mod expressions;

use super::write::HEADER;
use super::{Column, Count, Double, PairPredicate, Proof, Single, Table, digest};
use crate::{ControlId, Relation};
use base::{Budget, Id, Stop};
use c::expr::ExprId;
use c::program::LocalId;
use c::text::lex::{Kind, tokens};
use c::text::operators::{BINARY, item};
use expressions::Tokens;
use std::collections::BTreeMap;
use std::fmt;

/// Why there is no proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unread {
    /// The text is no proof, or is about another program: what is wrong, with the number of the line.
    Wrong(String),
    /// The budget ended.
    Stopped(Stop),
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unread::Wrong(why) => f.write_str(why),
            Unread::Stopped(stop) => stop.fmt(f),
        }
    }
}

impl From<Stop> for Unread {
    fn from(stop: Stop) -> Unread {
        Unread::Stopped(stop)
    }
}

/// The proof that a text is the form of.
pub fn read(text: &str, relation: &Relation, budget: &Budget) -> Result<Proof, Unread> {
    let mut reader = Reader::new(relation);
    let mut done = false;
    for (index, line) in text.lines().enumerate() {
        budget.spend(1 + line.len() as u64 / 8)?;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let read = if done { Err("something follows `end`".into()) } else { reader.record(line) };
        done = read.map_err(|why| Unread::Wrong(format!("line {}: {why}", index + 1)))?;
    }
    if done {
        Ok(reader.proof)
    } else {
        Err(Unread::Wrong("the text is not complete: `end` is missing".into()))
    }
}

/// What is wrong with a line.
type LineOutcome<T> = Result<T, String>;

/// The records in the order in which they come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    Header(usize),
    Program,
    Property,
    Variables,
    Exprs,
    Predicates,
    PairPredicates,
    Counts,
    Singles,
    Doubles,
}

struct Reader<'a> {
    relation: &'a Relation,
    proof: Proof,
    part: Part,
    /// The variables by name; more than one if a number must tell them apart.
    variables: BTreeMap<String, Vec<LocalId>>,
    numbered: Vec<ExprId>,
}

impl<'a> Reader<'a> {
    fn new(relation: &'a Relation) -> Self {
        let exprs = relation.exprs.clone();
        let (predicates, pairs, counts) = (vec![], vec![], vec![]);
        let proof = Proof { exprs, predicates, pairs, counts, singles: vec![], doubles: None, races: false };
        Self { relation, proof, part: Part::Header(0), variables: BTreeMap::new(), numbered: vec![] }
    }

    /// Reads a record; whether it was the last.
    fn record(&mut self, line: &str) -> LineOutcome<bool> {
        if let Part::Header(at) = self.part {
            self.header(line, at)?;
            return Ok(false);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim_start();
        match word {
            "program" if self.part == Part::Program => {
                self.program(rest)?;
                self.part = Part::Property;
            }
            _ if self.part == Part::Program => return Err("`program` is expected".into()),
            "property" if self.part == Part::Property && !self.proof.races => {
                if rest != "race" {
                    return Err(format!("`{}` is no property of these proofs", shortened(rest)));
                }
                self.proof.races = true;
            }
            "variable" => self.within(Part::Variables)?.variable(rest)?,
            "expr" => self.within(Part::Exprs)?.expr(rest)?,
            "predicate" => self.within(Part::Predicates)?.predicate(rest)?,
            "pair" => self.within(Part::PairPredicates)?.pair(rest)?,
            "count" => self.within(Part::Counts)?.count(rest)?,
            "single" => self.within(Part::Singles)?.single(rest)?,
            "pairs" => {
                if self.proof.doubles.is_some() || !rest.is_empty() {
                    return Err("`pairs` stands alone, and once".into());
                }
                self.within(Part::Doubles)?.proof.doubles = Some(vec![]);
            }
            "double" => self.within(Part::Doubles)?.double(rest)?,
            "row" => self.row(rest)?,
            "end" if rest.is_empty() => return Ok(true),
            _ => return Err(format!("`{}` is no record", shortened(word))),
        }
        Ok(false)
    }

    fn header(&mut self, line: &str, at: usize) -> LineOutcome<()> {
        if line != HEADER[at] {
            return Err(format!("`{}` is expected", HEADER[at]));
        }
        self.part = if at + 1 < HEADER.len() { Part::Header(at + 1) } else { Part::Program };
        Ok(())
    }

    /// Goes on to a part, or stays in it; there is no way back.
    fn within(&mut self, part: Part) -> LineOutcome<&mut Self> {
        if self.part > part {
            return Err("the record comes too late".into());
        }
        self.part = part;
        Ok(self)
    }

    fn program(&mut self, rest: &str) -> LineOutcome<()> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let &[controls, commands, variables, hash] = &words[..] else {
            return Err("three numbers and a digest are expected".into());
        };
        let relation = self.relation;
        let sizes = [relation.controls.len(), relation.commands.len(), relation.variables.len()];
        for (text, size) in [controls, commands, variables].into_iter().zip(sizes) {
            if number(text)? != size {
                return Err("the proof is about another program, or one read with other options".into());
            }
        }
        match u64::from_str_radix(hash, 16) {
            Ok(value) if hash.len() == 16 && value == digest(relation) => Ok(()),
            Ok(_) => Err("the proof is about another program, or one read with other options".into()),
            Err(_) => Err("a digest of 16 hexadecimal digits is expected".into()),
        }
    }

    fn variable(&mut self, rest: &str) -> LineOutcome<()> {
        let (index, name) = rest.split_once(char::is_whitespace).ok_or("a number and a name are expected")?;
        let id = number(index)?;
        let kinds: Vec<Kind> = lexed(name)?;
        let [Kind::Word(name) | Kind::Quoted(name), Kind::End] = &kinds[..] else {
            return Err("a name is expected".into());
        };
        let found = (id < self.relation.variables.len()).then(|| LocalId::from_index(id));
        let found = found.filter(|&id| self.relation.variables[id].name == *name);
        let found =
            found.ok_or_else(|| format!("variable {id} of the program is not `{}`", shortened(name)))?;
        let same = self.variables.entry(name.clone()).or_default();
        if same.contains(&found) {
            return Err(format!("variable {id} is given twice"));
        }
        same.push(found);
        Ok(())
    }

    fn expr(&mut self, rest: &str) -> LineOutcome<()> {
        let (index, text) = rest.split_once(char::is_whitespace).ok_or("a number is expected")?;
        if number(index)? != self.numbered.len() {
            return Err("expressions are numbered in order".into());
        }
        let mut tokens = self.tokens(text)?;
        let e = tokens.expr()?;
        tokens.end()?;
        self.numbered.push(e);
        Ok(())
    }

    fn predicate(&mut self, rest: &str) -> LineOutcome<()> {
        let mut tokens = self.tokens(rest)?;
        let e = tokens.expr()?;
        tokens.end()?;
        self.proof.predicates.push(e);
        Ok(())
    }

    fn pair(&mut self, rest: &str) -> LineOutcome<()> {
        let (compare, text) = rest.split_once(char::is_whitespace).ok_or("a comparison is expected")?;
        let compare = item(&BINARY, compare).ok_or("a comparison is expected")?;
        let mut tokens = self.tokens(text)?;
        let (left, right) = (tokens.expr()?, tokens.expr()?);
        tokens.end()?;
        self.proof.pairs.push(PairPredicate { left, compare, right });
        Ok(())
    }

    fn count(&mut self, rest: &str) -> LineOutcome<()> {
        let mut words = rest.split_whitespace();
        let index = number(words.next().ok_or("a variable is expected")?)?;
        if index >= self.relation.variables.len() {
            return Err(format!("there is no variable {index}"));
        }
        let controls = words.map(|word| self.control(Some(word))).collect::<LineOutcome<_>>()?;
        self.proof.counts.push(Count { variable: LocalId::from_index(index), controls });
        Ok(())
    }

    fn single(&mut self, rest: &str) -> LineOutcome<()> {
        let mut words = rest.split_whitespace();
        let control = self.control(words.next())?;
        self.proof.singles.push(Single { control, table: table(words)? });
        Ok(())
    }

    fn double(&mut self, rest: &str) -> LineOutcome<()> {
        let mut words = rest.split_whitespace();
        let (first, second) = (self.control(words.next())?, self.control(words.next())?);
        let doubles = self.proof.doubles.as_mut().ok_or("`pairs` comes before")?;
        doubles.push(Double { first, second, table: table(words)? });
        Ok(())
    }

    /// A row of the table that was begun last.
    fn row(&mut self, rest: &str) -> LineOutcome<()> {
        let double = self.proof.doubles.as_mut().map(|doubles| doubles.last_mut().map(|it| &mut it.table));
        let single = self.proof.singles.last_mut().map(|it| &mut it.table);
        let table = double.unwrap_or(single).ok_or("a row belongs to a table")?;
        let value = |c: char| match c {
            '0' => Ok(Some(false)),
            '1' => Ok(Some(true)),
            '-' => Ok(None),
            _ => Err("a row has `0`, `1` and `-`"),
        };
        let row: Vec<Option<bool>> = rest.chars().map(value).collect::<Result<_, _>>()?;
        if row.len() != table.columns.len() {
            return Err("a row has a value for each column".into());
        }
        table.rows.push(row);
        Ok(())
    }

    /// A control location with its location in the program.
    fn control(&self, word: Option<&str>) -> LineOutcome<ControlId> {
        let word = word.ok_or("a control location is expected")?;
        let (control, loc) = word.split_once('@').ok_or("a control location is written NUMBER@LOCATION")?;
        let (index, loc) = (number(control)?, number(loc)?);
        if index >= self.relation.controls.len() {
            return Err(format!("there is no control location {index}"));
        }
        let id = ControlId::from_index(index);
        match self.relation.controls[id].loc.index() == loc {
            true => Ok(id),
            false => Err(format!("control location {index} is not at location {loc}")),
        }
    }

    fn tokens(&mut self, text: &str) -> LineOutcome<Tokens<'_>> {
        Ok(Tokens {
            kinds: lexed(text)?.into_iter().peekable(),
            relation: self.relation,
            exprs: &mut self.proof.exprs,
            variables: &self.variables,
            numbered: &self.numbered,
        })
    }
}

/// A table without rows yet.
fn table<'t>(words: impl Iterator<Item = &'t str>) -> LineOutcome<Table> {
    let column = |word: &str| {
        let index = word.get(1..).map(number).ok_or("a column has a letter and a number")??;
        match word.as_bytes().first() {
            Some(b'a') => Ok(Column::First(index)),
            Some(b'b') => Ok(Column::Second(index)),
            Some(b'p') => Ok(Column::Pair(index)),
            _ => Err(format!("`{}` is no column", shortened(word))),
        }
    };
    Ok(Table { columns: words.map(column).collect::<LineOutcome<_>>()?, rows: vec![] })
}

fn lexed(text: &str) -> LineOutcome<Vec<Kind>> {
    let found = tokens(text).map_err(|(_, why)| why)?;
    Ok(found.into_iter().map(|token| token.kind).collect())
}

fn number(text: &str) -> LineOutcome<usize> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let value = text.parse::<u32>().ok().filter(|_| is_number);
    value.map(|value| value as usize).ok_or_else(|| format!("`{}` is no number", shortened(text)))
}

/// The beginning of a text for messages.
fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}
