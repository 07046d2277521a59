//! Leaks: allocations that are lost, because nothing that the program still has leads to them, and those that
//! are left when the program ends.
//!
//! What the program has are its objects, static ones and those of threads that have not ended, and what it is
//! about to read: registers that are live. Variables are objects where leaks are asked about, and count as
//! long as they are in scope, read again or not; a value that nobody has stored and nobody reads is gone.
//! From there pointers lead on: any address within an object leads to it, whatever type the cell has that
//! holds it, and the handle of a thread that has ended leads to its result. What is lost is lost for ever.

use super::Machine;
use crate::op::{End, Op};
use crate::program::{Loc, LocalId, LocalScope};
use crate::state::{Frame, Memory, Origin, State, Thread};
use crate::types::InstanceId;
use crate::value::{ThreadId, Value, Whole};
use base::Id;

/// Which leaks are errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Leaks {
    /// None.
    #[default]
    Ignored,
    /// What is lost.
    Lost,
    /// That, and what is left when the program ends.
    All,
}

impl Leaks {
    /// Whether some are.
    pub fn matter(self) -> bool {
        self != Leaks::Ignored
    }
}

/// How an allocation leaks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LeakKind {
    /// Nothing leads to it.
    Lost,
    /// It lives when the program ends.
    Left,
}

impl LeakKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            LeakKind::Lost => "lost",
            LeakKind::Left => "left",
        }
    }
}

/// A leak.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Leak {
    /// How.
    pub kind: LeakKind,
    /// The allocation.
    pub object: InstanceId,
    /// The step that allocated it.
    pub allocated: Loc,
}

/// What of a state decides about leaks.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'s> {
    /// The objects.
    pub memory: &'s Memory,
    /// The threads that have not ended.
    pub threads: &'s [&'s Thread],
    /// The results of those that ended and were not joined.
    pub ended: &'s [(ThreadId, Value)],
    /// Which of the threads has ended the program, or is about to.
    pub ends: Option<usize>,
}

impl Machine<'_> {
    /// The leak in a state, if leaks are asked about.
    pub fn leak(&self, state: &State) -> Option<Leak> {
        let threads: Vec<&Thread> = state.threads.values().collect();
        let ended: Vec<(ThreadId, Value)> = state.ended.iter().map(|(&id, &value)| (id, value)).collect();
        let ends = threads.iter().position(|thread| thread.halted);
        self.leak_of(Standing { memory: &state.memory, threads: &threads, ended: &ended, ends })
    }

    /// The same for those who keep states otherwise.
    pub fn leak_of(&self, state: Standing<'_>) -> Option<Leak> {
        if !self.options.leaks.matter() {
            return None;
        }
        let first = self.program.objects().len();
        let mut living = (first..state.memory.instances.len())
            .map(InstanceId::from_index)
            .filter_map(|object| Some((object, self.allocated_at(state.memory, object)?)))
            .peekable();
        living.peek()?;
        let is_over = state.ends.is_some() || state.threads.is_empty();
        let left = living.clone().next().filter(|_| is_over && self.options.leaks == Leaks::All);
        let kept = Kept::of(self, state);
        let found = |kind| move |(object, allocated)| Leak { kind, object, allocated };
        let lost = living.find(|(object, _)| !kept.has(*object)).map(found(LeakKind::Lost));
        lost.or(left.map(found(LeakKind::Left)))
    }

    /// Where an object was allocated, if it lives until somebody frees it.
    fn allocated_at(&self, memory: &Memory, object: InstanceId) -> Option<Loc> {
        let Origin::Allocated(at) = memory.get(object)?.origin else { return None };
        matches!(self.program.at(at).op, Op::Alloc { automatic: false, .. }).then_some(at)
    }

    /// Whether a value leads to an allocation that ends by itself, such as a variable-length array. It has
    /// no name but the register that holds its address, and lives while that is there.
    pub fn is_automatic(&self, memory: &Memory, value: Value) -> bool {
        let Some(instance) = value.instance() else { return false };
        match memory.get(instance).map(|it| it.origin) {
            Some(Origin::Allocated(at)) => {
                matches!(self.program.at(at).op, Op::Alloc { automatic: true, .. })
            }
            _ => false,
        }
    }

    /// Whether an activation may still read a register of its own, where leaks are asked about. A caller has
    /// read what it gave to the call that it waits for, and gets the result anew.
    pub fn may_read(&self, frame: &Frame, is_top: bool, slot: usize) -> bool {
        let Some(live) = &self.live else { return true };
        let location = self.program.at(frame.loc);
        let Op::Call { result, .. } = &location.op else { return live.is_live(frame.loc, slot) };
        if is_top {
            return live.is_live(frame.loc, slot);
        }
        let is_result = |local: LocalId| {
            let local = &self.program.locals()[local];
            local.scope != LocalScope::Thread && local.slot as usize == slot
        };
        live.is_live(location.next, slot) && !result.is_some_and(is_result)
    }

    /// How the thread ends the program with its next step, if it does.
    pub fn end(&self, thread: &Thread) -> Option<End> {
        match self.program.at(thread.loc()).op {
            Op::Halt(end) => Some(end),
            _ => None,
        }
    }
}

