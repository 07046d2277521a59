//! Classes of places: sequences of places through which a token only moves on, merged into one place each, as
//! [`super::diagrams`] merges locations. A thread in straight code that touches nothing shared makes n² pairs
//! of places; merged, it makes one.
//!
//! Any merging adds behaviour and loses none, so that a proof about the merged net is one about the net. What
//! is merged here also loses little: a token that leaves `p` by nothing but steps to `q` which change nothing
//! else, and that can take such a step wherever one at `q` can do anything, might as well be at `q`.

use base::{Arena, Budget, Id, Stop};
use ir::net::{Interval, Net, NetStart, PlaceId, Rule, RuleId, SharedStateId, Target, Transfer};
use std::collections::{BTreeMap, BTreeSet};

/// A net with places merged.
#[derive(Debug)]
pub struct MergedNet {
    /// The net: all places are there, but only the first of each class is used.
    pub net: Net,
    /// The classes of more than one place, each sorted.
    pub classes: Vec<Vec<PlaceId>>,
}

/// Merges places; `None` if there is nothing to merge.
pub fn merge(net: &Net, budget: &Budget) -> Result<Option<MergedNet>, Stop> {
    let first = classes(net, &successors(net, budget)?);
    if net.places().ids().all(|place| first[place.index()] == place) {
        return Ok(None);
    }
    let mut members: BTreeMap<PlaceId, Vec<PlaceId>> = BTreeMap::new();
    net.places().ids().for_each(|place| members.entry(first[place.index()]).or_default().push(place));
    members.retain(|_, places| places.len() > 1);
    let merging = Merging { first, members };
    let net = merging.net(net, budget)?;
    Ok(Some(MergedNet { net, classes: merging.members.into_values().collect() }))
}

/// What is there beside a token when a rule takes it.
type Context = (SharedStateId, Vec<(PlaceId, u32)>);

/// What can happen to the tokens of a place.
#[derive(Clone, Default)]
struct Uses {
    /// Where all steps lead that only move a token on, if there is but one such place.
    next: Option<PlaceId>,
    /// Whether there is a step of another kind, or the place is counted or moved somewhere.
    other: bool,
    /// Whether the place is counted or moved somewhere.
    special: bool,
    contexts: BTreeSet<Context>,
}

/// For each place the place that its tokens might as well be at.
fn successors(net: &Net, budget: &Budget) -> Result<Vec<Option<PlaceId>>, Stop> {
    let mut uses = vec![Uses::default(); net.places().len()];
    let counted = net.targets().iter().flat_map(|target| target.places.iter().map(|it| it.0));
    let tested = net.rules().iter().flat_map(|rule| rule.tests.iter().map(|it| it.0));
    let moved = net.rules().iter().flat_map(|rule| rule.moves.iter().map(|it| it.from));
    for place in counted.chain(tested).chain(moved) {
        budget.spend(1)?;
        uses[place.index()].special = true;
    }
    for rule in net.rules().iter() {
        for &(place, _) in &rule.take {
            budget.spend(1 + rule.take.len() as u64)?;
            let uses = &mut uses[place.index()];
            uses.contexts.insert((rule.from, without_one(&rule.take, place)));
            match moves_on(rule, place) {
                Some(next) if uses.next.is_none_or(|it| it == next) => uses.next = Some(next),
                _ => uses.other = true,
            }
        }
    }
    let follows = |it: &Uses| {
        let next = it.next.filter(|_| !it.other && !it.special)?;
        let after = &uses[next.index()];
        (!after.special && after.contexts.is_subset(&it.contexts)).then_some(next)
    };
    let mut found = vec![];
    for it in &uses {
        budget.spend(1 + it.contexts.len() as u64)?;
        found.push(follows(it));
    }
    Ok(found)
}

/// The tokens without one of this place, in order.
fn without_one(tokens: &[(PlaceId, u32)], place: PlaceId) -> Vec<(PlaceId, u32)> {
    let fewer = |&(it, n): &(PlaceId, u32)| (it, n - u32::from(it == place));
    let mut rest: Vec<_> = tokens.iter().map(fewer).filter(|it| it.1 > 0).collect();
    rest.sort_unstable();
    rest
}

/// Where the rule moves a token of the place, if it does nothing else.
fn moves_on(rule: &Rule, place: PlaceId) -> Option<PlaceId> {
    if rule.from != rule.to || !rule.moves.is_empty() || !rule.tests.is_empty() {
        return None;
    }
    let rest = without_one(&rule.take, place);
    let mut made = rule.make.iter().filter(|it| it.1 > 0).map(|it| it.0);
    made.find(|&next| next != place && without_one(&rule.make, next) == rest)
}

