//! The nodes of a graph that lie on a cycle: its strongly connected components (Tarjan, SIAM J. Comput. 1972), on a stack of our own.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// A node that is being visited.
struct Visit<N> {
    node: N,
    next: std::vec::IntoIter<N>,
}

/// The nodes that can reach themselves.
pub fn on_cycles<N: Copy + Eq + Hash>(nodes: &[N], successors: impl Fn(N) -> Vec<N>) -> HashSet<N> {
    let mut found = HashSet::new();
    let mut number: HashMap<N, usize> = HashMap::new();
    let mut lowest: HashMap<N, usize> = HashMap::new();
    let mut open: Vec<N> = vec![];
    let mut closed: HashSet<N> = HashSet::new();
    for &start in nodes {
        if number.contains_key(&start) {
            continue;
        }
        let mut stack = vec![];
        let enter =
            |node: N, number: &mut HashMap<N, usize>, lowest: &mut HashMap<N, usize>, open: &mut Vec<N>| {
                let fresh = number.len();
                number.insert(node, fresh);
                lowest.insert(node, fresh);
                open.push(node);
                Visit { node, next: successors(node).into_iter() }
            };
        stack.push(enter(start, &mut number, &mut lowest, &mut open));
        while let Some(visit) = stack.last_mut() {
            let node = visit.node;
            match visit.next.next() {
                Some(next) if next == node => {
                    found.insert(node);
                }
                Some(next) if !number.contains_key(&next) => {
                    stack.push(enter(next, &mut number, &mut lowest, &mut open))
                }
                Some(next) if !closed.contains(&next) => {
                    let low = lowest[&node].min(number[&next]);
                    lowest.insert(node, low);
                }
                Some(_) => {}
                None => {
                    stack.pop();
                    let low = lowest[&node];
                    if let Some(parent) = stack.last() {
                        let least = lowest[&parent.node].min(low);
                        lowest.insert(parent.node, least);
                    }
                    if low == number[&node] {
                        let at = open.iter().rposition(|&it| it == node).unwrap_or(0);
                        let component = open.split_off(at);
                        if component.len() > 1 {
                            found.extend(&component);
                        }
                        closed.extend(component);
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::on_cycles;

    fn check(edges: &[(u32, u32)], expected: &[u32]) {
        let nodes: Vec<u32> = (0..8).collect();
        let successors =
            |node: u32| edges.iter().filter(|(from, _)| *from == node).map(|(_, to)| *to).collect();
        let mut found: Vec<u32> = on_cycles(&nodes, successors).into_iter().collect();
        found.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn cycles_are_found() {
        check(&[(0, 1), (1, 2), (0, 2)], &[]);
        check(&[(0, 0), (1, 0)], &[0]);
        check(&[(0, 1), (1, 2), (2, 1), (2, 3)], &[1, 2]);
        check(&[(0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (4, 5), (5, 6), (6, 5)], &[0, 1, 2, 3, 5, 6]);
    }
}
