//! Statements about synchronisation objects.

use super::features::Feature;
use super::maker::Maker;

impl Maker {
    /// Statements while something is held.
    pub fn held(&mut self, depth: usize) {
        let before = self.holds;
        self.holds = true;
        if self.random.percent(70) {
            self.write_shared();
        }
        self.block(2, depth.min(1));
        self.holds = before;
    }

    pub fn critical(&mut self, depth: usize) {
        if self.holds {
            return self.write_shared();
        }
        self.line("pthread_mutex_lock(&m);");
        self.held(depth);
        self.line("pthread_mutex_unlock(&m);");
    }

    pub fn tried(&mut self, depth: usize) {
        let call = match self.random.below(3) {
            0 => *self
                .random
                .pick(&["pthread_mutex_timedlock(&m, &until)", "pthread_mutex_clocklock(&m, 0, &until)"]),
            _ => "pthread_mutex_trylock(&m)",
        };
        self.open(format!("if ({call} == 0) {{"));
        self.held(depth);
        self.line("pthread_mutex_unlock(&m);");
        self.reopen("} else {");
        self.write_shared();
        self.close("}");
    }

    pub fn recursive(&mut self, depth: usize) {
        let again =
            if self.random.percent(50) { "pthread_mutex_lock(&rm)" } else { "pthread_mutex_trylock(&rm)" };
        self.line("pthread_mutex_lock(&rm);");
        self.open(format!("if ({again} == 0) {{"));
        self.held(depth);
        self.line("pthread_mutex_unlock(&rm);");
        self.close("}");
        self.write_shared();
        self.line("pthread_mutex_unlock(&rm);");
    }

    pub fn error_check(&mut self, depth: usize) {
        self.line("pthread_mutex_lock(&em);");
        self.held(depth);
        match self.random.below(4) {
            0 => self.line("if (pthread_mutex_lock(&em) == 35)"),
            1 => self.line("if (pthread_mutex_trylock(&em) == 16)"),
            _ => self.line("if (pthread_mutex_unlock(&em) == 0)"),
        }
        self.write_shared();
        self.line("if (pthread_mutex_unlock(&em) == 1)");
        self.write_shared();
    }

    /// Variables whose end calls a function.
    pub fn scoped(&mut self, depth: usize) {
        self.open("{");
        let (guard, scope) = (self.fresh("guard"), self.locals.len());
        if self.holds || self.random.percent(40) {
            let value = self.small(true);
            self.line(format!("int {guard} __attribute__((cleanup(note))) = {value};"));
            self.write_shared();
            if self.random.percent(50) {
                let value = self.random.below(4);
                self.line(format!("{guard} = {value};"));
            }
        } else {
            self.line(format!("pthread_mutex_t *{guard} __attribute__((cleanup(release))) = &m;"));
            self.line(format!("pthread_mutex_lock({guard});"));
            if self.random.percent(20) {
                let condition = self.condition(true);
                let label = self.fresh("out");
                self.line(format!("if {condition} goto {label};"));
                self.held(depth);
                self.line(format!("{label}:;"));
            } else {
                self.held(depth);
            }
        }
        self.locals.truncate(scope);
        self.close("}");
    }

    pub fn readers(&mut self, depth: usize) {
        match self.random.below(5) {
            0 => self.line("pthread_rwlock_wrlock(&rw);"),
            1 => {
                self.open("if (pthread_rwlock_trywrlock(&rw) == 0) {");
                self.held(depth);
                self.line("pthread_rwlock_unlock(&rw);");
                self.reopen("} else {");
                self.write_shared();
                return self.close("}");
            }
            2 => {
                let call = *self.random.pick(&[
                    "trywrlock(&rw)",
                    "tryrdlock(&rw)",
                    "rdlock(&rw)",
                    "timedrdlock(&rw, &until)",
                    "timedwrlock(&rw, &until)",
                ]);
                self.line("pthread_rwlock_rdlock(&rw);");
                self.open(format!("if (pthread_rwlock_{call} == 0) {{"));
                self.write_shared();
                self.line("pthread_rwlock_unlock(&rw);");
                self.reopen("} else {");
                self.write_shared();
                self.close("}");
            }
            _ => self.line("pthread_rwlock_rdlock(&rw);"),
        }
        self.held(depth);
        self.line("pthread_rwlock_unlock(&rw);");
    }

    pub fn semaphore(&mut self, depth: usize) {
        match self.random.below(7) {
            0 => self.line("sem_post(&sem);"),
            2 => {
                let call = *self.random.pick(&[
                    "sem_trywait(&sem)",
                    "sem_timedwait(&sem, &until)",
                    "sem_clockwait(&sem, 0, &until)",
                ]);
                let cell = self.private("0");
                self.line(format!("if ({call} != 0) {} = errno;", cell.place));
                let shared = self.shared_cell();
                self.line(format!(
                    "{};",
                    shared.write(&format!("({} == EAGAIN) + 2 * ({0} == ETIMEDOUT)", cell.place))
                ));
            }
            3 => {
                let cell = self.private("7");
                self.line(format!("sem_getvalue(&sem, &{});", cell.place));
            }
            1 => {
                self.open("if (sem_trywait(&sem) == 0) {");
                self.write_shared();
                self.line("sem_post(&sem);");
                self.close("}");
            }
            _ => {
                self.line("sem_wait(&sem);");
                self.held(depth);
                self.line("sem_post(&sem);");
            }
        }
    }

