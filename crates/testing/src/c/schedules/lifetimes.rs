//! Synchronisation objects that are made and destroyed while threads use them.

use super::maker::Maker;

/// An object of one type.
#[derive(Clone, Copy, Debug)]
struct Object {
    ty: &'static str,
    init: &'static str,
    take: &'static str,
    give: &'static str,
    destroy: &'static str,
}

const fn object(
    ty: &'static str,
    init: &'static str,
    take: &'static str,
    give: &'static str,
    destroy: &'static str,
) -> Object {
    Object { ty, init, take, give, destroy }
}

/// All of them are called `life`.
const OBJECTS: &[Object] = &[
    object(
        "pthread_mutex_t",
        "pthread_mutex_init(&life, 0)",
        "pthread_mutex_lock(&life)",
        "pthread_mutex_unlock(&life)",
        "pthread_mutex_destroy(&life)",
    ),
    object(
        "pthread_rwlock_t",
        "pthread_rwlock_init(&life, 0)",
        "pthread_rwlock_wrlock(&life)",
        "pthread_rwlock_unlock(&life)",
        "pthread_rwlock_destroy(&life)",
    ),
    object(
        "pthread_rwlock_t",
        "pthread_rwlock_init(&life, 0)",
        "pthread_rwlock_rdlock(&life)",
        "pthread_rwlock_unlock(&life)",
        "pthread_rwlock_destroy(&life)",
    ),
    object("sem_t", "sem_init(&life, 0, 1)", "sem_wait(&life)", "sem_post(&life)", "sem_destroy(&life)"),
    object(
        "pthread_spinlock_t",
        "pthread_spin_init(&life, 0)",
        "pthread_spin_lock(&life)",
        "pthread_spin_unlock(&life)",
        "pthread_spin_destroy(&life)",
    ),
    object(
        "pthread_barrier_t",
        "pthread_barrier_init(&life, 0, 1)",
        "pthread_barrier_wait(&life)",
        "(void)0",
        "pthread_barrier_destroy(&life)",
    ),
    object(
        "mtx_t",
        "mtx_init(&life, mtx_plain)",
        "mtx_lock(&life)",
        "mtx_unlock(&life)",
        "(mtx_destroy(&life), 0)",
    ),
];

impl Maker {
    pub fn lifetime_globals(&mut self) {
        self.lifetime = self.random.below(OBJECTS.len());
        let ty = OBJECTS[self.lifetime].ty;
        self.global(ty, "life", "");
        self.global("pthread_cond_t", "lc", " = PTHREAD_COND_INITIALIZER");
        self.global("cnd_t", "ld", "");
    }

    pub fn lifetime_start(&mut self) {
        self.line(format!("{};", OBJECTS[self.lifetime].init));
        self.line("cnd_init(&ld);");
        if self.random.percent(50) {
            self.line("pthread_mutexattr_t kinds;");
            self.line("int kind = 5;");
            let kind = *self.random.pick(&["NORMAL", "RECURSIVE", "ERRORCHECK", "DEFAULT"]);
            self.line("pthread_mutexattr_init(&kinds);");
            self.line(format!("pthread_mutexattr_settype(&kinds, PTHREAD_MUTEX_{kind});"));
            self.line("pthread_mutexattr_gettype(&kinds, &kind);");
            self.line("pthread_mutexattr_destroy(&kinds);");
            self.store("kind");
        }
    }

    /// Objects are used, destroyed and made again: what comes after the end is undefined behaviour.
    pub fn lifetime(&mut self) {
        let Object { init, take, give, destroy, .. } = OBJECTS[self.lifetime];
        match self.random.below(6) {
            0 => self.store(&format!("({destroy} != 0)")),
            1 => self.line(format!("{init};")),
            2 => {
                // Nobody waits there.
                let call = *self.random.pick(&[
                    "pthread_cond_init(&lc, 0);",
                    "pthread_cond_signal(&lc);",
                    "pthread_cond_destroy(&lc);",
                    "cnd_init(&ld);",
                    "cnd_signal(&ld);",
                    "cnd_destroy(&ld);",
                ]);
                self.line(call);
            }
            _ => {
                self.line(format!("{take};"));
                self.write_shared();
                self.line(format!("{give};"));
            }
        }
    }
}
