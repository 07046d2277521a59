//! What operations on locks, barriers and `pthread_once` do, for one state of the object and one hold of the
//! thread: as the machine has it. A read-write lock is kept otherwise: its state says whether somebody writes
//! (bit 0) and whether a thread ended as a reader (bit 1), a thread's hold whether it writes (bit 0) and how
//! often it reads (from bit 1); that others read is seen in their holds.

use c::{LockMode, MutexKind, SyncInit, SyncKind, SyncOp, Value};

const EPERM: u128 = 1;
pub const EAGAIN: u128 = 11;
const EBUSY: u128 = 16;
pub const EINVAL: u128 = 22;
pub const EDEADLK: u128 = 35;
pub const EOVERFLOW: u128 = 75;
pub const ETIMEDOUT: u128 = 110;
pub const SEM_VALUE_MAX: u128 = i32::MAX as u128;
/// What one thread of those at a barrier gets; cut to the width of the register.
pub const SERIAL: u128 = u128::MAX;

/// How a thread waits: 0 if it does not, at a barrier its number among those who wait, at most this minus 1,
/// and then that it is released, or released and the one that is told so.
pub const MOST_AT_BARRIER: u128 = 16;
pub const RELEASED: u128 = 16;
pub const CHOSEN: u128 = 17;
/// At a condition variable: asleep, or woken.
pub const SLEEPS: u128 = 1;
pub const WOKEN: u128 = 2;

/// What arriving at a barrier does.
pub enum Arrival {
    /// It is undefined behaviour.
    Fault,
    /// There are too many numbers.
    Large,
    /// The thread waits, under a number.
    Waits { state: u128, index: u128 },
    /// It is the last one.
    Last { state: u128 },
}

/// What arriving at a barrier in this state does.
pub fn arrival(object: Value) -> Arrival {
    let Value::Bits(now) = object else { return Arrival::Fault };
    let (count, arrived) = (now & u128::from(u32::MAX), (now >> 32) + 1);
    match count {
        0 => Arrival::Fault,
        _ if count > MOST_AT_BARRIER => Arrival::Large,
        _ if arrived < count => Arrival::Waits { state: count | arrived << 32, index: arrived },
        _ => Arrival::Last { state: count },
    }
}

/// What an operation does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It waits.
    Blocked,
    /// It is undefined behaviour.
    Fault,
    /// It is done.
    Done { state: Option<Value>, hold: Option<u128>, code: u128 },
}

fn code(code: u128) -> Outcome {
    Outcome::Done { state: None, hold: None, code }
}

fn state(state: Value, code: u128) -> Outcome {
    Outcome::Done { state: Some(state), hold: None, code }
}

fn kind(state: u128) -> MutexKind {
    match state >> 1 {
        0 => MutexKind::Normal,
        1 => MutexKind::Recursive,
        _ => MutexKind::ErrorCheck,
    }
}

/// Whether the operation is one of this table.
pub fn has(op: SyncOp, spurious: bool) -> bool {
    match op {
        SyncOp::Init(SyncInit::Mutex(_) | SyncInit::RwLock | SyncInit::Cond | SyncInit::Once) => true,
        SyncOp::Destroy(kind) => kind != SyncKind::Semaphore,
        SyncOp::Lock(_) | SyncOp::Unlock | SyncOp::OnceBegin | SyncOp::OnceEnd => true,
        SyncOp::ReadLock(_) | SyncOp::WriteLock(_) | SyncOp::RwUnlock => true,
        SyncOp::Signal | SyncOp::Broadcast => spurious,
        _ => false,
    }
}

/// Whether a thread holds objects of this kind.
pub fn is_held(kind: SyncKind) -> bool {
    matches!(kind, SyncKind::Mutex | SyncKind::RwLock)
}

/// Whether the object is changed only if no other thread reads it.
pub fn excludes_readers(op: SyncOp) -> bool {
    matches!(op, SyncOp::WriteLock(_) | SyncOp::Init(SyncInit::RwLock) | SyncOp::Destroy(SyncKind::RwLock))
}

/// What an operation returns that does not wait for readers.
pub fn because_of_readers(op: SyncOp) -> Option<u128> {
    match op {
        SyncOp::WriteLock(LockMode::Try) | SyncOp::Destroy(SyncKind::RwLock) => Some(EBUSY),
        SyncOp::WriteLock(LockMode::Timed) => Some(ETIMEDOUT),
        _ => None,
    }
}

