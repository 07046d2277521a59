//! What an infeasible path says about the states on its way: the weakest preconditions of the conjuncts that
//! are to blame, from the last of them back to the first, or to the start where the first values matter. Only
//! atoms are followed, in normal form.

use super::feasibility::Core;
use super::straight::{Owner, Straight};
use crate::terms::atoms::{atoms, substitute, under_guard};
use base::{Budget, Stop};
use c::{Binary, ExprId, LocalId, Node};
use rustc_hash::FxHashMap;

/// The most atoms that are followed at once.
const MOST_FOLLOWED: usize = 60;

/// The atoms of the weakest preconditions, over the variables of the path, those nearest to the end first.
pub fn preconditions(straight: &mut Straight, core: &Core, budget: &Budget) -> Result<Vec<ExprId>, Stop> {
    let Some(last) = core.conjuncts.iter().map(|it| it.step).max() else { return Ok(vec![]) };
    let first = core.conjuncts.iter().map(|it| it.step).min().filter(|_| !core.start).unwrap_or(0);
    let mut found: Vec<ExprId> = vec![];
    let mut followed: Vec<ExprId> = vec![];
    for step in (first..=last).rev() {
        if step < last {
            followed = before(straight, step, followed, budget)?;
        }
        for blamed in core.conjuncts.iter().filter(|it| it.step == step) {
            followed.extend(atoms(&mut straight.relation.exprs, blamed.conjunct));
        }
        followed = of_one_thread(straight, followed);
        followed.sort();
        followed.dedup();
        followed.truncate(MOST_FOLLOWED);
        found.extend(followed.iter().copied().filter(|it| !found.contains(it)).collect::<Vec<_>>());
    }
    Ok(found)
}

/// The atoms before a step of what holds after it.
fn before(
    straight: &mut Straight,
    step: usize,
    followed: Vec<ExprId>,
    budget: &Budget,
) -> Result<Vec<ExprId>, Stop> {
    let code = straight.steps[step].clone();
    let exprs = &mut straight.relation.exprs;
    let mut values: FxHashMap<LocalId, ExprId> = FxHashMap::default();
    for update in &code.updates {
        values.insert(update.variable, under_guard(exprs, code.guard, update.value));
    }
    let mut next = vec![];
    for atom in followed {
        budget.spend(1)?;
        if exprs.locals(atom).iter().any(|it| values.contains_key(it)) {
            let made = substitute(exprs, atom, &values);
            next.extend(atoms(exprs, made));
        } else {
            next.push(atom);
        }
    }
    Ok(next)
}

/// Atoms about two threads become atoms about one where an equality among the others says what a variable of
/// one of the threads is equal to.
fn of_one_thread(straight: &mut Straight, followed: Vec<ExprId>) -> Vec<ExprId> {
    let threads = |straight: &Straight, id: ExprId| {
        straight.owners(id).iter().filter(|it| matches!(it, Owner::Thread(_))).count()
    };
    if followed.iter().all(|&it| threads(straight, it) < 2) {
        return followed;
    }
    let mut equal: Vec<(LocalId, ExprId)> = vec![];
    for &atom in &followed {
        if let Node::Binary(Binary::Eq, a, b) = straight.relation.exprs.node(atom) {
            for (side, value) in [(a, b), (b, a)] {
                if let Node::Local(variable, _) = straight.relation.exprs.node(side)
                    && straight.copies.contains_key(&variable)
                    && straight.owners(value).is_empty()
                {
                    equal.push((variable, value));
                }
            }
        }
    }
    let mut all = vec![];
    for atom in followed {
        all.push(atom);
        if threads(straight, atom) < 2 {
            continue;
        }
        for &(variable, value) in &equal {
            let exprs = &mut straight.relation.exprs;
            if exprs.locals(atom).contains(&variable) {
                let made = substitute(exprs, atom, &FxHashMap::from_iter([(variable, value)]));
                all.extend(atoms(exprs, made));
            }
        }
    }
    all
}
