//! Dealing threads out to groups, each of which takes as many as it counts: what a symbolic counter state
//! means.

use super::group::ThreadGroup;
use std::collections::VecDeque;

/// For each thread the group that it goes to, if all can be dealt out. Augmenting paths, breadth first.
pub fn deal<P>(
    threads: &[P],
    groups: &[ThreadGroup],
    mut fits: impl FnMut(&P, &ThreadGroup) -> bool,
) -> Option<Vec<usize>> {
    let total: u32 = groups.iter().map(|group| group.count).sum();
    if total as usize != threads.len() {
        return None;
    }
    let edges: Vec<Vec<usize>> = threads
        .iter()
        .map(|thread| (0..groups.len()).filter(|&group| fits(thread, &groups[group])).collect())
        .collect();
    let mut given: Vec<Option<usize>> = vec![None; threads.len()];
    for thread in 0..threads.len() {
        if !augment(thread, &edges, groups, &mut given) {
            return None;
        }
    }
    given.into_iter().collect()
}

/// Finds a group for one more thread; others change groups if need be.
fn augment(thread: usize, edges: &[Vec<usize>], groups: &[ThreadGroup], given: &mut [Option<usize>]) -> bool {
    // The thread by which the search came to a group.
    let mut first: Vec<Option<usize>> = vec![None; groups.len()];
    let mut queue = VecDeque::from([thread]);
    while let Some(at) = queue.pop_front() {
        for &group in &edges[at] {
            if first[group].is_some() || given[at] == Some(group) {
                continue;
            }
            first[group] = Some(at);
            let members: Vec<usize> = (0..given.len()).filter(|&it| given[it] == Some(group)).collect();
            if (members.len() as u32) < groups[group].count {
                hand_over(group, &first, given);
                return true;
            }
            queue.extend(members);
        }
    }
    false
}

fn hand_over(mut group: usize, first: &[Option<usize>], given: &mut [Option<usize>]) {
    loop {
        let thread = first[group].expect("the search came to every group on the way");
        match given[thread].replace(group) {
            Some(left) => group = left,
            None => return,
        }
    }
}
