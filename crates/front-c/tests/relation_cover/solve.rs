//! Whether there are choices with which a command does what is wanted.

use ::c::{Binary, ExprId, LocalId, Machine, Node, Type, Value, mask};
use relation::{Command, Relation};
use std::collections::{BTreeMap, HashMap};

/// What a variable should be after a command.
pub struct Wanted {
    /// Its update, if it has one.
    pub update: Option<ExprId>,
    pub variable: LocalId,
    pub value: u128,
}

/// What a command should do.
pub struct Question<'a> {
    pub command: &'a Command,
    pub before: BTreeMap<LocalId, u128>,
    pub wanted: Vec<Wanted>,
    /// Numbers that may be chosen.
    pub candidates: Vec<u128>,
}

/// This many values of choices are tried.
const TRIES: usize = 20_000;

/// Something that must hold: an expression has a value.
struct Constraint {
    expr: ExprId,
    value: u128,
}

pub fn solve(machine: &Machine<'_>, relation: &Relation, question: &Question<'_>) -> bool {
    let mut fixed = question.wanted.iter().filter(|it| it.update.is_none());
    if fixed.any(|it| question.before.get(&it.variable) != Some(&it.value)) {
        return false;
    }
    let updates =
        question.wanted.iter().filter_map(|it| Some(Constraint { expr: it.update?, value: it.value }));
    let guards = conjuncts(relation, question.command.guard).into_iter();
    let all: Vec<Constraint> = guards.map(|expr| Constraint { expr, value: 1 }).chain(updates).collect();
    // Each is checks as soon as all its choices are made.
    let mut order: Vec<LocalId> = vec![];
    let mut checks: Vec<Vec<&Constraint>> = vec![vec![]];
    for constraint in &all {
        let read = relation.exprs.locals(constraint.expr).into_iter();
        for choice in read.filter(|variable| question.command.choices.contains(variable)) {
            if !order.contains(&choice) {
                order.push(choice);
                checks.push(vec![]);
            }
        }
        let read = relation.exprs.locals(constraint.expr);
        let last = order.iter().rposition(|choice| read.contains(choice)).map_or(0, |at| at + 1);
        checks[last].push(constraint);
    }
    let options: Vec<Vec<u128>> = order.iter().map(|&choice| options(relation, question, choice)).collect();
    search(&options, TRIES, |chosen| {
        let mut values = question.before.clone();
        values.extend(order.iter().copied().zip(chosen.iter().copied()));
        checks[chosen.len()].iter().all(|it| evaluate(machine, relation, it.expr, &values) == it.value)
    })
}

/// Looks for a value from each list such that every beginning is good.
fn search(options: &[Vec<u128>], tries: usize, good: impl Fn(&[u128]) -> bool) -> bool {
    let (mut at, mut left) = (vec![], tries);
    let mut chosen: Vec<u128> = vec![];
    if !good(&chosen) {
        return false;
    }
    while left > 0 {
        left -= 1;
        if chosen.len() == options.len() {
            return true;
        }
        at.push(0);
        // The next value of the last list that has one.
        while let Some(next) = at.last_mut() {
            let level = chosen.len();
            match options[level].get(*next) {
                Some(&value) => {
                    *next += 1;
                    chosen.push(value);
                    left = left.saturating_sub(1);
                    if good(&chosen) {
                        break;
                    }
                    chosen.pop();
                }
                None => {
                    at.pop();
                    chosen.pop();
                }
            }
        }
        if at.is_empty() {
            return false;
        }
    }
    false
}

fn conjuncts(relation: &Relation, guard: ExprId) -> Vec<ExprId> {
    let (mut found, mut stack) = (vec![], vec![guard]);
    while let Some(e) = stack.pop() {
        match relation.exprs.node(e) {
            Node::Binary(Binary::And, a, b) if relation.exprs.ty(e) == Type::Bits(1) => stack.extend([b, a]),
            _ => found.push(e),
        }
    }
    found
}

/// The values that a choice may have had.
fn options(relation: &Relation, question: &Question<'_>, choice: LocalId) -> Vec<u128> {
    let ty = relation.variables[choice].ty;
    let bits = ty.bits(relation.exprs.pointer_bits());
    let stored =
        question.wanted.iter().find(|it| it.update.is_some_and(|e| direct(relation, e) == Some(choice)));
    let mut all: Vec<u128> = match stored {
        Some(it) => vec![it.value & mask(bits)],
        None if ty == Type::Bits(1) => vec![0, 1],
        None => {
            let wanted = question.wanted.iter().map(|it| it.value);
            let seen = question.candidates.iter().copied().chain(constants(relation, question.command.guard));
            let all = seen.chain(wanted).chain(differences(relation, question));
            all.map(|it| it & mask(bits)).collect()
        }
    };
    all.sort();
    all.dedup();
    all
}

/// The numbers that a condition compares with: what is chosen need not be in a register of the machine.
fn constants(relation: &Relation, guard: ExprId) -> impl Iterator<Item = u128> {
    relation.exprs.below(guard).into_iter().filter_map(|e| match relation.exprs.node(e) {
        Node::Const(_, value) => Some(value),
        _ => None,
    })
}

/// What may have been added: what a variable should be, less what its update reads.
fn differences(relation: &Relation, question: &Question<'_>) -> Vec<u128> {
    let mut found = vec![];
    for it in &question.wanted {
        let read = it.update.map(|e| relation.exprs.locals(e)).unwrap_or_default();
        let before = read.iter().filter_map(|variable| question.before.get(variable));
        found.extend(before.map(|before| it.value.wrapping_sub(*before)));
    }
    found
}

/// The variable that an expression is, whatever its type.
fn direct(relation: &Relation, mut e: ExprId) -> Option<LocalId> {
    loop {
        match relation.exprs.node(e) {
            Node::Local(variable, _) => return Some(variable),
            Node::Convert(::c::Convert::Reinterpret, _, a) => e = a,
            _ => return None,
        }
    }
}

/// The value of an expression of the relation; what is undefined is 0.
pub fn evaluate(
    machine: &Machine<'_>,
    relation: &Relation,
    root: ExprId,
    values: &BTreeMap<LocalId, u128>,
) -> u128 {
    let (exprs, evaluator) = (&relation.exprs, machine.evaluator());
    let mut done: HashMap<ExprId, u128> = HashMap::new();
    for id in exprs.below(root) {
        let get = |e: ExprId| Value::Bits(done[&e]);
        let value = match exprs.node(id) {
            Node::Const(_, value) => Ok(Value::Bits(value)),
            Node::Local(variable, _) => {
                let value = values.get(&variable);
                let value =
                    value.unwrap_or_else(|| panic!("`{}` has no value", relation.variables[variable].name));
                Ok(Value::Bits(*value))
            }
            Node::Address(_) => panic!("a relation has no addresses"),
            Node::Unary(op, a) => evaluator.unary(op, exprs.ty(a), get(a)),
            Node::Binary(op, a, b) => evaluator.binary(op, exprs.ty(a), get(a), get(b)),
            Node::Convert(op, to, a) => evaluator.convert(op, exprs.ty(a), to, get(a)),
            Node::Ite(a, b, c) => Ok(if done[&a] != 0 { get(b) } else { get(c) }),
        };
        done.insert(id, value.ok().and_then(Value::bits).unwrap_or(0));
    }
    done[&root]
}
