//! States: the shared part ([`Memory`]) and, apart from it, each thread's own ([`Thread`]), so that engines
//! can keep either in a form of their own.

use super::program::{LayoutId, Loc, LocalId, LocalScope, ObjectId, Program};
use super::types::{Constant, InstanceId};
use super::value::{CellRef, ThreadId, Value};
use base::Id;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// It is declared.
    Declared(ObjectId),
    /// A step allocated it.
    Allocated(Loc),
    /// It was allocated and freed: what is left is its address, which a new allocation may get.
    Freed,
}

/// An object that exists.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instance {
    /// Where it comes from.
    pub origin: Origin,
    /// The shape of its elements.
    pub layout: LayoutId,
    /// The number of its elements.
    pub count: u64,
    /// Its cells, element by element. After them, bytes of the object, as far as no cell holds them as a part
    /// of its value; others are undetermined there.
    pub cells: Vec<Value>,
}

/// The shared part of a state: all objects. Cloning it copies no cells.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Memory {
    /// By number; `None` is dead, and so is what was [`Origin::Freed`]. The numbers of declared objects come
    /// first: a static object has its own number in the program for ever, and those of other scopes stay
    /// empty.
    pub instances: Vec<Option<Arc<Instance>>>,
}

impl Memory {
    /// The object, if it lives.
    pub fn get(&self, id: InstanceId) -> Option<&Instance> {
        self.instances.get(id.index())?.as_deref().filter(|it| it.origin != Origin::Freed)
    }

    /// The object, if it lives, open for changes.
    pub(super) fn get_mut(&mut self, id: InstanceId) -> Option<&mut Instance> {
        let object = self.instances.get_mut(id.index())?.as_mut().filter(|it| it.origin != Origin::Freed)?;
        Some(Arc::make_mut(object))
    }

    /// What a cell holds; undetermined if it does not exist.
    pub fn read(&self, cell: CellRef) -> Value {
        let cells = self.get(cell.instance).map(|instance| &instance.cells);
        cells.and_then(|cells| cells.get(cell.cell as usize)).copied().unwrap_or(Value::Undetermined)
    }

    /// Sets a cell that exists.
    pub fn write(&mut self, cell: CellRef, value: Value) {
        let slot = self.instances.get_mut(cell.instance.index()).and_then(Option::as_mut);
        if let Some(slot) = slot.and_then(|it| Arc::make_mut(it).cells.get_mut(cell.cell as usize)) {
            *slot = value;
        }
    }

    /// Adds an object under a new number.
    pub fn add(&mut self, instance: Instance) -> InstanceId {
        let id = InstanceId::from_index(self.instances.len());
        self.instances.push(Some(Arc::new(instance)));
        id
    }

    /// Adds an object under the number of a freed one: what pointed to that one points to it.
    pub fn reuse(&mut self, id: InstanceId, instance: Instance) {
        if let Some(slot) = self.instances.get_mut(id.index()) {
            *slot = Some(Arc::new(instance));
        }
    }

    /// Whether an allocation may get the address of this object: it was allocated and freed.
    pub fn is_freed(&self, id: InstanceId) -> bool {
        let object = self.instances.get(id.index()).and_then(Option::as_ref);
        object.is_some_and(|it| it.origin == Origin::Freed)
    }

    /// The freed objects.
    pub fn freed(&self) -> impl Iterator<Item = InstanceId> + Clone {
        (0..self.instances.len()).map(InstanceId::from_index).filter(|&id| self.is_freed(id))
    }

    /// Ends the life of an allocated object; its address may be used again.
    pub fn free(&mut self, id: InstanceId) {
        if let Some(slot) = self.instances.get_mut(id.index()) {
            // Nothing of it matters but its number.
            let layout = LayoutId::from_index(0);
            *slot = Some(Arc::new(Instance { origin: Origin::Freed, layout, count: 0, cells: vec![] }));
        }
    }

    /// Ends the life of an object whose address is not used again.
    pub fn end(&mut self, id: InstanceId) {
        if let Some(slot) = self.instances.get_mut(id.index()) {
            *slot = None;
        }
    }
}

