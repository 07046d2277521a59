//! A global state that is being changed: memory, the threads, and what the ended ones left. Threads that
//! nobody has a handle of have no name, so that they can be exchanged; inside one expansion each has a tag of
//! its own.

use c::{CellRef, Frame, Loc, Memory, Others, Seen, State, Thread, ThreadId, Value, Wait};
use std::sync::Arc;

/// The name of a thread that nobody has a handle of.
pub const NAMELESS: ThreadId = ThreadId::MAX;

/// What of a thread that never steps again still matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeps {
    /// Nothing.
    Nothing,
    /// Its locks: it is asked who waits for them.
    Locks,
    /// All: it is asked what its pointers lead to.
    All,
}

/// A thread as it is stored.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StoredThread {
    /// What it is in the reference semantics.
    pub thread: Thread,
    /// What its handle is, if anyone has one.
    pub name: ThreadId,
    /// Whether it never steps again: it waits for ever, or it stands where the program ends, which it may put
    /// off for ever.
    pub stuck: bool,
}

impl StoredThread {
    /// The same thread, never to step again. Only that it is there and its name matter, unless more is asked.
    pub fn into_stuck(self, keeps: Keeps) -> StoredThread {
        if keeps == Keeps::All {
            return StoredThread { stuck: true, ..self };
        }
        let loc = self.thread.loc();
        let thread = Thread {
            frames: vec![Frame { loc, registers: vec![], objects: vec![] }],
            registers: vec![],
            objects: vec![],
            held: if keeps == Keeps::Locks { self.thread.held } else { vec![] },
            wait: None,
            ..self.thread
        };
        StoredThread { thread, stuck: true, ..self }
    }

    /// The locations of its activations, if it may still step.
    pub fn locations(&self) -> impl Iterator<Item = Loc> {
        self.thread.frames.iter().filter(|_| !self.stuck).map(|frame| frame.loc)
    }
}

/// A thread in a state under change.
#[derive(Clone, Debug)]
pub struct ThreadSlot {
    /// What it is called inside the expansion.
    pub tag: u32,
    /// Its number among the stored ones, if it did not change.
    pub stored: Option<u32>,
    /// What it is.
    pub state: Arc<StoredThread>,
}

/// A thread's step, for traces: threads are named by tags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaggedStep {
    /// Who.
    pub tag: u32,
    /// Where.
    pub at: Loc,
    /// The choices; the thread is a tag.
    pub choice: c::Choice,
    /// The tag of the thread that it creates.
    pub created: Option<u32>,
}

/// A state under change, with the thread that is run.
#[derive(Clone, Debug, Default)]
pub struct GlobalState {
    /// The objects.
    pub memory: Memory,
    /// The numbers of stored objects, as they were when the state was taken up.
    pub objects: Arc<Vec<u32>>,
    /// All threads; that of the one that runs is out of date.
    pub slots: Vec<ThreadSlot>,
    /// The position of the thread that runs.
    pub at: usize,
    /// The thread that runs.
    pub thread: Thread,
    /// Names and results of ended threads that are not joined.
    pub ended: Vec<(ThreadId, Value)>,
    /// Tags of threads whose invisible transitions are to be taken afterwards.
    pub pending: Vec<u32>,
    /// The tag of the next child.
    pub next_tag: u32,
    /// The steps so far, if they are wanted.
    pub log: Option<Vec<TaggedStep>>,
    /// How many steps were taken.
    pub steps: u32,
    /// Whether there was a choice among them.
    pub chose: bool,
    /// What others can reach, if that was worked out: by object, one bit.
    pub reached: Option<Arc<Vec<bool>>>,
}

impl GlobalState {
    /// The start of a program, `main` being run.
    pub fn start(state: State, recorded: bool) -> GlobalState {
        let (_, thread) = state.threads.into_iter().next().expect("a program starts with one thread");
        let name = if thread.joinable { 0 } else { NAMELESS };
        let stored = StoredThread { thread: thread.clone(), name, stuck: false };
        GlobalState {
            memory: state.memory,
            objects: Arc::new(vec![]),
            slots: vec![ThreadSlot { tag: 0, stored: None, state: Arc::new(stored) }],
            at: 0,
            thread,
            ended: vec![],
            pending: vec![],
            next_tag: 1,
            log: recorded.then(Vec::new),
            steps: 0,
            chose: false,
            reached: None,
        }
    }

    /// The tag of the thread that runs.
    pub fn tag(&self) -> u32 {
        self.slots[self.at].tag
    }

    /// All other threads.
    pub fn others(&self) -> impl Iterator<Item = &StoredThread> {
        let others = self.slots.iter().enumerate().filter(|&(at, _)| at != self.at);
        others.map(|(_, slot)| &*slot.state)
    }

