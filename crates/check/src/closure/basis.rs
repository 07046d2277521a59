//! Basis elements: no start lies above one, and whatever leads by one rule to something above one lies above
//! one itself, or has a part that the tuples do not allow, or is more than an invariant allows. So no run
//! ever gets above one; the errors do lie above.

use super::invariants::Invariant;
use super::tuples::Tuples;
use crate::enumerate::Choices;
use crate::rules::{Local, Multiset, Rule, Rules, State, add, count, fits, spread};
use crate::{Refused, reject};
use base::Budget;
use std::collections::HashMap;

/// The elements.
pub struct Basis<'b> {
    elements: Vec<(State, Multiset)>,
    /// Elements by shared state and least thread; those without threads under none.
    by_least: HashMap<(State, Option<Local>), Vec<usize>>,
    /// What is more than one of these allows is never there.
    pub invariants: Vec<Invariant>,
    budget: &'b Budget,
}

impl<'b> Basis<'b> {
    /// These elements.
    pub fn new(elements: Vec<(State, Multiset)>, budget: &'b Budget) -> Self {
        let mut by_least: HashMap<(State, Option<Local>), Vec<usize>> = HashMap::new();
        for (index, (state, multiset)) in elements.iter().enumerate() {
            let least = multiset.first().map(|it| it.0);
            by_least.entry((*state, least)).or_default().push(index);
        }
        Self { elements, by_least, invariants: vec![], budget }
    }

    /// Whether an element lies below the threads.
    pub fn covers(&self, state: State, multiset: &Multiset) -> bool {
        let leasts = multiset.iter().map(|it| Some(it.0)).chain([None]);
        let candidates = leasts.filter_map(|least| self.by_least.get(&(state, least))).flatten();
        candidates
            .into_iter()
            .any(|&index| self.elements[index].1.iter().all(|&(local, n)| count(multiset, local) >= n))
    }

    /// Whether the threads are above an element, or never there together.
    pub fn settles(&self, state: State, multiset: &Multiset) -> bool {
        self.covers(state, multiset) || self.invariants.iter().any(|it| it.excludes(state, multiset))
    }

    /// Whether an element lies below threads written out, sorted.
    pub fn covers_all(&self, state: State, threads: &[Local]) -> bool {
        if self.elements.is_empty() {
            return false;
        }
        let mut multiset = vec![];
        threads.iter().for_each(|&local| add(&mut multiset, local, 1));
        self.covers(state, &multiset)
    }

    /// Checks starts and predecessors.
    pub fn check(&self, tuples: &Tuples<'_>, rules: &Rules) -> Result<(), Refused> {
        let mut into: HashMap<State, Vec<&Rule>> = HashMap::new();
        rules.rules.iter().for_each(|rule| into.entry(rule.to).or_default().push(rule));
        for (index, (state, multiset)) in self.elements.iter().enumerate() {
            if rules.starts.iter().any(|it| it.as_ref() == Ok(state)) && fits(&rules.first, multiset) {
                return Ok(reject(format!("element {index} can be there at the start"))?);
            }
            for rule in into.get(state).into_iter().flatten() {
                if !self.holds_predecessors(tuples, rules, rule, multiset)? {
                    let taken = &rule.take;
                    let why = format!("a rule that takes {taken:?} in state {} leads to it", rule.from);
                    return Ok(reject(format!("element {index} can be reached: {why}"))?);
                }
            }
        }
        Ok(())
    }

    fn holds_predecessors(
        &self,
        tuples: &Tuples<'_>,
        rules: &Rules,
        rule: &Rule,
        multiset: &Multiset,
    ) -> Result<bool, Refused> {
        self.budget.spend(1)?;
        if rule.starts {
            return Ok(!fits(rules.later.as_deref().unwrap_or_default(), multiset)
                || self.excludes(tuples, rule, &[]));
        }
        // What the certificate has no number for is above no element; the check of the tuples sees to it.
        let Ok(make) = &rule.make else { return Ok(true) };
        let mut rest = vec![];
        for &(local, n) in multiset {
            for _ in count(make, local)..n {
                self.budget.spend(1)?;
                rest.push(local);
            }
        }
        let mut sources: Vec<Vec<Local>> = vec![];
        for &after in &rest {
            let mut found = vec![];
            for &local in tuples.locals(rule.from) {
                if rule.react.is_none() && local != after {
                    continue;
                }
                // What the certificate has no number for it cannot speak of; the tuples' own check sees to
                // it.
                if rule.reaction(local).is_ok_and(|outcomes| outcomes.contains(&after)) {
                    found.push(local);
                }
            }
            sources.push(found);
        }
        let mut choices = Choices::new(sources.iter().map(Vec::len).collect());
        while let Some(chosen) = choices.current() {
            self.budget.spend(1)?;
            let before: Vec<Local> = sources.iter().zip(chosen).map(|(from, &at)| from[at]).collect();
            if !self.excludes(tuples, rule, &before) {
                return Ok(false);
            }
            choices.advance();
        }
        Ok(true)
    }

    /// Whether the threads together with what the rule takes cannot be there, or lie above an element.
    fn excludes(&self, tuples: &Tuples<'_>, rule: &Rule, before: &[Local]) -> bool {
        let mut all = rule.take.clone();
        before.iter().for_each(|&local| add(&mut all, local, 1));
        for &(local, test) in &rule.tests {
            let there = count(&all, local);
            if test.most.is_some_and(|most| there > most) {
                return true;
            }
            if test.least > there {
                add(&mut all, local, test.least - there);
            }
        }
        !tuples.allows(rule.from, &spread(&all, tuples.width)) || self.settles(rule.from, &all)
    }
}
