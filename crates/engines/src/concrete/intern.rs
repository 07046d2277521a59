//! Stored parts of states, each once: objects, thread states, what ended threads left. A stored state is a row of their numbers (the COLLAPSE
//! compression of Spin), so that a state costs a few words however large memory is.

use super::state::{Slot, ThreadState};
use crate::explore::{NONE, Store};
use base::Stop;
use ir::c::{Instance, Memory, ThreadId, Value};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Things by number and numbers by thing.
#[derive(Debug)]
struct Pool<T> {
    items: Vec<Arc<T>>,
    numbers: FxHashMap<Arc<T>, u32>,
}

impl<T: Eq + Hash> Pool<T> {
    fn new() -> Self {
        Self { items: vec![], numbers: FxHashMap::default() }
    }

    fn insert(&mut self, item: &Arc<T>) -> Result<u32, Stop> {
        if let Some(&number) = self.numbers.get(item) {
            return Ok(number);
        }
        let number = u32::try_from(self.items.len()).map_err(|_| Stop::Memory)?;
        self.items.push(Arc::clone(item));
        self.numbers.insert(Arc::clone(item), number);
        Ok(number)
    }
}

/// What ended threads left: names and results.
pub type Ended = Vec<(ThreadId, Value)>;

/// All stored parts.
#[derive(Debug)]
pub struct Parts {
    objects: Pool<Instance>,
    /// By object: whether a cell holds an address or a handle.
    refers: Vec<bool>,
    threads: Pool<ThreadState>,
    ended: Pool<Ended>,
    memories: Store,
}

impl Parts {
    /// None yet.
    pub fn new() -> Parts {
        Parts {
            objects: Pool::new(),
            refers: vec![],
            threads: Pool::new(),
            ended: Pool::new(),
            memories: Store::new(),
        }
    }

    /// The number of stored thread states.
    pub fn threads(&self) -> usize {
        self.threads.items.len()
    }

    /// The number of stored memories.
    pub fn memories(&self) -> usize {
        self.memories.len()
    }

    /// The number of an object's contents; `NONE` for a dead one.
    pub fn object(&mut self, object: Option<&Arc<Instance>>) -> Result<u32, Stop> {
        let Some(object) = object else { return Ok(NONE) };
        let number = self.objects.insert(object)?;
        if number as usize == self.refers.len() {
            let refers = |value: &Value| matches!(value, Value::Address { .. } | Value::Thread(_));
            self.refers.push(object.cells.iter().any(refers));
        }
        Ok(number)
    }

    /// Whether a cell of a stored object holds an address or a handle.
    pub fn refers(&self, number: u32) -> bool {
        number != NONE && self.refers[number as usize]
    }

    /// The numbers of all objects of a memory, given those that it had before some of them changed.
    pub fn objects(&mut self, memory: &Memory, before: &[u32]) -> Result<Vec<u32>, Stop> {
        let mut numbers = Vec::with_capacity(memory.instances.len());
        for (at, object) in memory.instances.iter().enumerate() {
            let old = before.get(at).copied();
            let same = match (old, object) {
                (Some(NONE), None) => true,
                (Some(old), Some(object)) if old != NONE => {
                    Arc::ptr_eq(object, &self.objects.items[old as usize])
                }
                _ => false,
            };
            numbers.push(match old {
                Some(old) if same => old,
                _ => self.object(object.as_ref())?,
            });
        }
        Ok(numbers)
    }

    /// The number of a memory, given those of its objects.
    pub fn memory(&mut self, objects: &[u32]) -> Result<u32, Stop> {
        self.memories.insert(objects).map(|(number, _)| number)
    }

    /// The objects of a stored memory.
    pub fn objects_of(&self, memory: u32) -> &[u32] {
        self.memories.get(memory)
    }

    /// A memory with these objects.
    pub fn load(&self, objects: &[u32]) -> Memory {
        let object =
            |&number: &u32| (number != NONE).then(|| Arc::clone(&self.objects.items[number as usize]));
        Memory { instances: objects.iter().map(object).collect() }
    }

    /// The number of a thread state.
    pub fn thread(&mut self, slot: &Slot) -> Result<u32, Stop> {
        match slot.stored {
            Some(number) => Ok(number),
            None => self.threads.insert(&slot.state),
        }
    }

    /// A stored thread state.
    pub fn thread_state(&self, number: u32) -> &Arc<ThreadState> {
        &self.threads.items[number as usize]
    }

    /// The number of what ended threads left.
    pub fn ended(&mut self, ended: &Ended) -> Result<u32, Stop> {
        if let Some(&number) = self.ended.numbers.get(ended) {
            return Ok(number);
        }
        self.ended.insert(&Arc::new(ended.clone()))
    }

    /// What ended threads left.
    pub fn ended_of(&self, number: u32) -> &Ended {
        &self.ended.items[number as usize]
    }
}
