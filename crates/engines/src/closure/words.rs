//! Sets of states as facts: written in words that do not depend on the numbers of one system, and read back
//! into another system of the same model.

use super::derive::{Closure, uncovered};
use super::system::RuleSystem;
use super::tuples::{Tuple, Tuples};
use crate::facts::{States, Words};
use base::{Budget, Stop};
use std::collections::BTreeMap;

/// The states with these rows: a shared state, then local states, by their numbers in the system.
pub fn states<'r>(
    system: &RuleSystem<'_>,
    rows: impl Iterator<Item = &'r [u32]> + Clone,
    budget: &Budget,
) -> Result<States, Stop> {
    let (mut shared, mut locals): (BTreeMap<Words, u32>, BTreeMap<Words, u32>) = Default::default();
    for row in rows.clone() {
        budget.spend(1)?;
        shared.entry(system.shared_words(row[0])).or_default();
        for &local in &row[1..] {
            locals.entry(system.local_words(local)).or_default();
        }
    }
    shared.values_mut().zip(0..).for_each(|(number, fresh)| *number = fresh);
    locals.values_mut().zip(0..).for_each(|(number, fresh)| *number = fresh);
    let number = |row: &[u32]| {
        let mut threads: Vec<u32> = row[1..].iter().map(|&it| locals[&system.local_words(it)]).collect();
        threads.sort_unstable();
        std::iter::once(shared[&system.shared_words(row[0])]).chain(threads).collect::<Box<[u32]>>()
    };
    let mut all: Vec<Box<[u32]>> = rows.map(number).collect();
    all.sort_unstable();
    Ok(States { shared: shared.into_keys().collect(), locals: locals.into_keys().collect(), rows: all })
}

/// Calls `visit` with each state, by its numbers in the system; local states are sorted.
pub fn read(
    system: &mut RuleSystem<'_>,
    states: &States,
    budget: &Budget,
    mut visit: impl FnMut(u32, &[u32]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    budget.spend((states.shared.len() + states.locals.len()) as u64)?;
    let shared: Result<Vec<u32>, Stop> = states.shared.iter().map(|it| system.shared_of(it)).collect();
    let locals: Result<Vec<u32>, Stop> = states.locals.iter().map(|it| system.local_of(it)).collect();
    let (shared, locals) = (shared?, locals?);
    let mut threads = vec![];
    for row in &states.rows {
        budget.spend(1)?;
        threads.clear();
        threads.extend(row[1..].iter().map(|&it| locals[it as usize]));
        threads.sort_unstable();
        visit(shared[row[0] as usize], &threads)?;
    }
    Ok(())
}

/// The tuples of a closure, the empty ones included.
pub fn tuples(tuples: &Tuples, budget: &Budget) -> Result<Vec<Vec<u32>>, Stop> {
    let mut rows = vec![];
    for shared in tuples.shared() {
        rows.push(vec![shared]);
        for &local in tuples.locals(shared) {
            rows.push(vec![shared, local]);
            let others = if tuples.width() > 1 { tuples.neighbours(shared, local) } else { vec![] };
            budget.spend(1 + others.len() as u64)?;
            rows.extend(others.into_iter().filter(|&it| it >= local).map(|it| vec![shared, local, it]));
        }
    }
    rows.extend(tuples.larger().map(<[u32]>::to_vec));
    Ok(rows)
}

/// A closure that somebody computed, with the rules of its threads.
pub fn recall(
    system: &mut RuleSystem<'_>,
    width: usize,
    states: &States,
    budget: &Budget,
) -> Result<Closure, Stop> {
    let mut tuples = Tuples::new(width);
    read(system, states, budget, |shared, locals| {
        tuples.add(shared, locals.iter().copied().collect::<Tuple>())
    })?;
    while tuples.take().is_some() {}
    let mut errors = vec![];
    let shared: Vec<u32> = tuples.shared().collect();
    for shared in shared {
        system.joint(shared);
        for &local in tuples.locals(shared) {
            system.single(shared, local, budget)?;
            if system.fails(shared, local, budget)? {
                errors.push((shared, local));
            }
        }
    }
    let goals = uncovered(&tuples, system.goals());
    Ok(Closure { tuples, errors, goals })
}
