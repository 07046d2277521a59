//! Forward search with acceleration (Karp and Miller, *Parallel Program Schemata*, JCSS 1969): where a run
//! comes back to a shared state with more threads than before, it can do so again and again, and there are
//! any number of them (ω). Errors that need many threads, for which the elements of the search backward are
//! many, are often a few accelerations away.
//!
//! What differs: only errors are looked for, and a proof is left to the search backward. So rules to which
//! the other threads react are left out, and a node that is below another one is dropped at once, though that
//! may lose something. [`super::unroll`] turns a way through the tree into a run.

use crate::closure::{Goal, Group, Pool, Rule, RuleSystem, Start};
use crate::explore::NONE;
use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use std::collections::BinaryHeap;

/// Any number of threads.
pub const OMEGA: u32 = u32::MAX;

/// A local state whose number of threads has become any number.
#[derive(Clone, Copy, Debug)]
pub struct Lift {
    /// The local state.
    pub local: u32,
    /// How many there were before.
    pub had: u32,
    /// The node above with fewer: the way from there to here can be gone again.
    pub from: u32,
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// The shared state.
    pub shared: u32,
    /// The threads, sorted; [`OMEGA`] for any number.
    pub tokens: Vec<Group>,
    /// The node above, and the rule that leads from there to here.
    pub via: Option<(u32, u32)>,
    /// What was accelerated here.
    pub lifts: Vec<Lift>,
}

/// The tree.
#[derive(Debug, Default)]
pub struct Tree {
    /// Its nodes; those above come first.
    pub nodes: Vec<TreeNode>,
    /// For each shared state the nodes that are below no other.
    largest: FxHashMap<u32, Vec<u32>>,
    /// The nodes to go on from: those with much of any number first, then the older ones.
    work: BinaryHeap<(usize, std::cmp::Reverse<u32>)>,
}

/// What is looked for: a node and the threads there that are an error.
pub struct Hit {
    /// The node.
    pub node: u32,
    /// The threads of it.
    pub demand: Vec<Group>,
}

/// Grows a tree until an error is found. Gives none if the tree is complete, which proves nothing.
pub fn search(
    system: &mut RuleSystem<'_>,
    start: &Start,
    tree: &mut Tree,
    budget: &Budget,
) -> Result<Option<Hit>, Stop> {
    let goals = system.goals();
    for &shared in &start.shared {
        for tokens in populations(&start.first, budget)? {
            tree.add(TreeNode { shared, tokens, via: None, lifts: vec![] }, budget)?;
        }
    }
    while let Some((_, std::cmp::Reverse(id))) = tree.work.pop() {
        if !tree.is_largest(id) {
            continue;
        }
        let node = tree.nodes[id as usize].clone();
        if let Some(threads) = error(system, &goals, &node, budget)? {
            return Ok(Some(Hit { node: id, demand: threads }));
        }
        for number in rules(system, &node, budget)? {
            budget.spend(1)?;
            let rule = system.rule(number as usize);
            let via = Some((id, number));
            let after = match rule.starts {
                true => populations(&start.later, budget)?,
                false => used(system, &rule, &node.tokens).into_iter().collect(),
            };
            for tokens in after {
                tree.add(TreeNode { shared: rule.to, tokens, via, lifts: vec![] }, budget)?;
            }
        }
    }
    Ok(None)
}

impl Tree {
    fn is_largest(&self, id: u32) -> bool {
        self.largest[&self.nodes[id as usize].shared].contains(&id)
    }

    /// Adds a node, accelerated, unless it is below another one.
    fn add(&mut self, mut node: TreeNode, budget: &Budget) -> Result<(), Stop> {
        self.accelerate(&mut node, budget)?;
        let largest = self.largest.entry(node.shared).or_default();
        budget.spend(largest.len() as u64)?;
        if largest.iter().any(|&id| is_below(&node.tokens, &self.nodes[id as usize].tokens)) {
            return Ok(());
        }
        largest.retain(|&id| !is_below(&self.nodes[id as usize].tokens, &node.tokens));
        let id = u32::try_from(self.nodes.len()).ok().filter(|&id| id != NONE).ok_or(Stop::Memory)?;
        largest.push(id);
        let many = node.tokens.iter().filter(|it| it.1 == OMEGA).count();
        self.work.push((many, std::cmp::Reverse(id)));
        self.nodes.push(node);
        Ok(())
    }

    /// Where a node above is the same with fewer threads, what there is more of becomes any number.
    pub fn accelerate(&self, node: &mut TreeNode, budget: &Budget) -> Result<(), Stop> {
        let mut above = node.via;
        while let Some((id, _)) = above {
            budget.spend(1)?;
            let other = &self.nodes[id as usize];
            if other.shared == node.shared && is_below(&other.tokens, &node.tokens) {
                for (local, had) in &mut node.tokens {
                    if *had != OMEGA && count(&other.tokens, *local) < *had {
                        node.lifts.push(Lift { local: *local, had: *had, from: id });
                        *had = OMEGA;
                    }
                }
            }
            above = other.via;
        }
        Ok(())
    }
}

