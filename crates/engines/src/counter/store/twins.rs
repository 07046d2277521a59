//! States that differ in one thread: how they are found and what they are merged to.

use super::super::group::{Piece, ThreadGroup, normalise};
use solve::bdd::Bdd;

/// For each group the hash of the shared set, of where its threads stand, and of all threads but one of it.
pub fn rest_keys(piece: &Piece) -> Vec<u64> {
    let one = |group: &ThreadGroup| group.hash_of_one();
    let all = piece
        .groups
        .iter()
        .fold(0u64, |sum, group| sum.wrapping_add(one(group).wrapping_mul(u64::from(group.count))));
    piece
        .groups
        .iter()
        .map(|group| {
            let place = ThreadGroup { set: piece.shared, ..*group };
            all.wrapping_sub(one(group)).rotate_left(17) ^ one(&place)
        })
        .collect()
}

/// The set in the other state of the one thread in which it differs from `piece` without one thread of
/// `group`, at the same control location.
pub fn odd_one(piece: &Piece, group: usize, other: &Piece) -> Option<Bdd> {
    let rest = piece.without(group);
    let mut rest = rest.iter().peekable();
    let mut odd = None;
    for it in other.groups.iter() {
        let mine = rest.next_if(|mine| (mine.at, mine.set) == (it.at, it.set)).map_or(0, |mine| mine.count);
        match it.count.checked_sub(mine)? {
            0 => {}
            1 if odd.is_none() && it.at == piece.groups[group].at => odd = Some(it.set),
            _ => return None,
        }
    }
    if rest.next().is_some() { None } else { odd }
}

/// The state with one thread of a group in another set.
pub fn replaced(piece: &Piece, group: usize, set: Bdd) -> Piece {
    let mut groups = piece.without(group);
    groups.push(ThreadGroup { set, count: 1, ..piece.groups[group] });
    normalise(&mut groups);
    Piece { groups: groups.into(), ..piece.clone() }
}
