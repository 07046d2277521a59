//! How far a marking is from a target: what the rules cost that make the missing tokens, if no rule took any
//! away (the additive estimate of Bonet and Geffner, *Planning as Heuristic Search*, Artificial Intelligence
//! 2001). It may be too high or too low; only the order of the search depends on it.

use super::super::accelerate::count;
use crate::closure::Group;
use base::{Budget, Id, Stop};
use ir::net::{Net, PlaceId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// A shared state, or after them a place.
type EstimateNode = u32;

/// No cost is known.
const UNKNOWN: u64 = u64::MAX;
/// This many rules are looked at for one tick.
const RULES_PER_TICK: usize = 64;

/// A shared state and tokens.
#[derive(Clone, Copy, Debug)]
pub struct Marked<'a> {
    /// The shared state.
    pub shared: u32,
    /// The tokens, sorted.
    pub tokens: &'a [Group],
}

/// What was found about a marking.
#[derive(Debug)]
pub struct Estimate {
    /// The cost of what is missing.
    pub cost: u64,
    /// The rules that can be used at once among those that make it, sorted.
    pub preferred: Vec<u32>,
}

/// The rules of a net as the estimate sees them, by their numbers in the net.
#[derive(Debug)]
pub struct Estimator {
    /// What each takes or tests for; nothing known of a rule that is left out.
    needs: Vec<Vec<(EstimateNode, u32)>>,
    /// Where each leaves more than there was.
    makes: Vec<Vec<EstimateNode>>,
    /// For each node the rules that need tokens there, and how many.
    needed_by: Vec<Vec<(u32, u32)>>,
    states: usize,
    have: Vec<u32>,
    cost: Vec<u64>,
    /// The rule by which a node costs least.
    best: Vec<u32>,
    /// For each rule the nodes that lack tokens and have no cost yet, and what the others cost.
    waiting: Vec<(u32, u64)>,
}

impl Estimator {
    /// The estimates of a net. Rules that move tokens, which the search forward leaves out, are left out.
    pub fn new(net: &Net) -> Self {
        let states = net.shared().len();
        let nodes = states + net.places().len();
        let place = |it: PlaceId| (states + it.index()) as EstimateNode;
        let (mut needs, mut makes, mut needed_by) = (vec![], vec![], vec![vec![]; nodes]);
        for (number, rule) in (0..).zip(net.rules().iter()) {
            let mut take: BTreeMap<EstimateNode, u32> = [(rule.from.index() as EstimateNode, 1)].into();
            take.extend(rule.take.iter().filter(|it| it.1 > 0).map(|it| (place(it.0), it.1)));
            let made = rule.make.iter().filter(|it| it.1 > 0).map(|it| (place(it.0), it.1));
            let more = |it: &(EstimateNode, u32)| it.1 > take.get(&it.0).copied().unwrap_or(0);
            let made =
                made.chain([(rule.to.index() as EstimateNode, 1)]).filter(more).map(|it| it.0).collect();
            for (node, least) in rule.tests.iter().map(|it| (place(it.0), it.1.least)).filter(|it| it.1 > 0) {
                let need = take.entry(node).or_default();
                *need = least.max(*need);
            }
            let usable = rule.moves.is_empty();
            if usable {
                take.iter().for_each(|it| needed_by[*it.0 as usize].push((number, *it.1)));
            }
            needs.push(if usable { take.into_iter().collect() } else { vec![] });
            makes.push(if usable { made } else { vec![] });
        }
        let waiting = vec![(0, 0); needs.len()];
        let (have, cost, best) = (vec![0; nodes], vec![UNKNOWN; nodes], vec![0; nodes]);
        Self { needs, makes, needed_by, states, have, cost, best, waiting }
    }

    /// The estimate of the marking that was [looked at](Self::look_at) last to a target; nothing if the
    /// target is out of reach.
    pub fn estimate(&self, target: Marked<'_>) -> Option<Estimate> {
        let places = target.tokens.iter().map(|it| ((self.states + it.0 as usize) as EstimateNode, it.1));
        let missing: Vec<(EstimateNode, u32)> = [(target.shared, 1)].into_iter().chain(places).collect();
        let mut cost = 0u64;
        for &(node, n) in &missing {
            let lacks = u64::from(n.saturating_sub(self.have[node as usize]));
            if lacks > 0 {
                let each = Some(self.cost[node as usize]).filter(|&each| each != UNKNOWN)?;
                cost = cost.saturating_add(each.saturating_mul(lacks));
            }
        }
        Some(Estimate { cost, preferred: self.preferred(&missing) })
    }

