//! Names without meaning: numbers of objects that come and go, and handles that nobody has. Before a state is
//! stored, what nothing can reach is dropped, and the rest is numbered in the order in which it is met from
//! static objects and threads (Iosif's heap canonisation). A state is only ever changed into one that behaves
//! alike; that two such states become equal is likely, not certain.

use super::intern::StoredParts;
use super::state::{GlobalState, NAMELESS, StoredThread, ThreadSlot};
use base::Id;
use c::{InstanceId, Renaming, ThreadId, Value};
use std::cmp::Ordering;
use std::sync::Arc;

/// Forgets the names of threads that no handle stands for, and the results of ended ones likewise. `objects`
/// are the numbers of the run's objects.
pub fn forget_names(run: &mut GlobalState, parts: &StoredParts, objects: &[u32]) {
    let mut known: Vec<ThreadId> = vec![];
    let mut note = |value: Value| known.extend(value.handle());
    for (instance, &number) in run.memory.instances.iter().zip(objects) {
        if let Some(instance) = instance.as_ref().filter(|_| parts.refers(number)) {
            instance.cells.iter().for_each(|&value| note(value));
        }
    }
    for slot in &run.slots {
        slot.state.thread.values().for_each(&mut note);
    }
    run.ended.iter().for_each(|&(_, value)| note(value));
    // There may be thousands.
    known.sort_unstable();
    run.ended.retain(|(name, _)| known.binary_search(name).is_ok());
    for slot in &mut run.slots {
        if slot.state.name != NAMELESS && known.binary_search(&slot.state.name).is_err() {
            let state = StoredThread { name: NAMELESS, ..(*slot.state).clone() };
            *slot = ThreadSlot { tag: slot.tag, stored: None, state: Arc::new(state) };
        }
    }
}

/// Drops objects that nothing can reach and numbers the others in the order in which they are met. How, if
/// something changed.
pub fn rename_objects(
    run: &mut GlobalState,
    parts: &StoredParts,
    declared: usize,
    objects: &[u32],
) -> Option<Renaming> {
    let mut order: Vec<usize> = (0..run.slots.len()).collect();
    order.sort_by(|&a, &b| alike(&run.slots[a].state, &run.slots[b].state));
    let mut renaming = Renaming::unexplored(declared, &run.memory);
    for at in 0..declared {
        if objects.get(at).is_some_and(|&number| parts.refers(number)) {
            renaming.look_into(&run.memory, at);
        }
    }
    renaming.explore(&run.memory);
    for at in order {
        renaming.visit(&run.memory, &run.slots[at].state.thread);
    }
    for &(_, value) in &run.ended {
        renaming.visit_value(&run.memory, value);
    }
    if renaming.is_identity() {
        return None;
    }
    run.memory = renaming.memory(&run.memory);
    for slot in &mut run.slots {
        let mut state = (*slot.state).clone();
        renaming.thread(&mut state.thread);
        if state != *slot.state {
            *slot = ThreadSlot { tag: slot.tag, stored: None, state: Arc::new(state) };
        }
    }
    run.ended.iter_mut().for_each(|(_, value)| *value = renaming.value(*value));
    Some(renaming)
}

/// An order of threads that does not look at names of objects.
fn alike(a: &StoredThread, b: &StoredThread) -> Ordering {
    let plain = |value: Value| value.map_instance(|_| InstanceId::from_index(0));
    let locations = |state: &StoredThread| -> Vec<usize> {
        state.thread.frames.iter().map(|frame| frame.loc.index()).collect()
    };
    (a.name, a.stuck)
        .cmp(&(b.name, b.stuck))
        .then_with(|| locations(a).cmp(&locations(b)))
        .then_with(|| a.thread.values().map(plain).cmp(b.thread.values().map(plain)))
        .then_with(|| a.cmp(b))
}
