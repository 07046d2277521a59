//! Names that do not matter: the numbers of objects that come and go, and of threads. Two states that differ
//! only in them behave alike, so an engine renames them in the order in which they are met, and drops what
//! nothing can reach. Without it a loop that enters a block would never return to a state.

use super::program::Program;
use super::state::{Instance, Memory, State, Thread, Wait};
use super::types::InstanceId;
use super::value::{ThreadId, Value};
use base::Id;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// New numbers for the objects that can be reached.
#[derive(Clone, Debug)]
pub struct Renaming {
    /// By old number; `NONE` if it was not met.
    new: Vec<u32>,
    /// By new number.
    old: Vec<u32>,
    /// How many of the new ones were looked into.
    explored: usize,
    /// The numbers below this stay: they are those of declared objects.
    fixed: usize,
}

const NONE: u32 = u32::MAX;

impl Renaming {
    /// Nothing is renamed yet; the static objects keep their numbers and are looked into first.
    pub fn new(program: &Program, memory: &Memory) -> Self {
        let mut made = Self::unexplored(program.objects().len(), memory);
        (0..made.fixed).for_each(|at| made.look_into(memory, at));
        made.explore(memory);
        made
    }

    /// The same for a caller that knows which of the declared objects hold addresses: it looks into them
    /// itself.
    pub fn unexplored(declared: usize, memory: &Memory) -> Self {
        let new =
            (0..memory.instances.len()).map(|at| if at < declared { at as u32 } else { NONE }).collect();
        Self { new, old: (0..declared as u32).collect(), explored: declared, fixed: declared }
    }

    /// Meets what a thread can reach.
    pub fn visit(&mut self, memory: &Memory, thread: &Thread) {
        thread.for_each_instance(|id| self.meet(id));
        self.explore(memory);
    }

    /// Meets what a value points to.
    pub fn visit_value(&mut self, memory: &Memory, value: Value) {
        self.meet_value(value);
        self.explore(memory);
    }

    /// Meets what the cells of an object point to, but not yet what lies behind.
    pub fn look_into(&mut self, memory: &Memory, at: usize) {
        if let Some(instance) = memory.instances.get(at).and_then(Option::as_ref) {
            instance.cells.iter().for_each(|&value| self.meet_value(value));
        }
    }

    fn meet(&mut self, id: InstanceId) {
        let at = id.index();
        if at >= self.new.len() {
            self.new.resize(at + 1, NONE);
        }
        if self.new[at] == NONE {
            self.new[at] = self.old.len() as u32;
            self.old.push(at as u32);
        }
    }

    fn meet_value(&mut self, value: Value) {
        if let Some(instance) = value.instance() {
            self.meet(instance);
        }
    }

    /// Meets what the objects met so far point to.
    pub fn explore(&mut self, memory: &Memory) {
        while self.explored < self.old.len() {
            let at = self.old[self.explored] as usize;
            self.explored += 1;
            self.look_into(memory, at);
        }
    }

    /// Whether it changes nothing that was met and drops nothing.
    pub fn is_identity(&self) -> bool {
        self.old.len() == self.new.len() && (self.fixed..self.old.len()).all(|at| self.old[at] as usize == at)
    }

    /// By new number: the old ones.
    pub fn old(&self) -> impl Iterator<Item = InstanceId> {
        self.old.iter().map(|&at| InstanceId::from_index(at as usize))
    }

    fn of(&self, id: InstanceId) -> InstanceId {
        let new = self.new[id.index()];
        debug_assert_ne!(new, NONE, "everything that is renamed was met");
        InstanceId::from_index(new as usize)
    }

    /// Renames a value that was met.
    pub fn value(&self, value: Value) -> Value {
        value.map_instance(|instance| self.of(instance))
    }

    /// The objects that were met, under their new numbers.
    pub fn memory(&self, memory: &Memory) -> Memory {
        let object = |&old: &u32| {
            let instance = memory.instances.get(old as usize)?.as_ref()?;
            if instance.cells.iter().all(|&value| self.value(value) == value) {
                return Some(Arc::clone(instance));
            }
            let cells = instance.cells.iter().map(|&value| self.value(value)).collect();
            Some(Arc::new(Instance { cells, ..(**instance).clone() }))
        };
        Memory { instances: self.old.iter().map(object).collect() }
    }

    /// Renames what a thread that was visited has.
    pub fn thread(&self, thread: &mut Thread) {
        for frame in &mut thread.frames {
            frame.registers.iter_mut().for_each(|value| *value = self.value(*value));
            frame.objects.iter_mut().for_each(|(_, instance)| *instance = self.of(*instance));
        }
        thread.registers.iter_mut().for_each(|value| *value = self.value(*value));
        thread.objects.iter_mut().for_each(|(_, instance)| *instance = self.of(*instance));
        thread.held.iter_mut().for_each(|held| held.lock.instance = self.of(held.lock.instance));
        thread.held.sort();
        if let Some(Wait::Cond { cond: cell, .. } | Wait::Barrier { barrier: cell, .. }) = &mut thread.wait {
            cell.instance = self.of(cell.instance);
        }
    }
}

