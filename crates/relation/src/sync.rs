//! What operations on synchronisation objects do to the ghosts that stand for them. Each operation has
//! alternatives, which become commands of their own. An object that is not followed does not keep anybody
//! from anything.

use super::access::{Case, Target, Wanted};
use super::locks::busy;
use super::maker::Maker;
use super::memory::{Content, MutexVars, RwVars};
use super::order::{Lock, WAITS_IN_SECTION};
use super::symbolic::Path;
use c::expr::{Binary, ExprId};
use c::machine::{SEM_VALUE_MAX, SERIAL, errno};
use c::op::{LockMode, MutexKind, Place, SyncInit, SyncOp};
use c::program::LocalId;
use c::types::SyncKind;

/// An operation of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub op: SyncOp,
    pub place: Place,
    pub code: Option<LocalId>,
    /// The lock, where an order of locks is asked about.
    pub lock: Option<Lock>,
}

impl Maker<'_> {
    /// The ways in which the operation goes on; the step is not yet left.
    pub fn sync(&mut self, mut path: Path, mut call: Call) -> Vec<Path> {
        let (place, kind) = match (call.op, path.phase) {
            (SyncOp::CondWait { mutex, .. }, _) => (mutex, SyncKind::Mutex),
            (op, _) => (call.place, op.kind()),
        };
        let Some(target) = self.target(&mut path, place, Wanted::Sync(kind)) else { return vec![] };
        if !self.refuse(&mut path, target.refused, "an operation does not fit the object it is used on") {
            return vec![];
        }
        if self.order.is_some() {
            call.lock = Some(self.lock_at(&mut path, place));
            self.note_waiting(&path, call, &target);
        }
        if kind == SyncKind::Mutex && self.mutexes_are_free() {
            return self.on_unknown(path, call);
        }
        let mut found = vec![];
        for Case { cond, content } in target.cases {
            let mut path = path.clone();
            if self.assume(&mut path, cond) {
                found.extend(self.on_cell(path, content, call));
            }
        }
        if self.assume(&mut path, target.elsewhere) {
            found.extend(self.on_unknown(path, call));
        }
        found
    }

    /// Whether others can see the operation.
    pub fn sync_is_shared(&self, op: SyncOp, place: Place) -> bool {
        match op {
            SyncOp::CondWait { .. } => true,
            op if op.kind() == SyncKind::Mutex && self.mutexes_are_free() => false,
            op => !matches!(op.kind(), SyncKind::Cond | SyncKind::Barrier) && self.is_shared(place),
        }
    }

    /// What a thread may wait for here.
    fn note_waiting(&mut self, path: &Path, call: Call, target: &Target) {
        let Call { op, lock: Some(lock), .. } = call else { return };
        let locks = match (op, path.phase) {
            (SyncOp::Lock(LockMode::Wait), _)
            | (SyncOp::ReadLock(LockMode::Wait), _)
            | (SyncOp::WriteLock(LockMode::Wait), _)
            | (SyncOp::CondWait { timed: true, .. }, 1) => true,
            (SyncOp::CondWait { timed: false, .. }, _) => {
                return self.waits_otherwise(path, "a thread may wait for a condition");
            }
            (SyncOp::SemWait(LockMode::Wait), _) => {
                self.waits_for_semaphore(path, target);
                true
            }
            (SyncOp::BarrierWait, _) => {
                return self.waits_otherwise(path, "a thread may wait at a barrier");
            }
            (SyncOp::OnceBegin, _) => {
                return self.waits_otherwise(path, "a thread may wait for `pthread_once`");
            }
            _ => false,
        };
        if locks && path.section {
            self.waits_otherwise(path, WAITS_IN_SECTION);
        } else if locks {
            let own = self.own_does_not_wait(path, op, &target.cases);
            self.waits_for_lock(path, lock, own);
        }
    }

    /// When a thread that holds a lock itself does not wait for it.
    fn own_does_not_wait(&mut self, path: &Path, op: SyncOp, cases: &[Case]) -> ExprId {
        let mut own = self.pool.truth(matches!(op, SyncOp::ReadLock(_)));
        for Case { cond, content } in cases {
            let here = match *content {
                Content::Mutex(vars) => {
                    let normal = self.is_kind(path, vars, MutexKind::Normal);
                    self.pool.not(normal)
                }
                // Who writes is told so; who reads waits for itself.
                Content::RwLock(vars) if matches!(op, SyncOp::WriteLock(_)) => self.read(path, vars.writes),
                _ => continue,
            };
            let here = self.pool.and(*cond, here);
            own = self.pool.or(own, here);
        }
        own
    }

    fn on_cell(&mut self, path: Path, content: Content, call: Call) -> Vec<Path> {
        match content {
            Content::Mutex(vars) => self.on_mutex(path, vars, call),
            Content::RwLock(vars) => self.on_rwlock(path, vars, call),
            Content::Semaphore(value) => self.on_semaphore(path, value, call).into_iter().collect(),
            Content::Once(state) => self.on_once(path, state, call).into_iter().collect(),
            _ => self.on_unknown(path, call),
        }
    }

    /// An object of which nothing is known: every code that the operation can give.
    fn on_unknown(&mut self, mut path: Path, call: Call) -> Vec<Path> {
        if let SyncOp::SemValue = call.op {
            if let Some(local) = call.code {
                let any = self.choose(&mut path, self.variables[local].ty);
                self.write(&mut path, local, any);
            }
            return vec![path];
        }
        if let (SyncOp::CondWait { .. }, 0) = (call.op, path.phase) {
            let mut fails = path.clone();
            self.give(&mut fails, call.code, errno::EPERM);
            let mut found = self.release(path, call);
            found.iter_mut().for_each(|path| path.phase = 1);
            found.push(fails);
            return found;
        }
        if call.lock.is_some() {
            return self.unknown_lock(path, call);
        }
        self.unknown_code(path, call)
    }

    /// An operation on a lock of which nothing is known, while it is followed what each thread holds. Mutexes
    /// that are held already may tell so; of their unlocking, those that are not held may.
    fn unknown_lock(&mut self, path: Path, call: Call) -> Vec<Path> {
        let mut done = path.clone();
        self.give(&mut done, call.code, 0);
        let mut late = vec![];
        let mut found = match call.op {
            SyncOp::Lock(_) | SyncOp::ReadLock(_) | SyncOp::WriteLock(_) => self.acquire(done, call),
            SyncOp::CondWait { timed, .. } => {
                let found = self.acquire(done, call);
                late.extend(found.iter().filter(|_| timed).cloned());
                found
            }
            SyncOp::Unlock | SyncOp::RwUnlock => self.release(done, call),
            _ => return self.unknown_code(path, call),
        };
        for path in &mut late {
            self.give(path, call.code, errno::ETIMEDOUT);
        }
        found.extend(late);
        // Plain mutexes have no codes but those of a wait that gives up.
        let is_plain = call.op.kind() == SyncKind::Mutex && self.mutexes_are_free();
        let gives_up = matches!(call.op, SyncOp::Lock(LockMode::Try | LockMode::Timed));
        for &code in codes(call.op).iter().filter(|_| !is_plain || gives_up) {
            let mut fails = path.clone();
            self.give(&mut fails, call.code, code);
            found.push(fails);
        }
        found
    }

    /// Every code that the operation can give.
    fn unknown_code(&mut self, mut path: Path, call: Call) -> Vec<Path> {
        let Some(local) = call.code else { return vec![path] };
        let ty = self.variables[local].ty;
        let mut value = self.pool.number(ty, 0);
        for &code in codes(call.op) {
            let (toss, code) = (self.toss(&mut path), self.pool.number(ty, code));
            value = self.pool.ite(toss, code, value);
        }
        self.write(&mut path, local, value);
        vec![path]
    }

    /// Sets the register for the code, if there is one.
    pub fn give(&mut self, path: &mut Path, local: Option<LocalId>, code: u128) {
        if let Some(local) = local {
            let code = self.pool.number(self.variables[local].ty, code);
            self.write(path, local, code);
        }
    }

    /// An alternative: if the condition holds, the operation gives this code.
    pub fn alternative(&mut self, path: &Path, cond: ExprId, call: Call, code: u128) -> Option<Path> {
        let mut path = path.clone();
        let possible = self.assume(&mut path, cond);
        self.give(&mut path, call.code, code);
        possible.then_some(path)
    }

    fn on_mutex(&mut self, path: Path, vars: MutexVars, call: Call) -> Vec<Path> {
        match (call.op, path.phase) {
            (SyncOp::Lock(mode), _) => self.lock(path, vars, mode, call),
            (SyncOp::Unlock, _) => self.unlock(path, vars, call, 0),
            (SyncOp::CondWait { .. }, 0) => self.unlock(path, vars, call, 1),
            (SyncOp::CondWait { timed, .. }, _) => {
                let mut found = self.lock(path, vars, LockMode::Wait, call);
                if timed {
                    for mut late in found.clone() {
                        self.give(&mut late, call.code, errno::ETIMEDOUT);
                        found.push(late);
                    }
                }
                found
            }
            (SyncOp::Init(SyncInit::Mutex(kind)), _) => {
                let taken = self.read(&path, vars.taken);
                let free = self.pool.not(taken);
                let Some(mut path) = self.alternative(&path, free, call, 0) else { return vec![] };
                if let Err(variable) = vars.kind {
                    let kind = self.pool.number(self.variables[variable].ty, kind_number(kind));
                    self.write(&mut path, variable, kind);
                }
                vec![path]
            }
            (SyncOp::Destroy(_), _) => {
                let taken = self.read(&path, vars.taken);
                let free = self.pool.not(taken);
                let in_use = self.alternative(&path, taken, call, errno::EBUSY);
                let destroyed = self.alternative(&path, free, call, 0);
                destroyed.into_iter().chain(in_use).collect()
            }
            _ => self.on_unknown(path, call),
        }
    }

    /// When a mutex is of a kind.
    pub fn is_kind(&mut self, path: &Path, vars: MutexVars, kind: MutexKind) -> ExprId {
        match vars.kind {
            Ok(number) => self.pool.truth(number == kind_number(kind)),
            Err(variable) => {
                let value = self.read(path, variable);
                self.pool.is(value, kind_number(kind))
            }
        }
    }

    /// When the thread holds it.
    pub fn is_mine(&mut self, path: &Path, count: LocalId) -> ExprId {
        let count = self.read(path, count);
        let zero = self.pool.is(count, 0);
        self.pool.not(zero)
    }

    fn on_rwlock(&mut self, path: Path, vars: RwVars, call: Call) -> Vec<Path> {
        let (writer, writes) = (self.read(&path, vars.writer), self.read(&path, vars.writes));
        let reads = self.is_mine(&path, vars.reads);
        match call.op {
            SyncOp::ReadLock(mode) => self.read_lock(path, vars, mode, call),
            SyncOp::WriteLock(mode) => self.write_lock(path, vars, mode, call),
            SyncOp::RwUnlock => {
                let mut found = vec![];
                if let Some(mut path) = self.alternative(&path, writes, call, 0) {
                    let no = self.pool.truth(false);
                    self.write(&mut path, vars.writer, no);
                    self.write(&mut path, vars.writes, no);
                    found.extend(self.release(path, call));
                }
                let not = self.pool.not(writes);
                let reader = self.pool.and(reads, not);
                if let Some(mut path) = self.alternative(&path, reader, call, 0) {
                    self.count_down(&mut path, vars.reads);
                    found.extend(self.release(path, call));
                }
                found
            }
            SyncOp::Init(_) => {
                let used = self.pool.or(writer, reads);
                let free = self.pool.not(used);
                self.alternative(&path, free, call, 0).into_iter().collect()
            }
            SyncOp::Destroy(_) => {
                let used = self.pool.or(writer, reads);
                let (free, yes) = (self.pool.not(used), self.pool.truth(true));
                // Another thread may be reading.
                let in_use = self.alternative(&path, yes, call, errno::EBUSY);
                self.alternative(&path, free, call, 0).into_iter().chain(in_use).collect()
            }
            _ => self.on_unknown(path, call),
        }
    }

    fn on_semaphore(&mut self, mut path: Path, variable: LocalId, call: Call) -> Vec<Path> {
        let value = self.read(&path, variable);
        let ty = self.variables[variable].ty;
        match call.op {
            SyncOp::SemWait(mode) => {
                let mut zero = self.pool.is(value, 0);
                let mut positive = self.pool.not(zero);
                if self.order.is_some() {
                    // How many there are does not matter for what is held.
                    (zero, positive) = (self.pool.truth(true), self.pool.truth(true));
                }
                let mut found = vec![];
                if let Some(mut path) = self.alternative(&path, positive, call, 0) {
                    let less = self.pool.plus(value, u128::MAX);
                    self.write(&mut path, variable, less);
                    found.extend(self.acquire(path, call));
                }
                if let Some(code) = busy(mode, errno::EAGAIN) {
                    found.extend(self.alternative(&path, zero, call, code));
                }
                found
            }
            SyncOp::SemPost => {
                let mut full = self.pool.at_least(value, SEM_VALUE_MAX);
                let mut not = self.pool.not(full);
                if self.order.is_some() {
                    (full, not) = (self.pool.truth(true), self.pool.truth(true));
                }
                // One that is full is far from zero, also without what the thread gives back.
                let fails = self.alternative(&path, full, call, errno::EOVERFLOW);
                let mut found: Vec<Path> = fails.map_or(vec![], |path| self.release(path, call));
                if let Some(mut path) = self.alternative(&path, not, call, 0) {
                    let more = self.pool.plus(value, 1);
                    self.write(&mut path, variable, more);
                    found.extend(self.release(path, call));
                }
                found
            }
            SyncOp::SemValue => {
                if let Some(local) = call.code {
                    let value = self.pool.fit(value, self.variables[local].ty);
                    self.write(&mut path, local, value);
                }
                vec![path]
            }
            SyncOp::Init(SyncInit::Semaphore(first)) => {
                let Some(first) = self.value(&mut path, first) else { return vec![] };
                let most = self.pool.number(self.pool.ty(first), SEM_VALUE_MAX);
                let fits = self.pool.binary(Binary::LeU, first, most);
                let fits = if self.pool.constant(most) == Some(SEM_VALUE_MAX) {
                    fits
                } else {
                    self.pool.truth(true)
                };
                let not = self.pool.not(fits);
                let mut found: Vec<Path> =
                    self.alternative(&path, not, call, errno::EINVAL).into_iter().collect();
                if let Some(mut path) = self.alternative(&path, fits, call, 0) {
                    let first = self.pool.fit(first, ty);
                    self.write(&mut path, variable, first);
                    self.note_stock(&mut path, variable, first);
                    found.push(path);
                }
                found
            }
            _ => {
                self.give(&mut path, call.code, 0);
                vec![path]
            }
        }
    }

    fn on_once(&mut self, mut path: Path, variable: LocalId, call: Call) -> Vec<Path> {
        let state = self.read(&path, variable);
        let set = |maker: &mut Self, path: &mut Path, state: u128| {
            let value = maker.pool.number(maker.variables[variable].ty, state);
            maker.write(path, variable, value);
        };
        match call.op {
            SyncOp::OnceBegin => {
                let (first, done) = (self.pool.is(state, 0), self.pool.is(state, 2));
                let mut found: Vec<Path> = self.alternative(&path, done, call, 0).into_iter().collect();
                if let Some(mut path) = self.alternative(&path, first, call, 1) {
                    set(self, &mut path, 1);
                    found.push(path);
                }
                found
            }
            op => {
                match op {
                    SyncOp::OnceEnd => set(self, &mut path, 2),
                    SyncOp::Init(_) => set(self, &mut path, 0),
                    _ => {}
                }
                self.give(&mut path, call.code, 0);
                vec![path]
            }
        }
    }
}

