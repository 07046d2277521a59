//! Whether a proof is one about this relation at all: its expressions are well-typed and without floats, its tables stand at control
//! locations of the relation, in order, and speak only of variables that the threads there have.

use base::{Budget, Id};
use check::{Refused, Rejected, reject};
use ir::c::relation::proof::{Column, Proof, Table};
use ir::c::relation::{Command, ControlId, Home, Outcome, Relation};
use ir::c::{Binary, Convert, ExprId, Exprs, LocalId, Node, ProcId, TRUTH, Type, mask};

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
    forms.commands()?;
    forms.expressions()?;
    forms.predicates(budget)?;
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
    /// Threads stay in their templates and write what they have. The construction of relations sees to that; here it costs nothing.
    fn commands(&self) -> Result<(), Rejected> {
        let template = |control: ControlId| self.relation.controls.get(control).map(|it| it.template);
        let writes = |variable: LocalId, of: Option<ProcId>| match self
            .relation
            .variables
            .get(variable)
            .map(|it| it.home)
        {
            Some(Home::Shared | Home::Thread) => true,
            Some(Home::Template(home)) => of == Some(home),
            Some(Home::Choice) | None => false,
        };
        let is_good = |command: &Command| {
            let own = template(command.from);
            own.is_some()
                && !matches!(command.outcome, Outcome::Go(to) if template(to) != own)
                && command.updates.iter().all(|it| writes(it.variable, own))
                && command.creates.as_ref().is_none_or(|it| {
                    let entry = template(it.entry);
                    entry.is_some() && it.values.iter().all(|it| writes(it.variable, entry))
                })
        };
        match self.relation.commands.iter().position(|command| !is_good(command)) {
            Some(number) => reject(format!("command {number} of the relation is malformed")),
            None => Ok(()),
        }
    }

    /// The pool begins with the relation's and is well-typed.
    fn expressions(&self) -> Result<(), Rejected> {
        let (ours, theirs) = (&self.relation.exprs, &self.proof.exprs);
        let is_prefix = ours.pointer_bits() == theirs.pointer_bits()
            && ours.len() <= theirs.len()
            && ours.ids().all(|id| ours.node(id) == theirs.node(id));
        if !is_prefix {
            return reject("the expressions of the proof do not begin with those of the program");
        }
        let added = theirs.ids().skip(ours.len());
        match added.map(|id| theirs.node(id)).find(|&node| !self.well_typed(node)) {
            Some(node) => reject(format!("an expression of the proof has no formula: {node:?}")),
            None => Ok(()),
        }
    }

    fn well_typed(&self, node: Node) -> bool {
        let exprs = &self.proof.exprs;
        let ty = |e: ExprId| exprs.ty(e);
        match node {
            Node::Const(ty, value) => {
                let bits = ty.bits(exprs.pointer_bits());
                (1..=128).contains(&bits) && value & !mask(bits) == 0
            }
            Node::Local(variable, ty) => self.relation.variables.get(variable).is_some_and(|it| it.ty == ty),
            Node::Address(_) => false,
            Node::Unary(_, a) => is_bits(ty(a)),
            Node::Binary(op, a, b) => binary(exprs, op, [ty(a), ty(b)]),
            Node::Convert(op, to, a) => convert(exprs, op, [ty(a), to]),
            Node::Ite(a, b, c) => ty(a) == TRUTH && ty(b) == ty(c),
        }
    }

    fn predicates(&mut self, budget: &Budget) -> Result<(), Refused> {
        let exprs = &self.proof.exprs;
        let locals = |e: ExprId| -> Result<Vec<LocalId>, Refused> {
            budget.spend(1 + exprs.below(e).len() as u64)?;
            Ok(exprs.locals(e))
        };
        for (index, &predicate) in self.proof.predicates.iter().enumerate() {
            budget.spend(1)?;
            if predicate.index() >= exprs.len() || exprs.ty(predicate) != TRUTH {
                return Ok(reject(format!("predicate {index} is no truth value"))?);
            }
            self.reads.predicates.push(locals(predicate)?);
        }
        for (index, pair) in self.proof.pairs.iter().enumerate() {
            budget.spend(1)?;
            let is_known = [pair.left, pair.right].iter().all(|it| it.index() < exprs.len());
            let is_good = is_known
                && pair.compare.is_comparison()
                && binary(exprs, pair.compare, [exprs.ty(pair.left), exprs.ty(pair.right)]);
            if !is_good {
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

fn is_bits(ty: Type) -> bool {
    matches!(ty, Type::Bits(_))
}

fn binary(exprs: &Exprs, op: Binary, types: [Type; 2]) -> bool {
    let [a, b] = types;
    let bits = |ty: Type| ty.bits(exprs.pointer_bits());
    match op {
        Binary::DivF | Binary::LtF | Binary::LeF => false,
        _ if a.is_float() || b.is_float() => false,
        _ if op.is_shift() => is_bits(a) && is_bits(b),
        // Pointers are numbers here.
        Binary::Add | Binary::Sub => bits(a) == bits(b),
        _ => a == b,
    }
}

fn convert(exprs: &Exprs, op: Convert, types: [Type; 2]) -> bool {
    let [from, to] = types.map(|ty| ty.bits(exprs.pointer_bits()));
    (1..=128).contains(&to)
        && match op {
            Convert::ZeroExtend | Convert::SignExtend => from <= to,
            Convert::Truncate => from >= to,
            Convert::Reinterpret => from == to,
            _ => false,
        }
}
