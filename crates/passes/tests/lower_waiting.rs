//! The exact way on programs whose threads wait for each other: barriers, read-write locks, and condition
//! variables whose sleepers wake by signals alone. Brute force over the Boolean program and over the C
//! machine agree.

#[path = "lower_search/mod.rs"]
mod lower_search;
#[path = "lower_search/machine.rs"]
mod machine;

use base::Budget;
use c::{Options as Rules, Program};
use lower_search::{Answer, answer};
use machine::{MOST, fails};
use passes::lower::{Lowered, Options, lower};

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n\
                    static pthread_barrier_t b; static pthread_rwlock_t l; static pthread_mutex_t m; static pthread_cond_t c;\n\
                    static int x, y, z; static pthread_t t, u;\n";

/// What is expected of a program.
struct Case<'a> {
    text: &'a str,
    threads: u32,
    spurious: bool,
    fails: bool,
}

fn rules(case: &Case<'_>) -> Rules {
    Rules { spurious_wakeups: case.spurious, threads: Some(case.threads), ..Rules::default() }
}

fn program(case: &Case<'_>) -> Program {
    let text = format!("{HEAD}{}", case.text);
    let made = testing::programs::normalised("waiting.c", &text, &[]);
    made.unwrap_or_else(|| panic!("it is no C: {text}")).program
}

fn lowered(case: &Case<'_>, program: &Program) -> Lowered {
    let machine = Rules { threads: None, ..rules(case) };
    let options = Options { machine, ..Options::default() };
    lower(program, &options, &Budget::unlimited()).unwrap_or_else(|why| panic!("{why:?}\n{}", case.text))
}

/// Both ways agree, and nothing is lost.
fn agree(case: &Case<'_>) {
    let program = program(case);
    let lowered = lowered(case, &program);
    assert_eq!(lowered.losses, Vec::<String>::new(), "{}", case.text);
    assert_eq!(fails(&program, rules(case), &[]), case.fails, "the machine\n{}", case.text);
    match answer(&lowered, &program, case.threads, MOST) {
        Answer::Safe if !case.fails => {}
        Answer::Unsafe if case.fails => {}
        other => panic!("{other:?}\n{}", case.text),
    }
}

/// The Boolean program has more runs: where the machine fails it does, though perhaps in another run.
fn covers(case: &Case<'_>) {
    let program = program(case);
    let lowered = lowered(case, &program);
    assert!(!lowered.losses.is_empty(), "{}", case.text);
    assert_eq!(fails(&program, rules(case), &[]), case.fails, "the machine\n{}", case.text);
    match answer(&lowered, &program, case.threads, MOST) {
        Answer::Unsafe if case.fails => {}
        Answer::Spurious(why) => assert!(!why.is_empty()),
        Answer::Safe if !case.fails => {}
        other => panic!("{other:?}\n{}", case.text),
    }
}

#[test]
fn nobody_passes_a_barrier_before_all_have_come() {
    let text = "static void *f(void *p) { x = 1; pthread_barrier_wait(&b); assert(y == 1); return p; }\n\
                int main(void) { pthread_barrier_init(&b, 0, COUNT); pthread_create(&t, 0, f, 0); y = 1; pthread_barrier_wait(&b); assert(x == 1); pthread_exit(0); }\n";
    agree(&Case { text: &text.replace("COUNT", "2"), threads: 2, spurious: true, fails: false });
    agree(&Case { text: &text.replace("COUNT", "1"), threads: 2, spurious: true, fails: true });
    agree(&Case { text: &text.replace("COUNT", "3"), threads: 2, spurious: true, fails: false });
}

