//! The prover on small C programs whose proofs need locks, mixed predicates or relations between threads.
//! Every proof is given to the checker, which shares no code with the prover.

mod locked;

use base::events::NoEvents;
use base::{Budget, Stop};
use c::Program;
use predicates::{Options, Outcome, prove};

fn program(name: &str, text: &str, args: &[String]) -> Option<Program> {
    testing::programs::normalised(name, text, args).map(|it| it.program)
}

/// Whether the program is proved; the checker must agree.
fn proved(name: &str, program: &Program, ticks: u64) -> bool {
    let budget = Budget::with_ticks(ticks);
    match prove(program, &Options::default(), &budget, &mut NoEvents) {
        Ok(Outcome::Proved { proof, relation, .. }) => {
            let checked = check_formulas::c::proof(&relation, &proof, &Budget::unlimited());
            assert!(checked.is_ok(), "{name}: the checker refuses the proof: {checked:?}");
            true
        }
        Ok(_) | Err(Stop::Ticks) => false,
        Err(stop) => panic!("{name}: nothing else stops it, but {stop}"),
    }
}

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stddef.h>\n";
const MAIN: &str = "int main(void) { pthread_t id; for (;;) pthread_create(&id, NULL, worker, NULL); }\n";

fn check(body: &str, expected: bool) {
    let text = format!("{HEAD}{body}{MAIN}");
    let program = program("test.c", &text, &[]).expect("the program is C");
    // What is unsafe is not proved however long it takes.
    let ticks = if expected { 20_000_000 } else { 300_000 };
    assert_eq!(proved("test.c", &program, ticks), expected, "{body}");
}

#[test]
fn a_lock_needs_two_threads_together() {
    check(&locked::worker(""), true);
    check(&locked::worker(locked::GAP), false);
}

#[test]
fn a_maximum_needs_a_mixed_predicate() {
    let body = |retry: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void); int best;
            void *worker(void *arg) {{
                int mine = __VERIFIER_nondet_int(), old;
                do old = __atomic_load_n(&best, 5); while (old < mine && {retry});
                assert(__atomic_load_n(&best, 5) >= mine); return NULL; }}\n"
        )
    };
    check(&body("!__sync_bool_compare_and_swap(&best, old, mine)"), true);
    check(&body("(best = mine, 0)"), false);
}

#[test]
fn a_ticket_lock_needs_a_relation_between_threads() {
    let body = |wait: &str| {
        format!(
            "unsigned next, now; int inside;
            void *worker(void *arg) {{
                unsigned my;
                do {{ my = __atomic_load_n(&next, 5); if (my == ~0u) return NULL; }}
                while (!__sync_bool_compare_and_swap(&next, my, my + 1u));
                while ({wait}) ;
                inside = 1; assert(inside == 1); inside = 0;
                __atomic_store_n(&now, my + 1u, 5); return NULL; }}\n"
        )
    };
    check(&body("__atomic_load_n(&now, 5) < my"), true);
    check(&body("__atomic_load_n(&now, 5) + 1u < my"), false);
}

#[test]
fn what_is_moved_together_does_not_overflow() {
    let body = |first: u32| {
        format!(
            "extern int __VERIFIER_nondet_int(void); int stock; pthread_mutex_t lock;
            void *worker(void *arg) {{
                int batch = __VERIFIER_nondet_int();
                pthread_mutex_lock(&lock); stock = {first};
                while (batch > 0) {{ stock++; batch--; }}
                assert(stock >= 0); pthread_mutex_unlock(&lock); return NULL; }}\n"
        )
    };
    check(&body(0), true);
    check(&body(1), false);
}

#[test]
fn what_is_added_up_is_at_most_what_is_counted() {
    // Its unsafe sibling is `tests/c/sum_counts_unsafe.c`.
    let text = format!(
        "{HEAD}int taken[4], next;
        void *worker(void *arg) {{ int seat = next; taken[seat & 3] = 1; next = seat + 1; return NULL; }}
        int main(void) {{
            pthread_t id;
            while (next < 3) pthread_create(&id, NULL, worker, NULL);
            int all = 0;
            for (int i = 0; i < 4; i++) all += taken[i];
            assert(all <= 4); }}\n"
    );
    let program = program("test.c", &text, &[]).expect("the program is C");
    assert!(proved("test.c", &program, 20_000_000));
}

#[test]
fn a_packed_stack_needs_all_thresholds_at_once() {
    let body = |limit: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void); unsigned word = 1;
            void *worker(void *arg) {{
                unsigned w;
                if (__VERIFIER_nondet_int()) {{
                    do {{ w = __atomic_load_n(&word, 5); if (w >= {limit}) return NULL; }}
                    while (!__sync_bool_compare_and_swap(&word, w, w * 256u));
                }} else {{
                    do {{ w = __atomic_load_n(&word, 5); if (w == 1) return NULL; }}
                    while (!__sync_bool_compare_and_swap(&word, w, w / 256u));
                }}
                assert(__atomic_load_n(&word, 5) >= 1); return NULL; }}\n"
        )
    };
    check(&body("(1u << 24)"), true);
    check(&body("(1u << 25)"), false);
}
