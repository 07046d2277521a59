//! Names without meaning: numbers of objects that come and go, and handles that nobody has. Before a state is stored, what nothing can reach is dropped, and
//! the rest is numbered in the order in which it is met from static objects and threads (Iosif's heap canonisation). A state is only ever changed into one
//! that behaves alike; that two such states become equal is likely, not certain.

use super::intern::Parts;
use super::state::{NAMELESS, Run, Slot, ThreadState};
use crate::explore::NONE;
use base::Id;
use ir::c::{Instance, InstanceId, Memory, Thread, ThreadId, Value, Wait};
use std::cmp::Ordering;
use std::sync::Arc;

/// Forgets the names of threads that no handle stands for, and the results of ended ones likewise. `objects` are the numbers of the run's
/// objects.
pub fn forget_names(run: &mut Run, parts: &Parts, objects: &[u32]) {
    let mut known: Vec<ThreadId> = vec![];
    let mut note = |value: Value| {
        if let Value::Thread(name) = value {
            known.push(name);
        }
    };
    for (instance, &number) in run.memory.instances.iter().zip(objects) {
        if let Some(instance) = instance.as_ref().filter(|_| parts.refers(number)) {
            instance.cells.iter().for_each(|&value| note(value));
        }
    }
    for slot in &run.slots {
        registers(&slot.state.thread).for_each(&mut note);
    }
    run.ended.iter().for_each(|&(_, value)| note(value));
    // There may be thousands.
    known.sort_unstable();
    run.ended.retain(|(name, _)| known.binary_search(name).is_ok());
    for slot in &mut run.slots {
        if slot.state.name != NAMELESS && known.binary_search(&slot.state.name).is_err() {
            let state = ThreadState { name: NAMELESS, ..(*slot.state).clone() };
            *slot = Slot { tag: slot.tag, stored: None, state: Arc::new(state) };
        }
    }
}

/// The values of all registers of a thread.
pub fn registers(thread: &Thread) -> impl Iterator<Item = Value> {
    thread.frames.iter().flat_map(|frame| &frame.registers).chain(&thread.registers).copied()
}

/// Drops objects that nothing can reach and numbers the others in the order in which they are met. True if something changed.
pub fn rename_objects(run: &mut Run, parts: &Parts, declared: usize, objects: &[u32]) -> bool {
    let mut order: Vec<usize> = (0..run.slots.len()).collect();
    order.sort_by(|&a, &b| alike(&run.slots[a].state, &run.slots[b].state));
    let mut renaming = Renaming::new(declared, run.memory.instances.len());
    for at in 0..declared {
        if objects.get(at).is_some_and(|&number| parts.refers(number)) {
            renaming.look_into(&run.memory, at);
        }
    }
    renaming.explore(&run.memory);
    for at in order {
        for_each_instance(&run.slots[at].state.thread, |id| renaming.meet(id));
        renaming.explore(&run.memory);
    }
    for &(_, value) in &run.ended {
        renaming.meet_value(value);
    }
    renaming.explore(&run.memory);
    if renaming.is_identity() {
        return false;
    }
    run.memory = renaming.memory(&run.memory);
    for slot in &mut run.slots {
        let mut state = (*slot.state).clone();
        renaming.thread(&mut state.thread);
        if state != *slot.state {
            *slot = Slot { tag: slot.tag, stored: None, state: Arc::new(state) };
        }
    }
    run.ended.iter_mut().for_each(|(_, value)| *value = renaming.value(*value));
    true
}

/// An order of threads that does not look at names of objects.
fn alike(a: &ThreadState, b: &ThreadState) -> Ordering {
    let plain = |value: Value| match value {
        Value::Address { offset, .. } => Value::Address { instance: InstanceId::from_index(0), offset },
        other => other,
    };
    let locations = |state: &ThreadState| -> Vec<usize> {
        state.thread.frames.iter().map(|frame| frame.loc.index()).collect()
    };
    (a.name, a.stuck)
        .cmp(&(b.name, b.stuck))
        .then_with(|| locations(a).cmp(&locations(b)))
        .then_with(|| registers(&a.thread).map(plain).cmp(registers(&b.thread).map(plain)))
        .then_with(|| a.cmp(b))
}

