//! Locks, condition variables, barriers, semaphores.

use ::c::{Binary, ExprId, LockMode, MutexKind, Node, Op, SyncInit, SyncKind, SyncOp, Type as Scalar};

use super::super::hir;
use super::super::normalise::{Normaliser, Spot};

const EBUSY: i128 = 16;
const EINVAL: i128 = 22;
/// The greatest kind of a mutex.
const LAST_KIND: i128 = 3;
const ETIMEDOUT: i128 = 110;
/// The results of C11 threads, as glibc numbers them.
const THRD_BUSY: i128 = 1;
const THRD_ERROR: i128 = 2;
const THRD_TIMEDOUT: i128 = 4;

impl Normaliser<'_> {
    /// Mutexes, spin locks and read-write locks.
    pub(super) fn mutex_call(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        use LockMode::{Timed, Try, Wait};
        let op = match name {
            "pthread_mutex_init" => return Some(self.mutex_init(arguments)),
            "mtx_init" => return Some(self.mtx_init(arguments)),
            "pthread_spin_init" => SyncOp::Init(SyncInit::Mutex(MutexKind::Normal)),
            "pthread_mutex_destroy" | "mtx_destroy" | "pthread_spin_destroy" => {
                SyncOp::Destroy(SyncKind::Mutex)
            }
            "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock" => SyncOp::Lock(Wait),
            "pthread_mutex_trylock" | "mtx_trylock" | "pthread_spin_trylock" => SyncOp::Lock(Try),
            "pthread_mutex_timedlock" | "pthread_mutex_clocklock" | "mtx_timedlock" => SyncOp::Lock(Timed),
            "pthread_mutex_unlock" | "mtx_unlock" | "pthread_spin_unlock" => SyncOp::Unlock,
            "pthread_rwlock_init" => SyncOp::Init(SyncInit::RwLock),
            "pthread_rwlock_destroy" => SyncOp::Destroy(SyncKind::RwLock),
            "pthread_rwlock_rdlock" => SyncOp::ReadLock(Wait),
            "pthread_rwlock_tryrdlock" => SyncOp::ReadLock(Try),
            "pthread_rwlock_timedrdlock" => SyncOp::ReadLock(Timed),
            "pthread_rwlock_wrlock" => SyncOp::WriteLock(Wait),
            "pthread_rwlock_trywrlock" => SyncOp::WriteLock(Try),
            "pthread_rwlock_timedwrlock" => SyncOp::WriteLock(Timed),
            "pthread_rwlock_unlock" => SyncOp::RwUnlock,
            _ => return self.mutex_attributes(name, arguments),
        };
        let (&object, rest) = arguments.split_first()?;
        let spot = self.target(object);
        self.evaluate_all(rest);
        let code = self.sync(op, spot);
        Some(if name.starts_with("mtx_") { self.c11_code(code) } else { code })
    }

    /// A step on a synchronisation object; gives its code.
    pub(super) fn sync(&mut self, op: SyncOp, spot: Spot) -> ExprId {
        let code = self.temporary(Scalar::Bits(32));
        match self.memory_place(spot) {
            Some(place) => self.emit(Op::Sync { op, place, code: Some(code) }),
            None => self.refuse("a synchronisation object in a register"),
        }
        self.pool.read(code)
    }

    /// `thrd_success`, `thrd_busy`, `thrd_timedout` or `thrd_error` for an error number.
    pub(super) fn c11_code(&mut self, code: ExprId) -> ExprId {
        let cases = [(0, 0), (EBUSY, THRD_BUSY), (ETIMEDOUT, THRD_TIMEDOUT)];
        let mut result = self.int(THRD_ERROR);
        for (number, meaning) in cases.into_iter().rev() {
            let number = self.int(number);
            let hit = self.binary(Binary::Eq, code, number);
            let meaning = self.int(meaning);
            result = self.pool.exprs().add(Node::Ite(hit, meaning, result));
        }
        result
    }

    fn mutex_init(&mut self, arguments: &[hir::ExprId]) -> ExprId {
        let Some(&object) = arguments.first() else { return self.int(0) };
        let spot = self.target(object);
        let Some(&attributes) = arguments.get(1) else {
            return self.sync(SyncOp::Init(SyncInit::Mutex(MutexKind::Normal)), spot);
        };
        let attributes = self.target(attributes);
        let address = self.address(attributes);
        let kind = match self.constant(address) {
            Some(0) => return self.sync(SyncOp::Init(SyncInit::Mutex(MutexKind::Normal)), spot),
            _ => {
                let kind = self.temporary(Scalar::Bits(32));
                let zero = self.int(0);
                self.emit(Op::Assign { local: kind, value: zero });
                let given = self.is_true(address);
                let end = self.label();
                self.jump_if_true(given, end, false);
                if let Some(place) = self.memory_place(attributes) {
                    self.emit(Op::Load { local: kind, place, atomic: false });
                }
                self.place_label(end);
                self.pool.read(kind)
            }
        };
        self.init_by_kind(spot, kind)
    }

    fn mtx_init(&mut self, arguments: &[hir::ExprId]) -> ExprId {
        let [object, kind, ..] = arguments else { return self.int(0) };
        let spot = self.target(*object);
        let kind = self.value(*kind);
        let kind = self.resize(kind, Scalar::Bits(32), true);
        let one = self.int(1);
        // `mtx_recursive` is a bit among others.
        let recursive = self.binary(Binary::And, kind, one);
        self.init_by_kind(spot, recursive)
    }

    /// A mutex whose kind is a number that may not be known.
    fn init_by_kind(&mut self, spot: Spot, kind: ExprId) -> ExprId {
        let kind = self.keep(kind);
        let code = self.temporary(Scalar::Bits(32));
        let end = self.label();
        for (number, variant) in [(1, MutexKind::Recursive), (2, MutexKind::ErrorCheck)] {
            let number = self.int(number);
            let hit = self.binary(Binary::Eq, kind, number);
            let past = self.label();
            self.jump_if_true(hit, past, false);
            let value = self.sync(SyncOp::Init(SyncInit::Mutex(variant)), spot);
            self.emit(Op::Assign { local: code, value });
            self.goto(end);
            self.place_label(past);
        }
        let value = self.sync(SyncOp::Init(SyncInit::Mutex(MutexKind::Normal)), spot);
        self.emit(Op::Assign { local: code, value });
        self.place_label(end);
        self.pool.read(code)
    }

    /// The kind of a mutex that is to be made; other attributes are models in C.
    fn mutex_attributes(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        match (name, arguments) {
            ("pthread_mutexattr_init" | "pthread_attr_init", [object, ..]) => {
                let spot = self.target(*object);
                let zero = self.int(0);
                self.store_cell(spot, zero);
            }
            ("pthread_mutexattr_settype", [object, kind]) => {
                let spot = self.target(*object);
                let kind = self.value(*kind);
                let kind = self.resize(kind, Scalar::Bits(32), true);
                let kind = self.keep(kind);
                let code = self.code_of_kind(kind);
                let wrong = self.is_true(code);
                let end = self.label();
                self.jump_if_true(wrong, end, true);
                self.store_cell(spot, kind);
                self.place_label(end);
                return Some(code);
            }
            ("pthread_mutexattr_gettype", [object, to]) => {
                let spot = self.target(*object);
                let kind = self.temporary(Scalar::Bits(32));
                if let Some(place) = self.memory_place(spot) {
                    self.emit(Op::Load { local: kind, place, atomic: false });
                }
                let to = self.target(*to);
                let value = self.pool.read(kind);
                self.store(to, value);
            }
            _ => return None,
        }
        Some(self.int(0))
    }

    /// 0, or `EINVAL` for what is no kind of a mutex.
    fn code_of_kind(&mut self, kind: ExprId) -> ExprId {
        let last = self.int(LAST_KIND);
        let fits = self.binary(Binary::LeU, kind, last);
        let (fine, error) = (self.int(0), self.int(EINVAL));
        self.pool.exprs().add(Node::Ite(fits, fine, error))
    }

    /// Condition variables, barriers and semaphores.
    pub(super) fn waiting_call(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        match name {
            "pthread_cond_wait"
            | "pthread_cond_timedwait"
            | "pthread_cond_clockwait"
            | "cnd_wait"
            | "cnd_timedwait" => {
                return self.cond_wait(name, arguments);
            }
            "sem_getvalue" => return self.sem_value(arguments),
            _ => {}
        }
        if !is_waiting(name) {
            return None;
        }
        let (&object, rest) = arguments.split_first()?;
        let mut spot = self.target(object);
        self.keep_spot(&mut spot);
        let op = match name {
            "pthread_cond_init" | "cnd_init" => SyncOp::Init(SyncInit::Cond),
            "pthread_cond_destroy" | "cnd_destroy" => SyncOp::Destroy(SyncKind::Cond),
            "pthread_cond_signal" | "cnd_signal" => SyncOp::Signal,
            "pthread_cond_broadcast" | "cnd_broadcast" => SyncOp::Broadcast,
            "pthread_barrier_init" => SyncOp::Init(SyncInit::Barrier(self.counted_argument(rest)?)),
            "pthread_barrier_destroy" => SyncOp::Destroy(SyncKind::Barrier),
            "pthread_barrier_wait" => SyncOp::BarrierWait,
            "sem_init" => SyncOp::Init(SyncInit::Semaphore(self.counted_argument(rest)?)),
            "sem_destroy" => SyncOp::Destroy(SyncKind::Semaphore),
            "sem_wait" => SyncOp::SemWait(LockMode::Wait),
            "sem_trywait" => SyncOp::SemWait(LockMode::Try),
            "sem_timedwait" | "sem_clockwait" => SyncOp::SemWait(LockMode::Timed),
            "sem_post" => SyncOp::SemPost,
            _ => return None,
        };
        if !matches!(op, SyncOp::Init(SyncInit::Barrier(_) | SyncInit::Semaphore(_))) {
            self.evaluate_all(rest);
        }
        let code = self.sync(op, spot);
        Some(if name.starts_with("sem_") { self.posix_code(code) } else { code })
    }

    /// The last argument of `sem_init` and `pthread_barrier_init`.
    fn counted_argument(&mut self, arguments: &[hir::ExprId]) -> Option<ExprId> {
        let [other, count] = arguments else { return None };
        self.value(*other);
        let value = self.value(*count);
        let value = self.resize(value, Scalar::Bits(32), false);
        Some(self.keep(value))
    }

    /// 0, or -1 with `errno` set.
    fn posix_code(&mut self, code: ExprId) -> ExprId {
        let failed = self.is_true(code);
        if self.observes_errno() {
            let end = self.label();
            self.jump_if_true(failed, end, false);
            self.set_errno(code);
            self.place_label(end);
        }
        // All bits of -1 are the truth value extended by its sign.
        self.resize(failed, Scalar::Bits(32), true)
    }

    fn cond_wait(&mut self, name: &str, arguments: &[hir::ExprId]) -> Option<ExprId> {
        let [cond, mutex, rest @ ..] = arguments else { return None };
        let mut spot = self.target(*cond);
        self.keep_spot(&mut spot);
        let mutex = self.target(*mutex);
        self.evaluate_all(rest);
        let mutex = self.memory_place(mutex)?;
        let timed = !name.ends_with("_wait");
        let code = self.sync(SyncOp::CondWait { mutex, timed }, spot);
        Some(if name.starts_with("cnd_") { self.c11_code(code) } else { code })
    }

    fn sem_value(&mut self, arguments: &[hir::ExprId]) -> Option<ExprId> {
        let [object, to] = arguments else { return None };
        let spot = self.target(*object);
        let to = self.target(*to);
        let value = self.sync(SyncOp::SemValue, spot);
        self.store(to, value);
        Some(self.int(0))
    }
}

/// Whether a function is one on condition variables, barriers or semaphores that takes its object first.
fn is_waiting(name: &str) -> bool {
    ["pthread_cond_", "cnd_", "pthread_barrier_", "sem_"].iter().any(|start| name.starts_with(start))
}
