//! Whether a state lies inside another one: a smaller shared set, and every thread in a smaller set at the
//! same control location.
//!
//! The paper drops a new state if the same threads were stored with a larger shared set. That is not enough
//! where a statement relates shared and local variables: its cofactors go on as small states of their own
//! although a larger state was there before.

use super::deal::deal;
use super::group::{Control, Piece, ThreadGroup};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use solve::bdd::Manager;

/// Where the threads of a state stand, one entry for each thread.
type Controls = (bool, Vec<Control>);

/// The states by where their threads stand.
#[derive(Debug, Default)]
pub struct CoverIndex {
    by_controls: FxHashMap<Controls, Vec<u32>>,
}

impl CoverIndex {
    /// Adds a state by its number.
    pub fn add(&mut self, piece: &Piece, id: u32) {
        self.by_controls.entry(controls(piece)).or_default().push(id);
    }

    /// The numbers of the states whose threads stand where those of `piece` do; the caller may reorder and
    /// shorten the list.
    pub fn beside(&mut self, piece: &Piece) -> Option<&mut Vec<u32>> {
        self.by_controls.get_mut(&controls(piece))
    }
}

fn controls(piece: &Piece) -> Controls {
    let controls = piece.groups.iter().flat_map(|group| (0..group.count).map(|_| group.at));
    (piece.initialising, controls.collect())
}

/// Whether the small state, whose threads stand at the same controls, means nothing that the large one does
/// not mean.
pub fn covers(manager: &mut Manager, large: &Piece, small: &Piece, budget: &Budget) -> Result<bool, Stop> {
    if !manager.leq(small.shared, large.shared, budget)? {
        return Ok(false);
    }
    let same = |it: &(&ThreadGroup, &ThreadGroup)| (it.0.at, it.0.count) == (it.1.at, it.1.count);
    let mut pairs = large.groups.iter().zip(small.groups.iter());
    let single = |groups: &[ThreadGroup]| groups.windows(2).all(|pair| pair[0].at != pair[1].at);
    if single(&large.groups) && single(&small.groups) {
        // One group at each control location: nothing to choose.
        debug_assert!(pairs.clone().all(|pair| same(&pair)), "the threads stand at the same controls");
        return pairs.try_fold(true, |all, (large, small)| {
            Ok(all && (large.set == small.set || manager.leq(small.set, large.set, budget)?))
        });
    }
    let mut inside = FxHashMap::default();
    for small in small.groups.iter() {
        for large in large.groups.iter().filter(|large| large.at == small.at) {
            let leq = large.set == small.set || manager.leq(small.set, large.set, budget)?;
            inside.insert((small.at, small.set, large.set), leq);
        }
    }
    let threads: Vec<ThreadGroup> =
        small.groups.iter().flat_map(|group| (0..group.count).map(|_| *group)).collect();
    let fits = |small: &ThreadGroup, large: &ThreadGroup| {
        small.at == large.at && inside[&(small.at, small.set, large.set)]
    };
    Ok(deal(&threads, &large.groups, fits).is_some())
}
