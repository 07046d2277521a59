//! Taking and giving back mutexes and read-write locks that are followed: what that does to their ghosts.

use super::maker::Maker;
use super::memory::{MutexVars, RwVars};
use super::symbolic::Path;
use super::sync::Call;
use c::machine::errno;
use c::op::{LockMode, MutexKind};
use c::program::LocalId;

/// Counts of locks are followed up to this number, which stands for itself and all larger ones.
const MANY: u128 = 255;

/// The code of an operation that would have to wait; `None`: it waits.
pub(super) fn busy(mode: LockMode, code: u128) -> Option<u128> {
    match mode {
        LockMode::Wait => None,
        LockMode::Try => Some(code),
        LockMode::Timed => Some(errno::ETIMEDOUT),
    }
}

impl Maker<'_> {
    pub fn lock(&mut self, path: Path, vars: MutexVars, mode: LockMode, call: Call) -> Vec<Path> {
        let mut found = vec![];
        let taken = self.read(&path, vars.taken);
        let (free, mine) = (self.pool.not(taken), self.is_mine(&path, vars.mine));
        if let Some(mut path) = self.alternative(&path, free, call, 0) {
            let yes = self.pool.truth(true);
            let one = self.pool.number(self.variables[vars.mine].ty, 1);
            self.write(&mut path, vars.taken, yes);
            self.write(&mut path, vars.mine, one);
            found.extend(self.acquire(path, call));
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
        self.acquire(path, call).into_iter().chain(refused).collect()
    }

    /// One less in a count that may be too large to follow.
    pub fn count_down(&mut self, path: &mut Path, count: LocalId) {
        let before = self.read(path, count);
        let many = self.pool.is(before, MANY);
        let toss = self.toss(path);
        let stays = self.pool.and(many, toss);
        let less = self.pool.plus(before, u128::MAX);
        let after = self.pool.ite(stays, before, less);
        self.write(path, count, after);
    }

    /// Unlocks, and goes on to a phase of the step.
    pub fn unlock(&mut self, path: Path, vars: MutexVars, call: Call, phase: u8) -> Vec<Path> {
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
            found.extend(self.release(path, call));
        }
        let not_once = self.pool.not(once);
        let more = self.pool.and(mine, not_once);
        if let Some(mut path) = self.alternative(&path, more, code, 0) {
            self.count_down(&mut path, vars.mine);
            path.phase = phase;
            found.extend(self.release(path, call));
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

    pub fn read_lock(&mut self, path: Path, vars: RwVars, mode: LockMode, call: Call) -> Vec<Path> {
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

    pub fn write_lock(&mut self, path: Path, vars: RwVars, mode: LockMode, call: Call) -> Vec<Path> {
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
            found.extend(self.acquire(path, call));
        }
        if let Some(code) = busy(mode, errno::EBUSY) {
            // Whether another thread reads, or ended as a reader, cannot be said here: it may always give up.
            let not_reported = self.pool.not(reported);
            found.extend(self.alternative(&path, not_reported, call, code));
        }
        found
    }
}
