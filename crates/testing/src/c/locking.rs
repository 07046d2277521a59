//! Random programs about locks, for what merges critical sections: mutexes taken in branches and given back
//! elsewhere, tried, taken one inside the other, named, in arrays and by pointer; condition variables; data
//! that is touched with and without its lock; assertions inside and outside; sections; joins.

use super::text::Text;
use base::Random;

/// The program about locks with this seed.
pub fn locking(seed: u64) -> String {
    let mut random = Random::new(seed);
    let careless = random.percent(35);
    let rare = random.percent(50);
    let mut maker = LockingMaker { random, text: Text::default(), careless, rare, depth: 2 };
    maker.prologue();
    let workers = 1 + maker.random.below(2);
    for index in 0..workers {
        maker.worker(index);
    }
    maker.main(workers);
    maker.text.finish()
}

struct LockingMaker {
    random: Random,
    text: Text,
    /// Whether data is also touched without its lock.
    careless: bool,
    /// Whether there are other things than plain locking.
    rare: bool,
    depth: usize,
}

/// The mutexes, as expressions; the last is one of the others, by pointer.
const MUTEXES: [&str; 4] = ["&m0", "&m1", "&row[1]", "p"];

impl LockingMaker {
    fn prologue(&mut self) {
        for line in [
            "#include <assert.h>",
            "#include <pthread.h>",
            "extern _Bool __VERIFIER_nondet_bool(void);",
            "extern void __VERIFIER_assume(int);",
            "extern void __VERIFIER_atomic_begin(void);",
            "extern void __VERIFIER_atomic_end(void);",
            "static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;",
            "static pthread_mutex_t row[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };",
            "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;",
            "static unsigned char a, b, d[2], free_;",
        ] {
            self.text.line(line);
        }
        let target = *self.random.pick(&["&m0", "&row[1]"]);
        self.text.line(format!("static pthread_mutex_t *p = {target};"));
    }

    fn worker(&mut self, index: usize) {
        self.text.open(format!("static void *w{index}(void *arg) {{"));
        self.text.line("unsigned char x = 0;");
        for _ in 0..1 + self.random.below(2) {
            self.block();
        }
        self.text.line("return arg;");
        self.text.close("}");
    }

    fn main(&mut self, workers: usize) {
        self.text.open("int main(void) {");
        self.text.line("unsigned char x = 0;");
        if self.random.percent(30) {
            // Nobody is there yet.
            self.text.line("a = 1; x = a; a = x & 1;");
            self.text.line("pthread_mutex_init(&m0, 0);");
        }
        for worker in 0..workers {
            self.text.line(format!("pthread_t t{worker};"));
            self.text.line(format!("pthread_create(&t{worker}, 0, w{worker}, 0);"));
        }
        if workers == 1 {
            self.block();
        }
        let joins = self.random.percent(40);
        for worker in (0..workers).filter(|_| joins) {
            self.text.line(format!("pthread_join(t{worker}, 0);"));
        }
        if joins && self.random.percent(40) {
            self.text.line("pthread_mutex_destroy(&m1);");
        }
        self.assertion();
        self.text.line("return 0;");
        self.text.close("}");
    }

    /// Something with a lock, mostly.
    fn block(&mut self) {
        if self.careless && self.random.percent(30) {
            return self.access();
        }
        let mutex = self.mutex();
        match self.random.below(if self.rare { 10 } else { 4 }) {
            0..=3 => self.critical(mutex),
            4 => self.branches(mutex),
            5 => {
                self.text.open(format!("if (pthread_mutex_trylock({mutex}) == 0) {{"));
                self.body();
                self.text.line(format!("pthread_mutex_unlock({mutex});"));
                self.text.close("}");
            }
            6 => {
                self.text.line(format!("pthread_mutex_lock({mutex});"));
                self.text.line(format!("if (a == 0) pthread_cond_wait(&c, {mutex});"));
                self.body();
                self.text.line("pthread_cond_signal(&c);");
                self.text.line(format!("pthread_mutex_unlock({mutex});"));
            }
            7 => {
                self.text.line("__VERIFIER_atomic_begin();");
                self.body();
                self.text.line("__VERIFIER_atomic_end();");
            }
            8 => {
                // Given back twice, or never.
                self.text.line(format!("pthread_mutex_lock({mutex});"));
                self.body();
                self.text.line(format!("if (b) pthread_mutex_unlock({mutex});"));
                self.text.line(format!("if (x) pthread_mutex_unlock({mutex});"));
            }
            _ => {
                self.text.open("for (int i = 0; i < 2; i++) {");
                self.critical(mutex);
                self.text.close("}");
            }
        }
    }

    fn mutex(&mut self) -> &'static str {
        if self.random.percent(60) { MUTEXES[0] } else { MUTEXES[self.random.below(MUTEXES.len())] }
    }

    fn critical(&mut self, mutex: &str) {
        self.text.line(format!("pthread_mutex_lock({mutex});"));
        self.body();
        if self.depth > 0 && self.random.percent(20) {
            self.depth -= 1;
            self.critical("&m1");
            self.depth += 1;
            self.access();
        }
        self.text.line(format!("pthread_mutex_unlock({mutex});"));
    }

    /// Taken in one branch or in both, given back in others.
    fn branches(&mut self, mutex: &str) {
        self.text.open("if (__VERIFIER_nondet_bool()) {");
        self.text.line(format!("pthread_mutex_lock({mutex});"));
        self.access();
        self.text.line("x = 1;");
        self.text.reopen("} else {");
        if self.random.percent(50) {
            self.text.line(format!("pthread_mutex_lock({mutex});"));
            self.text.line("x = 1;");
        } else {
            self.text.line("x = 0;");
        }
        self.text.close("}");
        self.text.line("free_ = 1;");
        self.text.line(format!("if (x) pthread_mutex_unlock({mutex});"));
    }

    fn body(&mut self) {
        for _ in 0..1 + self.random.below(2) {
            match self.random.below(8) {
                0 => self.assertion(),
                1 if self.rare => self.text.line("free_ = 1;"),
                2 if self.rare => self.text.line("__VERIFIER_assume(x <= 1);"),
                3 if self.rare => self.text.line("x = d[x & 3];"),
                _ => self.access(),
            }
        }
    }

    fn access(&mut self) {
        let line = *self.random.pick(&[
            "a = (a + 1) & 3;",
            "x = a & 1;",
            "b = a & 1;",
            "d[1] = x & 1;",
            "d[x & 1] = 1;",
            "a = b;",
            "x = free_;",
            "b = !b;",
            "b = 1; assert(b == 1); b = 0;",
        ]);
        self.text.line(line);
    }

    fn assertion(&mut self) {
        let line = *self.random.pick(&[
            "assert(a <= 3);",
            "assert(b <= 1);",
            "assert(a != 3);",
            "assert(a == b || a != 1);",
            "assert(x <= 1);",
            "assert(!(free_ && a == 2));",
        ]);
        self.text.line(line);
    }
}