/// How many threads are in a local state.
pub fn count(tokens: &[Group], local: u32) -> u32 {
    tokens.binary_search_by_key(&local, |it| it.0).map_or(0, |at| tokens[at].1)
}

/// A number that is not any number; to have fewer threads than there are is no mistake.
fn finite(n: u32) -> u32 {
    n.min(OMEGA - 1)
}

fn is_below(small: &[Group], large: &[Group]) -> bool {
    small.len() <= large.len() && small.iter().all(|&(local, n)| n <= count(large, local))
}

/// The threads after a rule; `None` if there are too few for it.
pub fn used(system: &RuleSystem<'_>, rule: &Rule, tokens: &[Group]) -> Option<Vec<Group>> {
    if !is_usable(system, rule, tokens) {
        return None;
    }
    let mut after = tokens.to_vec();
    for &(local, n) in system.take(rule) {
        let at = after.binary_search_by_key(&local, |it| it.0).ok().filter(|&at| after[at].1 >= n)?;
        if after[at].1 != OMEGA {
            after[at].1 -= n;
        }
    }
    for &(local, n) in system.make(rule) {
        match after.binary_search_by_key(&local, |it| it.0) {
            Ok(at) if after[at].1 == OMEGA => {}
            Ok(at) => after[at].1 = finite(after[at].1.saturating_add(n)),
            Err(at) => after.insert(at, (local, finite(n))),
        }
    }
    after.retain(|it| it.1 > 0);
    Some(after)
}

/// Whether there are enough threads for a rule.
pub fn is_usable(system: &RuleSystem<'_>, rule: &Rule, tokens: &[Group]) -> bool {
    system.take(rule).iter().all(|it| count(tokens, it.0) >= it.1)
        && system.tests(rule).iter().all(|(local, test)| count(tokens, *local) >= test.least)
}

/// The rules of a node to which nobody else reacts, and which more threads never forbid.
pub fn rules(system: &mut RuleSystem<'_>, node: &TreeNode, budget: &Budget) -> Result<Vec<u32>, Stop> {
    let mut numbers: Vec<usize> = system.joint(node.shared).collect();
    for &(local, _) in &node.tokens {
        numbers.extend(system.single(node.shared, local, budget)?);
    }
    numbers.retain(|&number| {
        let rule = system.rule(number);
        rule.passive == NONE && system.tests(&rule).iter().all(|(_, test)| test.most.is_none())
    });
    Ok(numbers.into_iter().map(|number| number as u32).collect())
}

/// Threads of the node that are an error, if there are such.
fn error(
    system: &mut RuleSystem<'_>,
    goals: &[Goal],
    node: &TreeNode,
    budget: &Budget,
) -> Result<Option<Vec<Group>>, Stop> {
    for &(local, _) in &node.tokens {
        budget.spend(1)?;
        if system.fails(node.shared, local, budget)? {
            return Ok(Some(vec![(local, 1)]));
        }
    }
    let reached = |goal: &&Goal| {
        goal.shared.is_none_or(|shared| shared == node.shared) && is_below(&goal.threads, &node.tokens)
    };
    Ok(goals.iter().find(reached).map(|goal| goal.threads.clone()))
}

/// All ways in which as many threads as possible may start.
pub fn populations(pools: &[Pool], budget: &Budget) -> Result<Vec<Vec<Group>>, Stop> {
    let mut all: Vec<Vec<Group>> = vec![vec![]];
    for pool in pools {
        let ways = match (pool.most, &pool.locals[..]) {
            (None, locals) => vec![locals.iter().map(|&local| (local, OMEGA)).collect()],
            (Some(most), &[local]) => vec![vec![(local, finite(most))]],
            (Some(most), locals) => splits(locals, finite(most), budget)?,
        };
        let mut longer: Vec<Vec<Group>> = vec![];
        for population in &all {
            budget.spend(ways.len() as u64)?;
            longer.extend(ways.iter().map(|way| [&population[..], way].concat()));
        }
        all = longer;
    }
    for population in &mut all {
        population.retain(|it| it.1 > 0);
        population.sort_unstable();
    }
    Ok(all)
}

/// All ways to have `most` threads in these local states.
fn splits(locals: &[u32], most: u32, budget: &Budget) -> Result<Vec<Vec<Group>>, Stop> {
    let Some((&last, others)) = locals.split_last() else { return Ok(vec![vec![]]) };
    let mut all: Vec<(u32, Vec<Group>)> = vec![(most, vec![])];
    for &local in others {
        let mut longer = vec![];
        for (left, population) in &all {
            budget.spend(u64::from(*left) + 1)?;
            longer.extend((0..=*left).map(|n| (left - n, [&population[..], &[(local, n)]].concat())));
        }
        all = longer;
    }
    Ok(all.into_iter().map(|(left, population)| [&population[..], &[(last, left)]].concat()).collect())
}