/// The objects to which pointers lead.
struct Kept<'s> {
    state: Standing<'s>,
    /// By object: whether it was met.
    met: Vec<bool>,
    work: Vec<usize>,
    /// The threads to which a handle was met.
    handles: Vec<ThreadId>,
    /// How many of them were looked at.
    joined: usize,
}

impl<'s> Kept<'s> {
    fn of(machine: &Machine<'_>, state: Standing<'s>) -> Kept<'s> {
        let number = state.memory.instances.len();
        let mut kept = Kept { state, met: vec![false; number], work: vec![], handles: vec![], joined: 0 };
        let end = state.ends.and_then(|at| machine.end(state.threads[at]));
        if end == Some(End::Return) {
            kept.after_return();
        } else {
            state.threads.iter().for_each(|thread| kept.thread(machine, thread));
        }
        (0..machine.program.objects().len()).for_each(|object| kept.meet(object));
        kept.explore();
        kept
    }

    fn has(&self, object: InstanceId) -> bool {
        self.met[object.index()]
    }

    /// Once `main` has returned there are the static objects and the thread-local ones of the first thread:
    /// activations and other threads are gone with all they had, and nothing leads on through that.
    fn after_return(&mut self) {
        let returned = self.state.ends;
        for (at, thread) in self.state.threads.iter().enumerate() {
            for &(_, object) in thread.frames.iter().flat_map(|frame| &frame.objects) {
                self.met[object.index()] = true;
            }
            for &(_, object) in &thread.objects {
                if Some(at) == returned {
                    self.meet(object.index());
                } else {
                    self.met[object.index()] = true;
                }
            }
        }
    }

    fn thread(&mut self, machine: &Machine<'_>, thread: &Thread) {
        let objects = thread.frames.iter().flat_map(|frame| &frame.objects).chain(&thread.objects);
        objects.for_each(|&(_, object)| self.meet(object.index()));
        thread.registers.iter().for_each(|&value| self.value(value));
        for (depth, frame) in thread.frames.iter().enumerate() {
            let is_top = depth + 1 == thread.frames.len();
            for (slot, &value) in frame.registers.iter().enumerate() {
                let reads = machine.may_read(frame, is_top, slot);
                if reads || machine.is_automatic(self.state.memory, value) {
                    self.value(value);
                }
            }
        }
    }

    fn value(&mut self, value: Value) {
        match value.whole() {
            Some(Whole::Address(instance, _)) => self.meet(instance.index()),
            Some(Whole::Thread(id)) if !self.handles.contains(&id) => self.handles.push(id),
            Some(Whole::Thread(_)) | None => {}
        }
    }

    fn meet(&mut self, object: usize) {
        if self.met.get(object) == Some(&false) {
            self.met[object] = true;
            self.work.push(object);
        }
    }

    fn explore(&mut self) {
        let Standing { memory, ended, .. } = self.state;
        loop {
            if let Some(object) = self.work.pop() {
                let cells = memory.instances[object].iter().flat_map(|it| &it.cells);
                cells.for_each(|&value| self.value(value));
            } else if let Some(&handle) = self.handles.get(self.joined) {
                self.joined += 1;
                let result = ended.iter().find(|(thread, _)| *thread == handle);
                result.into_iter().for_each(|&(_, value)| self.value(value));
            } else {
                break;
            }
        }
    }
}
