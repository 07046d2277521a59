//! The checker of predicates against the definition of an invariant, by enumeration over small widths.

mod concrete;
mod counts;
mod invariants;
mod mutate;
mod operators;
mod programs;
mod random;

use ::c::{Binary, ExprId, Exprs, Loc, LocalId, ProcId, TRUTH, Type};
use base::{Arena, Id};
use relation::proof::{Column, Double, Proof, Single, Table};
use relation::{Command, Control, ControlId, Creation, Home, Outcome, Relation, Update, Variable};

/// The template of `main`.
fn main_template() -> ProcId {
    ProcId::from_index(0)
}

/// The template of all other threads.
fn worker_template() -> ProcId {
    ProcId::from_index(1)
}

/// A relation that is written by hand.
fn empty() -> Relation {
    Relation {
        exprs: Exprs::new(64),
        variables: Arena::new(),
        controls: Arena::new(),
        commands: vec![],
        start: ControlId::from_index(0),
        accesses: None,
    }
}

/// Declares a variable; shared ones and those that begin with a value begin with 0.
fn declare(relation: &mut Relation, name: &str, bits: u8, home: Home) -> LocalId {
    let initial = (home != Home::Choice).then_some(0);
    let ty = Type::Bits(bits);
    relation.variables.push(Variable { name: name.into(), ty, home, signed: false, initial, ghost: false })
}

fn control(relation: &mut Relation, template: ProcId, live: &[LocalId]) -> ControlId {
    let loc = Loc::from_index(relation.controls.len());
    relation.controls.push(Control { loc, phase: 0, template, live: live.to_vec() })
}

/// The value of a variable.
fn read(relation: &mut Relation, variable: LocalId) -> ExprId {
    let ty = relation.variables[variable].ty;
    relation.exprs.add(::c::Node::Local(variable, ty))
}

/// A comparison or another operator on a variable and a number.
fn with_number(relation: &mut Relation, op: Binary, variable: LocalId, number: u128) -> ExprId {
    let value = read(relation, variable);
    let ty = relation.exprs.ty(value);
    let number = relation.exprs.number(ty, number);
    relation.exprs.binary(op, value, number)
}

fn truth(relation: &mut Relation, value: bool) -> ExprId {
    relation.exprs.number(TRUTH, u128::from(value))
}

/// A command without choices and creation.
fn command(from: ControlId, guard: ExprId, updates: &[(LocalId, ExprId)], outcome: Outcome) -> Command {
    let updates = updates.iter().map(|&(variable, value)| Update { variable, value }).collect();
    Command { from, guard, others: None, choices: vec![], updates, creates: None, outcome, steps: vec![] }
}

/// `main` creates threads for ever.
fn creating(relation: &mut Relation, from: ControlId, entry: ControlId) -> Command {
    let guard = truth(relation, true);
    let creates = Some(Creation { entry, values: vec![] });
    Command { creates, ..command(from, guard, &[], Outcome::Go(from)) }
}

/// A table whose rows are written as in the text form.
fn table(columns: &[Column], rows: &[&str]) -> Table {
    let value = |c: char| match c {
        '0' => Some(false),
        '1' => Some(true),
        _ => None,
    };
    let rows = rows.iter().map(|row| row.chars().map(value).collect()).collect();
    Table { columns: columns.to_vec(), rows }
}

fn single(control: ControlId, columns: &[Column], rows: &[&str]) -> Single {
    Single { control, table: table(columns, rows) }
}

fn double(stands: [ControlId; 2], columns: &[Column], rows: &[&str]) -> Double {
    Double { first: stands[0], second: stands[1], table: table(columns, rows) }
}

/// A proof without predicates yet.
fn proof_of(relation: &Relation) -> Proof {
    let exprs = relation.exprs.clone();
    let (predicates, pairs, counts) = (vec![], vec![], vec![]);
    Proof { exprs, predicates, pairs, counts, singles: vec![], doubles: None, races: false }
}
