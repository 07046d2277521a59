//! Reached sets of nets: every start is in the set, every rule leads back into it, no marking in it is at a target.
//! Tokens are counted in 64 bits, so that passing the bound is always seen as such.

use crate::picks::Splits;
use crate::{Refused, Rejected, reject};
use base::{Budget, Id};
use ir::Scope;
use ir::certificate::ReachedMarkings;
use ir::net::{Interval, Machine, Marking, Net, PlaceId, Rule, RuleId, SharedStateId};
use std::collections::HashSet;

/// Checks the set; the scope that it proves.
pub fn check(net: &Net, reached: &ReachedMarkings, budget: &Budget) -> Result<Scope, Refused> {
    let mut known = HashSet::new();
    for (index, (shared, tokens)) in reached.markings.iter().enumerate() {
        budget.spend(1)?;
        let in_words = |why| Rejected(format!("marking {index}: {why}"));
        known.insert(key(&dense(net, reached.bound, *shared, tokens).map_err(in_words)?));
    }
    let mut checker = Checker { net, bound: u64::from(reached.bound), known, budget, cut: false };
    checker.starts()?;
    let rules = rules_by_shared_state(net);
    for (index, (shared, tokens)) in reached.markings.iter().enumerate() {
        let marking = dense(net, reached.bound, *shared, tokens)?;
        if Machine::new(net, None).at_target(&marking) {
            return Ok(reject(format!("marking {index} is at a target"))?);
        }
        for rule in &rules[shared.index()] {
            let place = |Rejected(why)| Rejected(format!("marking {index}, rule {}: {why}", rule.index()));
            checker.rule(&marking, &net.rules()[*rule]).map_err(|refused| match refused {
                Refused::Rejected(rejected) => Refused::Rejected(place(rejected)),
                stopped => stopped,
            })?;
        }
    }
    let many = net.start().tokens.iter().any(|interval| interval.most.is_none());
    Ok(if many || checker.cut { Scope::threads(reached.bound) } else { Scope::ANY })
}

/// A marking of the certificate, if it is well formed.
fn dense(
    net: &Net,
    bound: u32,
    shared: SharedStateId,
    tokens: &[(PlaceId, u32)],
) -> Result<Marking, Rejected> {
    let known = tokens.iter().all(|&(place, n)| net.places().get(place).is_some() && n > 0);
    if net.shared().get(shared).is_none() || !known || !tokens.is_sorted_by(|a, b| a.0 < b.0) {
        return reject("a state or place is unknown, empty or not in order");
    }
    let mut marking = Marking { shared, tokens: vec![0; net.places().len()] };
    tokens.iter().for_each(|&(place, n)| marking.tokens[place.index()] = n);
    if marking.total() > u64::from(bound) {
        return reject("more tokens than the bound allows");
    }
    Ok(marking)
}

/// The shared state, then the places that hold tokens with how many: short where most places are empty.
fn key(marking: &Marking) -> Box<[u32]> {
    let held = (0u32..).zip(&marking.tokens).filter(|it| *it.1 > 0);
    let shared = marking.shared.index() as u32;
    std::iter::once(shared).chain(held.flat_map(|(place, &n)| [place, n])).collect()
}

fn rules_by_shared_state(net: &Net) -> Vec<Vec<RuleId>> {
    let mut rules = vec![vec![]; net.shared().len()];
    net.rules().enumerate().for_each(|(id, rule)| rules[rule.from.index()].push(id));
    rules
}

struct Checker<'c> {
    net: &'c Net,
    bound: u64,
    known: HashSet<Box<[u32]>>,
    budget: &'c Budget,
    /// Whether the bound ever stopped a rule or a start.
    cut: bool,
}

