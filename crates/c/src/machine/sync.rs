//! Operations on synchronisation objects. An object's cell holds its shared state as a number (0: as a static
//! initialiser leaves it); what a thread holds is noted in the thread, so that threads which do the same stay
//! exchangeable.
//!
//! | object | number in the cell |
//! |---|---|
//! | mutex | bit 0: taken; from bit 1: kind (0 normal, 1 recursive, 2 errorcheck) |
//! | rwlock | bit 0: a writer; from bit 1: number of read locks |
//! | cond | 0 |
//! | barrier | bits 0 to 31: for how many; from bit 32: how many have arrived |
//! | semaphore | its value |
//! | once | 0 not called, 1 running, 2 done |

use super::{Access, Blocked, Choice, Done, Machine, Others, Refusal, locks};
use crate::op::{LockMode, Op, Place, SyncInit, SyncOp};
use crate::program::LocalId;
use crate::state::{Hold, Memory, Thread, Wait};
use crate::types::SyncKind;
use crate::value::{CellRef, Fault, Value};

/// Numbers of `errno` on Linux.
pub mod errno {
    /// The operation is not permitted.
    pub const EPERM: u128 = 1;
    /// A resource is temporarily unavailable.
    pub const EAGAIN: u128 = 11;
    /// The resource is busy.
    pub const EBUSY: u128 = 16;
    /// An argument is invalid.
    pub const EINVAL: u128 = 22;
    /// The thread would wait for itself.
    pub const EDEADLK: u128 = 35;
    /// The value is too large.
    pub const EOVERFLOW: u128 = 75;
    /// The time is over.
    pub const ETIMEDOUT: u128 = 110;
}

/// What `PTHREAD_BARRIER_SERIAL_THREAD` is; cut to the width of the register.
pub const SERIAL: u128 = u128::MAX;
/// The largest value of a semaphore.
pub const SEM_VALUE_MAX: u128 = i32::MAX as u128;

/// An operation with everything that it needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub op: SyncOp,
    pub place: Place,
    pub code: Option<LocalId>,
    pub choice: Choice,
}

/// What an operation does to its object and its thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effect {
    /// What it returns.
    pub code: u128,
    /// The new state of the object.
    pub state: Option<Value>,
    /// How the thread holds the object from now on; the outer `None`: as before.
    pub hold: Option<Option<Hold>>,
    /// Whether it gave up by choice.
    pub gave_up: bool,
    /// Whether it chose a thread.
    pub chose_thread: bool,
    /// What the thread waits for instead of going on.
    pub wait: Option<Wait>,
}

impl Effect {
    /// Returns a number and does nothing.
    pub fn code(code: u128) -> Effect {
        Effect { code, ..Effect::default() }
    }

    /// Changes the object.
    pub fn state(state: u128) -> Effect {
        Effect { state: Some(Value::Bits(state)), ..Effect::default() }
    }
}

/// What an operation does that would have to wait.
pub(super) fn must_wait(
    mode: LockMode,
    busy: u128,
    choice: Choice,
    what: Blocked,
) -> Result<Effect, Refusal> {
    match mode {
        LockMode::Try => Ok(Effect::code(busy)),
        LockMode::Timed if choice.fails => Ok(Effect { gave_up: true, ..Effect::code(errno::ETIMEDOUT) }),
        LockMode::Wait | LockMode::Timed => Err(Refusal::Blocked(what)),
    }
}