#[test]
fn one_at_a_barrier_is_told_that_it_is_the_one() {
    let text = "static void *f(void *p) { if (pthread_barrier_wait(&b)) __sync_fetch_and_add(&x, 1); return p; }\n\
                int main(void) { pthread_barrier_init(&b, 0, 3); pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);\n\
                if (pthread_barrier_wait(&b)) __sync_fetch_and_add(&x, 1);\n\
                pthread_join(t, 0); pthread_join(u, 0); assert(CHECK); return 0; }\n";
    agree(&Case { text: &text.replace("CHECK", "x == 1"), threads: 3, spurious: true, fails: false });
    agree(&Case { text: &text.replace("CHECK", "x == 0"), threads: 3, spurious: true, fails: true });
}

#[test]
fn a_barrier_serves_again() {
    let text = "static void *f(void *p) { x = 1; pthread_barrier_wait(&b); pthread_barrier_wait(&b); assert(y == 2); return p; }\n\
                int main(void) { pthread_barrier_init(&b, 0, 2); pthread_create(&t, 0, f, 0); pthread_barrier_wait(&b); FIRST y = 2; SECOND pthread_barrier_wait(&b); pthread_exit(0); }\n";
    let good = text.replace("FIRST", "assert(x == 1);").replace("SECOND", "");
    agree(&Case { text: &good, threads: 2, spurious: true, fails: false });
    let bad = text.replace("FIRST", "").replace("SECOND", "y = 3;");
    agree(&Case { text: &bad, threads: 2, spurious: true, fails: true });
}

#[test]
fn a_writer_waits_for_readers() {
    let text = "static void *f(void *p) { LOCK int v = x; assert(v == x); pthread_rwlock_unlock(&l); return p; }\n\
                int main(void) { pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); WRITE x = 1; pthread_exit(0); }\n";
    let good =
        text.replace("LOCK", "pthread_rwlock_rdlock(&l);").replace("WRITE", "pthread_rwlock_wrlock(&l);");
    agree(&Case { text: &good, threads: 3, spurious: true, fails: false });
    let bad =
        text.replace("LOCK", "pthread_rwlock_rdlock(&l);").replace("WRITE", "pthread_rwlock_rdlock(&l);");
    agree(&Case { text: &bad, threads: 3, spurious: true, fails: true });
}

#[test]
fn who_ends_as_a_reader_stays_one() {
    let text = "static void *f(void *p) { pthread_rwlock_rdlock(&l); LEAVE return p; }\n\
                int main(void) { pthread_create(&t, 0, f, 0); pthread_join(t, 0); pthread_rwlock_wrlock(&l); assert(0); }\n";
    agree(&Case { text: &text.replace("LEAVE", ""), threads: 2, spurious: true, fails: false });
    let leaves = text.replace("LEAVE", "pthread_rwlock_unlock(&l);");
    agree(&Case { text: &leaves, threads: 2, spurious: true, fails: true });
}

#[test]
fn the_same_thread_may_read_twice_and_then_write() {
    let text = "int main(void) { pthread_rwlock_rdlock(&l); pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l);\n\
                x = pthread_rwlock_wrlock(&l); assert(x == 0); x = pthread_rwlock_rdlock(&l); assert(x == CODE); pthread_rwlock_unlock(&l);\n\
                x = pthread_rwlock_wrlock(&l); assert(x == 0); return 0; }\n";
    agree(&Case { text: &text.replace("CODE", "35"), threads: 1, spurious: true, fails: false });
    agree(&Case { text: &text.replace("CODE", "0"), threads: 1, spurious: true, fails: true });
}

#[test]
fn trying_to_write_may_fail() {
    let text = "static void *f(void *p) { pthread_rwlock_rdlock(&l); x = 1; return p; }\n\
                int main(void) { pthread_create(&t, 0, f, 0); if (pthread_rwlock_trywrlock(&l) == CODE) assert(x == 0); pthread_exit(0); }\n";
    covers(&Case { text: &text.replace("CODE", "0"), threads: 2, spurious: true, fails: false });
    covers(&Case { text: &text.replace("CODE", "16"), threads: 2, spurious: true, fails: true });
}

