//! One step of a net: rules are found by the shared state and one place that they take a token from.

use super::compact::{self, LocalCount};
use super::net::tokens;
use super::split::Splits;
use crate::explore::{NONE, Pairs};
use base::{Id, Stop, TickBatch};
use ir::net::{Net, PlaceId, Rule, RuleId};

/// Fires rules of a net under a bound.
#[derive(Debug)]
pub struct Firing<'n> {
    net: &'n Net,
    bound: u32,
    /// The rules by their shared state and the first place they take from (`NONE` for those that take
    /// nothing).
    index: Pairs,
    rules: Vec<Vec<RuleId>>,
    shared: u32,
    groups: Vec<LocalCount>,
    total: u64,
    /// Whether the bound has refused a rule in any step so far.
    pub refused: bool,
    left: Vec<LocalCount>,
    next: Vec<LocalCount>,
    splits: Splits,
}

/// A rule that was fired in the marking that was loaded.
#[derive(Clone, Copy, Debug)]
pub struct FiredRule<'a> {
    pub rule: RuleId,
    /// The shared state afterwards.
    pub shared: u32,
    /// The tokens afterwards, sorted by places.
    pub tokens: &'a [LocalCount],
    /// How many tokens each of its moves sent where.
    pub splits: &'a Splits,
}

impl<'n> Firing<'n> {
    /// Fires rules that do not pass the bound.
    pub fn new(net: &'n Net, bound: u32) -> Self {
        let (mut index, mut rules) = (Pairs::default(), Vec::<Vec<RuleId>>::new());
        for (id, rule) in net.rules().enumerate() {
            let from = rule.from.index() as u32;
            let first = rule.take.iter().find(|it| it.1 > 0).map_or(NONE, |it| it.0.index() as u32);
            match index.get(from, first) {
                Some(number) => rules[number as usize].push(id),
                None => {
                    index.put(from, first, rules.len() as u32);
                    rules.push(vec![id]);
                }
            }
        }
        Self {
            net,
            bound,
            index,
            rules,
            shared: 0,
            groups: vec![],
            total: 0,
            refused: false,
            left: vec![],
            next: vec![],
            splits: Splits::default(),
        }
    }

    /// Takes up a marking.
    pub fn load(&mut self, row: &[u32]) {
        self.shared = compact::decode(row, &mut self.groups);
        self.total = self.groups.iter().map(|group| u64::from(group.1)).sum();
    }

    /// All markings after one rule.
    pub fn steps(
        &mut self,
        ticks: &TickBatch<'_>,
        visit: &mut impl FnMut(FiredRule<'_>),
    ) -> Result<(), Stop> {
        for group in 0..=self.groups.len() {
            let place = self.groups.get(group).map_or(NONE, |group| group.0);
            let Some(number) = self.index.get(self.shared, place) else { continue };
            for at in 0..self.rules[number as usize].len() {
                let id = self.rules[number as usize][at];
                let net = self.net;
                let rule = &net.rules()[id];
                if self.prepare(rule) {
                    self.fire(id, rule, ticks, visit)?;
                }
            }
        }
        Ok(())
    }

    /// Takes the tokens and sets up the splits of the others; false if the rule is not enabled.
    fn prepare(&mut self, rule: &Rule) -> bool {
        let enabled = rule.tests.iter().all(|&(place, test)| test.contains(tokens(&self.groups, place)))
            && rule.take.iter().all(|&(place, n)| tokens(&self.groups, place) >= n);
        if !enabled {
            return false;
        }
        self.left.clone_from(&self.groups);
        for &(place, n) in &rule.take {
            if let Some(group) = find(&mut self.left, place) {
                group.1 -= n;
            }
        }
        self.splits.clear();
        for transfer in &rule.moves {
            self.splits.add(tokens(&self.left, transfer.from), transfer.to.len());
        }
        true
    }

    /// All ways to move the tokens that were not taken.
    fn fire(
        &mut self,
        id: RuleId,
        rule: &Rule,
        ticks: &TickBatch<'_>,
        visit: &mut impl FnMut(FiredRule<'_>),
    ) -> Result<(), Stop> {
        let sum = |list: &[(PlaceId, u32)]| list.iter().map(|it| u64::from(it.1)).sum::<u64>();
        let (taken, made) = (sum(&rule.take), sum(&rule.make));
        loop {
            ticks.spend(1)?;
            if self.total - taken + made - self.removed(rule) > u64::from(self.bound) {
                self.refused = true;
            } else {
                self.compose(rule);
                let (shared, tokens) = (rule.to.index() as u32, &self.next[..]);
                visit(FiredRule { rule: id, shared, tokens, splits: &self.splits });
            }
            if !self.splits.advance() {
                return Ok(());
            }
        }
    }

    /// How many tokens the moves send out of the net.
    fn removed(&self, rule: &Rule) -> u64 {
        let out = rule.moves.iter().enumerate().flat_map(|(index, transfer)| {
            let parts = transfer.to.iter().zip(self.splits.parts(index));
            parts.filter(|(to, _)| to.is_none()).map(|(_, &n)| u64::from(n))
        });
        out.sum()
    }

    fn compose(&mut self, rule: &Rule) {
        self.next.clone_from(&self.left);
        for transfer in &rule.moves {
            if let Some(group) = find(&mut self.next, transfer.from) {
                group.1 = 0;
            }
        }
        for (index, transfer) in rule.moves.iter().enumerate() {
            let parts = transfer.to.iter().zip(self.splits.parts(index));
            self.next.extend(parts.filter_map(|(to, &n)| to.map(|place| (place.index() as u32, n))));
        }
        self.next.extend(rule.make.iter().map(|&(place, n)| (place.index() as u32, n)));
        self.next.retain(|group| group.1 > 0);
        crate::explore::normalise(&mut self.next);
    }
}

fn find(groups: &mut [LocalCount], place: PlaceId) -> Option<&mut LocalCount> {
    let place = place.index() as u32;
    let index = groups.binary_search_by_key(&place, |group| group.0).ok()?;
    Some(&mut groups[index])
}
