//! Reached sets of programs and nets: every start is in the set, every rule leads back into it, nothing in it
//! is an error.
//!
//! The set speaks of threads seen through a view. A variable that the view forgets is read as either value
//! and its writes vanish: that only adds behaviour, so that a set that is closed all the same holds every
//! reachable state, whatever was forgotten.

use crate::enumerate::Splits;
use crate::index::CertificateIndex;
use crate::population::Population;
use crate::rules::programs::{Key, Present, Translator, words};
use crate::rules::{
    Failure, GONE, Local, Multiset, Pool, Rule, Rules, State, add, count, nets, size, without,
};
use crate::view_index::ViewIndex;
use crate::{Refused, Rejected, reject, within};
use base::{Budget, Id};
use ir::certificate::{Reached, ReachedMarkings};
use ir::net::Net;
use ir::{Bound, Scope};
use std::collections::{HashMap, HashSet};

/// Checks a set of states of a program; the scope that it proves. `wanted` is the bound of the task.
pub fn program(view: ViewIndex<'_>, set: &Reached, wanted: Bound, budget: &Budget) -> Result<Scope, Refused> {
    let mut certificate = CertificateIndex::new(view, &set.threads, budget)?;
    for (index, state) in set.states.iter().enumerate() {
        certificate.add_valuation(&state.shared).map_err(|why| within(&format!("state {index}"), why))?;
    }
    let mut translator = Translator::new(&certificate, budget);
    let mut present = Present::new();
    let mut states = vec![];
    for (index, state) in set.states.iter().enumerate() {
        budget.spend(1)?;
        let threads = certificate.multiset(&state.threads);
        let threads = threads.map_err(|why| within(&format!("state {index}"), why))?;
        let inside = threads.iter().filter(|it| certificate.inside(it.0 as usize));
        let inside = inside.map(|it| u64::from(it.1)).sum::<u64>().min(2) as u8;
        let shared = certificate.shared_number(&state.shared).expect("all valuations have numbers");
        let number = translator.number(Key { initialising: state.initialising, inside, shared });
        present.entry(number).or_default().extend(threads.iter().map(|it| it.0));
        states.push((number, threads));
    }
    let rules = translator.rules(&present, |_, _| false)?;
    let say = |state, threads: &Multiset| format!("{}; {}", translator.words(state), words(threads));
    // `init` runs alone under every bound.
    let most = u64::from(set.bound.max(1));
    check(&Set { states, bound: set.bound, most, threads: wanted, say: &say }, &rules, budget)
}

/// Checks a set of markings of a net; the scope that it proves.
pub fn net(net: &Net, set: &ReachedMarkings, wanted: Bound, budget: &Budget) -> Result<Scope, Refused> {
    let mut states = vec![];
    for (index, marking) in set.markings.iter().enumerate() {
        budget.spend(1)?;
        states.push(nets::read(net, marking).map_err(|why| within(&format!("state {index}"), why))?);
    }
    let say = |state: State, tokens: &Multiset| {
        let name =
            |it: &(Local, u32)| format!("{}={}", net.places()[Id::from_index(it.0 as usize)].name, it.1);
        let tokens: Vec<String> = tokens.iter().map(name).collect();
        format!("shared {}; {}", net.shared()[Id::from_index(state as usize)], tokens.join(", "))
    };
    let most = u64::from(set.bound);
    check(&Set { states, bound: set.bound, most, threads: wanted, say: &say }, &nets::rules(net), budget)
}

/// A set of states.
struct Set<'s> {
    states: Vec<(State, Multiset)>,
    bound: u32,
    /// The most threads of a state.
    most: u64,
    threads: Bound,
    /// A state in words.
    say: &'s dyn Fn(State, &Multiset) -> String,
}

fn check(set: &Set<'_>, rules: &Rules, budget: &Budget) -> Result<Scope, Refused> {
    let mut known = HashSet::new();
    for (index, (state, threads)) in set.states.iter().enumerate() {
        if size(threads) > set.most {
            return Ok(reject(format!("state {index}: more threads than the bound allows"))?);
        }
        known.insert(key(*state, threads));
    }
    let pools = rules.later.as_ref().unwrap_or(&rules.first);
    let population = Population::new(pools.iter().map(|it| it.count).collect(), rules.idle);
    let mut checker = Checker { set, rules, known, population, budget };
    checker.starts().map_err(|why| within("at the start", why))?;
    let mut by_least: HashMap<(State, Option<Local>), Vec<&Rule>> = HashMap::new();
    for rule in &rules.rules {
        by_least.entry((rule.from, rule.take.first().map(|it| it.0))).or_default().push(rule);
    }
    let mut errors: HashMap<State, Vec<&Failure>> = HashMap::new();
    rules.errors.iter().for_each(|it| errors.entry(it.state).or_default().push(it));
    for (index, (state, threads)) in set.states.iter().enumerate() {
        if let Some(error) = errors.get(state).into_iter().flatten().find(|it| it.is_there(threads)) {
            return Ok(reject(format!("state {index}: {}", error.why))?);
        }
        for least in threads.iter().map(|it| Some(it.0)).chain([None]) {
            for rule in by_least.get(&(*state, least)).into_iter().flatten() {
                checker.rule(threads, rule).map_err(|why| within(&format!("state {index}"), why))?;
            }
        }
    }
    Ok(checker.population.scope(rules.monotone, set.bound, set.threads)?)
}