#[test]
fn without_spurious_wakeups_only_signals_wake() {
    let text = "static void *f(void *p) { pthread_mutex_lock(&m); y = 1; pthread_cond_wait(&c, &m); assert(x == 1); pthread_mutex_unlock(&m); return p; }\n\
                int main(void) { pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); EARLY x = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m); pthread_exit(0); }\n";
    let good = text.replace("EARLY", "");
    agree(&Case { text: &good, threads: 2, spurious: false, fails: false });
    agree(&Case { text: &good, threads: 2, spurious: true, fails: true });
    let bad = text
        .replace("EARLY", "pthread_cond_broadcast(&c); pthread_mutex_unlock(&m); pthread_mutex_lock(&m);");
    agree(&Case { text: &bad, threads: 2, spurious: false, fails: true });
    let signal = good.replace("broadcast", "signal");
    covers(&Case { text: &signal, threads: 2, spurious: false, fails: false });
    covers(&Case { text: &bad.replace("broadcast", "signal"), threads: 2, spurious: false, fails: true });
}

#[test]
fn a_signal_that_nobody_waits_for_is_lost() {
    let text = "static void *f(void *p) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); x = 1; pthread_mutex_unlock(&m); return p; }\n\
                int main(void) { FIRST pthread_create(&t, 0, f, 0); SECOND pthread_join(t, 0); assert(0); }\n";
    let lost = text.replace("FIRST", "pthread_cond_broadcast(&c);").replace("SECOND", "");
    agree(&Case { text: &lost, threads: 2, spurious: false, fails: false });
    let seen = text.replace("FIRST", "").replace("SECOND", "pthread_cond_broadcast(&c);");
    agree(&Case { text: &seen, threads: 2, spurious: false, fails: true });
}

const STATEMENTS: [&str; 16] = [
    "pthread_rwlock_rdlock(&l);",
    "pthread_rwlock_rdlock(&l);",
    "pthread_rwlock_wrlock(&l);",
    "pthread_rwlock_unlock(&l);",
    "pthread_rwlock_unlock(&l);",
    "y = pthread_rwlock_trywrlock(&l);",
    "y = pthread_rwlock_tryrdlock(&l);",
    "if (pthread_barrier_wait(&b)) z = 1;",
    "pthread_mutex_lock(&m);",
    "pthread_mutex_unlock(&m);",
    "pthread_cond_wait(&c, &m);",
    "pthread_cond_broadcast(&c);",
    "pthread_cond_signal(&c);",
    "x = 1;",
    "assert(x == 0);",
    "assert(y == 0 && z == 0);",
];

/// A few statements, the same for the same seed.
fn statements(random: &mut base::Random, count: usize) -> String {
    (0..count).map(|_| *random.pick(&STATEMENTS)).collect()
}

#[test]
fn random_programs_agree_with_the_machine() {
    let (mut exact, mut wrong) = (0, 0);
    for seed in 0..80 {
        let mut random = base::Random::new(seed);
        let bodies = [5, 5, 3].map(|count| statements(&mut random, count));
        let [first, second, main] = bodies;
        let text = format!(
            "static void *f(void *p) {{ {first} return p; }}\nstatic void *g(void *p) {{ {second} return p; }}\n\
             int main(void) {{ pthread_barrier_init(&b, 0, 2); pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); {main} pthread_exit(0); }}\n"
        );
        let case = Case { text: &text, threads: 3, spurious: seed % 3 == 0, fails: false };
        let program = program(&case);
        let lowered = lowered(&case, &program);
        let fails = fails(&program, rules(&case), &[]);
        match answer(&lowered, &program, case.threads, MOST) {
            Answer::Safe => assert!(!fails, "seed {seed}\n{text}"),
            Answer::Unsafe => assert!(fails, "seed {seed}\n{text}"),
            Answer::Spurious(why) => assert!(!lowered.exact, "seed {seed}: {why}\n{text}"),
            other => panic!("seed {seed}: {other:?}\n{text}"),
        }
        exact += usize::from(lowered.exact);
        wrong += usize::from(fails);
    }
    assert!(exact > 20 && wrong > 20, "{exact} exact, {wrong} fail");
}