    /// Works out what one more token costs at each node, the cheapest first.
    pub fn look_at(&mut self, from: Marked<'_>, budget: &Budget) -> Result<(), Stop> {
        budget.spend(1 + (self.needs.len() / RULES_PER_TICK) as u64)?;
        self.have.fill(0);
        self.have[from.shared as usize] = 1;
        from.tokens.iter().for_each(|it| self.have[self.states + it.0 as usize] = it.1);
        self.cost.fill(UNKNOWN);
        let mut queue: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
        for (number, needs) in (0..).zip(&self.needs) {
            let lacking = needs.iter().filter(|it| self.have[it.0 as usize] < it.1).count() as u32;
            self.waiting[number as usize] = (lacking, 1);
            if lacking == 0 && !needs.is_empty() {
                queue.push(Reverse((1, number)));
            }
        }
        let mut used = 0usize;
        while let Some(Reverse((cost, rule))) = queue.pop() {
            used += 1;
            for &node in &self.makes[rule as usize] {
                if self.cost[node as usize] != UNKNOWN {
                    continue;
                }
                self.cost[node as usize] = cost;
                self.best[node as usize] = rule;
                for &(other, need) in &self.needed_by[node as usize] {
                    let lacks = need.saturating_sub(self.have[node as usize]);
                    if lacks > 0 {
                        let (lacking, sum) = &mut self.waiting[other as usize];
                        *lacking -= 1;
                        *sum = sum.saturating_add(cost.saturating_mul(u64::from(lacks))).min(UNKNOWN - 1);
                        if *lacking == 0 {
                            queue.push(Reverse((*sum, other)));
                        }
                    }
                }
            }
        }
        budget.spend((used / RULES_PER_TICK * 4) as u64)
    }

    /// The rules that can be used at once among the cheapest ones that make what is missing.
    fn preferred(&self, missing: &[(EstimateNode, u32)]) -> Vec<u32> {
        let mut seen = vec![false; self.have.len()];
        let mut stack: Vec<EstimateNode> = vec![];
        let mut rules = vec![];
        let mut demand = |needs: &[(EstimateNode, u32)], stack: &mut Vec<EstimateNode>| {
            let mut complete = true;
            for &(node, n) in needs {
                if self.have[node as usize] < n {
                    complete = false;
                    if !std::mem::replace(&mut seen[node as usize], true) {
                        stack.push(node);
                    }
                }
            }
            complete
        };
        demand(missing, &mut stack);
        while let Some(node) = stack.pop() {
            let rule = self.best[node as usize];
            if demand(&self.needs[rule as usize], &mut stack) {
                rules.push(rule);
            }
        }
        rules.sort_unstable();
        rules.dedup();
        rules
    }
}

/// Whether a marking covers a target.
pub fn covers(marking: Marked<'_>, target: Marked<'_>) -> bool {
    marking.shared == target.shared && target.tokens.iter().all(|it| count(marking.tokens, it.0) >= it.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::net::{Interval, NetStart, Place, Rule, SharedStateId, Target};

    /// Two tokens of the first place make one of the second, and one of these makes one of the third.
    #[test]
    fn missing_tokens_cost_the_rules_that_make_them() {
        let (place, only) = (PlaceId::from_index, SharedStateId::from_index(0));
        let rule = |from: usize, n: u32, to: usize| Rule {
            from: only,
            to: only,
            take: vec![(place(from), n)],
            make: vec![(place(to), 1)],
            tests: vec![],
            moves: vec![],
            span: None,
        };
        let names = ["raw", "half", "done", "never"].map(|name| Place { name: name.to_string() });
        let many = Interval { least: 4, most: Some(4) };
        let none = Interval { least: 0, most: Some(0) };
        let start = NetStart { shared: only, tokens: vec![many, none, none, none] };
        let target = Target { shared: None, places: vec![(place(2), Interval { least: 2, most: None })] };
        let rules = [rule(0, 2, 1), rule(1, 1, 2)].into_iter().collect();
        let shared = ["0".to_string()].into_iter().collect();
        let net = Net::new(shared, names.into_iter().collect(), rules, start, vec![target]);
        let mut estimator = Estimator::new(&net.expect("the net is well formed"));
        let mut ask = |from: &[Group], target: &[Group]| {
            let from = Marked { shared: 0, tokens: from };
            estimator.look_at(from, &Budget::unlimited()).expect("there is no limit");
            let found = estimator.estimate(Marked { shared: 0, tokens: target });
            found.map(|it| (it.cost, it.preferred))
        };
        assert_eq!(ask(&[(0, 4)], &[(2, 2)]), Some((4, vec![0])));
        assert_eq!(ask(&[(0, 2), (1, 1)], &[(1, 1), (2, 2)]), Some((2, vec![1])));
        assert_eq!(ask(&[(2, 2)], &[(2, 2)]), Some((0, vec![])));
        assert_eq!(ask(&[(0, 1)], &[(2, 1)]), None);
        assert_eq!(ask(&[(0, 4)], &[(3, 1)]), None);
    }
}
