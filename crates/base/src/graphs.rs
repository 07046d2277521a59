//! Graphs whose nodes are numbers: strongly connected components (Tarjan, SIAM J. Comput. 1972, on a stack of
//! its own), and data flow over sets of bits (Kildall, POPL 1973).

use crate::budget::{Budget, Stop};

/// The strongly connected components of a graph, each sorted, those that others lead to first.
pub fn components(count: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let (mut order, mut low, mut open) = (vec![NEW; count], vec![NEW; count], vec![false; count]);
    let (mut path, mut found, mut time) = (vec![], vec![], 0);
    for root in 0..count {
        let mut calls =
            if order[root] == NEW { vec![(root, None::<std::vec::IntoIter<usize>>)] } else { vec![] };
        while let Some((at, rest)) = calls.last_mut() {
            let at = *at;
            let rest = rest.get_or_insert_with(|| {
                (order[at], low[at], open[at]) = (time, time, true);
                time += 1;
                path.push(at);
                next(at).into_iter()
            });
            match rest.next() {
                Some(to) if order[to] == NEW => calls.push((to, None)),
                Some(to) if open[to] => low[at] = low[at].min(order[to]),
                Some(_) => {}
                None => {
                    calls.pop();
                    if let Some(&(above, _)) = calls.last() {
                        low[above] = low[above].min(low[at]);
                    }
                    if low[at] == order[at] {
                        let first = path.iter().rposition(|&it| it == at).expect("it is on the path");
                        let mut component = path.split_off(first);
                        component.iter().for_each(|&it| open[it] = false);
                        component.sort_unstable();
                        found.push(component);
                    }
                }
            }
        }
    }
    found
}

/// By node: whether it can reach itself.
pub fn on_cycles(count: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<bool> {
    let mut found = vec![false; count];
    for component in components(count, &next) {
        let cycle = component.len() > 1 || next(component[0]).contains(&component[0]);
        component.into_iter().for_each(|at| found[at] = cycle);
    }
    found
}

/// A set of numbers for each node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitSets {
    words: usize,
    bits: Vec<u64>,
}

impl BitSets {
    /// Empty sets of numbers below `width`.
    pub fn new(nodes: usize, width: usize) -> BitSets {
        let words = width.div_ceil(64);
        BitSets { words, bits: vec![0; words * nodes] }
    }

    /// The words of a node's set.
    pub fn of(&self, node: usize) -> &[u64] {
        &self.bits[node * self.words..(node + 1) * self.words]
    }

    /// Whether a number is in a node's set.
    pub fn has(&self, node: usize, number: usize) -> bool {
        is_set(self.of(node), number)
    }
}

/// Whether a number is in a set.
pub fn is_set(set: &[u64], number: usize) -> bool {
    set[number / 64] >> (number % 64) & 1 == 1
}

/// Puts a number into a set.
pub fn insert(set: &mut [u64], number: usize) {
    set[number / 64] |= 1 << (number % 64);
}

/// Takes a number out of a set.
pub fn remove(set: &mut [u64], number: usize) {
    set[number / 64] &= !(1 << (number % 64));
}

/// The least sets of numbers below `width` such that each node's is what `transfer` makes of the union of its
/// successors' sets. `transfer` must be monotone.
pub fn backward(
    successors: &[Vec<usize>],
    width: usize,
    mut transfer: impl FnMut(usize, &mut [u64]),
    budget: &Budget,
) -> Result<BitSets, Stop> {
    let mut sets = BitSets::new(successors.len(), width);
    let mut before: Vec<Vec<usize>> = vec![vec![]; successors.len()];
    for (at, next) in successors.iter().enumerate() {
        next.iter().for_each(|&to| before[to].push(at));
    }
    let mut waiting = vec![true; successors.len()];
    let mut work: Vec<usize> = (0..successors.len()).collect();
    let mut set = vec![0; sets.words];
    while let Some(at) = work.pop() {
        budget.spend(1)?;
        waiting[at] = false;
        set.fill(0);
        for &next in &successors[at] {
            set.iter_mut().zip(sets.of(next)).for_each(|(word, more)| *word |= more);
        }
        transfer(at, &mut set);
        if sets.of(at) != set {
            sets.bits[at * sets.words..(at + 1) * sets.words].copy_from_slice(&set);
            for &previous in &before[at] {
                if !std::mem::replace(&mut waiting[previous], true) {
                    work.push(previous);
                }
            }
        }
    }
    Ok(sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(list: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let mut next = vec![vec![]; 8];
        list.iter().for_each(|&(from, to)| next[from].push(to));
        next
    }

    fn cycles(list: &[(usize, usize)]) -> Vec<usize> {
        let next = edges(list);
        let found = on_cycles(8, |at| next[at].clone());
        (0..8).filter(|&at| found[at]).collect()
    }

    #[test]
    fn cycles_are_found() {
        assert!(cycles(&[(0, 1), (1, 2), (0, 2)]).is_empty());
        assert_eq!(cycles(&[(0, 0), (1, 0)]), [0]);
        assert_eq!(cycles(&[(0, 1), (1, 2), (2, 1), (2, 3)]), [1, 2]);
        let several = [(0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (4, 5), (5, 6), (6, 5)];
        assert_eq!(cycles(&several), [0, 1, 2, 3, 5, 6]);
    }

    #[test]
    fn components_come_after_those_that_they_lead_to() {
        let next = edges(&[(0, 1), (1, 2), (2, 1), (2, 3)]);
        let found = components(4, |at| next[at].clone());
        assert_eq!(found, [vec![3], vec![1, 2], vec![0]]);
    }

    #[test]
    fn sets_flow_backward_through_loops() {
        // 0 → 1 ⇄ 2, 1 → 3; node 3 wants 70 and 5, node 2 takes 5 away and wants 1.
        let next = vec![vec![1], vec![2, 3], vec![1], vec![]];
        let transfer = |at: usize, set: &mut [u64]| match at {
            2 => {
                remove(set, 5);
                insert(set, 1);
            }
            3 => {
                insert(set, 70);
                insert(set, 5);
            }
            _ => {}
        };
        let sets = backward(&next, 71, transfer, &Budget::unlimited()).expect("no limit");
        let list = |at: usize| (0..71).filter(|&it| sets.has(at, it)).collect::<Vec<_>>();
        assert_eq!(
            [list(0), list(1), list(2), list(3)],
            [vec![1, 5, 70], vec![1, 5, 70], vec![1, 70], vec![5, 70]]
        );
    }
}
