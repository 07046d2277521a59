//! The search backward from the errors. Elements that a tuple outside the closure makes unreachable are
//! dropped; the fewest threads go first, because small elements cover many.

use super::backward::Backward;
use super::basis::{Basis, Element};
use super::equation::Equation;
use crate::closure::{self, Closure, Group, Pool, RuleSystem, Start};
use crate::explore::normalise;
use base::{Budget, Event, Events, Progress, Stop};
use std::collections::BTreeSet;

/// What the search works with.
pub struct CoverSearch<'a, 'm> {
    /// The rules.
    pub system: &'a mut RuleSystem<'m>,
    /// What is reachable at most.
    pub closure: &'a Closure,
    /// How the system starts.
    pub start: Start,
    /// The rules backward.
    pub backward: Backward,
    /// The elements from which an error can be reached.
    pub basis: Basis,
    /// How many elements the closure ruled out.
    pub pruned: u64,
    /// The state equation, which rules out more.
    pub equation: Option<&'a mut Equation>,
    worklist: BTreeSet<(u64, u32)>,
    budget: &'a Budget,
}

impl<'a, 'm> CoverSearch<'a, 'm> {
    /// Starts from the errors of the closure.
    pub fn new(
        system: &'a mut RuleSystem<'m>,
        closure: &'a Closure,
        equation: Option<&'a mut Equation>,
        budget: &'a Budget,
    ) -> Result<Self, Stop> {
        let start = system.start(budget)?;
        let backward = Backward::new(system);
        let (basis, worklist) = (Basis::default(), BTreeSet::new());
        Ok(Self { system, closure, start, backward, basis, pruned: 0, equation, worklist, budget })
    }

    /// An element that covers a start, if there is one; otherwise the basis is complete.
    pub fn run(&mut self, events: &mut dyn Events) -> Result<Option<u32>, Stop> {
        let errors = self.closure.errors.iter().map(|&(shared, local)| (shared, vec![(local, 1)]));
        let goals = self.closure.goals.iter().map(|(shared, goal)| (*shared, goal.threads.clone()));
        for (shared, threads) in errors.chain(goals) {
            if let Some(first) = self.meet(Element { shared, threads, via: None })? {
                return Ok(Some(first));
            }
        }
        let mut steps = 0u64;
        while let Some((_, id)) = self.worklist.pop_first() {
            if !self.basis.is_minimal(id) {
                continue;
            }
            if let Some(first) = self.expand(id)? {
                return Ok(Some(first));
            }
            steps += 1;
            if steps.is_multiple_of(1 << 12) {
                let (all, minimal) = self.basis.sizes();
                let waiting = self.worklist.len();
                events.emit(Event::Progress(Progress::Basis { minimal, all, waiting }));
            }
        }
        Ok(None)
    }

    fn expand(&mut self, id: u32) -> Result<Option<u32>, Stop> {
        let (shared, threads) = (self.basis.get(id).shared, self.basis.get(id).threads.clone());
        for number in self.backward.rules(shared, &threads) {
            self.budget.spend(1)?;
            let rule = self.system.rule(number as usize);
            let mut before = vec![];
            if rule.starts {
                if fits(&self.start.later, &threads) {
                    before.push(self.system.take(&rule).to_vec());
                }
            } else {
                let (system, tuples) = (&mut *self.system, &self.closure.tuples);
                let mut keep = |threads, _: &[_]| {
                    before.push(threads);
                    Ok(())
                };
                self.backward.predecessors(system, tuples, number, &threads, self.budget, &mut keep)?;
            }
            for threads in before {
                let found = Element { shared: rule.from, threads, via: Some((number, id)) };
                if let Some(first) = self.meet(found)? {
                    return Ok(Some(first));
                }
            }
        }
        Ok(None)
    }

    /// Adds an element unless it is unreachable or covered; its number if it covers a start.
    fn meet(&mut self, found: Element) -> Result<Option<u32>, Stop> {
        let tuples = &self.closure.tuples;
        if !tuples.consistent(found.shared, &closure::spread(&found.threads, tuples.width())) {
            self.pruned += 1;
            return Ok(None);
        }
        if self.basis.covers(found.shared, &found.threads) {
            return Ok(None);
        }
        self.budget.spend(1)?;
        if let Some(equation) = &mut self.equation
            && equation.excludes(found.shared, &found.threads, self.budget)?
        {
            self.pruned += 1;
            return Ok(None);
        }
        let initial = self.start.shared.contains(&found.shared) && fits(&self.start.first, &found.threads);
        let size = size(&found.threads);
        let id = self.basis.add(found);
        self.worklist.insert((size, id));
        Ok(initial.then_some(id))
    }
}

fn size(threads: &[Group]) -> u64 {
    threads.iter().map(|it| u64::from(it.1)).sum()
}

/// Whether threads can be there when the pools start.
pub fn fits(pools: &[Pool], threads: &[Group]) -> bool {
    // The pools of a net have one local state each, in order; there may be thousands.
    let ordered = pools.iter().is_sorted_by(|a, b| a.locals.last() < b.locals.first());
    let mut used = vec![0u64; pools.len()];
    for &(local, count) in threads {
        let found = match ordered {
            true => Some(pools.partition_point(|it| it.locals.last() < Some(&local))),
            false => pools.iter().position(|it| it.locals.binary_search(&local).is_ok()),
        };
        let holds = |&at: &usize| pools.get(at).is_some_and(|it| it.locals.binary_search(&local).is_ok());
        let Some(pool) = found.filter(holds) else { return false };
        used[pool] += u64::from(count);
    }
    pools.iter().zip(used).all(|(pool, used)| pool.most.is_none_or(|most| used <= u64::from(most)))
}

/// The threads with as many more as the pools start with at least.
pub fn filled(pools: &[Pool], threads: &[Group]) -> Vec<Group> {
    let mut all = threads.to_vec();
    for pool in pools {
        let there = threads.iter().filter(|it| pool.locals.binary_search(&it.0).is_ok());
        let there = there.fold(0u32, |sum, it| sum.saturating_add(it.1));
        let more = pool.least.saturating_sub(there);
        if let (Some(&local), true) = (pool.locals.first(), more > 0) {
            all.push((local, more));
        }
    }
    normalise(&mut all);
    all
}
