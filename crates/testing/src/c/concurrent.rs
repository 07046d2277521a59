//! Random concurrent programs with few bits, to compare ways with each other and with brute force: shared
//! flags and numbers below 4, mutexes, read-write locks, semaphores, condition variables, atomics of three
//! families, sections, joins, threads that are created once, in a loop without bound or by other threads.

use super::text::Text;
use base::Random;

/// The concurrent program with this seed.
pub fn concurrent(seed: u64) -> String {
    let mut random = Random::new(seed);
    // Each construct is in or out for the whole program, so that small programs are not a little of
    // everything.
    let may = May {
        locks: random.percent(60),
        atomics: random.percent(50),
        sections: random.percent(40),
        assumes: random.percent(25),
        guard: random.percent(50),
        semaphores: random.percent(20),
        readers: random.percent(20),
        conditions: random.percent(20),
        children: random.percent(15),
        waiting: random.percent(40),
    };
    let workers = 1 + random.below(2);
    let mut maker = ConcurrentMaker {
        random,
        may,
        text: Text::default(),
        shared: vec![],
        locals: vec![],
        lock: None,
        startable: 0,
    };
    maker.prologue();
    for index in 0..workers {
        maker.worker(index);
    }
    maker.main(workers);
    maker.text.finish()
}

const PROLOGUE: &[&str] = &[
    "#include <assert.h>",
    "#include <pthread.h>",
    "#include <semaphore.h>",
    "#include <stdatomic.h>",
    "",
    "extern _Bool __VERIFIER_nondet_bool(void);",
    "extern void __VERIFIER_assume(int);",
    "extern void __VERIFIER_atomic_begin(void);",
    "extern void __VERIFIER_atomic_end(void);",
];

struct May {
    locks: bool,
    atomics: bool,
    sections: bool,
    assumes: bool,
    /// A flag that is raised and lowered in critical sections, with the assertion that nobody else has raised
    /// it.
    guard: bool,
    semaphores: bool,
    readers: bool,
    conditions: bool,
    /// The second thread is created by the first.
    children: bool,
    /// Threads wait where nobody can help them: inside sections, or for a lock that they hold themselves.
    /// Handles are detached.
    waiting: bool,
}

#[derive(Clone)]
struct SharedVariable {
    name: String,
    /// The bits that are used.
    mask: u32,
    atomic: bool,
}

struct ConcurrentMaker {
    random: Random,
    may: May,
    text: Text,
    shared: Vec<SharedVariable>,
    locals: Vec<SharedVariable>,
    /// The mutex that is held here: it is not taken twice.
    lock: Option<usize>,
    /// The workers that can be started here.
    startable: usize,
}

impl ConcurrentMaker {
    fn prologue(&mut self) {
        for line in PROLOGUE {
            self.text.line(line);
        }
        for index in 0..2 + self.random.below(2) {
            let atomic = self.may.atomics && self.random.percent(60);
            let mask = if self.random.percent(50) { 1 } else { 3 };
            let ty = match (atomic, mask) {
                (true, _) => "atomic_uchar",
                (false, 1) => "_Bool",
                _ => "unsigned char",
            };
            let name = format!("g{index}");
            self.text.line(format!("static {ty} {name};"));
            self.shared.push(SharedVariable { name, mask, atomic });
        }
        if self.may.guard {
            self.text.line("static _Bool busy;");
        }
        for index in 0..2 {
            self.text.line(format!("static pthread_mutex_t m{index} = PTHREAD_MUTEX_INITIALIZER;"));
        }
        if self.may.semaphores {
            self.text.line("static sem_t s;");
        }
        if self.may.readers {
            self.text.line("static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;");
        }
        if self.may.conditions {
            self.text.line("static pthread_cond_t c = PTHREAD_COND_INITIALIZER;");
        }
    }

    fn worker(&mut self, index: usize) {
        self.text.open(format!("static void *w{index}(void *arg) {{"));
        self.startable = index;
        self.begin_locals();
        for _ in 0..1 + self.random.below(4) {
            self.statement(2);
        }
        if self.may.children && index > 0 {
            self.text.line("pthread_t child;");
            self.text.line(format!("pthread_create(&child, 0, w{}, 0);", index - 1));
            if self.random.percent(50) {
                self.text.line("pthread_join(child, 0);");
            }
            self.statement(1);
        }
        self.text.line("return arg;");
        self.text.close("}");
    }

    fn begin_locals(&mut self) {
        self.locals.clear();
        self.text.line("unsigned char x = 0;");
        self.locals.push(SharedVariable { name: "x".into(), mask: 3, atomic: false });
        if self.random.percent(50) {
            self.text.line("_Bool b = __VERIFIER_nondet_bool();");
            self.locals.push(SharedVariable { name: "b".into(), mask: 1, atomic: false });
        }
    }

