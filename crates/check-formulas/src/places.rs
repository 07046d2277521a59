//! Places that a proof about a net does not tell apart. The net is read with every place of a class called by
//! its first: whatever the net does, its tokens seen through the classes do in the net so read. So a proof
//! about that is a proof about the net, and nobody has to be trusted about which places are alike. The kernel
//! then checks it as it does for any net.

use base::{Arena, Budget, Id, Stop};
use check::{Refused, Rejected, reject};
use ir::certificate::{Body, TokenClosure, Tokens};
use ir::net::{Interval, Net, NetStart, PlaceId, Rule, RuleId, Target, Transfer};
use ir::{Certificate, Model, Scope, Task};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Checks a closure of a net over classes of places.
pub fn check(
    task: &Task,
    net: &Net,
    certificate: &Certificate,
    closure: &TokenClosure,
    budget: &Budget,
) -> Result<Scope, Refused> {
    let classes = PlaceClasses::new(net, &closure.classes)?;
    closure.tuples.iter().chain(&closure.basis).try_for_each(|it| classes.are_named(it))?;
    let read = classes.read(net, budget)?;
    let task = Task { model: Model::Net(Arc::new(read)), ..task.clone() };
    let body = Body::TokenClosure(TokenClosure { classes: vec![], ..closure.clone() });
    check::certificate(&task, &Certificate { body, ..certificate.clone() }, budget)
}

/// The classes of the places of a net.
struct PlaceClasses {
    /// For each place of a class the first of it.
    first: BTreeMap<PlaceId, PlaceId>,
    /// For the first place of each class all its places.
    members: BTreeMap<PlaceId, Vec<PlaceId>>,
}

impl PlaceClasses {
    /// The classes, if each place is in at most one and each class has two places or more, in order.
    fn new(net: &Net, classes: &[Vec<PlaceId>]) -> Result<PlaceClasses, Rejected> {
        let (mut first, mut members) = (BTreeMap::new(), BTreeMap::new());
        for class in classes {
            let known = class.iter().all(|&place| net.places().get(place).is_some());
            if class.len() < 2 || !known || !class.is_sorted_by(|a, b| a < b) {
                return reject("a class of places has fewer than two, or they are unknown or not in order");
            }
            if !class.iter().all(|&place| first.insert(place, class[0]).is_none()) {
                return reject("a place is in two classes");
            }
            members.insert(class[0], class.clone());
        }
        Ok(PlaceClasses { first, members })
    }

    /// That a tuple or element calls each class by its first place.
    fn are_named(&self, (_, tokens): &Tokens) -> Result<(), Rejected> {
        match tokens.iter().find(|it| self.of(it.0) != it.0) {
            Some(it) => reject(format!("place {} is not the first of its class", it.0.index())),
            None => Ok(()),
        }
    }

    /// The net read through the classes. Each rule is there once, and none that changes nothing.
    fn read(&self, net: &Net, budget: &Budget) -> Result<Net, Refused> {
        let (mut rules, mut seen): (Arena<RuleId, Rule>, _) = (Arena::new(), BTreeSet::new());
        for rule in net.rules().iter() {
            budget.spend(1)?;
            let rule = self.rule(rule, budget)?;
            // A rule that asks about tokens, or moves others, is kept even if it is there already.
            let plain = rule.moves.is_empty() && rule.tests.is_empty();
            let idle = plain && rule.from == rule.to && rule.take == rule.make;
            if !idle && (!plain || seen.insert((rule.from, rule.to, rule.take.clone(), rule.make.clone()))) {
                rules.push(rule);
            }
        }
        let targets = net.targets().iter().map(|it| self.target(it)).collect();
        let read = Net::new(net.shared().clone(), net.places().clone(), rules, self.start(net), targets);
        Ok(read.map_err(|_| Rejected::new("the classes of places make no net".to_string()))?)
    }

    fn of(&self, place: PlaceId) -> PlaceId {
        self.first.get(&place).copied().unwrap_or(place)
    }

    /// The tokens of a class are those of all its places.
    fn sum<'t>(&self, tokens: impl IntoIterator<Item = (&'t PlaceId, &'t u32)>) -> BTreeMap<PlaceId, u32> {
        let mut sums: BTreeMap<PlaceId, u32> = BTreeMap::new();
        for (&place, &n) in tokens {
            let sum = sums.entry(self.of(place)).or_default();
            *sum = sum.saturating_add(n);
        }
        sums
    }

    fn rule(&self, rule: &Rule, budget: &Budget) -> Result<Rule, Stop> {
        let sum = |tokens: &[(PlaceId, u32)]| self.sum(tokens.iter().map(|(place, n)| (place, n)));
        let moved: BTreeSet<PlaceId> = rule.moves.iter().map(|it| self.of(it.from)).collect();
        let mut moves = vec![];
        for class in moved {
            moves.push(self.transfer(rule, class, budget)?);
        }
        // A class has at least as many tokens as any of its places, and may have more.
        let test = |&(place, it): &(PlaceId, Interval)| match self.first.get(&place) {
            Some(&first) => (first, Interval::at_least(it.least)),
            None => (place, it),
        };
        Ok(Rule {
            tests: rule.tests.iter().map(test).collect(),
            take: sum(&rule.take).into_iter().collect(),
            moves,
            make: sum(&rule.make).into_iter().collect(),
            ..*rule
        })
    }

    /// A token of a class may go wherever one at any of its places may; at a place that is not listed it
    /// stays.
    fn transfer(&self, rule: &Rule, class: PlaceId, budget: &Budget) -> Result<Transfer, Stop> {
        let listed: BTreeMap<PlaceId, &Transfer> = rule.moves.iter().map(|it| (it.from, it)).collect();
        let alone = [class];
        let mut to = BTreeSet::new();
        for place in self.members.get(&class).map_or(&alone[..], |members| members) {
            budget.spend(1)?;
            match listed.get(place) {
                Some(transfer) => to.extend(transfer.to.iter().map(|to| to.map(|it| self.of(it)))),
                None => {
                    to.insert(Some(class));
                }
            }
        }
        Ok(Transfer { from: class, to: to.into_iter().collect() })
    }

    /// A class starts with as many tokens as its places together; a sum that is too large to be written is
    /// any number.
    fn start(&self, net: &Net) -> NetStart {
        let mut start = net.start().clone();
        for members in self.members.values() {
            let mut all = members.iter().map(|place| net.start().tokens[place.index()]);
            let least = all.clone().fold(0, |sum: u32, it| sum.saturating_add(it.least));
            let most = all.try_fold(0u32, |sum, it| sum.checked_add(it.most?));
            members.iter().for_each(|place| start.tokens[place.index()] = Interval::exactly(0));
            start.tokens[members[0].index()] = Interval { least, most };
        }
        start
    }

    /// Of a place that a target lists twice the larger number is meant. Upper ends are left out, as closures
    /// do anyhow.
    fn target(&self, target: &Target) -> Target {
        let mut least: BTreeMap<PlaceId, u32> = BTreeMap::new();
        for (place, interval) in &target.places {
            let n = least.entry(*place).or_default();
            *n = interval.least.max(*n);
        }
        let places = self.sum(&least).into_iter().map(|(place, n)| (place, Interval::at_least(n)));
        Target { shared: target.shared, places: places.collect() }
    }
}