/// The number of a kind of mutex in the state of one.
pub(super) fn kind_number(kind: MutexKind) -> u128 {
    match kind {
        MutexKind::Normal => 0,
        MutexKind::Recursive => 1,
        MutexKind::ErrorCheck => 2,
    }
}

/// The codes other than 0 that an operation can give.
fn codes(op: SyncOp) -> &'static [u128] {
    match op {
        SyncOp::Lock(LockMode::Wait)
        | SyncOp::ReadLock(LockMode::Wait)
        | SyncOp::WriteLock(LockMode::Wait) => &[errno::EDEADLK, errno::EAGAIN],
        SyncOp::Lock(_) | SyncOp::ReadLock(_) | SyncOp::WriteLock(_) => {
            &[errno::EDEADLK, errno::EAGAIN, errno::EBUSY, errno::ETIMEDOUT]
        }
        SyncOp::Unlock => &[errno::EPERM],
        SyncOp::CondWait { timed: true, .. } => &[errno::ETIMEDOUT, errno::EDEADLK, errno::EAGAIN],
        SyncOp::CondWait { .. } => &[errno::EDEADLK, errno::EAGAIN],
        SyncOp::SemWait(LockMode::Wait) => &[],
        SyncOp::SemWait(_) => &[errno::EAGAIN, errno::ETIMEDOUT],
        SyncOp::SemPost => &[errno::EOVERFLOW],
        SyncOp::BarrierWait => &[SERIAL],
        SyncOp::OnceBegin => &[1],
        SyncOp::Init(_) => &[errno::EINVAL],
        SyncOp::Destroy(_) => &[errno::EBUSY],
        SyncOp::SemValue | SyncOp::RwUnlock | SyncOp::Signal | SyncOp::Broadcast | SyncOp::OnceEnd => &[],
    }
}
