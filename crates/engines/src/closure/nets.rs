//! Nets as systems: places are local states, tokens are threads.

use super::system::{Goal, Group, Pool, Rules, Start};
use crate::explore::NONE;
use base::Id;
use ir::net::{Interval, Net, PlaceId, Rule, RuleId};

/// A net with its rules in order.
#[derive(Debug)]
pub struct Nets<'n> {
    pub net: &'n Net,
    /// For each shared state and place the rules that take one token, from there, and test nothing.
    single: Vec<Vec<(u32, RuleId)>>,
    /// For each shared state all other rules.
    joint: Vec<Vec<RuleId>>,
}

impl<'n> Nets<'n> {
    /// A net.
    pub fn new(net: &'n Net) -> Self {
        let states = net.shared().len();
        let (mut single, mut joint) = (vec![vec![]; states], vec![vec![]; states]);
        for (id, rule) in net.rules().enumerate() {
            match rule.take[..] {
                [(place, 1)] if rule.tests.is_empty() => {
                    single[rule.from.index()].push((place.index() as u32, id));
                }
                _ => joint[rule.from.index()].push(id),
            }
        }
        single.iter_mut().for_each(|rules: &mut Vec<(u32, RuleId)>| rules.sort());
        Self { net, single, joint }
    }

    /// How the net starts.
    pub fn start(&self) -> Start {
        let start = self.net.start();
        let pool =
            |(place, it): (u32, &Interval)| Pool { locals: vec![place], least: it.least, most: it.most };
        let first: Vec<Pool> = (0..).zip(&start.tokens).map(pool).collect();
        let impossible = first.iter().any(|pool| pool.most.is_some_and(|most| most < pool.least));
        let shared = if impossible { vec![] } else { vec![start.shared.index() as u32] };
        let first = first.into_iter().filter(|pool| pool.most != Some(0)).collect();
        Start { shared, first, later: vec![] }
    }

    /// Adds the rules that take one token, from this place, and test nothing.
    pub fn single(&self, shared: u32, place: u32, rules: &mut Rules) {
        let all = &self.single[shared as usize];
        let first = all.partition_point(|&(it, _)| it < place);
        for &(_, id) in all[first..].iter().take_while(|it| it.0 == place) {
            self.add(id, rules);
        }
    }

    /// Adds all other rules of a shared state.
    pub fn joint(&self, shared: u32, rules: &mut Rules) {
        self.joint[shared as usize].iter().for_each(|&id| self.add(id, rules));
    }

    fn add(&self, id: RuleId, rules: &mut Rules) {
        let it: &Rule = &self.net.rules()[id];
        let mut rule = Rules::plain(it.from.index() as u32, it.to.index() as u32, id.index() as u32);
        rule.passive = if it.moves.is_empty() { NONE } else { id.index() as u32 };
        rule.tested = !it.tests.is_empty();
        rules.push(rule, &groups(&it.take), &groups(&it.make));
    }

    /// What a rule tests.
    pub fn tests(&self, origin: u32) -> Vec<(u32, Interval)> {
        let rule = &self.net.rules()[RuleId::from_index(origin as usize)];
        rule.tests.iter().map(|&(place, interval)| (place.index() as u32, interval)).collect()
    }

    /// Where a token that is not taken may go.
    pub fn react(&self, passive: u32, local: u32) -> Vec<u32> {
        let rule = &self.net.rules()[RuleId::from_index(passive as usize)];
        let transfer = rule.moves.iter().find(|it| it.from.index() as u32 == local);
        let Some(transfer) = transfer else { return vec![local] };
        let mut to: Vec<u32> =
            transfer.to.iter().map(|to| to.map_or(NONE, |place| place.index() as u32)).collect();
        to.sort_unstable();
        to.dedup();
        to
    }

    /// The targets; upper ends of intervals are dropped.
    pub fn goals(&self) -> Vec<Goal> {
        let goal = |target: &ir::net::Target| {
            let mut tokens: Vec<Group> = vec![];
            for &(place, interval) in &target.places {
                let place = place.index() as u32;
                match tokens.iter_mut().find(|it| it.0 == place) {
                    Some(found) => found.1 = found.1.max(interval.least),
                    None => tokens.push((place, interval.least)),
                }
            }
            tokens.retain(|it| it.1 > 0);
            tokens.sort_unstable();
            Goal { shared: target.shared.map(|it| it.index() as u32), threads: tokens }
        };
        self.net.targets().iter().map(goal).collect()
    }
}

fn groups(list: &[(PlaceId, u32)]) -> Vec<Group> {
    let mut groups: Vec<Group> =
        list.iter().filter(|it| it.1 > 0).map(|&(place, n)| (place.index() as u32, n)).collect();
    groups.sort_unstable();
    groups
}