impl Machine<'_> {
    pub(super) fn sync(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        others: &mut impl Others,
        call: Call,
    ) -> Result<Done, Refusal> {
        if thread.wait.is_some() {
            return self.resume(memory, thread, call);
        }
        let cell = self.sync_cell(memory, thread, call.place, call.op.kind())?;
        let state = match (call.op, memory.read(cell)) {
            (SyncOp::Init(init), _) => return self.initialise(memory, thread, cell, init, call),
            (_, Value::Bits(state)) => state,
            _ => return Err(self.trouble(Fault::NotInitialised.into())),
        };
        let effect = match call.op {
            SyncOp::CondWait { mutex, .. } => return self.sleep(memory, thread, cell, mutex, call),
            SyncOp::Signal | SyncOp::Broadcast => self.signal(others, cell, call)?,
            SyncOp::BarrierWait => self.arrive(others, cell, state, call)?,
            op => self.simple(op, state, thread.hold(cell), call.choice)?,
        };
        self.finish(memory, thread, cell, effect, call)
    }

    /// Operations on one object that concern no other thread.
    fn simple(&self, op: SyncOp, state: u128, hold: Option<Hold>, choice: Choice) -> Result<Effect, Refusal> {
        let fault = |fault: Fault| self.trouble(fault.into());
        match op {
            SyncOp::Lock(mode) => locks::lock(state, hold, mode, choice),
            SyncOp::Unlock => locks::unlock(state, hold).map_err(fault),
            SyncOp::ReadLock(mode) => locks::read_lock(state, hold, mode, choice),
            SyncOp::WriteLock(mode) => locks::write_lock(state, hold, mode, choice),
            SyncOp::RwUnlock => locks::rw_unlock(state, hold).map_err(fault),
            // POSIX calls it undefined; what blocks nobody does what the system does.
            SyncOp::Destroy(kind) if in_use(kind, state) && self.options.faults.other => {
                Err(fault(Fault::InUse))
            }
            SyncOp::Destroy(kind) if in_use(kind, state) => Ok(Effect::code(errno::EBUSY)),
            SyncOp::Destroy(_) => Ok(Effect { state: Some(Value::Undetermined), ..Effect::default() }),
            SyncOp::SemWait(mode) if state == 0 => must_wait(mode, errno::EAGAIN, choice, Blocked::Semaphore),
            SyncOp::SemWait(_) => Ok(Effect::state(state - 1)),
            SyncOp::SemPost if state >= SEM_VALUE_MAX => Ok(Effect::code(errno::EOVERFLOW)),
            SyncOp::SemPost => Ok(Effect::state(state + 1)),
            SyncOp::SemValue => Ok(Effect::code(state)),
            SyncOp::OnceBegin => match state {
                0 => Ok(Effect { code: 1, ..Effect::state(1) }),
                1 => Err(Refusal::Blocked(Blocked::Once)),
                _ => Ok(Effect::code(0)),
            },
            SyncOp::OnceEnd => Ok(Effect::state(2)),
            SyncOp::Init(_)
            | SyncOp::CondWait { .. }
            | SyncOp::Signal
            | SyncOp::Broadcast
            | SyncOp::BarrierWait => Err(Refusal::Mismatch("the operation concerns other threads")),
        }
    }

    /// Lets an effect happen, if it made use of the choices that were given.
    fn finish(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        cell: CellRef,
        effect: Effect,
        call: Call,
    ) -> Result<Done, Refusal> {
        let unused =
            call.choice.fails && !effect.gave_up || call.choice.thread.is_some() && !effect.chose_thread;
        if unused {
            return Err(Refusal::Mismatch("the operation has no such choice now"));
        }
        let read = memory.read(cell);
        if let Some(state) = effect.state {
            memory.write(cell, state);
        }
        if let Some(hold) = effect.hold {
            thread.set_hold(cell, hold);
        }
        thread.wait = effect.wait;
        if effect.wait.is_none() {
            self.set_number(thread, call.code, effect.code);
            let next = self.program.at(thread.loc()).next;
            super::calls::go_on(thread, next);
        }
        let access = Access { cell, bytes: None, read: Some(read), written: effect.state };
        Ok(Done { access: Some(access), ..Done::default() })
    }

    fn initialise(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        cell: CellRef,
        init: SyncInit,
        call: Call,
    ) -> Result<Done, Refusal> {
        if let Value::Bits(state) = memory.read(cell)
            && in_use(call.op.kind(), state)
        {
            return Err(self.trouble(Fault::InUse.into()));
        }
        let number = |e| match self.value(thread, e)? {
            Value::Bits(bits) => Ok(bits),
            _ => Err(Refusal::Unsupported("an initial value is not a number".into())),
        };
        let effect = match init {
            SyncInit::Mutex(kind) => {
                Effect { state: Some(crate::state::constant(kind.initial())), ..Effect::default() }
            }
            SyncInit::RwLock | SyncInit::Cond | SyncInit::Once => Effect::state(0),
            SyncInit::Barrier(count) => match number(count)? {
                0 => Effect::code(errno::EINVAL),
                count => Effect::state(count & u128::from(u32::MAX)),
            },
            SyncInit::Semaphore(value) => match number(value)? {
                value if value > SEM_VALUE_MAX => Effect::code(errno::EINVAL),
                value => Effect::state(value),
            },
        };
        self.finish(memory, thread, cell, effect, call)
    }

    /// Unlocks the mutex and sleeps.
    fn sleep(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        cond: CellRef,
        mutex: Place,
        call: Call,
    ) -> Result<Done, Refusal> {
        let lock = self.sync_cell(memory, thread, mutex, SyncKind::Mutex)?;
        let state = memory.read(lock).bits().ok_or_else(|| self.trouble(Fault::NotInitialised.into()))?;
        let released = locks::unlock(state, thread.hold(lock)).map_err(|fault| self.trouble(fault.into()))?;
        // An errorcheck mutex that is not held gives its error; nobody sleeps then.
        let wait = (released.code == 0).then_some(Wait::Cond { cond, woken: false });
        self.finish(memory, thread, lock, Effect { wait, ..released }, call)
    }

    fn signal(&self, others: &mut impl Others, cond: CellRef, call: Call) -> Result<Effect, Refusal> {
        // Where sleepers may always wake, a signal changes nothing.
        if !self.options.signals_matter() {
            return Ok(Effect::default());
        }
        let asleep = Wait::Cond { cond, woken: false };
        match (call.op, call.choice.thread) {
            (SyncOp::Broadcast, None) => others.wake(cond, None),
            (SyncOp::Broadcast, Some(_)) => {}
            (_, Some(one)) if others.waits(Some(one), asleep) && !call.choice.fails => {
                others.wake(cond, Some(one));
                return Ok(Effect { chose_thread: true, ..Effect::default() });
            }
            (_, None) if !others.waits(None, asleep) => {}
            _ => return Err(Refusal::Mismatch("a signal wakes a sleeper if there is one")),
        }
        Ok(Effect::default())
    }

    fn arrive(
        &self,
        others: &mut impl Others,
        barrier: CellRef,
        state: u128,
        call: Call,
    ) -> Result<Effect, Refusal> {
        let (count, arrived) = (state & u128::from(u32::MAX), (state >> 32) + 1);
        if count == 0 {
            return Err(self.trouble(Fault::NotInitialised.into()));
        }
        let waiting = Wait::Barrier { barrier, released: None };
        if arrived < count {
            return Ok(Effect { wait: Some(waiting), ..Effect::state(count | arrived << 32) });
        }
        if call.choice.thread.is_some_and(|one| !others.waits(Some(one), waiting)) || call.choice.fails {
            return Err(Refusal::Mismatch("the thread does not wait at this barrier"));
        }
        others.release(barrier, call.choice.thread);
        let code = if call.choice.thread.is_none() { SERIAL } else { 0 };
        Ok(Effect { code, chose_thread: true, ..Effect::state(count) })
    }

    /// The second half of a step that waits.
    fn resume(&self, memory: &mut Memory, thread: &mut Thread, call: Call) -> Result<Done, Refusal> {
        match (thread.wait, call.op) {
            (Some(Wait::Cond { woken, .. }), SyncOp::CondWait { mutex, timed }) => {
                let gives_up = call.choice.fails && timed && !woken;
                if !gives_up && !woken && !self.options.spurious_wakeups {
                    return Err(Refusal::Blocked(Blocked::Signal));
                }
                self.wake_up(memory, thread, mutex, gives_up, call)
            }
            (Some(Wait::Barrier { barrier, released }), SyncOp::BarrierWait) => {
                let serial = released.ok_or(Refusal::Blocked(Blocked::Barrier))?;
                let effect = Effect::code(if serial { SERIAL } else { 0 });
                self.finish(memory, thread, barrier, effect, call)
            }
            _ => Err(Refusal::Mismatch("the thread waits for something else")),
        }
    }

    /// Locks the mutex again.
    fn wake_up(
        &self,
        memory: &mut Memory,
        thread: &mut Thread,
        mutex: Place,
        gives_up: bool,
        call: Call,
    ) -> Result<Done, Refusal> {
        let lock = self.sync_cell(memory, thread, mutex, SyncKind::Mutex)?;
        let state = memory.read(lock).bits().ok_or_else(|| self.trouble(Fault::NotInitialised.into()))?;
        let taken = locks::lock(state, thread.hold(lock), LockMode::Wait, Choice::default())?;
        let code = if gives_up { errno::ETIMEDOUT } else { taken.code };
        self.finish(memory, thread, lock, Effect { code, gave_up: gives_up, ..taken }, call)
    }

    /// Whether the thread's next step is the second half of one that it began.
    pub fn is_resuming(&self, thread: &Thread) -> bool {
        thread.wait.is_some() && matches!(self.program.at(thread.loc()).op, Op::Sync { .. })
    }
}

/// Whether an object is locked or waited at.
pub(super) fn in_use(kind: SyncKind, state: u128) -> bool {
    match kind {
        SyncKind::Mutex => state & 1 != 0,
        SyncKind::RwLock => state != 0,
        SyncKind::Barrier => state >> 32 != 0,
        SyncKind::Cond | SyncKind::Semaphore | SyncKind::Once => false,
    }
}