    /// Puts the thread that runs back to the others.
    pub fn put_back(&mut self, stuck: bool, keeps: Keeps) {
        let slot = &mut self.slots[self.at];
        let state = StoredThread { thread: self.thread.clone(), name: slot.state.name, stuck: false };
        slot.state = Arc::new(if stuck { state.into_stuck(keeps) } else { state });
        slot.stored = None;
    }

    /// Takes a thread out to run it.
    pub fn take(&mut self, at: usize) {
        self.at = at;
        self.thread = self.slots[at].state.thread.clone();
        self.reached = None;
    }

    /// A name that means nothing yet.
    pub fn fresh_name(&self) -> ThreadId {
        let mut used: Vec<ThreadId> = self.slots.iter().map(|slot| slot.state.name).collect();
        used.extend(self.ended.iter().map(|(name, _)| *name));
        self.for_each_value(|value| used.extend(value.handle()));
        used.sort_unstable();
        used.dedup();
        let free = used.iter().enumerate().find(|&(at, &name)| at as ThreadId != name);
        free.map_or(used.len() as ThreadId, |(at, _)| at as ThreadId)
    }

    fn for_each_value(&self, mut f: impl FnMut(Value)) {
        for instance in self.memory.instances.iter().flatten() {
            instance.cells.iter().for_each(|&value| f(value));
        }
        let threads = self.others().map(|other| &other.thread).chain([&self.thread]);
        for thread in threads {
            let registers = thread.frames.iter().flat_map(|frame| &frame.registers).chain(&thread.registers);
            registers.for_each(|&value| f(value));
        }
        self.ended.iter().for_each(|&(_, value)| f(value));
    }
}

/// The threads beside the one that runs. Wakers name threads by tags, handles by names.
pub struct Beside<'r> {
    /// All threads.
    pub slots: &'r mut Vec<ThreadSlot>,
    /// The one that runs.
    pub at: usize,
    /// What ended threads left.
    pub ended: &'r mut Vec<(ThreadId, Value)>,
    /// The name for a new thread.
    pub fresh: ThreadId,
    /// The tag for a new thread.
    pub next_tag: &'r mut u32,
}

impl Beside<'_> {
    fn others(&mut self) -> impl Iterator<Item = &mut ThreadSlot> {
        let at = self.at;
        self.slots.iter_mut().enumerate().filter(move |&(slot, _)| slot != at).map(|(_, slot)| slot)
    }

    fn change(slot: &mut ThreadSlot, f: impl FnOnce(&mut Thread)) {
        let mut state = (*slot.state).clone();
        f(&mut state.thread);
        if state != *slot.state {
            *slot = ThreadSlot { tag: slot.tag, stored: None, state: Arc::new(state) };
        }
    }
}

impl Others for Beside<'_> {
    fn me(&self) -> ThreadId {
        self.slots[self.at].state.name
    }

    fn alive(&self) -> u32 {
        self.slots.len() as u32 - 1
    }

    fn create(&mut self, thread: Thread) -> ThreadId {
        let name = if thread.joinable { self.fresh } else { NAMELESS };
        let state = Arc::new(StoredThread { thread, name, stuck: false });
        self.slots.push(ThreadSlot { tag: *self.next_tag, stored: None, state });
        *self.next_tag += 1;
        name
    }

    fn see(&self, thread: ThreadId) -> Seen {
        if let Some(slot) = self.slots.iter().find(|slot| slot.state.name == thread) {
            return if slot.state.thread.joinable { Seen::Alive } else { Seen::Detached };
        }
        let found = self.ended.iter().find(|(name, _)| *name == thread);
        found.map_or(Seen::Unknown, |&(_, result)| Seen::Ended(result))
    }

    fn forget(&mut self, thread: ThreadId) {
        self.ended.retain(|(name, _)| *name != thread);
    }

    fn detach(&mut self, thread: ThreadId) {
        for slot in self.others().filter(|slot| slot.state.name == thread) {
            Self::change(slot, |thread| thread.joinable = false);
        }
    }

    fn waits(&self, thread: Option<ThreadId>, wait: Wait) -> bool {
        let others = self.slots.iter().enumerate().filter(|&(at, _)| at != self.at);
        others
            .map(|(_, slot)| slot)
            .any(|slot| thread.is_none_or(|tag| tag == slot.tag) && slot.state.thread.wait == Some(wait))
    }

    fn wake(&mut self, cond: CellRef, one: Option<ThreadId>) {
        for slot in self.others().filter(|slot| one.is_none_or(|tag| tag == slot.tag)) {
            Self::change(slot, |thread| thread.wake(cond));
        }
    }

    fn release(&mut self, barrier: CellRef, serial: Option<ThreadId>) {
        for slot in self.others() {
            let is_serial = serial == Some(slot.tag);
            Self::change(slot, |thread| thread.release(barrier, is_serial));
        }
    }
}
