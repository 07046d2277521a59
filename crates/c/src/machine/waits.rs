//! Deadlocks: sets of threads that wait for each other, or for threads that have ended, and for nobody else.

use super::{Blocked, Choice, Deadlocks, Machine, Refusal, locks};
use crate::op::{LockMode, Op, SyncOp};
use crate::program::Loc;
use crate::state::{Hold, Memory, State, Thread, Wait};
use crate::types::SyncKind;
use crate::value::{CellRef, ThreadId, Value};

/// A thread that has not ended.
#[derive(Clone, Copy, Debug)]
pub struct Party<'a> {
    /// Its name; handles stand for it.
    pub id: ThreadId,
    /// What it is.
    pub thread: &'a Thread,
    /// Whether it never steps again: it neither waits nor has it ended.
    pub stuck: bool,
}

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WaitsOn {
    /// A mutex.
    Mutex(CellRef),
    /// A read-write lock.
    RwLock(CellRef),
    /// The end of a thread.
    Thread(ThreadId),
    /// A condition variable.
    Condition(CellRef),
    /// A barrier.
    Barrier(CellRef),
    /// A semaphore.
    Semaphore(CellRef),
    /// The function of `pthread_once`.
    Once(CellRef),
    /// The end of another thread's atomic section.
    Section,
}

/// A thread of a deadlock.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Waiting {
    /// Who.
    pub thread: ThreadId,
    /// Where.
    pub at: Loc,
    /// What it waits for.
    pub on: WaitsOn,
    /// The thread that keeps it waiting, if it is one.
    pub held_by: Option<ThreadId>,
    /// The locks that it holds.
    pub holds: Vec<CellRef>,
}

/// Threads that wait for each other for ever.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Deadlock {
    /// The threads, by number.
    pub waits: Vec<Waiting>,
    /// How many threads there are that have not ended.
    pub alive: u32,
}

impl Deadlock {
    /// Whether no thread is left that does not wait.
    pub fn is_global(&self) -> bool {
        self.waits.len() as u32 == self.alive
    }
}

/// Whom a thread waits for, by positions.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Whom {
    /// This one.
    One(usize),
    /// One of these is enough.
    AnyOf(Vec<usize>),
    /// All others.
    Others,
    /// A thread that has ended.
    Ended,
}

/// An operation that a thread is about to do.
#[derive(Clone, Copy)]
struct Asks {
    op: SyncOp,
    cell: CellRef,
}

/// A thread that waits.
struct Wish {
    on: WaitsOn,
    whom: Whom,
}

