//! Dealing threads out to groups, each of which takes as many as it counts: what a symbolic counter state means.

use super::group::Group;
use std::collections::VecDeque;

/// For each thread the group that it goes to, if all can be dealt out. Augmenting paths, breadth first.
pub fn deal<P>(
    people: &[P],
    groups: &[Group],
    mut fits: impl FnMut(&P, &Group) -> bool,
) -> Option<Vec<usize>> {
    let total: u32 = groups.iter().map(|group| group.count).sum();
    if total as usize != people.len() {
        return None;
    }
    let edges: Vec<Vec<usize>> = people
        .iter()
        .map(|person| (0..groups.len()).filter(|&group| fits(person, &groups[group])).collect())
        .collect();
    let mut given: Vec<Option<usize>> = vec![None; people.len()];
    for person in 0..people.len() {
        if !augment(person, &edges, groups, &mut given) {
            return None;
        }
    }
    given.into_iter().collect()
}

/// Finds a group for one more person, moving others if need be.
fn augment(person: usize, edges: &[Vec<usize>], groups: &[Group], given: &mut [Option<usize>]) -> bool {
    // Who asked for a group first.
    let mut asked: Vec<Option<usize>> = vec![None; groups.len()];
    let mut queue = VecDeque::from([person]);
    while let Some(at) = queue.pop_front() {
        for &group in &edges[at] {
            if asked[group].is_some() || given[at] == Some(group) {
                continue;
            }
            asked[group] = Some(at);
            let members: Vec<usize> = (0..given.len()).filter(|&it| given[it] == Some(group)).collect();
            if (members.len() as u32) < groups[group].count {
                hand_over(group, &asked, given);
                return true;
            }
            queue.extend(members);
        }
    }
    false
}

fn hand_over(mut group: usize, asked: &[Option<usize>], given: &mut [Option<usize>]) {
    loop {
        let person = asked[group].expect("every group on the way was asked for");
        match given[person].replace(group) {
            Some(left) => group = left,
            None => return,
        }
    }
}
