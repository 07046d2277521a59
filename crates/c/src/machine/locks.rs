//! Mutexes and read-write locks: what an operation does, given the state of the lock and how the thread holds
//! it.

use super::sync::{Effect, errno, must_wait};
use super::{Blocked, Choice, Refusal};
use crate::op::{LockMode, MutexKind};
use crate::state::Hold;
use crate::value::Fault;

const TAKEN: u128 = 1;
/// One read lock, in the state of a read-write lock.
const READER: u128 = 2;

fn kind(state: u128) -> MutexKind {
    match state >> 1 {
        0 => MutexKind::Normal,
        1 => MutexKind::Recursive,
        _ => MutexKind::ErrorCheck,
    }
}

pub(super) fn lock(
    state: u128,
    hold: Option<Hold>,
    mode: LockMode,
    choice: Choice,
) -> Result<Effect, Refusal> {
    if state & TAKEN == 0 {
        return Ok(Effect { hold: Some(Some(Hold::Mutex(1))), ..Effect::state(state | TAKEN) });
    }
    match (kind(state), hold) {
        (MutexKind::Recursive, Some(Hold::Mutex(times))) if times < u32::MAX => {
            Ok(Effect { hold: Some(Some(Hold::Mutex(times + 1))), ..Effect::default() })
        }
        (MutexKind::Recursive, Some(_)) => Ok(Effect::code(errno::EAGAIN)),
        (MutexKind::ErrorCheck, Some(_)) if mode != LockMode::Try => Ok(Effect::code(errno::EDEADLK)),
        _ => must_wait(mode, errno::EBUSY, choice, Blocked::Lock),
    }
}

pub(super) fn unlock(state: u128, hold: Option<Hold>) -> Result<Effect, Fault> {
    match hold {
        Some(Hold::Mutex(times)) if times > 1 => {
            Ok(Effect { hold: Some(Some(Hold::Mutex(times - 1))), ..Effect::default() })
        }
        Some(Hold::Mutex(_)) => Ok(Effect { hold: Some(None), ..Effect::state(state & !TAKEN) }),
        // POSIX leaves only plain mutexes undefined here.
        _ if kind(state) != MutexKind::Normal => Ok(Effect::code(errno::EPERM)),
        _ => Err(Fault::NotHeld),
    }
}

pub(super) fn read_lock(
    state: u128,
    hold: Option<Hold>,
    mode: LockMode,
    choice: Choice,
) -> Result<Effect, Refusal> {
    match hold {
        Some(Hold::Writer) if mode != LockMode::Try => Ok(Effect::code(errno::EDEADLK)),
        _ if state & TAKEN != 0 => must_wait(mode, errno::EBUSY, choice, Blocked::Lock),
        Some(Hold::Reader(u32::MAX)) => Ok(Effect::code(errno::EAGAIN)),
        Some(Hold::Reader(times)) => {
            Ok(Effect { hold: Some(Some(Hold::Reader(times + 1))), ..Effect::state(state + READER) })
        }
        _ => Ok(Effect { hold: Some(Some(Hold::Reader(1))), ..Effect::state(state + READER) }),
    }
}

pub(super) fn write_lock(
    state: u128,
    hold: Option<Hold>,
    mode: LockMode,
    choice: Choice,
) -> Result<Effect, Refusal> {
    match hold {
        Some(Hold::Writer) if mode != LockMode::Try => Ok(Effect::code(errno::EDEADLK)),
        // A thread's own read lock is one as well: nobody gives it back while the thread waits.
        _ if state != 0 => must_wait(mode, errno::EBUSY, choice, Blocked::Lock),
        _ => Ok(Effect { hold: Some(Some(Hold::Writer)), ..Effect::state(TAKEN) }),
    }
}

pub(super) fn rw_unlock(state: u128, hold: Option<Hold>) -> Result<Effect, Fault> {
    match hold {
        Some(Hold::Writer) => Ok(Effect { hold: Some(None), ..Effect::state(state & !TAKEN) }),
        Some(Hold::Reader(times)) => {
            let rest = (times > 1).then(|| Hold::Reader(times - 1));
            Ok(Effect { hold: Some(rest), ..Effect::state(state - READER) })
        }
        _ => Err(Fault::NotHeld),
    }
}
