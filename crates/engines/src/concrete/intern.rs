//! Stored parts of states, each once: objects, thread states, what ended threads left. A stored state is a
//! row of their numbers (the COLLAPSE compression of Spin), so that a state costs a few words however large
//! memory is. Large objects are stored in pieces: a step changes one.

use super::state::{StoredThread, ThreadSlot};
use crate::explore::{NONE, Store};
use base::Stop;
use c::{Instance, LayoutId, Memory, Origin, ThreadId, Value};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::Arc;

/// Things by number and numbers by thing.
#[derive(Debug)]
struct InternPool<T: ?Sized> {
    items: Vec<Arc<T>>,
    numbers: FxHashMap<Arc<T>, u32>,
}

impl<T: Eq + Hash + ?Sized> InternPool<T> {
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

/// Objects with more cells are stored in pieces.
const LARGE: usize = 512;
/// The cells of a piece.
const PIECE: usize = 64;
/// The numbers of large objects have this bit.
const IN_PIECES: u32 = 1 << 31;
/// This many large objects are kept as they were put together.
const KEPT: usize = 64;

/// A large object.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Large {
    origin: Origin,
    layout: LayoutId,
    count: u64,
    pieces: Vec<u32>,
}

/// What ended threads left: names and results.
pub type Ended = Vec<(ThreadId, Value)>;

fn refers(value: &Value) -> bool {
    value.whole().is_some()
}

/// All stored parts.
#[derive(Debug)]
pub struct StoredParts {
    objects: InternPool<Instance>,
    /// By object: whether a cell holds an address or a handle.
    refers: Vec<bool>,
    large: InternPool<Large>,
    /// The same for large objects.
    large_refers: Vec<bool>,
    pieces: InternPool<[Value]>,
    /// Large objects that were put together, the latest last.
    kept: VecDeque<(u32, Arc<Instance>)>,
    threads: InternPool<StoredThread>,
    ended: InternPool<Ended>,
    memories: Store,
}

impl StoredParts {
    /// None yet.
    pub fn new() -> StoredParts {
        StoredParts {
            objects: InternPool::new(),
            refers: vec![],
            large: InternPool::new(),
            large_refers: vec![],
            pieces: InternPool::new(),
            kept: VecDeque::new(),
            threads: InternPool::new(),
            ended: InternPool::new(),
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
        if object.cells.len() > LARGE {
            return self.large_object(object);
        }
        let number = self.objects.insert(object)?;
        if number as usize == self.refers.len() {
            self.refers.push(object.cells.iter().any(refers));
        }
        if number & IN_PIECES != 0 { Err(Stop::Memory) } else { Ok(number) }
    }

    fn large_object(&mut self, object: &Arc<Instance>) -> Result<u32, Stop> {
        let mut pieces = Vec::with_capacity(object.cells.len().div_ceil(PIECE));
        for piece in object.cells.chunks(PIECE) {
            pieces.push(match self.pieces.numbers.get(piece) {
                Some(&number) => number,
                None => self.pieces.insert(&Arc::from(piece))?,
            });
        }
        let Instance { origin, layout, count, .. } = **object;
        let number = self.large.insert(&Arc::new(Large { origin, layout, count, pieces }))?;
        if number as usize == self.large_refers.len() {
            self.large_refers.push(object.cells.iter().any(refers));
        }
        let number = number | IN_PIECES;
        self.keep(number, object);
        if number == NONE { Err(Stop::Memory) } else { Ok(number) }
    }

    fn keep(&mut self, number: u32, object: &Arc<Instance>) {
        if self.kept.iter().any(|(other, _)| *other == number) {
            return;
        }
        if self.kept.len() >= KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((number, Arc::clone(object)));
    }

    fn kept(&self, number: u32) -> Option<&Arc<Instance>> {
        self.kept.iter().rev().find(|(other, _)| *other == number).map(|(_, object)| object)
    }

    /// Whether a cell of a stored object holds an address or a handle.
    pub fn refers(&self, number: u32) -> bool {
        match number {
            NONE => false,
            _ if number & IN_PIECES != 0 => self.large_refers[(number & !IN_PIECES) as usize],
            _ => self.refers[number as usize],
        }
    }

    /// The numbers of all objects of a memory, given those that it had before some of them changed.
    pub fn objects(&mut self, memory: &Memory, before: &[u32]) -> Result<Vec<u32>, Stop> {
        let mut numbers = Vec::with_capacity(memory.instances.len());
        for (at, object) in memory.instances.iter().enumerate() {
            let old = before.get(at).copied();
            let same = match (old, object) {
                (Some(NONE), None) => true,
                (Some(old), Some(object)) if old != NONE && old & IN_PIECES != 0 => {
                    self.kept(old).is_some_and(|kept| Arc::ptr_eq(object, kept))
                }
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
    pub fn load(&mut self, objects: &[u32]) -> Memory {
        let mut instances = Vec::with_capacity(objects.len());
        for &number in objects {
            instances.push(match number {
                NONE => None,
                _ if number & IN_PIECES != 0 => Some(self.put_together(number)),
                _ => Some(Arc::clone(&self.objects.items[number as usize])),
            });
        }
        Memory { instances }
    }

    fn put_together(&mut self, number: u32) -> Arc<Instance> {
        if let Some(kept) = self.kept(number) {
            return Arc::clone(kept);
        }
        let Large { origin, layout, count, pieces } = &*self.large.items[(number & !IN_PIECES) as usize];
        let mut cells = Vec::with_capacity(pieces.len() * PIECE);
        for &piece in pieces {
            cells.extend_from_slice(&self.pieces.items[piece as usize]);
        }
        let object = Arc::new(Instance { origin: *origin, layout: *layout, count: *count, cells });
        self.keep(number, &object);
        object
    }

    /// The number of a thread state.
    pub fn thread(&mut self, slot: &ThreadSlot) -> Result<u32, Stop> {
        match slot.stored {
            Some(number) => Ok(number),
            None => self.threads.insert(&slot.state),
        }
    }

    /// A stored thread state.
    pub fn thread_state(&self, number: u32) -> &Arc<StoredThread> {
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