    fn main(&mut self, workers: usize) {
        self.text.open("int main(void) {");
        self.startable = workers;
        self.begin_locals();
        if self.may.semaphores {
            let first = self.random.below(3);
            self.text.line(format!("sem_init(&s, 0, {first});"));
        }
        let mut joined = vec![];
        for worker in 0..workers {
            if self.random.percent(40) {
                self.create_in_loop(worker);
                continue;
            }
            let handle = format!("t{worker}");
            self.text.line(format!("pthread_t {handle};"));
            self.text.line(format!("pthread_create(&{handle}, 0, w{worker}, 0);"));
            joined.push(handle);
            if self.random.percent(40) {
                self.statement(1);
            }
        }
        for _ in 0..self.random.below(3) {
            self.statement(2);
        }
        for handle in joined {
            if self.may.waiting && self.random.percent(25) {
                self.text.line(format!("pthread_detach({handle});"));
            }
            if self.random.percent(70) {
                self.text.line(format!("pthread_join({handle}, 0);"));
            }
        }
        self.assertion();
        self.text.line("return 0;");
        self.text.close("}");
    }

    fn create_in_loop(&mut self, worker: usize) {
        let bound = self.random.percent(30);
        let head = if bound { "for (int i = 0; i < 2; i++) {" } else { "while (__VERIFIER_nondet_bool()) {" };
        self.text.open(head);
        self.text.line("pthread_t t;");
        self.text.line(format!("pthread_create(&t, 0, w{worker}, 0);"));
        self.text.close("}");
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(14) {
            0..=2 => self.write_shared(),
            3 | 4 => self.write_local(),
            5 if self.may.atomics => self.atomic(),
            6 if depth > 0 => self.branch(depth - 1),
            7 if depth > 0 && self.may.readers && self.lock.is_none() => self.reader(depth - 1),
            8 if depth > 0 && self.may.semaphores => self.semaphore(depth - 1),
            7 | 8 if depth > 0 && self.may.locks && self.lock.is_none() => self.critical(depth - 1),
            9 if depth > 0 && self.may.sections => self.section(),
            10 if self.may.assumes => {
                let condition = self.condition();
                self.text.line(format!("__VERIFIER_assume({condition});"));
            }
            11 => self.assertion(),
            12 if self.may.guard => self.guarded(),
            13 if depth > 0 && self.lock.is_none() => self.repeat(depth - 1),
            _ => self.write_shared(),
        }
    }

    fn operand(&mut self) -> String {
        match self.random.below(4) {
            0 => self.random.below(4).to_string(),
            1 => self.random.pick(&self.locals).name.clone(),
            _ => self.random.pick(&self.shared).name.clone(),
        }
    }

    fn value(&mut self, mask: u32) -> String {
        if self.random.percent(35) {
            return self.random.below(mask as usize + 1).to_string();
        }
        let operator = *self.random.pick(&["+", "-", "^", "|", "&", "*"]);
        format!("({} {operator} {}) & {mask}", self.operand(), self.operand())
    }

    fn condition(&mut self) -> String {
        let operator = *self.random.pick(&["==", "!=", "<", "<=", ">"]);
        let first = format!("{} {operator} {}", self.random.pick(&self.shared).name.clone(), self.operand());
        match self.random.below(4) {
            0 => format!("{first} || {}", self.operand()),
            1 => format!("{first} && !{}", self.operand()),
            _ => first,
        }
    }

    fn write_shared(&mut self) {
        let variable = self.random.pick(&self.shared).clone();
        let value = self.value(variable.mask);
        self.text.line(format!("{} = {value};", variable.name));
    }

    fn write_local(&mut self) {
        let variable = self.random.pick(&self.locals).clone();
        let value = self.value(variable.mask);
        self.text.line(format!("{} = {value};", variable.name));
    }

    /// One atomic operation whose result goes to `x`. Sums are left out: they would leave the few bits.
    fn atomic(&mut self) {
        let variable = self.random.pick(&self.shared).clone();
        let (name, mask) = (variable.name, variable.mask);
        let (old, new) = (self.random.below(mask as usize + 1), self.random.below(mask as usize + 1));
        let line = match (variable.atomic, mask, self.random.below(4)) {
            (true, _, 0) => format!("x = atomic_exchange(&{name}, {new});"),
            (true, _, 1) => format!("x = atomic_fetch_xor(&{name}, {new});"),
            (true, _, kind) => {
                let strength = if kind == 2 { "strong" } else { "weak" };
                self.text.line(format!("x = {old};"));
                format!("if (atomic_compare_exchange_{strength}(&{name}, &x, {new})) x = {old};")
            }
            // Fetch-and-op is not for `_Bool`.
            (false, 1, 0 | 1) => format!("x = __atomic_exchange_n(&{name}, {new}, __ATOMIC_SEQ_CST);"),
            (false, 1, _) => format!("x = __atomic_load_n(&{name}, __ATOMIC_SEQ_CST);"),
            (false, _, 0) => format!("x = __sync_fetch_and_or(&{name}, {new});"),
            (false, _, 1) => format!("x = __sync_val_compare_and_swap(&{name}, {old}, {new});"),
            (false, _, 2) => format!("x = __sync_bool_compare_and_swap(&{name}, {old}, {new});"),
            (false, _, _) => format!("x = __atomic_fetch_and(&{name}, {new}, __ATOMIC_SEQ_CST);"),
        };
        self.text.line(line);
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        self.text.open(format!("if ({condition}) {{"));
        self.statement(depth);
        if self.random.percent(40) {
            self.text.reopen("} else {");
            self.statement(depth);
        }
        self.text.close("}");
    }

