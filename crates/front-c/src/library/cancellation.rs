//! Cancellation points: functions in which a thread ends that another one cancels. What happens there is
//! written in C (`library/cancel.c`).

use ::c::ExprId;

use super::super::hir::{self, FunctionId};
use super::super::normalise::Normaliser;
use super::models::Variant;

/// Functions that look whether the thread is cancelled before they do anything.
const ALWAYS: &[&str] = &[
    "clock_nanosleep",
    "close",
    "cnd_timedwait",
    "cnd_wait",
    "fsync",
    "nanosleep",
    "open",
    "pause",
    "poll",
    "pread",
    "pthread_cond_clockwait",
    "pthread_cond_timedwait",
    "pthread_cond_wait",
    "pthread_join",
    "pwrite",
    "read",
    "recv",
    "select",
    "sem_clockwait",
    "sem_timedwait",
    "sem_wait",
    "send",
    "sleep",
    "thrd_join",
    "thrd_sleep",
    "usleep",
    "write",
];

/// Those that may look and need not.
const PERHAPS: &[&str] = &[
    "access", "asctime", "ctime", "dprintf", "fclose", "fflush", "fgetc", "fgets", "fopen", "fprintf",
    "fputc", "fputs", "fread", "fscanf", "fseek", "ftell", "fwrite", "getc", "getchar", "gets", "perror",
    "printf", "putc", "putchar", "puts", "remove", "rename", "scanf", "syscall", "syslog", "tmpfile",
    "ungetc", "unlink", "vfprintf", "vprintf",
];

/// Those in which a thread sleeps with a mutex: it wakes first, and has the mutex again.
const SLEEPING: &[&str] = &["pthread_cond_clockwait", "pthread_cond_timedwait", "pthread_cond_wait"];

impl Normaliser<'_> {
    /// Whether threads are cancelled.
    pub fn cancels(&self) -> bool {
        self.facts.called_names.contains("pthread_cancel")
    }

    /// A thread that is cancelled ends before the call of a function, if that is a cancellation point.
    pub fn cancellation_before(&mut self, function: FunctionId, arguments: &[hir::ExprId]) {
        if !self.cancels() || self.entered().is_some() || self.hir.functions[function].body.is_some() {
            return;
        }
        let name = self.hir.functions[function].name.as_str();
        let looks = ALWAYS.contains(&name) || PERHAPS.contains(&name);
        if looks && arguments.iter().any(|&it| self.facts.has_effects(it)) {
            // They would have to come first.
            self.look_for_cancellation(&Variant::Beside.name("pthread_cancel"));
        } else if ALWAYS.contains(&name) {
            self.look_for_cancellation("pthread_testcancel");
        } else if PERHAPS.contains(&name) {
            self.look_for_cancellation(&Variant::Beside.name("pthread_testcancel"));
        }
    }

    /// The same after the call.
    pub fn cancellation_after(&mut self, function: FunctionId) {
        let declared = &self.hir.functions[function];
        let sleeps = declared.body.is_none() && SLEEPING.contains(&declared.name.as_str());
        if sleeps && self.cancels() && self.entered().is_none() {
            self.look_for_cancellation("pthread_testcancel");
        }
    }

    /// A thread was joined: its number may be that of another one.
    pub fn forget_cancelled(&mut self, handle: ExprId) {
        let model = self.hir.models.get(&Variant::Beside.name("pthread_join")).copied();
        if let Some(model) = model.filter(|_| self.cancels()) {
            self.call_with(model, vec![handle]);
        }
    }

    fn look_for_cancellation(&mut self, model: &str) {
        let Some(&model) = self.hir.models.get(model) else { return };
        // A thread that ends is not cancelled any more.
        let past = self.label();
        self.jump_if_ending(past);
        self.call_with(model, vec![]);
        self.place_label(past);
    }
}
