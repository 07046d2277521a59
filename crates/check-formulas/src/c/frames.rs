//! One command as a formula: the values of all variables before and after, of the active thread, of the
//! thread that it creates, and of two passive threads. A variable has a word for each moment and thread; what
//! the command does not change has the same word after it, so that predicates about it are the same gates. A
//! variable that is not live where its thread arrives has any value there.

use super::bit_vectors;
use crate::proof::Lit;
use crate::symbolic::cnf::Cnf;
use ::c::{ExprId, Exprs, LocalId, Node};
use base::Budget;
use check::{Refused, reject};
use relation::{Command, ControlId, Home, Outcome, Relation};
use std::collections::HashMap;
use std::rc::Rc;

/// Before or after the command.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Moment {
    Before,
    After,
}

/// A thread that a formula speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Who {
    /// The thread that executes the command.
    Active,
    /// The thread that the command creates.
    Child,
    /// A passive thread.
    First,
    /// Another passive thread.
    Second,
}

/// How an expression is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reading {
    pub moment: Moment,
    pub who: Who,
}

/// The bits of a value, the lowest first.
pub type Word = Rc<[Lit]>;

/// The formula of a command, or of the start.
pub struct Frames<'a, 'b> {
    pub cnf: Cnf<'b>,
    relation: &'a Relation,
    exprs: &'a Exprs,
    /// `None` at the start.
    command: Option<&'a Command>,
    variables: HashMap<(Reading, LocalId), Word>,
    known: HashMap<(Reading, ExprId), Word>,
    conjunctions: HashMap<Vec<Lit>, Lit>,
}

impl<'a, 'b> Frames<'a, 'b> {
    /// The formula of a command; of the start, where the first thread is the child of nobody, if there is
    /// none.
    pub fn new(
        relation: &'a Relation,
        exprs: &'a Exprs,
        command: Option<&'a Command>,
        budget: &'b Budget,
    ) -> Self {
        Self {
            cnf: Cnf::new(budget),
            relation,
            exprs,
            command,
            variables: HashMap::new(),
            known: HashMap::new(),
            conjunctions: HashMap::new(),
        }
    }

    /// A truth value.
    pub fn truth(&mut self, e: ExprId, reading: Reading) -> Result<Lit, Refused> {
        Ok(self.value(e, reading)?[0])
    }

    /// The value of an expression.
    pub fn value(&mut self, root: ExprId, reading: Reading) -> Result<Word, Refused> {
        if let Some(word) = self.known.get(&(reading, root)) {
            return Ok(word.clone());
        }
        let below = self.exprs.below(root);
        self.cnf.budget.spend(below.len() as u64)?;
        for id in below {
            if !self.known.contains_key(&(reading, id)) {
                let word = self.node(id, reading)?;
                self.known.insert((reading, id), word);
            }
        }
        Ok(self.known[&(reading, root)].clone())
    }

