//! Being an invariant, by enumeration. Each obligation speaks of at most three threads before a step, so that
//! a set of tables is an invariant for any number of threads if it is one for three.

use super::concrete::{Concrete, GlobalState, ThreadState, Values};
use relation::proof::Proof;

/// The threads that one obligation can speak of.
const MOST: usize = 3;

/// Whether every start is in the tables, every step from a state in the tables leads to one, and nothing
/// fails in them.
pub fn is_invariant(concrete: &Concrete<'_>, proof: &Proof) -> bool {
    concrete.starts().iter().all(|state| concrete.allows(proof, state))
        && concrete.all_shared().iter().all(|shared| is_kept(concrete, proof, shared))
}

/// The same from all states with these values of the shared variables.
fn is_kept(concrete: &Concrete<'_>, proof: &Proof, shared: &Values) -> bool {
    let controls = concrete.relation.controls.ids();
    let threads: Vec<ThreadState> = controls
        .flat_map(|control| concrete.all_threads(control))
        .filter(|thread| concrete.alone(proof, shared, thread))
        .collect();
    let meets: Vec<Vec<bool>> = threads
        .iter()
        .map(|one| threads.iter().map(|other| concrete.together(proof, shared, [one, other])).collect())
        .collect();
    let mut groups: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..MOST {
        groups = extended(&groups, &meets);
        let states = groups.iter().map(|group| GlobalState {
            shared: shared.clone(),
            threads: group.iter().map(|&at| threads[at].clone()).collect(),
        });
        for state in states {
            let Ok(next) = concrete.successors(&state) else { return false };
            if !next.iter().all(|next| concrete.allows(proof, next)) {
                return false;
            }
        }
    }
    true
}

/// The groups with one thread more that each may meet.
fn extended(groups: &[Vec<usize>], meets: &[Vec<bool>]) -> Vec<Vec<usize>> {
    let mut found = vec![];
    for group in groups {
        let first = group.last().copied().unwrap_or(0);
        for next in (first..meets.len()).filter(|&next| group.iter().all(|&at| meets[at][next])) {
            found.push([&group[..], &[next]].concat());
        }
    }
    found
}
