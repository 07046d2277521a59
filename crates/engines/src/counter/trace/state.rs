//! Single states inside symbolic ones: picking them, and dealing their threads out to groups.

use super::super::deal::deal;
use super::super::group::{Control, Piece, ThreadGroup};
use crate::encoding::values::local_literals;
pub use crate::encoding::values::{Values, shared_literals};
use crate::encoding::{Encoding, Slot};
use base::Stop;
use solve::bdd::{Bdd, Level};

/// One thread: where it stands and its locals, those that are not kept there 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ThreadState {
    /// Where it stands.
    pub at: Control,
    /// Its locals.
    pub values: Vec<bool>,
}

/// One state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalState {
    /// Whether `init` still runs.
    pub initialising: bool,
    /// The shared variables.
    pub shared: Vec<bool>,
    pub threads: Vec<ThreadState>,
}

/// The thread at a place that an assignment shows.
pub fn thread_state(encoding: &Encoding<'_>, values: &Values, at: Control, slot: Slot) -> ThreadState {
    ThreadState { at, values: values.locals(encoding, at.loc(), slot) }
}

/// The literals of a thread's locals.
pub fn thread_literals(encoding: &Encoding<'_>, thread: &ThreadState, slot: Slot) -> Vec<(Level, bool)> {
    local_literals(encoding, thread.at.loc(), &thread.values, slot)
}

/// Whether a thread is in a group's set.
pub fn is_in(encoding: &Encoding<'_>, thread: &ThreadState, group: &ThreadGroup) -> bool {
    let values: Values = thread_literals(encoding, thread, Slot::Own).into_iter().collect();
    thread.at == group.at && encoding.manager.eval(group.set, |level| values.get(level))
}

/// Whether a state is one of those that a symbolic state means.
pub fn means(encoding: &Encoding<'_>, piece: &Piece, state: &GlobalState) -> bool {
    let values: Values = shared_literals(encoding, &state.shared).into_iter().collect();
    state.initialising == piece.initialising
        && state.threads.len() == piece.total() as usize
        && encoding.manager.eval(piece.shared, |level| values.get(level))
        && deal(&state.threads, &piece.groups, |thread, group| is_in(encoding, thread, group)).is_some()
}

/// One of the states that a symbolic state means, its thread of group `index` in `set` (over shared variables
/// and locals).
pub fn pick(
    encoding: &mut Encoding<'_>,
    piece: &Piece,
    index: usize,
    set: Bdd,
    budget: &base::Budget,
) -> Result<GlobalState, Stop> {
    let group = piece.groups[index];
    let first = encoding.manager.and(piece.shared, group.set, budget)?;
    let first = encoding.manager.and(first, set, budget)?;
    let values = Values::pick(encoding, first).expect("the state fails, so it is not empty");
    let mut threads = vec![thread_state(encoding, &values, group.at, Slot::Own)];
    for (other, group) in piece.groups.iter().enumerate() {
        let count = group.count - u32::from(other == index);
        let values = Values::pick(encoding, group.set).expect("no stored set is empty");
        threads.extend((0..count).map(|_| thread_state(encoding, &values, group.at, Slot::Own)));
    }
    Ok(GlobalState { initialising: piece.initialising, shared: values.shared(encoding), threads })
}