impl Thread {
    /// The values of all its registers.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        self.frames.iter().flat_map(|frame| &frame.registers).chain(&self.registers).copied()
    }

    /// All objects that it refers to, in a fixed order.
    pub fn for_each_instance(&self, mut f: impl FnMut(InstanceId)) {
        self.frames.iter().flat_map(|frame| &frame.objects).for_each(|&(_, instance)| f(instance));
        self.objects.iter().for_each(|&(_, instance)| f(instance));
        self.held.iter().for_each(|held| f(held.lock.instance));
        if let Some(Wait::Cond { cond: cell, .. } | Wait::Barrier { barrier: cell, .. }) = self.wait {
            f(cell.instance);
        }
        for value in self.values() {
            if let Some(instance) = value.instance() {
                f(instance);
            }
        }
    }
}

impl State {
    /// The same state with objects and threads renamed in a fixed order, and without what nothing can reach:
    /// objects, and results of ended threads whose handles are gone. States that differ in names alone mostly
    /// become equal; they always behave as before.
    pub fn canonical(&self, program: &Program) -> State {
        let mut state = self.clone();
        state.rename_threads();
        if program.has_dynamic_objects() {
            state.rename_objects(program);
        }
        state
    }

    fn rename_objects(&mut self, program: &Program) {
        let mut renaming = Renaming::new(program, &self.memory);
        self.threads.values().for_each(|thread| renaming.visit(&self.memory, thread));
        self.ended.values().for_each(|&value| renaming.visit_value(&self.memory, value));
        if renaming.is_identity() {
            return;
        }
        self.memory = renaming.memory(&self.memory);
        self.threads.values_mut().for_each(|thread| renaming.thread(thread));
        self.ended.values_mut().for_each(|value| *value = renaming.value(*value));
    }

    /// Numbers threads by what they are, leaving out handles and addresses, whose numbers change themselves.
    fn rename_threads(&mut self) {
        let mut known = BTreeSet::new();
        self.for_each_value(|value| {
            known.extend(value.handle());
        });
        self.ended.retain(|id, _| known.contains(id));
        let mut order: Vec<(Thread, ThreadId)> =
            self.threads.iter().map(|(&id, thread)| (without_names(thread), id)).collect();
        order.sort();
        let alive = order.into_iter().map(|(_, id)| id);
        // Handles of threads that are gone must stay apart from all others, and from each other.
        let mut names: BTreeMap<ThreadId, ThreadId> = BTreeMap::new();
        for id in alive.chain(self.ended.keys().copied().collect::<Vec<_>>()).chain(known) {
            let next = names.len() as ThreadId;
            names.entry(id).or_insert(next);
        }
        self.for_each_value(|value| {
            *value = value.map_handle(|id| names[&id]);
        });
        self.threads =
            std::mem::take(&mut self.threads).into_iter().map(|(id, it)| (names[&id], it)).collect();
        self.ended = std::mem::take(&mut self.ended).into_iter().map(|(id, it)| (names[&id], it)).collect();
        self.next = names.len() as ThreadId;
    }

    /// All values anywhere, open for changes of handles. Memory without handles is not copied.
    fn for_each_value(&mut self, mut f: impl FnMut(&mut Value)) {
        for instance in self.memory.instances.iter_mut().flatten() {
            if instance.cells.iter().any(|value| value.handle().is_some()) {
                Arc::make_mut(instance).cells.iter_mut().for_each(&mut f);
            }
        }
        for thread in self.threads.values_mut() {
            thread.frames.iter_mut().flat_map(|frame| &mut frame.registers).for_each(&mut f);
            thread.registers.iter_mut().for_each(&mut f);
        }
        self.ended.values_mut().for_each(f);
    }
}

/// A thread with the same number for every handle and every object that is not declared.
fn without_names(thread: &Thread) -> Thread {
    let mut thread = thread.clone();
    let nothing = InstanceId::from_index(0);
    for frame in &mut thread.frames {
        frame.registers.iter_mut().for_each(forget);
        frame.objects.iter_mut().for_each(|(_, instance)| *instance = nothing);
    }
    thread.registers.iter_mut().for_each(forget);
    thread.objects.iter_mut().for_each(|(_, instance)| *instance = nothing);
    thread
}

fn forget(value: &mut Value) {
    *value = value.map_handle(|_| 0).map_instance(|_| InstanceId::from_index(0));
}
