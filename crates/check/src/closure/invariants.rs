//! Weighted sums that no rule increases, and traps: sets that hold a token at the start and never lose their
//! last. A sum is at most what it is at the start; a token of a trap is always there, so its part of the
//! weight can be taken off both sides. What then weighs more than is left cannot be there (Farkas' lemma for
//! the state equation of a net). Rules that the tuples rule out are never used.

use super::tuples::Tuples;
use crate::rules::{GONE, Local, Multiset, Rule, Rules, State, count};
use crate::{Refused, Rejected, reject, within};
use base::{Budget, Id};
use ir::certificate::{TokenClosure, Trap, Weights};
use ir::net::Interval;
use std::collections::HashMap;

/// A sum, without the weight of its traps.
pub struct Invariant {
    states: HashMap<State, u128>,
    locals: HashMap<Local, u128>,
    /// What the rest weighs at most.
    most: i128,
}

impl Invariant {
    /// Whether these threads are too much in this shared state.
    pub fn excludes(&self, state: State, multiset: &Multiset) -> bool {
        let weight = |it: &(Local, u32)| at(&self.locals, it.0).saturating_mul(u128::from(it.1));
        let total = multiset.iter().map(weight).fold(at(&self.states, state), u128::saturating_add);
        i128::try_from(total).map_or(true, |total| total > self.most)
    }
}

/// The invariants of a certificate, if they are.
pub fn read(
    closure: &TokenClosure,
    tuples: &Tuples<'_>,
    rules: &Rules,
    budget: &Budget,
) -> Result<Vec<Invariant>, Refused> {
    let used: Vec<&Rule> = rules.rules.iter().filter(|rule| tuples.enables(rule)).collect();
    for (index, trap) in closure.traps.iter().enumerate() {
        budget.spend(used.len() as u64)?;
        if !is_marked(trap, rules) || !used.iter().all(|rule| keeps(trap, rule)) {
            return Ok(reject(format!("trap {index} is empty at the start or can be emptied"))?);
        }
    }
    let mut found = vec![];
    for (index, weights) in closure.weights.iter().enumerate() {
        budget.spend(used.len() as u64)?;
        let read = invariant(weights, &closure.traps, &used, rules);
        found.push(read.map_err(|why| within(&format!("weights {index}"), why))?);
    }
    Ok(found)
}

fn has_state(trap: &Trap, state: State) -> bool {
    trap.states.binary_search(&Id::from_index(state as usize)).is_ok()
}

fn has(trap: &Trap, local: Local) -> bool {
    local != GONE && trap.places.binary_search(&Id::from_index(local as usize)).is_ok()
}

fn is_marked(trap: &Trap, rules: &Rules) -> bool {
    let held = rules.first.iter().any(|pool| {
        pool.count.least > 0 && pool.locals.as_ref().is_ok_and(|all| all.iter().all(|&it| has(trap, it)))
    });
    held || rules.starts.iter().all(|state| state.as_ref().is_ok_and(|&it| has_state(trap, it)))
}

/// Whether a token is in the trap after the rule if one was before.
fn keeps(trap: &Trap, rule: &Rule) -> bool {
    let moved = |local: Local| rule.react.as_ref().is_some_and(|it| it.contains_key(&local));
    // A token that is tested for, neither taken nor moved, is still there.
    let left = |(local, test): &(Local, Interval)| {
        has(trap, *local) && test.least > count(&rule.take, *local) && !moved(*local)
    };
    let made = rule.make.as_ref().is_ok_and(|made| made.iter().any(|it| has(trap, it.0)));
    if has_state(trap, rule.to) || made || rule.tests.iter().any(left) {
        return true;
    }
    let stays = |local: Local| rule.reaction(local).is_ok_and(|all| all.iter().all(|&it| has(trap, it)));
    !has_state(trap, rule.from)
        && !rule.take.iter().any(|it| has(trap, it.0))
        && rule.react.iter().flat_map(|it| it.keys()).all(|&local| !has(trap, local) || stays(local))
}

fn invariant(
    weights: &Weights,
    traps: &[Trap],
    used: &[&Rule],
    rules: &Rules,
) -> Result<Invariant, Rejected> {
    let mut states = HashMap::new();
    let mut locals = HashMap::new();
    weights.states.iter().for_each(|it| add(&mut states, it.0.index() as State, it.1));
    weights.places.iter().for_each(|it| add(&mut locals, it.0.index() as Local, it.1));
    let sum = |all: &Multiset| all.iter().map(|it| at(&locals, it.0) * u128::from(it.1)).sum::<u128>();
    for rule in used {
        let made = sum(rule.make.as_ref().map_err(Rejected::clone)?);
        let grows = at(&states, rule.to) + made > at(&states, rule.from) + sum(&rule.take);
        let moved = rule.react.iter().flatten();
        let heavier = |local: Local, to: Local| to != GONE && at(&locals, to) > at(&locals, local);
        for (&local, outcomes) in moved {
            if outcomes.as_ref().map_err(Rejected::clone)?.iter().any(|&to| heavier(local, to)) {
                return reject(format!(
                    "a rule of state {} moves tokens to where they are heavier",
                    rule.from
                ));
            }
        }
        if grows {
            return reject(format!("a rule that takes {:?} in state {} adds weight", rule.take, rule.from));
        }
    }
    let mut most = rules.starts.iter().flatten().map(|&it| at(&states, it)).max().unwrap_or(0);
    for pool in &rules.first {
        let all = pool.locals.as_ref().map_err(Rejected::clone)?;
        let weight = all.iter().map(|&it| at(&locals, it)).max().unwrap_or(0);
        match pool.count.most {
            Some(count) => most += weight * u128::from(count),
            None if weight > 0 => {
                return reject("a place that starts with any number of tokens has a weight");
            }
            None => {}
        }
    }
    let mut most =
        i128::try_from(most).map_err(|_| Rejected::new("the weights are too large".to_string()))?;
    for &(trap, weight) in &weights.traps {
        let Some(Trap { states: its_states, places }) = traps.get(trap) else {
            return reject(format!("there is no trap {trap}"));
        };
        most -= i128::from(weight);
        let parts = its_states.iter().map(|it| take(&mut states, it.index() as State, weight));
        let enough = parts.chain(places.iter().map(|it| take(&mut locals, it.index() as Local, weight)));
        if !enough.collect::<Vec<bool>>().into_iter().all(|it| it) {
            return reject(format!("trap {trap} weighs more than a token of it"));
        }
    }
    Ok(Invariant { states, locals, most })
}

fn at(weights: &HashMap<u32, u128>, item: u32) -> u128 {
    weights.get(&item).copied().unwrap_or(0)
}

fn add(weights: &mut HashMap<u32, u128>, item: u32, weight: u32) {
    *weights.entry(item).or_default() += u128::from(weight);
}

/// Takes a part of a weight off, if there is so much.
fn take(weights: &mut HashMap<u32, u128>, item: u32, weight: u32) -> bool {
    let left = at(weights, item).checked_sub(u128::from(weight));
    left.map(|left| weights.insert(item, left)).is_some()
}
