//! What the steps of a path say forward: after `x = s` a guard on `s` holds of `x`, values that are assigned
//! together are related (`o = s; n = s + 1` gives `o == s`, `o < n`), and an equality of a guard says the
//! same of either side. Weakest preconditions alone miss these, since they only speak of what the end needs.

use super::straight::{Straight, StraightStep};
use crate::terms::atoms::{atoms, simplify, substitute};
use base::{Budget, Stop};
use c::{Binary, ExprId, Exprs, LocalId, Node, TRUTH};
use rustc_hash::FxHashMap;

/// The most atoms that are made.
const MOST_ATOMS: usize = 200;

/// The atoms of these steps, over the variables of the path.
pub fn forward(straight: &mut Straight, steps: &[usize], budget: &Budget) -> Result<Vec<ExprId>, Stop> {
    let mut found: Vec<ExprId> = vec![];
    for &number in steps {
        let step = straight.steps[number].clone();
        budget.spend(1 + (step.updates.len() * step.updates.len()) as u64)?;
        let guards = atoms(&mut straight.relation.exprs, step.guard);
        let mut made = guards.clone();
        made.extend(renamed(straight, &guards, &step));
        made.extend(by_equalities(straight, &guards));
        made.extend(assigned(straight, &step));
        for atom in made {
            if !found.contains(&atom) && found.len() < MOST_ATOMS {
                found.push(atom);
            }
        }
    }
    Ok(found)
}

/// Guards after the step: what held of a value holds of the variable that it was given to.
fn renamed(straight: &mut Straight, guards: &[ExprId], step: &StraightStep) -> Vec<ExprId> {
    let mut made = vec![];
    for update in &step.updates {
        let ty = straight.relation.variables[update.variable].ty;
        let exprs = &mut straight.relation.exprs;
        let Node::Local(source, from) = exprs.node(update.value) else { continue };
        if from == ty {
            let copy = exprs.add(Node::Local(update.variable, ty));
            let values = FxHashMap::from_iter([(source, copy)]);
            for &guard in guards.iter() {
                if exprs.locals(guard).contains(&source) {
                    let it = substitute(exprs, guard, &values);
                    made.extend(atoms(exprs, it));
                }
            }
        }
    }
    made
}

/// Guards with one side of an equality of the guard in place of the other.
fn by_equalities(straight: &mut Straight, guards: &[ExprId]) -> Vec<ExprId> {
    let exprs = &mut straight.relation.exprs;
    let mut made = vec![];
    for &equality in guards {
        let Node::Binary(Binary::Eq, a, b) = exprs.node(equality) else { continue };
        for (side, value) in [(a, b), (b, a)] {
            let Node::Local(variable, _) = exprs.node(side) else { continue };
            let values: FxHashMap<LocalId, ExprId> = FxHashMap::from_iter([(variable, value)]);
            for &guard in guards.iter().filter(|&&it| it != equality) {
                if exprs.locals(guard).contains(&variable) {
                    let it = substitute(exprs, guard, &values);
                    made.extend(atoms(exprs, it));
                }
            }
        }
    }
    made
}

/// How the values that are assigned relate to each other and to what they are made of, in the state after.
fn assigned(straight: &mut Straight, step: &StraightStep) -> Vec<ExprId> {
    let written: Vec<LocalId> = step.updates.iter().map(|it| it.variable).collect();
    let variables = &straight.relation.variables;
    let exprs = &mut straight.relation.exprs;
    let mut made = vec![];
    for (at, update) in step.updates.iter().enumerate() {
        let about = &variables[update.variable];
        if about.ty.is_float() || about.ty == TRUTH {
            continue;
        }
        let read = exprs.add(Node::Local(update.variable, about.ty));
        let stays = exprs.locals(update.value).iter().all(|it| !written.contains(it));
        if stays && exprs.ty(update.value) == about.ty {
            let equal = simplify(exprs, Node::Binary(Binary::Eq, read, update.value));
            made.extend(atoms(exprs, equal));
            for source in exprs.locals(update.value).into_iter().filter(|&it| variables[it].ty == about.ty) {
                let other = exprs.add(Node::Local(source, about.ty));
                made.extend(compared(exprs, about.signed, other, read));
            }
        }
        made.extend(by_copies(exprs, step, at, read));
        for other in &step.updates[..at] {
            let second = &variables[other.variable];
            let related = exprs.locals(other.value).iter().any(|it| exprs.locals(update.value).contains(it));
            if second.ty != about.ty || !related {
                continue;
            }
            let other_read = exprs.add(Node::Local(other.variable, second.ty));
            made.extend(compared(exprs, about.signed, other_read, read));
        }
    }
    made
}

/// What a variable is made of, with copies that are made at the same time in place of what they are copies
/// of: `o = s; n = s / 4` gives `n == o / 4`.
fn by_copies(exprs: &mut Exprs, step: &StraightStep, at: usize, read: ExprId) -> Vec<ExprId> {
    let value = step.updates[at].value;
    let reads = exprs.locals(value);
    let mut made = vec![];
    for (_, copy) in step.updates.iter().enumerate().filter(|it| it.0 != at) {
        let Node::Local(source, ty) = exprs.node(copy.value) else { continue };
        let others_stay = |it: &LocalId| *it == source || step.updates.iter().all(|it2| it2.variable != *it);
        if value == copy.value || !reads.contains(&source) || !reads.iter().all(others_stay) {
            continue;
        }
        let instead = exprs.add(Node::Local(copy.variable, ty));
        let same = substitute(exprs, value, &FxHashMap::from_iter([(source, instead)]));
        if exprs.ty(same) == exprs.ty(read) {
            let equal = simplify(exprs, Node::Binary(Binary::Eq, read, same));
            made.extend(atoms(exprs, equal));
        }
    }
    made
}

/// Both orders and equality of two values.
fn compared(exprs: &mut Exprs, signed: bool, a: ExprId, b: ExprId) -> Vec<ExprId> {
    let less = if signed { Binary::LtS } else { Binary::LtU };
    let mut made = vec![];
    for (op, left, right) in [(Binary::Eq, a, b), (less, a, b), (less, b, a)] {
        let atom = simplify(exprs, Node::Binary(op, left, right));
        made.extend(atoms(exprs, atom));
    }
    made
}