    pub fn waiting(&mut self, depth: usize) {
        if self.holds {
            return self.line("pthread_cond_broadcast(&cv);");
        }
        self.line("pthread_mutex_lock(&m);");
        let condition = self.condition(true);
        let wait = match self.random.below(4) {
            0 => *self.random.pick(&[
                "(void)pthread_cond_timedwait(&cv, &m, &until)",
                "(void)pthread_cond_clockwait(&cv, &m, 0, &until)",
            ]),
            _ => "pthread_cond_wait(&cv, &m)",
        };
        let word = if self.random.percent(60) { "while" } else { "if" };
        self.line(format!("{word} {condition} {wait};"));
        self.held(depth);
        self.line("pthread_cond_signal(&cv);");
        self.line("pthread_mutex_unlock(&m);");
    }

    pub fn spin(&mut self, depth: usize) {
        if self.holds {
            return self.write_shared();
        }
        if self.random.percent(50) {
            self.line("pthread_spin_lock(&spin);");
            self.held(depth);
            return self.line("pthread_spin_unlock(&spin);");
        }
        self.open("if (pthread_spin_trylock(&spin) == 0) {");
        self.held(depth);
        self.line("pthread_spin_unlock(&spin);");
        self.close("}");
    }

    pub fn barrier(&mut self) {
        match self.random.below(2) {
            0 => self.line("pthread_barrier_wait(&barrier);"),
            _ => {
                self.open("if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {");
                self.write_shared();
                self.close("}");
            }
        }
    }

    /// One operation of C11, with its result in a local variable.
    pub fn atomic(&mut self) {
        let (old, new) = (self.random.below(3), self.small(true));
        let cell = self.private("0");
        let x = cell.place;
        let value = match self.random.below(7) {
            0 => "«a1 atomic_load¦&atom»".to_string(),
            1 => format!("«a2 atomic_exchange¦&atom¦{new}»"),
            2 => format!("«a2 atomic_fetch_add¦&atom¦{new}»"),
            3 => format!("«a2 atomic_fetch_xor¦&atom¦{new}»"),
            4 => return self.line(format!("«a2 atomic_store¦&atom¦{new}»;")),
            kind => {
                let expected = self.fresh("e");
                self.line(format!("unsigned char {expected} = {old};"));
                let call = if kind == 5 {
                    format!("«a3 atomic_compare_exchange_strong¦&atom¦&{expected}¦{new}»")
                } else {
                    format!("«weak &atom¦&{expected}¦{new}»")
                };
                self.line(format!("{x} = {call};"));
                let shared = self.shared_cell();
                return self.line(format!("{};", shared.write(&format!("{expected} + {x}"))));
            }
        };
        self.line(format!("{x} = {value};"));
    }

    /// One operation of gcc on a plain variable.
    pub fn sync_builtin(&mut self) {
        let plain: Vec<String> =
            self.shared.iter().filter(|it| !it.atomic).map(|it| it.place.clone()).collect();
        let is_flag = |place: &String| {
            self.shared.iter().any(|it| it.place == *place && it.kind == super::maker::Kind::Bool)
        };
        let Some(place) = plain.iter().find(|it| !is_flag(it)).cloned() else { return self.write_shared() };
        let (old, new) = (self.random.below(3), self.small(true));
        let cell = self.private("0");
        let value = match self.random.below(9) {
            0 => format!("«a2 __sync_fetch_and_add¦&{place}¦{new}»"),
            1 => format!("«a2 __sync_sub_and_fetch¦&{place}¦{new}»"),
            2 => format!("«a2 __sync_fetch_and_or¦&{place}¦{new}»"),
            3 => format!("«a3 __sync_val_compare_and_swap¦&{place}¦{old}¦{new}»"),
            4 => format!("«a3 __sync_bool_compare_and_swap¦&{place}¦{old}¦{new}»"),
            5 => format!("«o2 __atomic_load_n¦&{place}»"),
            6 => format!("«o3 __atomic_exchange_n¦&{place}¦{new}»"),
            7 => format!("«o3 __atomic_fetch_and¦&{place}¦{new}»"),
            _ => return self.line(format!("«o3 __atomic_store_n¦&{place}¦{new}»;")),
        };
        self.line(format!("{} = {value};", cell.place));
    }

    pub fn section(&mut self, depth: usize) {
        if self.has(Feature::Section) && self.random.percent(30) {
            return self.line("__VERIFIER_atomic_change();");
        }
        let tool = *self.random.pick(&["VERIFIER", "VERIFIER", "CPROVER", "ESBMC", "SMACK"]);
        self.line(format!("__{tool}_atomic_begin();"));
        self.held(depth);
        self.line(format!("__{tool}_atomic_end();"));
    }
}
