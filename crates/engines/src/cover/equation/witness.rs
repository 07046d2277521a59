//! Why an element cannot be reached: weights of tokens whose sum no rule increases. The tokens of traps bear
//! a weight that is always there.

use super::columns::Node;
use std::collections::BTreeMap;

/// Weights, and how much the tokens may weigh.
#[derive(Debug)]
pub struct Witness {
    /// All weights, sorted.
    pub nodes: Vec<(Node, u32)>,
    /// What traps have of it.
    pub traps: Vec<(usize, u32)>,
    /// Without what traps have, sorted.
    own: Vec<(Node, i64)>,
    /// The most that a marking weighs without what is always in the traps.
    most: i128,
}

impl Witness {
    /// Positive weights of nodes and of traps; nothing if a number is too large. `most` is how many tokens
    /// each node starts with.
    pub fn new(
        nodes: Vec<(Node, i64)>,
        traps: Vec<(usize, i64)>,
        found: &[Vec<Node>],
        most: &[Option<i64>],
    ) -> Option<Witness> {
        let divisor = nodes.iter().map(|it| it.1).chain(traps.iter().map(|it| it.1)).fold(0, gcd).max(1);
        let mut own: Vec<(Node, i64)> = nodes.into_iter().map(|(node, n)| (node, n / divisor)).collect();
        own.sort_unstable();
        let traps: Vec<(usize, i64)> = traps.into_iter().map(|(trap, n)| (trap, n / divisor)).collect();
        let mut all: BTreeMap<Node, i64> = own.iter().copied().collect();
        for &(trap, weight) in &traps {
            for &node in &found[trap] {
                let sum = all.entry(node).or_default();
                *sum = sum.checked_add(weight)?;
            }
        }
        let mut total = 0i128;
        for (&node, &weight) in &all {
            total = total.checked_add(i128::from(weight) * i128::from(most[node as usize]?))?;
        }
        let always: i128 = traps.iter().map(|it| i128::from(it.1)).sum();
        Some(Witness {
            nodes: all
                .into_iter()
                .map(|(node, n)| Some((node, u32::try_from(n).ok()?)))
                .collect::<Option<_>>()?,
            traps: traps
                .into_iter()
                .map(|(trap, n)| Some((trap, u32::try_from(n).ok()?)))
                .collect::<Option<_>>()?,
            own,
            most: total - always,
        })
    }

    /// Whether these tokens weigh too much.
    pub fn excludes(&self, demand: &[(Node, i64)]) -> bool {
        let weight = |&(node, n): &(Node, i64)| {
            let own = self.own.binary_search_by_key(&node, |it| it.0).map_or(0, |at| self.own[at].1);
            i128::from(own) * i128::from(n)
        };
        demand.iter().map(weight).sum::<i128>() > self.most
    }
}

fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