    /// All of these; made once for the same literals.
    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        let mut lits: Vec<Lit> = lits.iter().copied().filter(|&lit| lit != Lit::TRUE).collect();
        lits.sort_unstable();
        lits.dedup();
        if lits.contains(&Lit::FALSE) || lits.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::FALSE;
        }
        match lits[..] {
            [] => return Lit::TRUE,
            [only] => return only,
            _ => {}
        }
        if let Some(&known) = self.conjunctions.get(&lits) {
            return known;
        }
        let result = self.cnf.fresh();
        for &lit in &lits {
            self.cnf.clause(&[!result, lit]);
        }
        let holds: Vec<Lit> = lits.iter().map(|&lit| !lit).chain([result]).collect();
        self.cnf.clause(&holds);
        self.conjunctions.insert(lits, result);
        result
    }

    /// One of these.
    pub fn any(&mut self, lits: &[Lit]) -> Lit {
        let inverted: Vec<Lit> = lits.iter().map(|&lit| !lit).collect();
        !self.all(&inverted)
    }

    /// The value of an operator whose operands have theirs.
    fn node(&mut self, id: ExprId, reading: Reading) -> Result<Word, Refused> {
        let bits = self.exprs.ty(id).bits(self.exprs.pointer_bits());
        let node = self.exprs.node(id);
        let operands: Vec<Word> =
            node.children().map(|child| self.known[&(reading, child)].clone()).collect();
        let work: usize = operands.iter().map(|word| word.len()).max().unwrap_or(1);
        let is_quadratic = matches!(node, Node::Binary(op, ..) if !op.is_comparison());
        self.cnf.budget.spend(if is_quadratic { work * work } else { work } as u64)?;
        let word = match (node, &operands[..]) {
            (Node::Const(_, value), _) => Some(bit_vectors::number(value, bits)),
            (Node::Local(variable, _), _) => return self.variable(variable, reading),
            (Node::Unary(op, _), [a]) => Some(bit_vectors::unary(&mut self.cnf, op, a)),
            (Node::Binary(op, ..), [a, b]) => bit_vectors::binary(&mut self.cnf, op, a, b),
            (Node::Convert(op, ..), [a]) => bit_vectors::convert(op, bits, a),
            (Node::Ite(..), [test, then, other]) => {
                Some(bit_vectors::select(&mut self.cnf, test[0], then, other))
            }
            _ => None,
        };
        match word {
            Some(word) => Ok(word.into()),
            None => Ok(reject(format!("there is no formula for {node:?}"))?),
        }
    }

    /// The value of a variable.
    pub fn variable(&mut self, variable: LocalId, reading: Reading) -> Result<Word, Refused> {
        if let Some(word) = self.variables.get(&(reading, variable)) {
            return Ok(word.clone());
        }
        let word = match self.source(variable, reading) {
            Source::Any => self.fresh(variable),
            Source::As(other) => self.variable(variable, other)?,
            Source::Number(value) => {
                let bits = self.relation.variables[variable].ty.bits(self.exprs.pointer_bits());
                bit_vectors::number(value, bits).into()
            }
            // It is read before the command, so that this goes no deeper.
            Source::Computed(e) => self.value(e, Reading { moment: Moment::Before, who: Who::Active })?,
        };
        self.variables.insert((reading, variable), word.clone());
        Ok(word)
    }

    fn fresh(&mut self, variable: LocalId) -> Word {
        let bits = self.relation.variables[variable].ty.bits(self.exprs.pointer_bits());
        (0..bits).map(|_| self.cnf.fresh()).collect()
    }

    /// Where the value of a variable comes from.
    fn source(&self, variable: LocalId, reading: Reading) -> Source {
        let Reading { moment, who } = reading;
        let declared = &self.relation.variables[variable];
        let is_shared = declared.home == Home::Shared;
        let Some(command) = self.command else {
            return match declared.initial {
                Some(value) if is_shared || self.is_live(variable, self.relation.start) => {
                    Source::Number(value)
                }
                _ => Source::Any,
            };
        };
        // Shared variables are the active thread's, no matter who reads them; those of a passive thread stay
        // as they are.
        let canonical = Reading { moment, who: Who::Active };
        if is_shared && who != Who::Active {
            return Source::As(canonical);
        }
        match (moment, who) {
            (Moment::Before, _) => Source::Any,
            (Moment::After, Who::First | Who::Second) => Source::As(Reading { moment: Moment::Before, who }),
            (Moment::After, Who::Active) => self.updated(command, variable, is_shared),
            (Moment::After, Who::Child) => self.born(command, variable),
        }
    }

    fn updated(&self, command: &Command, variable: LocalId, is_shared: bool) -> Source {
        let dead = match command.outcome {
            Outcome::Go(to) => !is_shared && !self.is_live(variable, to),
            _ => false,
        };
        match command.updates.iter().find(|update| update.variable == variable) {
            _ if dead => Source::Any,
            Some(update) => Source::Computed(update.value),
            None => Source::As(Reading { moment: Moment::Before, who: Who::Active }),
        }
    }

    fn born(&self, command: &Command, variable: LocalId) -> Source {
        let Some(creation) = &command.creates else { return Source::Any };
        if !self.is_live(variable, creation.entry) {
            return Source::Any;
        }
        match creation.values.iter().find(|update| update.variable == variable) {
            Some(update) => Source::Computed(update.value),
            None => self.relation.variables[variable].initial.map_or(Source::Any, Source::Number),
        }
    }

    fn is_live(&self, variable: LocalId, control: ControlId) -> bool {
        self.relation.controls[control].live.binary_search(&variable).is_ok()
    }
}

enum Source {
    Any,
    Number(u128),
    As(Reading),
    Computed(ExprId),
}
