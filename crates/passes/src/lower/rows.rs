//! What operations on mutexes and `pthread_once` do, for one state of the object and one hold of the thread: as the machine has it.

use ir::c::{LockMode, MutexKind, SyncInit, SyncKind, SyncOp, Value};

const EPERM: u128 = 1;
pub const EAGAIN: u128 = 11;
const EBUSY: u128 = 16;
pub const EINVAL: u128 = 22;
pub const EDEADLK: u128 = 35;
pub const EOVERFLOW: u128 = 75;
pub const ETIMEDOUT: u128 = 110;
pub const SEM_VALUE_MAX: u128 = i32::MAX as u128;

/// What an operation does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It waits.
    Blocked,
    /// It has no meaning.
    Fault,
    /// It is done.
    Done {
        state: Option<Value>,
        hold: Option<u128>,
        code: u128,
    },
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
        SyncOp::Init(SyncInit::Mutex(_) | SyncInit::Cond | SyncInit::Once) => true,
        SyncOp::Destroy(kind) => {
            matches!(kind, SyncKind::Mutex | SyncKind::Cond | SyncKind::Once | SyncKind::Semaphore)
        }
        SyncOp::Lock(_) | SyncOp::Unlock | SyncOp::OnceBegin | SyncOp::OnceEnd => true,
        SyncOp::Signal | SyncOp::Broadcast => spurious,
        _ => false,
    }
}

pub fn outcome(op: SyncOp, object: Value, hold: u128) -> Outcome {
    let is_mutex = op.kind() == SyncKind::Mutex;
    if let SyncOp::Init(init) = op {
        return match (object, init) {
            (Value::Bits(now), _) if is_mutex && now & 1 != 0 => Outcome::Fault,
            (_, SyncInit::Mutex(kind)) => state(super::model::constant(kind.initial()), 0),
            _ => state(Value::ZERO, 0),
        };
    }
    let Value::Bits(now) = object else { return Outcome::Fault };
    match op {
        SyncOp::Lock(mode) => lock(now, hold, mode),
        SyncOp::Unlock => unlock(now, hold),
        SyncOp::Destroy(_) if is_mutex && now & 1 != 0 => code(EBUSY),
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
        _ => match mode {
            LockMode::Try => code(EBUSY),
            LockMode::Timed => code(ETIMEDOUT),
            LockMode::Wait => Outcome::Blocked,
        },
    }
}

fn unlock(now: u128, hold: u128) -> Outcome {
    match hold {
        0 if kind(now) == MutexKind::ErrorCheck => code(EPERM),
        0 => Outcome::Fault,
        1 => Outcome::Done { state: Some(Value::Bits(now & !1)), hold: Some(0), code: 0 },
        _ => Outcome::Done { state: None, hold: Some(hold - 1), code: 0 },
    }
}