/// For each place the first place of its class.
fn classes(net: &Net, next: &[Option<PlaceId>]) -> Vec<PlaceId> {
    let mut first: Vec<PlaceId> = net.places().ids().collect();
    for place in net.places().ids() {
        let Some(next) = next[place.index()] else { continue };
        let (a, b) = (find(&mut first, place), find(&mut first, next));
        first[a.max(b).index()] = a.min(b);
    }
    net.places().ids().map(|place| find(&mut first, place)).collect()
}

/// The first place of the class; the way there is shortened for the next time.
fn find(first: &mut [PlaceId], mut place: PlaceId) -> PlaceId {
    while first[place.index()] != place {
        first[place.index()] = first[first[place.index()].index()];
        place = first[place.index()];
    }
    place
}

struct Merging {
    first: Vec<PlaceId>,
    members: BTreeMap<PlaceId, Vec<PlaceId>>,
}

impl Merging {
    fn net(&self, net: &Net, budget: &Budget) -> Result<Net, Stop> {
        let (mut rules, mut seen): (Arena<RuleId, Rule>, _) = (Arena::new(), BTreeSet::new());
        for rule in net.rules().iter() {
            budget.spend(1)?;
            let merged = self.rule(rule);
            let plain = merged.moves.is_empty() && merged.tests.is_empty();
            let idle = plain && merged.from == merged.to && merged.take == merged.make;
            let key = || (merged.from, merged.to, merged.take.clone(), merged.make.clone());
            if !idle && (!plain || seen.insert(key())) {
                rules.push(merged);
            }
        }
        let targets = net.targets().iter().map(|it| self.target(it)).collect();
        let merged = Net::new(net.shared().clone(), net.places().clone(), rules, self.start(net), targets);
        Ok(merged.expect("merging names only places of the net, each once"))
    }

    fn of(&self, place: PlaceId) -> PlaceId {
        self.first[place.index()]
    }

    fn tokens(&self, tokens: impl Iterator<Item = (PlaceId, u32)>) -> Vec<(PlaceId, u32)> {
        let mut merged: BTreeMap<PlaceId, u32> = BTreeMap::new();
        for (place, n) in tokens {
            let sum = merged.entry(self.of(place)).or_default();
            *sum = sum.saturating_add(n);
        }
        merged.into_iter().collect()
    }

    fn rule(&self, rule: &Rule) -> Rule {
        let concerned: BTreeSet<PlaceId> = rule.moves.iter().map(|it| self.of(it.from)).collect();
        let lower = |&(place, it): &(PlaceId, Interval)| match self.members.contains_key(&self.of(place)) {
            true => (self.of(place), Interval::at_least(it.least)),
            false => (place, it),
        };
        Rule {
            tests: rule.tests.iter().map(lower).collect(),
            take: self.tokens(rule.take.iter().copied()),
            moves: concerned.into_iter().map(|place| self.moved(rule, place)).collect(),
            make: self.tokens(rule.make.iter().copied()),
            ..*rule
        }
    }

    /// A token of a class may go wherever one of any of its places may.
    fn moved(&self, rule: &Rule, class: PlaceId) -> Transfer {
        let alone = [class];
        let members = self.members.get(&class).map_or(&alone[..], |members| members);
        let mut to = BTreeSet::new();
        for &member in members {
            match rule.moves.iter().find(|it| it.from == member) {
                Some(it) => to.extend(it.to.iter().map(|to| to.map(|place| self.of(place)))),
                None => drop(to.insert(Some(class))),
            }
        }
        Transfer { from: class, to: to.into_iter().collect() }
    }

    /// The places of a class hold as many tokens at first as they hold together.
    fn start(&self, net: &Net) -> NetStart {
        let start = net.start();
        let mut tokens = vec![Interval::exactly(0); start.tokens.len()];
        for (place, it) in net.places().ids().zip(&start.tokens) {
            let sum = &mut tokens[self.of(place).index()];
            let most = sum.most.zip(it.most).and_then(|(a, b)| a.checked_add(b));
            *sum = Interval { least: sum.least.saturating_add(it.least), most };
        }
        NetStart { shared: start.shared, tokens }
    }

    /// Of a place that is listed twice the larger number is meant. Upper ends are dropped, as closures do
    /// anyhow.
    fn target(&self, target: &Target) -> Target {
        let mut least: BTreeMap<PlaceId, u32> = BTreeMap::new();
        for &(place, it) in &target.places {
            let n = least.entry(place).or_default();
            *n = it.least.max(*n);
        }
        let places = self.tokens(least.into_iter()).into_iter();
        Target {
            shared: target.shared,
            places: places.map(|(place, n)| (place, Interval::at_least(n))).collect(),
        }
    }
}
