//! Directed forward search of nets (Blondin, Haase and Offtermatt, *Directed Reachability for Infinite-State
//! Systems*, TACAS 2021): best first by an estimate of how far a marking is from the target.
//!
//! What differs: the estimate is [`estimate`]'s, which costs one pass over the rules and no solver; a marking
//! is estimated when its turn comes, and its successors wait with what it costs, those by preferred rules
//! first (Helmert, *The Fast Downward Planning System*, JAIR 2006). Loops are accelerated as in
//! [`super::accelerate`], whose nodes these are. Each target that the closure and the state equation allow
//! has a search of its own, which go by turns, because a target that is out of reach would keep a common
//! search near it.

mod estimate;

use super::accelerate::{self, Hit, Tree, TreeNode};
use super::unroll::{self, Unrolled};
use super::{forward, within};
use crate::closure::{Group, Rule, RuleSystem, Source};
use crate::engine::Cx;
use crate::statistics;
use base::{Budget, Stop};
use estimate::{Estimator, Marked, covers};
use ir::{Task, Trace, Verdict};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// This many markings are looked at in the first turn of a target; four times as many in each later one.
const FIRST_TURN: u64 = 64;
/// This many targets are searched for at most.
const MOST_TARGETS: usize = 2_000;

/// A shared state and tokens that are an error.
pub type ErrorMarking = (u32, Vec<Group>);

/// An error of a net, if one of these targets is soon found.
pub fn search(
    task: &Task,
    system: &mut RuleSystem<'_>,
    targets: &[ErrorMarking],
    budget: &Budget,
    cx: &mut Cx<'_>,
) -> Result<Option<Verdict>, Stop> {
    let mut seen = 0;
    let found = turns(system, targets, budget, &mut seen);
    statistics::emit("cover", &[("markings of the directed search", seen)], cx.events);
    let found = found?.map(|trace| within(task, trace));
    Ok(found.filter(|verdict| matches!(verdict, Verdict::Unsafe(_))))
}

/// Gives each target its turns until one is found or none has anything left.
fn turns(
    system: &mut RuleSystem<'_>,
    targets: &[ErrorMarking],
    budget: &Budget,
    seen: &mut u64,
) -> Result<Option<Trace>, Stop> {
    let Source::Net(nets) = &system.source else { return Ok(None) };
    let mut estimator = Estimator::new(nets.net);
    let start = system.start(budget)?;
    let populations = accelerate::populations(&start.first, budget)?;
    // A net starts in one shared state, with as many tokens as there may be.
    let (Some(&shared), Some(tokens)) = (start.shared.first(), populations.into_iter().next()) else {
        return Ok(None);
    };
    let first = TreeNode { shared, tokens, via: None, lifts: vec![] };
    estimator.look_at(Marked { shared, tokens: &first.tokens }, budget)?;
    let mut seeks = vec![];
    for target in targets.iter().take(MOST_TARGETS) {
        budget.spend(1)?;
        let target = Marked { shared: target.0, tokens: &target.1 };
        seeks.extend(estimator.estimate(target).map(|it| Seek::new(target, it.cost, &first)));
    }
    // The nearest first.
    seeks.sort_by_key(|seek| seek.cost);
    let mut turn = FIRST_TURN;
    while !seeks.is_empty() {
        for seek in &mut seeks {
            let before = seek.tree.nodes.len();
            let hit = seek.run(system, &mut estimator, turn, budget);
            *seen += (seek.tree.nodes.len() - before) as u64;
            let Some(hit) = hit? else { continue };
            let Unrolled { shared, start, links } = unroll::unroll(system, &start, &seek.tree, hit, budget)?;
            // A way that does not fit is no error, only a loss.
            if let Ok(trace) = forward::run(system, shared, &start, &links, budget)? {
                return Ok(Some(trace));
            }
        }
        seeks.retain(|seek| !seek.open.is_empty());
        turn = turn.saturating_mul(4);
    }
    Ok(None)
}

/// A successor that waits for its turn, in the order of the search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Successor {
    /// What the marking before it costs.
    cost: u64,
    /// Whether its rule is not a preferred one.
    other: bool,
    /// The marking before.
    above: u32,
    /// The rule, as the system numbers it.
    rule: u32,
}

/// The search for one target.
struct Seek<'a> {
    target: Marked<'a>,
    /// What the start costs.
    cost: u64,
    tree: Tree,
    known: FxHashSet<(u32, Vec<Group>)>,
    open: BinaryHeap<Reverse<Successor>>,
    /// The start, unless it was looked at.
    first: Option<TreeNode>,
}

impl<'a> Seek<'a> {
    /// A search that begins at the start.
    fn new(target: Marked<'a>, cost: u64, first: &TreeNode) -> Self {
        let (tree, known, open) = (Tree::default(), FxHashSet::default(), BinaryHeap::new());
        Self { target, cost, tree, known, open, first: Some(first.clone()) }
    }

    /// Looks at this many markings.
    fn run(
        &mut self,
        system: &mut RuleSystem<'_>,
        estimator: &mut Estimator,
        turn: u64,
        budget: &Budget,
    ) -> Result<Option<Hit>, Stop> {
        if let Some(node) = self.first.take()
            && let Some(hit) = self.visit(node, system, estimator, budget)?
        {
            return Ok(Some(hit));
        }
        for _ in 0..turn {
            let Some(Reverse(next)) = self.open.pop() else { return Ok(None) };
            budget.spend(1)?;
            let above = &self.tree.nodes[next.above as usize];
            let rule: Rule = system.rule(next.rule as usize);
            let tokens =
                accelerate::used(system, &rule, &above.tokens).expect("only rules that can be used wait");
            let via = Some((next.above, next.rule));
            let node = TreeNode { shared: rule.to, tokens, via, lifts: vec![] };
            if let Some(hit) = self.visit(node, system, estimator, budget)? {
                return Ok(Some(hit));
            }
        }
        Ok(None)
    }

    /// Estimates a marking that is not known yet, and puts its successors where they belong.
    fn visit(
        &mut self,
        mut node: TreeNode,
        system: &mut RuleSystem<'_>,
        estimator: &mut Estimator,
        budget: &Budget,
    ) -> Result<Option<Hit>, Stop> {
        self.tree.accelerate(&mut node, budget)?;
        let id = u32::try_from(self.tree.nodes.len()).map_err(|_| Stop::Memory)?;
        budget.spend(1 + node.tokens.len() as u64 / 16)?;
        if !self.known.insert((node.shared, node.tokens.clone())) {
            return Ok(None);
        }
        let marking = Marked { shared: node.shared, tokens: &node.tokens };
        if covers(marking, self.target) {
            self.tree.nodes.push(node);
            return Ok(Some(Hit { node: id, demand: self.target.tokens.to_vec() }));
        }
        estimator.look_at(marking, budget)?;
        let Some(estimate) = estimator.estimate(self.target) else { return Ok(None) };
        let numbers = accelerate::rules(system, &node, budget)?;
        budget.spend(numbers.len() as u64 / 64)?;
        for number in numbers {
            let rule = system.rule(number as usize);
            if accelerate::is_usable(system, &rule, &node.tokens) {
                let other = estimate.preferred.binary_search(&rule.origin).is_err();
                let next = Successor { cost: estimate.cost, other, above: id, rule: number };
                self.open.push(Reverse(next));
            }
        }
        self.tree.nodes.push(node);
        Ok(None)
    }
}
