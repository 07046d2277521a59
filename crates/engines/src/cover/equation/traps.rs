//! Traps: sets of nodes that never lose their last token, because each rule that takes one there makes one
//! there. The largest trap in a set of nodes is what is left when all that rules take without making anything
//! has been removed, again and again.

use super::columns::{Columns, Node};
use base::{Budget, Id, Stop};
use ir::net::Net;

/// This many rules are looked at for one tick.
const RULES_PER_TICK: usize = 32;

/// A rule as traps see it.
#[derive(Debug)]
struct Flow {
    /// Where it may take the last token.
    takes: Vec<Node>,
    /// Where it makes or leaves one.
    makes: Vec<Node>,
    /// Where it moves all tokens from, with where each may go to if none leaves the net.
    moves: Vec<(Node, Option<Vec<Node>>)>,
}

/// What traps are looked for with.
#[derive(Debug)]
pub struct Traps {
    /// The traps found, sorted.
    pub found: Vec<Vec<Node>>,
    flows: Vec<Flow>,
    /// For each node the rules that may take its last token.
    takers: Vec<Vec<u32>>,
    /// For each node the rules that may make one.
    makers: Vec<Vec<u32>>,
    marked: Vec<bool>,
}

impl Traps {
    /// No traps yet.
    pub fn new(net: &Net, columns: &Columns) -> Self {
        let (mut takers, mut makers) = (vec![vec![]; columns.nodes()], vec![vec![]; columns.nodes()]);
        let mut flows = vec![];
        for &id in &columns.rules {
            let (rule, number) = (&net.rules()[id], flows.len() as u32);
            let place = |it: &(ir::net::PlaceId, u32)| (it.1 > 0).then(|| columns.place(it.0));
            let takes = rule.take.iter().filter_map(place).chain([rule.from.index() as Node]);
            let makes = rule.make.iter().filter_map(place).chain([rule.to.index() as Node]);
            // A token that is tested for, neither taken nor moved, is still there.
            let left = rule.tests.iter().filter(|(place, test)| {
                let taken = rule.take.iter().find(|it| it.0 == *place).map_or(0, |it| it.1);
                test.least > taken && rule.moves.iter().all(|it| it.from != *place)
            });
            let makes = makes.chain(left.map(|it| columns.place(it.0)));
            let moves = rule.moves.iter().map(|it| {
                let to: Option<Vec<Node>> = it.to.iter().map(|to| Some(columns.place((*to)?))).collect();
                (columns.place(it.from), to)
            });
            let flow = Flow { takes: takes.collect(), makes: makes.collect(), moves: moves.collect() };
            let from = flow.takes.iter().chain(flow.moves.iter().map(|it| &it.0));
            from.for_each(|&node| takers[node as usize].push(number));
            let to = flow.makes.iter().chain(flow.moves.iter().filter_map(|it| it.1.as_ref()).flatten());
            to.for_each(|&node| makers[node as usize].push(number));
            flows.push(flow);
        }
        Self { found: vec![], flows, takers, makers, marked: columns.marked.clone() }
    }

    /// A trap among these nodes that holds a token at the start, if there is one; none of its nodes can be
    /// left out, because smaller traps say more.
    pub fn find(&self, inside: Vec<bool>, budget: &Budget) -> Result<Option<Vec<Node>>, Stop> {
        let Some(mut trap) = self.largest(inside, budget)? else { return Ok(None) };
        let nodes = |trap: &[bool]| (0..).zip(trap).filter(|it| *it.1).map(|it| it.0).collect::<Vec<Node>>();
        // Large parts first: most of the nodes that rules filled anyway go at once.
        let mut part = nodes(&trap).len().div_ceil(2);
        while part > 0 {
            for removed in nodes(&trap).chunks(part) {
                let mut less = trap.clone();
                removed.iter().for_each(|&node| less[node as usize] = false);
                // Others of these nodes may have gone with those before.
                if less != trap
                    && let Some(smaller) = self.largest(less, budget)?
                {
                    trap = smaller;
                }
            }
            part = if part == 1 { 0 } else { part.div_ceil(2) };
        }
        Ok(Some(nodes(&trap)))
    }

    /// The largest trap among these nodes, if it holds a token at the start.
    fn largest(&self, mut inside: Vec<bool>, budget: &Budget) -> Result<Option<Vec<bool>>, Stop> {
        let members = (0..inside.len()).filter(|&node| inside[node]);
        let mut worklist: Vec<u32> = members.flat_map(|node| self.takers[node].iter().copied()).collect();
        worklist.sort_unstable();
        worklist.dedup();
        let mut looked_at = inside.len() / 8 + worklist.len();
        while let Some(number) = worklist.pop() {
            for node in self.lost(&self.flows[number as usize], &inside) {
                inside[node as usize] = false;
                looked_at += self.makers[node as usize].len();
                worklist.extend(&self.makers[node as usize]);
            }
        }
        budget.spend(1 + (looked_at / RULES_PER_TICK) as u64)?;
        let marked = inside.iter().zip(&self.marked).any(|(&inside, &marked)| inside && marked);
        Ok(marked.then_some(inside))
    }

    /// The nodes of the set that a rule may empty while it makes nothing in the set.
    fn lost(&self, flow: &Flow, inside: &[bool]) -> Vec<Node> {
        let is_in = |node: &Node| inside[*node as usize];
        if flow.makes.iter().any(is_in) {
            return vec![];
        }
        let moved = flow.moves.iter().filter(|(_, to)| !to.as_ref().is_some_and(|to| to.iter().all(is_in)));
        flow.takes.iter().chain(moved.map(|it| &it.0)).copied().filter(is_in).collect()
    }
}
