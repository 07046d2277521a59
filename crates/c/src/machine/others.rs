//! What a step asks of the other threads. The reference keeps them in a [`State`]; an engine that keeps them
//! otherwise implements this trait and uses [`super::Machine::execute`] as it is.

use crate::state::State;
use crate::state::{Thread, Wait};
use crate::value::{CellRef, ThreadId, Value};

/// What a handle stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// A thread that has not ended and may be joined.
    Alive,
    /// A thread that has not ended and that nobody may join.
    Detached,
    /// A thread that ended with this result and was not joined.
    Ended(Value),
    /// Nothing.
    Unknown,
}

/// All threads but the one that steps.
pub trait Others {
    /// The name of the thread that steps.
    fn me(&self) -> ThreadId;
    /// How many other threads have not ended.
    fn alive(&self) -> u32;
    /// Adds a thread and gives it a name.
    fn create(&mut self, thread: Thread) -> ThreadId;
    /// What a handle stands for; never asked about the thread that steps.
    fn see(&self, thread: ThreadId) -> Seen;
    /// Forgets a thread that ended and is now joined.
    fn forget(&mut self, thread: ThreadId);
    /// Nobody may join the thread any more, which has not ended.
    fn detach(&mut self, thread: ThreadId);
    /// Whether another thread waits for exactly this, `thread` if one is named.
    fn waits(&self, thread: Option<ThreadId>, wait: Wait) -> bool;
    /// Wakes the sleepers of a condition variable that were not woken yet: one, or all.
    fn wake(&mut self, cond: CellRef, one: Option<ThreadId>);
    /// Releases all who wait at a barrier; `serial` is told that it is the one.
    fn release(&mut self, barrier: CellRef, serial: Option<ThreadId>);
}

/// The other threads of a state from which the one that steps was taken out.
pub(super) struct Rest<'s> {
    pub me: ThreadId,
    pub state: &'s mut State,
}

impl Others for Rest<'_> {
    fn me(&self) -> ThreadId {
        self.me
    }

    fn alive(&self) -> u32 {
        self.state.threads.len() as u32
    }

    fn create(&mut self, thread: Thread) -> ThreadId {
        let id = self.state.next;
        self.state.next += 1;
        self.state.threads.insert(id, thread);
        id
    }

    fn see(&self, thread: ThreadId) -> Seen {
        if let Some(alive) = self.state.threads.get(&thread) {
            return if alive.joinable { Seen::Alive } else { Seen::Detached };
        }
        self.state.ended.get(&thread).map_or(Seen::Unknown, |&result| Seen::Ended(result))
    }

    fn forget(&mut self, thread: ThreadId) {
        self.state.ended.remove(&thread);
    }

    fn detach(&mut self, thread: ThreadId) {
        if let Some(thread) = self.state.threads.get_mut(&thread) {
            thread.joinable = false;
        }
    }

    fn waits(&self, thread: Option<ThreadId>, wait: Wait) -> bool {
        match thread {
            Some(id) => self.state.threads.get(&id).is_some_and(|thread| thread.wait == Some(wait)),
            None => self.state.threads.values().any(|thread| thread.wait == Some(wait)),
        }
    }

    fn wake(&mut self, cond: CellRef, one: Option<ThreadId>) {
        for (&id, thread) in &mut self.state.threads {
            if one.is_none_or(|one| one == id) {
                thread.wake(cond);
            }
        }
    }

    fn release(&mut self, barrier: CellRef, serial: Option<ThreadId>) {
        for (&id, thread) in &mut self.state.threads {
            thread.release(barrier, serial == Some(id));
        }
    }
}

impl Thread {
    /// Woken, if it sleeps on this condition variable.
    pub fn wake(&mut self, cond: CellRef) {
        if self.wait == Some(Wait::Cond { cond, woken: false }) {
            self.wait = Some(Wait::Cond { cond, woken: true });
        }
    }

    /// Released, if it waits at this barrier.
    pub fn release(&mut self, barrier: CellRef, serial: bool) {
        if self.wait == Some(Wait::Barrier { barrier, released: None }) {
            self.wait = Some(Wait::Barrier { barrier, released: Some(serial) });
        }
    }
}
