//! Minimal predecessors. A rule takes C, makes P and lets each other thread react on its own: a thread that
//! has at least M' afterwards had C before, and for each thread of M' that is not one of P a thread that may
//! have become it. To leave as many threads as possible to P is never worse: the predecessors of the other
//! choices lie above.

use crate::closure::{Group, Rule, RuleSystem, Tuples};
use crate::explore::{NONE, normalise};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;

/// A thread that reacts: before and after.
pub type Reacted = (u32, u32);

/// The rules by where they lead, and the reactions backward.
#[derive(Debug, Default)]
pub struct Backward {
    /// Rules that can matter to any element of a shared state.
    noticed: Vec<Vec<u32>>,
    /// Rules that matter only to elements with a thread that they make.
    makes: FxHashMap<(u32, u32), Vec<u32>>,
    /// For a rule and a local state: the local states that may become it.
    sources: FxHashMap<(u32, u32), Vec<u32>>,
    known: FxHashMap<u32, ()>,
}

impl Backward {
    /// All rules that were met.
    pub fn new(system: &RuleSystem<'_>) -> Self {
        let mut backward = Self::default();
        for number in 0..system.rule_count() {
            let rule = system.rule(number);
            if rule.is_noticed() || rule.starts {
                let missing = (rule.to as usize + 1).saturating_sub(backward.noticed.len());
                backward.noticed.extend(std::iter::repeat_n(vec![], missing));
                backward.noticed[rule.to as usize].push(number as u32);
            } else {
                for &(local, _) in system.make(&rule) {
                    backward.makes.entry((rule.to, local)).or_default().push(number as u32);
                }
            }
        }
        backward
    }

    /// The rules that may lead to an element, each once, in order.
    pub fn rules(&self, shared: u32, threads: &[Group]) -> Vec<u32> {
        let mut rules: Vec<u32> = self.noticed.get(shared as usize).cloned().unwrap_or_default();
        rules.extend(threads.iter().filter_map(|it| self.makes.get(&(shared, it.0))).flatten());
        rules.sort_unstable();
        rules.dedup();
        rules
    }

    /// Calls `visit` with each minimal predecessor of an element by a rule that is not the last of `init`,
    /// and with the reactions that lead from one to the other.
    pub fn predecessors(
        &mut self,
        system: &mut RuleSystem<'_>,
        tuples: &Tuples,
        number: u32,
        threads: &[Group],
        budget: &Budget,
        visit: &mut impl FnMut(Vec<Group>, &[Reacted]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let rule = system.rule(number as usize);
        let rest = minus(threads, system.make(&rule));
        if rule.passive == NONE {
            let before = complete(system, &rule, rest.clone());
            return visit(before, &[]);
        }
        self.invert(system, tuples, number, budget)?;
        let mut choices: Vec<(u32, &[u32])> = vec![];
        for &(after, count) in &rest {
            let Some(sources) = self.sources.get(&(number, after)) else { return Ok(()) };
            for _ in 0..count {
                budget.spend(1)?;
                choices.push((after, sources));
            }
        }
        let mut picked = vec![0; choices.len()];
        loop {
            budget.spend(1)?;
            let reacted: Vec<Reacted> =
                choices.iter().zip(&picked).map(|(&(after, from), &at)| (from[at], after)).collect();
            let mut before: Vec<Group> = reacted.iter().map(|it| (it.0, 1)).collect();
            normalise(&mut before);
            visit(complete(system, &rule, before), &reacted)?;
            if !advance(&choices, &mut picked) {
                return Ok(());
            }
        }
    }

    /// Works out once for a rule what may become what.
    fn invert(
        &mut self,
        system: &mut RuleSystem<'_>,
        tuples: &Tuples,
        number: u32,
        budget: &Budget,
    ) -> Result<(), Stop> {
        if self.known.insert(number, ()).is_some() {
            return Ok(());
        }
        let rule = system.rule(number as usize);
        for &local in tuples.locals(rule.from) {
            budget.spend(1)?;
            for after in system.react(&rule, local, budget)? {
                if after != NONE {
                    self.sources.entry((number, after)).or_default().push(local);
                }
            }
        }
        Ok(())
    }
}

/// The next way to pick; picks for equal threads never fall, so that each multiset comes once.
fn advance(choices: &[(u32, &[u32])], picked: &mut [usize]) -> bool {
    let Some(at) = (0..picked.len()).rev().find(|&at| picked[at] + 1 < choices[at].1.len()) else {
        return false;
    };
    let next = picked[at] + 1;
    for later in at..picked.len() {
        picked[later] = if choices[later].0 == choices[at].0 { next } else { 0 };
    }
    true
}

/// Adds what the rule takes and what its tests need.
fn complete(system: &RuleSystem<'_>, rule: &Rule, mut before: Vec<Group>) -> Vec<Group> {
    before.extend_from_slice(system.take(rule));
    normalise(&mut before);
    for (local, test) in system.tests(rule) {
        match before.binary_search_by_key(&local, |it| it.0) {
            Ok(at) => before[at].1 = before[at].1.max(test.least),
            Err(at) if test.least > 0 => before.insert(at, (local, test.least)),
            Err(_) => {}
        }
    }
    before
}

/// A sorted multiset without another; nothing is below zero.
fn minus(threads: &[Group], less: &[Group]) -> Vec<Group> {
    let left = threads.iter().map(|&(local, count)| {
        let taken = less.binary_search_by_key(&local, |it| it.0).map_or(0, |at| less[at].1);
        (local, count.saturating_sub(taken))
    });
    left.filter(|it| it.1 > 0).collect()
}