impl Checker<'_> {
    fn require(&self, marking: Marking) -> Result<(), Refused> {
        if self.known.contains(&key(&marking)) {
            return Ok(());
        }
        let tokens: Vec<String> = self
            .net
            .places()
            .iter()
            .zip(&marking.tokens)
            .filter(|it| *it.1 > 0)
            .map(|(place, n)| format!("{}={n}", place.name))
            .collect();
        let shared = &self.net.shared()[marking.shared];
        Ok(reject(format!("a marking is missing: shared {shared}, tokens {}", tokens.join(", ")))?)
    }

    /// Every start within the bound is in the set.
    ///
    /// In a monotone net none of whose rules makes more tokens than it takes, a run from fewer tokens than the bound is also one
    /// with idle tokens added up to the bound, if any number may start somewhere.
    fn starts(&mut self) -> Result<(), Refused> {
        let start = &self.net.start().tokens;
        let least: u64 = start.iter().map(|it| u64::from(it.least)).sum();
        let Some(spare) = self.bound.checked_sub(least) else {
            self.cut = true;
            return Ok(());
        };
        let growing = |rule: &Rule| total(&rule.make) > total(&rule.take);
        let idle = self.net.monotone() && !self.net.rules().iter().any(growing);
        let sink = start.iter().position(|it| it.most.is_none()).filter(|_| idle);
        let width = |it: &Interval| it.most.map_or(0, |most| u64::from(most.saturating_sub(it.least)));
        self.cut |= start.iter().map(width).sum::<u64>() > spare;
        let mut counts = StartCounts::new(start, spare, sink);
        while let Some(tokens) = counts.current() {
            self.budget.spend(1)?;
            self.require(Marking { shared: self.net.start().shared, tokens })?;
            counts.advance();
        }
        Ok(())
    }

    /// Everything that one rule makes of a marking.
    fn rule(&mut self, marking: &Marking, rule: &Rule) -> Result<(), Refused> {
        self.budget.spend(1)?;
        let has = |place: PlaceId| marking.tokens[place.index()];
        if rule.tests.iter().any(|&(place, interval)| !interval.contains(has(place)))
            || rule.take.iter().any(|&(place, n)| has(place) < n)
        {
            return Ok(());
        }
        let mut left: Vec<u64> = marking.tokens.iter().map(|&n| u64::from(n)).collect();
        rule.take.iter().for_each(|&(place, n)| left[place.index()] -= u64::from(n));
        let mut rest = left.clone();
        rule.moves.iter().for_each(|it| rest[it.from.index()] = 0);
        rule.make.iter().for_each(|&(place, n)| rest[place.index()] += u64::from(n));
        let moved = rule.moves.iter().map(|it| left[it.from.index()] as u32);
        let mut splits = Splits::new(moved.zip(rule.moves.iter().map(|it| it.to.len())));
        while let Some(split) = splits.current() {
            self.budget.spend(1)?;
            let mut after = rest.clone();
            for (transfer, counts) in rule.moves.iter().zip(split) {
                for (to, &n) in transfer.to.iter().zip(counts) {
                    if let Some(place) = to {
                        after[place.index()] += u64::from(n);
                    }
                }
            }
            self.arrive(rule.to, &after)?;
            splits.advance();
        }
        Ok(())
    }

    /// A rule that would pass the bound is not taken.
    fn arrive(&mut self, shared: SharedStateId, tokens: &[u64]) -> Result<(), Refused> {
        if tokens.iter().sum::<u64>() > self.bound {
            self.cut = true;
            return Ok(());
        }
        let tokens = tokens.iter().map(|&n| u32::try_from(n).expect("within the bound")).collect();
        self.require(Marking { shared, tokens })
    }
}

fn total(tokens: &[(PlaceId, u32)]) -> u64 {
    tokens.iter().map(|it| u64::from(it.1)).sum()
}

/// All numbers of tokens that the places may start with, within the bound.
struct StartCounts<'n> {
    start: &'n [Interval],
    counts: Option<Vec<u32>>,
    /// How many tokens the bound has room for besides.
    spare: u64,
    /// A place that takes all tokens that there is room for.
    sink: Option<usize>,
}

impl<'n> StartCounts<'n> {
    fn new(start: &'n [Interval], spare: u64, sink: Option<usize>) -> Self {
        let possible = start.iter().all(|it| it.most.is_none_or(|most| it.least <= most));
        let counts = possible.then(|| start.iter().map(|it| it.least).collect());
        Self { start, counts, spare, sink }
    }

    /// The numbers at hand; `None` after the last.
    fn current(&self) -> Option<Vec<u32>> {
        let mut counts = self.counts.clone()?;
        if let Some(sink) = self.sink {
            counts[sink] += u32::try_from(self.spare).expect("within the bound");
        }
        Some(counts)
    }

    /// Counts up like an odometer.
    fn advance(&mut self) {
        let Some(counts) = &mut self.counts else { return };
        for (index, (n, interval)) in counts.iter_mut().zip(self.start).enumerate() {
            if Some(index) == self.sink {
                continue;
            }
            if self.spare > 0 && interval.most.is_none_or(|most| *n < most) {
                *n += 1;
                self.spare -= 1;
                return;
            }
            self.spare += u64::from(*n - interval.least);
            *n = interval.least;
        }
        self.counts = None;
    }
}