/// New numbers for objects.
struct Renaming {
    /// By old number; `NONE` if it was not met.
    new: Vec<u32>,
    /// By new number.
    old: Vec<u32>,
    declared: usize,
    explored: usize,
}

impl Renaming {
    fn new(declared: usize, number: usize) -> Renaming {
        let new = (0..number).map(|at| if at < declared { at as u32 } else { NONE }).collect();
        Renaming { new, old: (0..declared as u32).collect(), declared, explored: declared }
    }

    fn meet(&mut self, id: InstanceId) {
        let at = id.index();
        if self.new[at] == NONE {
            self.new[at] = self.old.len() as u32;
            self.old.push(at as u32);
        }
    }

    fn meet_value(&mut self, value: Value) {
        if let Value::Address { instance, .. } = value {
            self.meet(instance);
        }
    }

    fn look_into(&mut self, memory: &Memory, at: usize) {
        if let Some(instance) = memory.instances.get(at).and_then(Option::as_ref) {
            instance.cells.iter().for_each(|&value| self.meet_value(value));
        }
    }

    fn explore(&mut self, memory: &Memory) {
        while self.explored < self.old.len() {
            let at = self.old[self.explored] as usize;
            self.explored += 1;
            self.look_into(memory, at);
        }
    }

    /// Whether everything keeps its number and nothing is dropped.
    fn is_identity(&self) -> bool {
        self.old.len() == self.new.len()
            && (self.declared..self.old.len()).all(|at| self.old[at] as usize == at)
    }

    fn of(&self, id: InstanceId) -> InstanceId {
        InstanceId::from_index(self.new[id.index()] as usize)
    }

    fn value(&self, value: Value) -> Value {
        match value {
            Value::Address { instance, offset } => Value::Address { instance: self.of(instance), offset },
            other => other,
        }
    }

    fn memory(&self, memory: &Memory) -> Memory {
        let object = |&old: &u32| {
            let instance = memory.instances[old as usize].as_ref()?;
            if instance.cells.iter().all(|&value| self.value(value) == value) {
                return Some(Arc::clone(instance));
            }
            let cells = instance.cells.iter().map(|&value| self.value(value)).collect();
            Some(Arc::new(Instance { cells, ..(**instance).clone() }))
        };
        Memory { instances: self.old.iter().map(object).collect() }
    }

    fn thread(&self, thread: &mut Thread) {
        for frame in &mut thread.frames {
            frame.registers.iter_mut().for_each(|value| *value = self.value(*value));
            frame.objects.iter_mut().for_each(|(_, instance)| *instance = self.of(*instance));
        }
        thread.registers.iter_mut().for_each(|value| *value = self.value(*value));
        thread.objects.iter_mut().for_each(|(_, instance)| *instance = self.of(*instance));
        thread.held.iter_mut().for_each(|held| held.lock.instance = self.of(held.lock.instance));
        thread.held.sort();
        match &mut thread.wait {
            Some(Wait::Cond { cond: cell, .. } | Wait::Barrier { barrier: cell, .. }) => {
                cell.instance = self.of(cell.instance);
            }
            None => {}
        }
    }
}

/// All objects that a thread refers to, in a fixed order.
pub fn for_each_instance(thread: &Thread, mut f: impl FnMut(InstanceId)) {
    thread.frames.iter().flat_map(|frame| &frame.objects).for_each(|&(_, instance)| f(instance));
    thread.objects.iter().for_each(|&(_, instance)| f(instance));
    thread.held.iter().for_each(|held| f(held.lock.instance));
    if let Some(Wait::Cond { cond: cell, .. } | Wait::Barrier { barrier: cell, .. }) = thread.wait {
        f(cell.instance);
    }
    for value in registers(thread) {
        if let Value::Address { instance, .. } = value {
            f(instance);
        }
    }
}