/// A state in a form that is quickly compared.
fn key(state: State, threads: &Multiset) -> Box<[u32]> {
    std::iter::once(state).chain(threads.iter().flat_map(|&(local, n)| [local, n])).collect()
}

/// Where a rule leads, without those that react to it.
struct Arrival<'a> {
    to: State,
    parts: [&'a Multiset; 2],
    /// How many threads there were before; a rule that makes more than the bound allows is not taken.
    before: Option<u64>,
}

struct Checker<'c> {
    set: &'c Set<'c>,
    rules: &'c Rules,
    known: HashSet<Box<[u32]>>,
    population: Population,
    budget: &'c Budget,
}

impl Checker<'_> {
    fn require(&self, state: State, threads: &Multiset) -> Result<(), Refused> {
        self.budget.spend(1)?;
        if self.known.contains(&key(state, threads)) {
            return Ok(());
        }
        Ok(reject(format!("a step leads out of the set: {}", (self.set.say)(state, threads)))?)
    }

    /// Every start is in the set. `init` runs alone under every bound.
    fn starts(&mut self) -> Result<(), Refused> {
        for state in &self.rules.starts {
            self.budget.spend(1)?;
            match &self.rules.later {
                None => self.populate(state.clone(), &vec![])?,
                Some(_) => self.begin(state.clone(), &vec![], &self.rules.first, &[1])?,
            }
        }
        Ok(())
    }

    /// With the threads that are there already, those of the pools come in every number that the bound has
    /// room for.
    fn populate(&mut self, state: Result<State, Rejected>, others: &Multiset) -> Result<(), Refused> {
        let Some(capacity) = u64::from(self.set.bound).checked_sub(size(others)) else {
            self.population.cut = true;
            return Ok(());
        };
        let pools = self.rules.later.as_ref().unwrap_or(&self.rules.first);
        for counts in self.population.counts(capacity) {
            self.begin(state.clone(), others, pools, &counts)?;
        }
        Ok(())
    }

    /// This many threads of each pool begin, each as any one of its pool.
    fn begin(
        &mut self,
        state: Result<State, Rejected>,
        others: &Multiset,
        pools: &[Pool],
        counts: &[u32],
    ) -> Result<(), Refused> {
        let mut groups = vec![];
        for (pool, &n) in pools.iter().zip(counts).filter(|it| *it.1 > 0) {
            groups.push((n, pool.locals.clone()?));
        }
        self.each_split(Arrival { to: state?, parts: [others, &vec![]], before: None }, &groups)
    }

    /// Everything that one rule makes of a state.
    fn rule(&mut self, threads: &Multiset, rule: &Rule) -> Result<(), Refused> {
        self.budget.spend(1)?;
        let tested = rule.tests.iter().all(|&(local, it)| it.contains(count(threads, local)));
        let Some(mut rest) = without(threads, &rule.take).filter(|_| tested) else { return Ok(()) };
        if rule.starts {
            return self.populate(Ok(rule.to), &rest);
        }
        let mut groups = vec![];
        if rule.react.is_some() {
            let reactions: Vec<_> = rest.iter().map(|&(local, n)| (n, rule.reaction(local))).collect();
            // Somebody who cannot react forbids the step.
            if reactions.iter().any(|it| it.1.as_ref().is_ok_and(Vec::is_empty)) {
                return Ok(());
            }
            for (n, reaction) in reactions {
                groups.push((n, reaction?));
            }
            rest.clear();
        }
        let before = size(threads);
        let made = match &rule.at_bound {
            Some(made) if before >= u64::from(self.set.bound) => made.clone(),
            _ => rule.make.clone()?,
        };
        if rule.at_bound.is_some() {
            self.population.note_start(before);
        }
        let arrival = Arrival { to: rule.to, parts: [&rest, &made], before: Some(before) };
        self.each_split(arrival, &groups)
    }

    /// The threads of each group become any of the group's outcomes, each on its own.
    fn each_split(&mut self, arrival: Arrival<'_>, groups: &[(u32, Vec<Local>)]) -> Result<(), Refused> {
        let mut splits = Splits::new(groups.iter().map(|(n, outcomes)| (*n, outcomes.len())));
        while let Some(split) = splits.current() {
            let outcomes = groups.iter().zip(split).flat_map(|(group, counts)| group.1.iter().zip(counts));
            let there = arrival.parts.into_iter().flatten().copied();
            let there = there.chain(outcomes.filter(|it| *it.0 != GONE).map(|(&local, &n)| (local, n)));
            // Counted before it is put together: no number of threads is too large to be seen.
            let alive: u64 = there.clone().map(|it| u64::from(it.1)).sum();
            if arrival.before.is_some_and(|before| alive > before.max(u64::from(self.set.bound))) {
                self.population.cut = true;
            } else {
                let mut after = vec![];
                there.for_each(|(local, n)| add(&mut after, local, n));
                self.require(arrival.to, &after)?;
            }
            splits.advance();
        }
        Ok(())
    }
}
