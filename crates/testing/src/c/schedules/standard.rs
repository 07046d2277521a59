//! Threads, locks, conditions and keys of C11, and handles.

use super::maker::Maker;

impl Maker {
    pub fn standard_globals(&mut self) {
        self.global("mtx_t", "cm", "");
        self.global("cnd_t", "cc", "");
        self.global("tss_t", "ck", "");
        self.global("once_flag", "flag", " = ONCE_FLAG_INIT");
    }

    pub fn standard_start(&mut self) {
        let kind = *self.random.pick(&["mtx_plain", "mtx_plain | mtx_recursive", "mtx_timed"]);
        self.line(format!("mtx_init(&cm, {kind});"));
        self.line("cnd_init(&cc);");
        self.line("tss_create(&ck, forget);");
    }

    /// What C11's threads and `call_once` run.
    pub fn standard_functions(&mut self) {
        self.procedure("initially", "void");
        self.name("c11");
        self.open("static int c11(void *arg) {");
        self.locals.clear();
        self.write_shared();
        if self.random.percent(30) {
            let (condition, code) = (self.condition(true), self.random.below(3));
            self.line(format!("if {condition} thrd_exit({code});"));
        }
        let value = self.small(true);
        self.line(format!("return {value};"));
        self.close("}");
    }

    pub fn standard(&mut self, depth: usize) {
        match self.random.below(9) {
            0 | 1 if !self.holds => {
                self.line("mtx_lock(&cm);");
                self.held(depth);
                self.line("mtx_unlock(&cm);");
            }
            2 => {
                let call = *self.random.pick(&["mtx_trylock(&cm)", "mtx_timedlock(&cm, &until)"]);
                let code = self.private("0");
                self.line(format!("{} = {call};", code.place));
                self.open(format!("if ({} == thrd_success) {{", code.place));
                self.held(depth);
                self.line("mtx_unlock(&cm);");
                self.close("}");
                self.store(&code.place);
            }
            3 if !self.holds => {
                let condition = self.condition(true);
                let wait = *self.random.pick(&[
                    "cnd_wait(&cc, &cm)",
                    "cnd_wait(&cc, &cm)",
                    "(void)cnd_timedwait(&cc, &cm, &until)",
                ]);
                self.line("mtx_lock(&cm);");
                self.line(format!("while {condition} {wait};"));
                self.write_shared();
                let signal = *self.random.pick(&["cnd_signal(&cc);", "cnd_broadcast(&cc);"]);
                self.line(signal);
                self.line("mtx_unlock(&cm);");
            }
            4 => {
                let call = *self.random.pick(&["tss_set(ck, &g0);", "tss_set(ck, &g0);", "tss_delete(ck);"]);
                self.line(call);
            }
            5 => self.store("(tss_get(ck) != 0)"),
            6 => self.line("call_once(&flag, initially);"),
            7 | 8 if !self.holds => self.standard_thread(),
            _ => self.line("thrd_yield();"),
        }
    }

    fn standard_thread(&mut self) {
        let (thread, result) = (self.fresh("t"), self.fresh("r"));
        self.line(format!("thrd_t {thread} = 0;"));
        self.line(format!("thrd_create(&{thread}, c11, 0);"));
        if self.random.percent(20) {
            return self.line(format!("thrd_detach({thread});"));
        }
        if self.random.percent(50) {
            self.write_shared();
        }
        self.line(format!("int {result} = 0;"));
        self.line(format!("thrd_join({thread}, &{result});"));
        self.store(&result);
    }

    pub fn handles(&mut self) {
        let call = *self.random.pick(&[
            "pthread_equal(pthread_self(), «r boss»)",
            "pthread_equal(pthread_self(), pthread_self())",
            "thrd_equal(thrd_current(), «r boss»)",
        ]);
        self.store(&format!("({call} != 0)"));
    }

    pub fn keys(&mut self) {
        match self.random.below(5) {
            0 => self.store("(pthread_getspecific(key) != 0)"),
            1 => self.line("pthread_setspecific(key, 0);"),
            2 => self.line("pthread_key_delete(key);"),
            _ => self.line("pthread_setspecific(key, &g0);"),
        }
    }
}