/// Whether an object in this state is locked or waited at, as far as its state and the own hold tell.
fn in_use(kind: SyncKind, now: u128, hold: u128) -> bool {
    match kind {
        SyncKind::Mutex => now & 1 != 0,
        SyncKind::RwLock => now != 0 || hold != 0,
        SyncKind::Barrier => now >> 32 != 0,
        _ => false,
    }
}

pub fn outcome(op: SyncOp, object: Value, hold: u128, memory: bool) -> Outcome {
    let kind = op.kind();
    if let SyncOp::Init(init) = op {
        return match (object, init) {
            (Value::Bits(now), _) if in_use(kind, now, hold) => Outcome::Fault,
            (_, SyncInit::Mutex(kind)) => state(super::model::constant(kind.initial()), 0),
            _ => state(Value::ZERO, 0),
        };
    }
    let Value::Bits(now) = object else { return Outcome::Fault };
    match op {
        SyncOp::Lock(mode) => lock(now, hold, mode),
        SyncOp::Unlock => unlock(now, hold),
        SyncOp::ReadLock(mode) => read_lock(now, hold, mode),
        SyncOp::WriteLock(mode) => write_lock(now, hold, mode),
        SyncOp::RwUnlock => rw_unlock(now, hold),
        SyncOp::Destroy(_) if in_use(kind, now, hold) && memory => Outcome::Fault,
        SyncOp::Destroy(_) if in_use(kind, now, hold) => code(EBUSY),
        SyncOp::Destroy(_) => state(Value::Undetermined, 0),
        SyncOp::OnceBegin => match now {
            0 => state(Value::Bits(1), 1),
            1 => Outcome::Blocked,
            _ => code(0),
        },
        SyncOp::OnceEnd => state(Value::Bits(2), 0),
        _ => code(0),
    }
}

fn lock(now: u128, hold: u128, mode: LockMode) -> Outcome {
    if now & 1 == 0 {
        return Outcome::Done { state: Some(Value::Bits(now | 1)), hold: Some(1), code: 0 };
    }
    match kind(now) {
        MutexKind::Recursive if hold > 0 && hold < u128::from(u32::MAX) => {
            Outcome::Done { state: None, hold: Some(hold + 1), code: 0 }
        }
        MutexKind::Recursive if hold > 0 => code(EAGAIN),
        MutexKind::ErrorCheck if hold > 0 && mode != LockMode::Try => code(EDEADLK),
        _ => waits(mode),
    }
}

fn waits(mode: LockMode) -> Outcome {
    match mode {
        LockMode::Try => code(EBUSY),
        LockMode::Timed => code(ETIMEDOUT),
        LockMode::Wait => Outcome::Blocked,
    }
}

fn read_lock(now: u128, hold: u128, mode: LockMode) -> Outcome {
    match mode {
        LockMode::Wait | LockMode::Timed if hold & 1 != 0 => code(EDEADLK),
        _ if now & 1 != 0 => waits(mode),
        _ => Outcome::Done { state: None, hold: Some(hold + 2), code: 0 },
    }
}

fn write_lock(now: u128, hold: u128, mode: LockMode) -> Outcome {
    match mode {
        LockMode::Wait | LockMode::Timed if hold & 1 != 0 => code(EDEADLK),
        // The thread's own read locks count like those of others.
        _ if now != 0 || hold != 0 => waits(mode),
        _ => Outcome::Done { state: Some(Value::Bits(1)), hold: Some(1), code: 0 },
    }
}

fn rw_unlock(now: u128, hold: u128) -> Outcome {
    match hold {
        0 => Outcome::Fault,
        _ if hold & 1 != 0 => {
            Outcome::Done { state: Some(Value::Bits(now & !1)), hold: Some(hold & !1), code: 0 }
        }
        _ => Outcome::Done { state: None, hold: Some(hold - 2), code: 0 },
    }
}

fn unlock(now: u128, hold: u128) -> Outcome {
    match hold {
        0 if kind(now) != MutexKind::Normal => code(EPERM),
        0 => Outcome::Fault,
        1 => Outcome::Done { state: Some(Value::Bits(now & !1)), hold: Some(0), code: 0 },
        _ => Outcome::Done { state: None, hold: Some(hold - 1), code: 0 },
    }
}
