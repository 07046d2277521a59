//! What operations on synchronisation objects do to the ghosts that stand for them. Each operation has
//! alternatives, which become commands of their own. An object that is not followed does not keep anybody
//! from anything.

use super::access::{Case, Wanted};
use super::maker::Maker;
use super::memory::{Content, MutexVars, RwVars};
use super::symbolic::Path;
use c::expr::{Binary, ExprId};
use c::machine::{SEM_VALUE_MAX, SERIAL, errno};
use c::op::{LockMode, MutexKind, Place, SyncInit, SyncOp};
use c::program::LocalId;
use c::types::SyncKind;

/// Counts of locks are followed up to this number, which stands for itself and all larger ones.
const MANY: u128 = 255;

/// An operation of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub op: SyncOp,
    pub place: Place,
    pub code: Option<LocalId>,
}

/// The code of an operation that would have to wait; `None`: it waits.
fn busy(mode: LockMode, code: u128) -> Option<u128> {
    match mode {
        LockMode::Wait => None,
        LockMode::Try => Some(code),
        LockMode::Timed => Some(errno::ETIMEDOUT),
    }
}

impl Maker<'_> {
    /// The ways in which the operation goes on; the step is not yet left.
    pub fn sync(&mut self, mut path: Path, call: Call) -> Vec<Path> {
        let (place, kind) = match (call.op, path.phase) {
            (SyncOp::CondWait { mutex, .. }, _) => (mutex, SyncKind::Mutex),
            (op, _) => (call.place, op.kind()),
        };
        let Some(target) = self.target(&mut path, place, Wanted::Sync(kind)) else { return vec![] };
        if !self.refuse(&mut path, target.refused, "an operation does not fit the object it is used on") {
            return vec![];
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
            op => !matches!(op.kind(), SyncKind::Cond | SyncKind::Barrier) && self.is_shared(place),
        }
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
            path.phase = 1;
            return vec![path, fails];
        }
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
    fn give(&mut self, path: &mut Path, local: Option<LocalId>, code: u128) {
        if let Some(local) = local {
            let code = self.pool.number(self.variables[local].ty, code);
            self.write(path, local, code);
        }
    }

    /// An alternative: if the condition holds, the operation gives this code.
    fn alternative(&mut self, path: &Path, cond: ExprId, call: Call, code: u128) -> Option<Path> {
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
    fn is_kind(&mut self, path: &Path, vars: MutexVars, kind: MutexKind) -> ExprId {
        match vars.kind {
            Ok(number) => self.pool.truth(number == kind_number(kind)),
            Err(variable) => {
                let value = self.read(path, variable);
                self.pool.is(value, kind_number(kind))
            }
        }
    }

    /// When the thread holds it.
    fn is_mine(&mut self, path: &Path, count: LocalId) -> ExprId {
        let count = self.read(path, count);
        let zero = self.pool.is(count, 0);
        self.pool.not(zero)
    }

    fn lock(&mut self, path: Path, vars: MutexVars, mode: LockMode, call: Call) -> Vec<Path> {
        let mut found = vec![];
        let taken = self.read(&path, vars.taken);
        let (free, mine) = (self.pool.not(taken), self.is_mine(&path, vars.mine));
        if let Some(mut path) = self.alternative(&path, free, call, 0) {
            let yes = self.pool.truth(true);
            let one = self.pool.number(self.variables[vars.mine].ty, 1);
            self.write(&mut path, vars.taken, yes);
            self.write(&mut path, vars.mine, one);
            found.push(path);
        }
        let held = self.pool.and(taken, mine);
        let recursive = self.is_kind(&path, vars, MutexKind::Recursive);
        let again = self.pool.and(held, recursive);
        if let Some(path) = self.alternative(&path, again, call, 0) {
            found.extend(self.count_up(path, vars.mine, call));
        }
        let telling = self.is_kind(&path, vars, MutexKind::ErrorCheck);
        let reported = self.pool.and(held, telling);
        let reported = if mode == LockMode::Try { self.pool.truth(false) } else { reported };
        found.extend(self.alternative(&path, reported, call, errno::EDEADLK));
        if let Some(code) = busy(mode, errno::EBUSY) {
            let other = self.pool.or(again, reported);
            let other = self.pool.not(other);
            let waits = self.pool.and(taken, other);
            found.extend(self.alternative(&path, waits, call, code));
        }
        found
    }

    /// One more in a count that may be too large to follow. From `MANY` on it may also be refused.
    fn count_up(&mut self, mut path: Path, count: LocalId, call: Call) -> Vec<Path> {
        let before = self.read(&path, count);
        let many = self.pool.is(before, MANY);
        let refused = self.alternative(&path, many, call, errno::EAGAIN);
        let more = self.pool.plus(before, 1);
        let after = self.pool.ite(many, before, more);
        self.write(&mut path, count, after);
        std::iter::once(path).chain(refused).collect()
    }

    /// One less in a count that may be too large to follow.
    fn count_down(&mut self, path: &mut Path, count: LocalId) {
        let before = self.read(path, count);
        let many = self.pool.is(before, MANY);
        let toss = self.toss(path);
        let stays = self.pool.and(many, toss);
        let less = self.pool.plus(before, u128::MAX);
        let after = self.pool.ite(stays, before, less);
        self.write(path, count, after);
    }

    /// Unlocks, and goes on to a phase of the step.
    fn unlock(&mut self, path: Path, vars: MutexVars, call: Call, phase: u8) -> Vec<Path> {
        let mine = self.is_mine(&path, vars.mine);
        let count = self.read(&path, vars.mine);
        let once = if vars.counts { self.pool.is(count, 1) } else { mine };
        let code = if phase == 0 { call } else { Call { code: None, ..call } };
        let mut found = vec![];
        if let Some(mut path) = self.alternative(&path, once, code, 0) {
            let (no, zero) = (self.pool.truth(false), self.pool.number(self.variables[vars.mine].ty, 0));
            self.write(&mut path, vars.taken, no);
            self.write(&mut path, vars.mine, zero);
            path.phase = phase;
            found.push(path);
        }
        let not_once = self.pool.not(once);
        let more = self.pool.and(mine, not_once);
        if let Some(mut path) = self.alternative(&path, more, code, 0) {
            self.count_down(&mut path, vars.mine);
            path.phase = phase;
            found.push(path);
        }
        let plain = self.is_kind(&path, vars, MutexKind::Normal);
        let (telling, not_mine) = (self.pool.not(plain), self.pool.not(mine));
        let reported = self.pool.and(not_mine, telling);
        if let Some(mut path) = self.alternative(&path, reported, call, errno::EPERM) {
            path.phase = 0;
            found.push(path);
        }
        found
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
                    found.push(path);
                }
                let not = self.pool.not(writes);
                let reader = self.pool.and(reads, not);
                if let Some(mut path) = self.alternative(&path, reader, call, 0) {
                    self.count_down(&mut path, vars.reads);
                    found.push(path);
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

    fn read_lock(&mut self, path: Path, vars: RwVars, mode: LockMode, call: Call) -> Vec<Path> {
        let (writer, writes) = (self.read(&path, vars.writer), self.read(&path, vars.writes));
        let reported = if mode == LockMode::Try { self.pool.truth(false) } else { writes };
        let mut found: Vec<Path> =
            self.alternative(&path, reported, call, errno::EDEADLK).into_iter().collect();
        let free = self.pool.not(writer);
        if let Some(path) = self.alternative(&path, free, call, 0) {
            found.extend(self.count_up(path, vars.reads, call));
        }
        if let Some(code) = busy(mode, errno::EBUSY) {
            let not_reported = self.pool.not(reported);
            let waits = self.pool.and(writer, not_reported);
            found.extend(self.alternative(&path, waits, call, code));
        }
        found
    }

    fn write_lock(&mut self, path: Path, vars: RwVars, mode: LockMode, call: Call) -> Vec<Path> {
        let (writer, writes) = (self.read(&path, vars.writer), self.read(&path, vars.writes));
        let reported = if mode == LockMode::Try { self.pool.truth(false) } else { writes };
        let mut found: Vec<Path> =
            self.alternative(&path, reported, call, errno::EDEADLK).into_iter().collect();
        // The thread's own read locks count like those of others.
        let own = self.is_mine(&path, vars.reads);
        let used = self.pool.or(writer, own);
        let free = self.pool.not(used);
        if let Some(mut path) = self.alternative(&path, free, call, 0) {
            let ty = self.variables[vars.reads].ty;
            let reads = self.pool.variable(vars.reads, ty);
            let nobody = self.pool.is(reads, 0);
            path.others = Some(path.others.map_or(nobody, |others| self.pool.and(others, nobody)));
            let yes = self.pool.truth(true);
            self.write(&mut path, vars.writer, yes);
            self.write(&mut path, vars.writes, yes);
            found.push(path);
        }
        if let Some(code) = busy(mode, errno::EBUSY) {
            // Whether another thread reads, or ended as a reader, cannot be said here: it may always give up.
            let not_reported = self.pool.not(reported);
            found.extend(self.alternative(&path, not_reported, call, code));
        }
        found
    }

    fn on_semaphore(&mut self, mut path: Path, variable: LocalId, call: Call) -> Vec<Path> {
        let value = self.read(&path, variable);
        let ty = self.variables[variable].ty;
        match call.op {
            SyncOp::SemWait(mode) => {
                let zero = self.pool.is(value, 0);
                let positive = self.pool.not(zero);
                let mut found = vec![];
                if let Some(mut path) = self.alternative(&path, positive, call, 0) {
                    let less = self.pool.plus(value, u128::MAX);
                    self.write(&mut path, variable, less);
                    found.push(path);
                }
                if let Some(code) = busy(mode, errno::EAGAIN) {
                    found.extend(self.alternative(&path, zero, call, code));
                }
                found
            }
            SyncOp::SemPost => {
                let full = self.pool.at_least(value, SEM_VALUE_MAX);
                let not = self.pool.not(full);
                let mut found: Vec<Path> =
                    self.alternative(&path, full, call, errno::EOVERFLOW).into_iter().collect();
                if let Some(mut path) = self.alternative(&path, not, call, 0) {
                    let more = self.pool.plus(value, 1);
                    self.write(&mut path, variable, more);
                    found.push(path);
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