/// How a thread holds a lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Hold {
    /// A mutex, locked this many times.
    Mutex(u32),
    /// A read-write lock, this many times for reading.
    Reader(u32),
    /// A read-write lock for writing.
    Writer,
}

/// A lock that a thread holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Held {
    /// The lock.
    pub lock: CellRef,
    /// How.
    pub hold: Hold,
}

/// What a thread waits for in the middle of a step that takes two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wait {
    /// A condition variable.
    Cond {
        /// Which.
        cond: CellRef,
        /// Whether it was signalled.
        woken: bool,
    },
    /// A barrier.
    Barrier {
        /// Which.
        barrier: CellRef,
        /// Whether the last one came, and then whether this thread is the one that is told so.
        released: Option<bool>,
    },
}

/// An activation of a procedure.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Frame {
    /// Where it stands; a caller stands at its call.
    pub loc: Loc,
    /// Its registers, by slot.
    pub registers: Vec<Value>,
    /// Its living objects, in the order of their numbers in the program.
    pub objects: Vec<(ObjectId, InstanceId)>,
}

/// A thread that has not ended: its own part of a state. It does not say which thread it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Thread {
    /// Its activations, the current one last; there is always one.
    pub frames: Vec<Frame>,
    /// The registers that it has beside those of its activations, by slot.
    pub registers: Vec<Value>,
    /// Its thread-local objects.
    pub objects: Vec<(ObjectId, InstanceId)>,
    /// The locks that it holds, in order.
    pub held: Vec<Held>,
    /// What it waits for in the middle of a step.
    pub wait: Option<Wait>,
    /// Whether it is inside an atomic section.
    pub section: bool,
    /// Whether it ended the program.
    pub halted: bool,
    /// Whether its end is remembered until it is joined.
    pub joinable: bool,
}

impl Thread {
    /// The current activation.
    pub fn top(&self) -> &Frame {
        self.frames.last().expect("a thread that has not ended has an activation")
    }

    /// The current activation.
    pub fn top_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a thread that has not ended has an activation")
    }

    /// Where it stands.
    pub fn loc(&self) -> Loc {
        self.top().loc
    }

    /// Whether nobody else may step.
    pub fn excludes_others(&self) -> bool {
        self.section || self.halted
    }

    /// A register that is in scope.
    pub fn get(&self, program: &Program, local: LocalId) -> Value {
        let local = &program.locals()[local];
        match local.scope {
            LocalScope::Thread => self.registers[local.slot as usize],
            LocalScope::Procedure(_) => self.top().registers[local.slot as usize],
        }
    }

    /// Sets a register that is in scope.
    pub fn set(&mut self, program: &Program, local: LocalId, value: Value) {
        let local = &program.locals()[local];
        match local.scope {
            LocalScope::Thread => self.registers[local.slot as usize] = value,
            LocalScope::Procedure(_) => self.top_mut().registers[local.slot as usize] = value,
        }
    }

    /// How it holds a lock, if it does.
    pub fn hold(&self, lock: CellRef) -> Option<Hold> {
        self.held.iter().find(|held| held.lock == lock).map(|held| held.hold)
    }

    /// Notes how it holds a lock from now on.
    pub fn set_hold(&mut self, lock: CellRef, hold: Option<Hold>) {
        self.held.retain(|held| held.lock != lock);
        if let Some(hold) = hold {
            let at = self.held.partition_point(|held| held.lock < lock);
            self.held.insert(at, Held { lock, hold });
        }
    }
}

/// A state of the whole program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// The objects.
    pub memory: Memory,
    /// The threads that have not ended.
    pub threads: BTreeMap<ThreadId, Thread>,
    /// The results of those that ended and were not joined.
    pub ended: BTreeMap<ThreadId, Value>,
    /// The number of the thread that is created next.
    pub next: ThreadId,
}

/// The value of a constant.
pub(super) fn constant(value: Constant) -> Value {
    match value {
        Constant::Bits(bits) => Value::Bits(bits),
        // A static object has the number in the state that it has in the program.
        Constant::Address(object, offset) => {
            Value::Address { instance: InstanceId::from_index(object.index()), offset }
        }
    }
}
