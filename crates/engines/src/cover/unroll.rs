//! From a way through the tree of [`super::accelerate`] to a run. What is demanded of the last node is
//! followed back to a start, rule by rule. Where a node has been given any number of threads and more are
//! demanded than there were, the way from the node above that it was accelerated from is gone once more; what
//! that takes is demanded in turn.

use super::accelerate::{Hit, Tree, count};
use super::forward::Link;
use super::search::filled;
use crate::closure::{Group, Rule, RuleSystem, Start};
use base::{Budget, Stop};

/// A start and the rules from there.
pub struct Unrolled {
    /// The shared state.
    pub shared: u32,
    /// The threads.
    pub start: Vec<Group>,
    /// The rules.
    pub links: Vec<Link>,
}

/// A way back through the tree.
struct WayBack {
    /// Where it is.
    at: u32,
    /// Where it ends; the start if there is no such node.
    end: Option<u32>,
}

/// The run to a node with at least these threads.
pub fn unroll(
    system: &RuleSystem<'_>,
    start: &Start,
    tree: &Tree,
    hit: Hit,
    budget: &Budget,
) -> Result<Unrolled, Stop> {
    let (mut links, mut demand) = (vec![], hit.demand);
    // One way for each acceleration that is being gone once more, inside the others.
    let mut ways = vec![WayBack { at: hit.node, end: None }];
    loop {
        budget.spend(1 + demand.len() as u64)?;
        let way = ways.last_mut().expect("the way to the start ends the loop");
        if way.end == Some(way.at) {
            ways.pop();
            continue;
        }
        let node = &tree.nodes[way.at as usize];
        let Some((above, number)) = node.via else {
            links.reverse();
            return Ok(Unrolled { shared: node.shared, start: filled(&start.first, &demand), links });
        };
        let rule = system.rule(number as usize);
        let short = node.lifts.iter().find(|lift| count(&demand, lift.local) > lift.had);
        match short {
            Some(lift) => ways.push(WayBack { at: above, end: Some(lift.from) }),
            None => way.at = above,
        }
        let population = if rule.starts { filled(&start.later, &demand) } else { vec![] };
        demand = match rule.starts {
            true => system.take(&rule).to_vec(),
            false => before(system, &rule, &demand),
        };
        links.push(Link { rule, reacted: vec![], population });
    }
}

/// The fewest threads that are enough before a rule.
fn before(system: &RuleSystem<'_>, rule: &Rule, demand: &[Group]) -> Vec<Group> {
    let made = system.make(rule);
    let left = |&(local, n): &Group| (local, n.saturating_sub(count(made, local)));
    let mut before: Vec<Group> = demand.iter().map(left).collect();
    for &(local, n) in system.take(rule) {
        let there = count_of(&mut before, local);
        *there = there.saturating_add(n);
    }
    for (local, test) in system.tests(rule) {
        let there = count_of(&mut before, local);
        *there = test.least.max(*there);
    }
    before.retain(|it| it.1 > 0);
    before
}

/// The number of threads in a local state, to be changed.
fn count_of(threads: &mut Vec<Group>, local: u32) -> &mut u32 {
    let at = threads.binary_search_by_key(&local, |it| it.0).unwrap_or_else(|at| {
        threads.insert(at, (local, 0));
        at
    });
    &mut threads[at].1
}
