//! Whether a proof is one about this relation at all: its expressions have formulas, its tables stand at
//! control locations of the relation, in order, and speak only of variables that the threads there have.

use super::types;
use ::c::{ExprId, LocalId, ProcId};
use base::{Budget, Id};
use check::{Refused, Rejected, reject};
use relation::proof::{Column, Proof, Table};
use relation::{ControlId, Home, Relation};

/// The variables that the predicates of a proof read, each in order.
#[derive(Default)]
pub struct Reads {
    pub predicates: Vec<Vec<LocalId>>,
    pub left: Vec<Vec<LocalId>>,
    pub right: Vec<Vec<LocalId>>,
}

/// Checks the form of a proof.
pub fn check(relation: &Relation, proof: &Proof, budget: &Budget) -> Result<Reads, Refused> {
    budget.spend(proof.exprs.len() as u64)?;
    let mut forms = Forms { relation, proof, reads: Reads::default() };
    types::commands(relation)?;
    forms.predicates(budget)?;
    types::formulas(relation, proof)?;
    forms.singles(budget)?;
    forms.doubles(budget)?;
    Ok(forms.reads)
}

struct Forms<'a> {
    relation: &'a Relation,
    proof: &'a Proof,
    reads: Reads,
}

impl Forms<'_> {
    fn predicates(&mut self, budget: &Budget) -> Result<(), Refused> {
        let exprs = &self.proof.exprs;
        let locals = |e: ExprId| -> Result<Vec<LocalId>, Refused> {
            budget.spend(1 + exprs.below(e).len() as u64)?;
            Ok(exprs.locals(e))
        };
        for (index, &predicate) in self.proof.predicates.iter().enumerate() {
            budget.spend(1)?;
            if !types::is_truth(exprs, predicate) {
                return Ok(reject(format!("predicate {index} is no truth value"))?);
            }
            self.reads.predicates.push(locals(predicate)?);
        }
        for (index, pair) in self.proof.pairs.iter().enumerate() {
            budget.spend(1)?;
            if !types::is_comparison(exprs, pair) {
                return Ok(reject(format!("pair predicate {index} is no comparison of numbers"))?);
            }
            self.reads.left.push(locals(pair.left)?);
            self.reads.right.push(locals(pair.right)?);
        }
        Ok(())
    }

    fn singles(&self, budget: &Budget) -> Result<(), Refused> {
        let mut last = None;
        for single in &self.proof.singles {
            if last >= Some(single.control) {
                return Ok(reject("the tables of single threads are not in order")?);
            }
            last = Some(single.control);
            let template = self.template(single.control)?;
            let table = TableOf { table: &single.table, templates: [template, None] };
            self.table(&table, budget)?;
        }
        Ok(())
    }

    fn doubles(&self, budget: &Budget) -> Result<(), Refused> {
        let mut last = None;
        for double in self.proof.doubles.iter().flatten() {
            let key = (double.first, double.second);
            if double.first > double.second || last >= Some(key) {
                return Ok(reject("the tables of two threads are not in order")?);
            }
            last = Some(key);
            let templates = [self.template(double.first)?, self.template(double.second)?];
            self.table(&TableOf { table: &double.table, templates }, budget)?;
        }
        Ok(())
    }

    fn template(&self, control: ControlId) -> Result<Option<ProcId>, Rejected> {
        match self.relation.controls.get(control) {
            Some(found) => Ok(Some(found.template)),
            None => reject(format!("there is no control location {}", control.index())),
        }
    }

    fn table(&self, of: &TableOf<'_>, budget: &Budget) -> Result<(), Refused> {
        for &column in &of.table.columns {
            budget.spend(1)?;
            self.column(column, of.templates)?;
        }
        for row in &of.table.rows {
            budget.spend(1)?;
            if row.len() != of.table.columns.len() {
                return Ok(reject("a row is not as long as its table is wide")?);
            }
        }
        Ok(())
    }

    fn column(&self, column: Column, templates: [Option<ProcId>; 2]) -> Result<(), Rejected> {
        let [first, second] = templates;
        let seen = |reads: &[Vec<LocalId>], index: usize, template| match reads.get(index) {
            Some(reads) => self.seen(reads, template),
            None => reject(format!("there is no predicate {index}")),
        };
        let Reads { predicates, left, right } = &self.reads;
        match column {
            Column::First(index) => seen(predicates, index, first),
            Column::Second(index) if second.is_some() => seen(predicates, index, second),
            Column::Pair(index) if second.is_some() => {
                seen(left, index, first).and_then(|()| seen(right, index, second))
            }
            _ => reject("a table of single threads speaks of a second thread"),
        }
    }

    /// Whether a thread of this template has all these variables.
    fn seen(&self, reads: &[LocalId], template: Option<ProcId>) -> Result<(), Rejected> {
        let is_foreign = |&&variable: &&LocalId| match self.relation.variables[variable].home {
            Home::Shared | Home::Thread => false,
            Home::Template(home) => Some(home) != template,
            Home::Choice => true,
        };
        match reads.iter().find(is_foreign) {
            Some(&variable) => reject(format!(
                "a table reads `{}`, which no thread there has",
                self.relation.variables[variable].name
            )),
            None => Ok(()),
        }
    }
}

struct TableOf<'a> {
    table: &'a Table,
    /// The templates of the threads that it speaks of.
    templates: [Option<ProcId>; 2],
}