impl Machine<'_> {
    /// The greatest set of threads each of which waits for threads of the set or for ended ones alone.
    pub fn deadlock(&self, state: &State) -> Option<Deadlock> {
        let party = |(&id, thread)| Party { id, thread, stuck: false };
        let parties: Vec<Party<'_>> = state.threads.iter().map(party).collect();
        self.deadlock_of(&state.memory, &parties)
    }

    /// The same, of threads that are kept in another way.
    pub fn deadlock_of(&self, memory: &Memory, parties: &[Party<'_>]) -> Option<Deadlock> {
        if parties.iter().any(|it| it.thread.halted) {
            return None;
        }
        let wishes: Vec<Option<Wish>> = (0..parties.len()).map(|at| self.wish(memory, parties, at)).collect();
        if wishes.iter().all(Option::is_none) {
            return None;
        }
        if let Some(inside) = self.waits_in_section(parties, &wishes) {
            return Some(section(parties, &wishes, inside));
        }
        let closed = closed(&wishes);
        let waits = closed.iter().map(|&at| waiting(parties, &wishes, at)).collect();
        let counts = |it: &Deadlock| self.options.deadlocks != Deadlocks::Global || it.is_global();
        Some(Deadlock { waits, alive: parties.len() as u32 }).filter(|it| !it.waits.is_empty() && counts(it))
    }

    /// Whether a thread waits for `pthread_once`: nobody knows which thread it waits for.
    pub fn waits_for_once(&self, memory: &Memory, thread: &Thread) -> bool {
        let Op::Sync { op: SyncOp::OnceBegin, place, .. } = self.program.at(thread.loc()).op else {
            return false;
        };
        let cell = self.sync_cell(memory, thread, place, SyncKind::Once);
        cell.is_ok_and(|cell| memory.read(cell) == Value::Bits(1))
    }

    /// The thread that waits inside a section, where nobody else can help it. A sleeper that may wake by
    /// itself can step.
    fn waits_in_section(&self, parties: &[Party<'_>], wishes: &[Option<Wish>]) -> Option<usize> {
        let inside = parties.iter().position(|it| it.thread.section && !it.stuck)?;
        let wish = wishes[inside].as_ref()?;
        let wakes = matches!(wish.on, WaitsOn::Condition(_)) && self.options.spurious_wakeups;
        (!wakes).then_some(inside)
    }

    /// What a thread waits for, if it waits.
    fn wish(&self, memory: &Memory, parties: &[Party<'_>], at: usize) -> Option<Wish> {
        let Party { thread, stuck: false, .. } = parties[at] else { return None };
        match &self.program.at(thread.loc()).op {
            Op::Sync { op, place, .. } => {
                let cell = self.sync_cell(memory, thread, *place, op.kind()).ok()?;
                self.sync_wish(memory, parties, at, Asks { op: *op, cell })
            }
            Op::Join { handle, .. } => {
                let Ok(Value::Thread(id)) = self.evaluator.value(thread, *handle) else { return None };
                let other = parties.iter().position(|it| it.id == id)?;
                // Joining oneself gives an error, and a detached thread cannot be joined.
                let waits = other != at && parties[other].thread.joinable;
                waits.then_some(Wish { on: WaitsOn::Thread(id), whom: Whom::One(other) })
            }
            _ => None,
        }
    }

    fn sync_wish(&self, memory: &Memory, parties: &[Party<'_>], at: usize, asks: Asks) -> Option<Wish> {
        let (Asks { op, cell }, thread) = (asks, parties[at].thread);
        let state = memory.read(cell).bits()?;
        let for_others = |on: WaitsOn| Some(Wish { on, whom: Whom::Others });
        match (op, thread.wait) {
            (SyncOp::CondWait { timed: false, .. }, Some(Wait::Cond { woken: false, .. })) => {
                for_others(WaitsOn::Condition(cell))
            }
            // Woken or late, it takes the mutex again, and that has no time limit.
            (SyncOp::CondWait { mutex, .. }, Some(Wait::Cond { .. })) => {
                let lock = self.sync_cell(memory, thread, mutex, SyncKind::Mutex).ok()?;
                self.lock_wish(memory, parties, at, Asks { op: SyncOp::Lock(LockMode::Wait), cell: lock })
            }
            (SyncOp::BarrierWait, Some(Wait::Barrier { released: None, .. })) => {
                for_others(WaitsOn::Barrier(cell))
            }
            (SyncOp::SemWait(LockMode::Wait), _) if state == 0 => for_others(WaitsOn::Semaphore(cell)),
            (SyncOp::OnceBegin, _) if state == 1 => for_others(WaitsOn::Once(cell)),
            (SyncOp::Lock(LockMode::Wait), _)
            | (SyncOp::ReadLock(LockMode::Wait), _)
            | (SyncOp::WriteLock(LockMode::Wait), _) => self.lock_wish(memory, parties, at, asks),
            _ => None,
        }
    }

    fn lock_wish(&self, memory: &Memory, parties: &[Party<'_>], at: usize, asks: Asks) -> Option<Wish> {
        let Asks { op, cell } = asks;
        let state = memory.read(cell).bits()?;
        let (hold, wait, now) = (parties[at].thread.hold(cell), LockMode::Wait, Choice::default());
        let (tried, on) = match op {
            SyncOp::ReadLock(_) => (locks::read_lock(state, hold, wait, now), WaitsOn::RwLock(cell)),
            SyncOp::WriteLock(_) => (locks::write_lock(state, hold, wait, now), WaitsOn::RwLock(cell)),
            _ => (locks::lock(state, hold, wait, now), WaitsOn::Mutex(cell)),
        };
        let Err(Refusal::Blocked(Blocked::Lock)) = tried else { return None };
        let holds = |it: &Party<'_>| it.thread.hold(cell);
        let holders: Vec<usize> = (0..parties.len()).filter(|&it| holds(&parties[it]).is_some()).collect();
        let whom = match (&holders[..], state & 1) {
            ([], _) => Whom::Ended,
            (_, 0) if readers(parties, cell) < state >> 1 => Whom::Ended,
            ([only], _) => Whom::One(*only),
            _ => Whom::AnyOf(holders),
        };
        Some(Wish { on, whom })
    }
}

/// How many read locks the living threads hold.
fn readers(parties: &[Party<'_>], cell: CellRef) -> u128 {
    let times = |it: &Party<'_>| match it.thread.hold(cell) {
        Some(Hold::Reader(times)) => u128::from(times),
        _ => 0,
    };
    parties.iter().map(times).sum()
}

/// The greatest closed set: those who wait for one who is not in it leave it, until nobody does.
fn closed(wishes: &[Option<Wish>]) -> Vec<usize> {
    let mut inside: Vec<bool> = wishes.iter().map(Option::is_some).collect();
    loop {
        let leaves = |at: usize| match &wishes[at] {
            Some(Wish { whom: Whom::One(other), .. }) => !inside[*other],
            Some(Wish { whom: Whom::AnyOf(some), .. }) => !some.iter().any(|&it| inside[it]),
            Some(Wish { whom: Whom::Others, .. }) => inside.iter().any(|&it| !it),
            Some(Wish { whom: Whom::Ended, .. }) | None => false,
        };
        let Some(at) = (0..wishes.len()).find(|&at| inside[at] && leaves(at)) else { break };
        inside[at] = false;
    }
    (0..wishes.len()).filter(|&at| inside[at]).collect()
}

fn waiting(parties: &[Party<'_>], wishes: &[Option<Wish>], at: usize) -> Waiting {
    let Party { id, thread, .. } = parties[at];
    let (on, held_by) = match &wishes[at] {
        Some(Wish { on, whom: Whom::One(other) }) => (*on, Some(parties[*other].id)),
        Some(Wish { on, whom: Whom::AnyOf(some) }) => (*on, some.first().map(|&it| parties[it].id)),
        Some(Wish { on, .. }) => (*on, None),
        None => (WaitsOn::Section, None),
    };
    let holds = thread.held.iter().map(|it| it.lock).collect();
    Waiting { thread: id, at: thread.loc(), on, held_by, holds }
}

/// Everybody waits for the one that waits inside a section.
fn section(parties: &[Party<'_>], wishes: &[Option<Wish>], inside: usize) -> Deadlock {
    let one = |at: usize| match waiting(parties, wishes, at) {
        it if at == inside => it,
        it => Waiting { on: WaitsOn::Section, held_by: Some(parties[inside].id), ..it },
    };
    Deadlock { waits: (0..parties.len()).map(one).collect(), alive: parties.len() as u32 }
}