    /// A loop that may go on for ever: the states stay few.
    fn repeat(&mut self, depth: usize) {
        let condition = self.condition();
        self.text.open(format!("while ({condition}) {{"));
        self.statement(depth);
        self.text.close("}");
    }

    fn critical(&mut self, depth: usize) {
        let mutex = usize::from(self.random.percent(20));
        let tried = self.random.percent(20);
        self.lock = Some(mutex);
        if tried {
            self.text.open(format!("if (pthread_mutex_trylock(&m{mutex}) == 0) {{"));
        } else {
            self.text.line(format!("pthread_mutex_lock(&m{mutex});"));
        }
        if self.may.conditions && self.random.percent(40) {
            let condition = self.condition();
            let word = if self.random.percent(70) { "while" } else { "if" };
            self.text.line(format!("{word} ({condition}) pthread_cond_wait(&c, &m{mutex});"));
        }
        for _ in 0..1 + self.random.below(2) {
            self.statement(depth);
        }
        if self.may.conditions && self.random.percent(40) {
            let word = if self.random.percent(50) { "signal" } else { "broadcast" };
            self.text.line(format!("pthread_cond_{word}(&c);"));
        }
        if self.may.guard && self.random.percent(50) {
            self.guarded();
        }
        self.text.line(format!("pthread_mutex_unlock(&m{mutex});"));
        if tried {
            self.text.close("}");
        }
        self.lock = None;
    }

    fn reader(&mut self, depth: usize) {
        let word = if self.random.percent(50) { "rdlock" } else { "wrlock" };
        self.text.line(format!("pthread_rwlock_{word}(&l);"));
        self.statement(depth);
        if self.may.waiting && self.random.percent(40) {
            let word = *self.random.pick(&["rdlock", "wrlock", "tryrdlock", "trywrlock"]);
            self.text.open(format!("if (pthread_rwlock_{word}(&l) == 0) {{"));
            self.write_shared();
            self.text.line("pthread_rwlock_unlock(&l);");
            self.text.close("}");
        }
        if self.may.guard && word == "wrlock" {
            self.guarded();
        }
        self.text.line("pthread_rwlock_unlock(&l);");
    }

    fn semaphore(&mut self, depth: usize) {
        self.text.line("sem_wait(&s);");
        self.statement(depth);
        if self.random.percent(80) {
            self.text.line("sem_post(&s);");
        }
    }

    fn section(&mut self) {
        self.text.line("__VERIFIER_atomic_begin();");
        for _ in 0..1 + self.random.below(3) {
            match self.random.below(100) {
                0..15 => self.assertion(),
                15..45 if self.may.waiting => self.wait_inside(),
                _ => self.write_shared(),
            }
        }
        self.text.line("__VERIFIER_atomic_end();");
    }

    /// Something that may wait inside a section: for ever, since nobody else steps.
    fn wait_inside(&mut self) {
        match self.random.below(5) {
            0 | 1 if self.startable > 0 => {
                let worker = self.random.below(self.startable);
                self.text.open("{");
                self.text.line("pthread_t inner;");
                self.text.line(format!("pthread_create(&inner, 0, w{worker}, 0);"));
                if self.random.percent(60) {
                    self.text.line("pthread_join(inner, 0);");
                }
                self.text.close("}");
            }
            2 if self.may.semaphores => self.text.line("sem_wait(&s);"),
            3 if self.lock.is_none() => {
                self.text.line("pthread_mutex_lock(&m1);");
                if self.may.conditions {
                    self.text.line("pthread_cond_wait(&c, &m1);");
                }
                self.write_shared();
                self.text.line("pthread_mutex_unlock(&m1);");
            }
            _ => {
                let condition = self.condition();
                self.text.line(format!("__VERIFIER_assume({condition});"));
            }
        }
    }

    fn guarded(&mut self) {
        // Mostly under the lock, so that both verdicts are common.
        if self.may.locks && self.lock.is_none() && self.random.percent(80) {
            return self.write_local();
        }
        self.text.line("assert(!busy);");
        self.text.line("busy = 1;");
        self.write_shared();
        self.text.line("busy = 0;");
    }

    fn assertion(&mut self) {
        let variable = self.random.pick(&self.shared).clone();
        let line = match self.random.below(10) {
            // Always true: the bits that are not used stay 0. Were most assertions false, no proof would be
            // compared.
            0..=4 => format!("assert({} <= {});", variable.name, variable.mask),
            5 | 6 => {
                format!("assert({} != {});", variable.name, self.random.below(variable.mask as usize + 2))
            }
            _ => format!("assert({} || {});", self.condition(), self.condition()),
        };
        self.text.line(line);
    }
}
