//! Lipton's reduction: brute force over the reference semantics says the same of the merged program and of
//! the original, every run of the merged one comes apart into one of the original, and what commutes is
//! merged.

use base::Budget;
use c::{Loc, Machine, Options, Program, Refusal, State, Step, ThreadEffect, Trace};
use ir::Lift;
use passes::movers::merge;
use std::collections::HashSet;

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\nextern _Bool __VERIFIER_nondet_bool(void);\n\
                    extern void __VERIFIER_assume(int);\nextern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
                    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c;\n\
                    static int x, y, z, a[2]; static pthread_mutex_t *p = &m;\n";
const MAIN: &str = "int main(void) { pthread_t t; while (__VERIFIER_nondet_bool()) pthread_create(&t, 0, w, 0); return 0; }\n";

fn read(text: &str) -> Program {
    let made = testing::programs::normalised("movers.c", text, &[]);
    made.unwrap_or_else(|| panic!("it is no C: {text}")).program
}

/// What brute force finds.
enum Found {
    /// In this many states with nobody inside an atomic section.
    Safe(usize),
    Unsafe(Box<Trace>),
    /// Too many states, or a step whose meaning is not known.
    Unknown,
}

fn brute(program: &Program, threads: u32, most: usize) -> Found {
    let machine = Machine::new(program, Options { threads: Some(threads), ..Options::default() });
    let mut nodes: Vec<(State, Option<(usize, Step)>)> = vec![(machine.start(), None)];
    let mut seen = HashSet::from([nodes[0].0.canonical(program)]);
    let (mut next, mut known) = (0, true);
    while next < nodes.len() {
        let state = nodes[next].0.clone();
        for step in machine.candidates(&state, &[0, 1]) {
            match machine.apply(&state, &step) {
                Ok(after) if seen.insert(after.canonical(program)) => nodes.push((after, Some((next, step)))),
                Ok(_) => {}
                Err(Refusal::Fails(_)) => {
                    let (mut steps, mut at) = (vec![step], next);
                    while let Some((before, step)) = nodes[at].1 {
                        steps.push(step);
                        at = before;
                    }
                    steps.reverse();
                    return Found::Unsafe(Box::new(machine.record(&steps).expect("these steps were taken")));
                }
                Err(Refusal::Unsupported(_)) => known = false,
                Err(_) => {}
            }
        }
        next += 1;
        if nodes.len() > most {
            return Found::Unknown;
        }
    }
    // Inside a section nobody else can step: such states are steps on the way.
    let apart = nodes.iter().filter(|(state, _)| !state.threads.values().any(|thread| thread.section));
    if known { Found::Safe(apart.count()) } else { Found::Unknown }
}

/// What comparing programs came to.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    merged: u32,
    safe: u32,
    failing: u32,
    states: usize,
    merged_states: usize,
}

fn compare(text: &str, threads: u32, most: usize, counts: &mut Counts) {
    let program = read(text);
    let Some(merged) = merge(&program, &Budget::unlimited()).expect("no limit") else { return };
    counts.merged += 1;
    match (brute(&program, threads, most), brute(&merged.program, threads, most)) {
        (Found::Unknown, _) | (_, Found::Unknown) => {}
        (Found::Safe(all), Found::Safe(fewer)) => {
            counts.safe += 1;
            counts.states += all;
            counts.merged_states += fewer;
        }
        (Found::Unsafe(_), Found::Unsafe(trace)) => {
            counts.failing += 1;
            let options = trace.options;
            let failure = trace.failure.kind.clone();
            let lifted = merged.trace(*trace).unwrap_or_else(|why| panic!("{why}\n{text}"));
            Machine::new(&program, options).replay(&lifted).expect("the trace was made by this machine");
            assert_eq!(lifted.failure.kind, failure, "{text}");
        }
        (Found::Safe(_), _) => panic!("only the merged program fails\n{text}"),
        (_, Found::Safe(_)) => panic!("the error is lost\n{text}"),
    }
}

#[test]
fn random_programs_about_locks() {
    let mut counts = Counts::default();
    for seed in 0..300 {
        compare(&testing::c::locking(seed), 3, 3_000, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.merged >= 250 && counts.safe >= 60 && counts.failing >= 40, "{counts:?}");
    assert!(counts.merged_states < counts.states, "{counts:?}");
}

#[test]
fn random_concurrent_programs() {
    let mut counts = Counts::default();
    for seed in 0..200 {
        compare(&testing::c::concurrent(seed), 2, 2_000, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.merged >= 30 && counts.safe >= 10 && counts.failing >= 10, "{counts:?}");
}

/// How many sections begin in a program.
fn begins(program: &Program) -> usize {
    let begins = |&loc: &Loc| program.effects(loc).threads == Some(ThreadEffect::SectionBegin);
    program.locations().ids().filter(begins).count()
}

/// How many sections a worker with this body gets, after brute force has compared the two programs.
fn sections(body: &str) -> usize {
    let text = format!("{HEAD}static void *w(void *arg) {{ int v = 0; {body} return arg; }}\n{MAIN}");
    let mut counts = Counts::default();
    compare(&text, 3, 40_000, &mut counts);
    let program = read(&text);
    let merged = merge(&program, &Budget::unlimited()).expect("no limit");
    merged.map_or(0, |merged| {
        assert_eq!(counts.safe + counts.failing, 1, "brute force decides it: {body}");
        begins(&merged.program) - begins(&program)
    })
}

const ADD: &str =
    "pthread_mutex_lock(&m); v = x; x = (v + 1) & 3; assert(x == ((v + 1) & 3)); pthread_mutex_unlock(&m);";

#[test]
fn a_critical_section_is_one_step() {
    assert_eq!(sections(ADD), 1);
    // One access to something else is the step that the others move around.
    let seen = "if (z > 2) y = 1;";
    assert_eq!(
        sections(&format!("pthread_mutex_lock(&m); x = 1; z = 1; x = 0; pthread_mutex_unlock(&m); {seen}")),
        1
    );
    // Two accesses to something else are two steps.
    assert_eq!(
        sections(&format!(
            "pthread_mutex_lock(&m); x = 1; z = 1; z = 2; x = 0; pthread_mutex_unlock(&m); {seen}"
        )),
        2
    );
    // One lock inside the other.
    assert_eq!(
        sections(
            "pthread_mutex_lock(&m); pthread_mutex_lock(&n); x = !x; assert(x <= 1); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);"
        ),
        1
    );
}

#[test]
fn what_others_see_ends_a_step() {
    // A second lock after the first was given back.
    assert_eq!(sections(&format!("{ADD} {ADD}")), 2);
    // Data that is touched without the lock elsewhere.
    let body =
        "pthread_mutex_lock(&m); x = 1; v = x; assert(v == 1); x = 0; pthread_mutex_unlock(&m); x = 2;";
    assert_eq!(sections(body), 2);
    // Who tries the lock sees that it is taken; data under it is protected all the same.
    let tried = "if (pthread_mutex_trylock(&m) == 0) pthread_mutex_unlock(&m); else assert(v <= 3);";
    assert_eq!(sections(&format!("{ADD} {tried}")), 1);
    // Waiting in the middle.
    let waits =
        "pthread_mutex_lock(&m); x = !x; pthread_cond_wait(&c, &m); v = x; x = v; pthread_mutex_unlock(&m);";
    assert_eq!(sections(waits), 2);
}

#[test]
fn a_step_that_may_wait_stays_on_its_own_after_the_one_that_others_see() {
    // The others must see z although this thread stops at the assumption.
    let text = format!(
        "{HEAD}static void *w(void *arg) {{ pthread_mutex_lock(&m); z = 1; __VERIFIER_assume(x == 5); x = 1; pthread_mutex_unlock(&m); return arg; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); assert(z == 0); return 0; }}\n"
    );
    let mut counts = Counts::default();
    compare(&text, 2, 5_000, &mut counts);
    assert_eq!((counts.merged, counts.failing), (1, 1), "{counts:?}");
}

#[test]
fn a_loop_is_not_merged() {
    // The others must see x although this thread never leaves its loop.
    let text = format!(
        "{HEAD}static void *w(void *arg) {{ pthread_mutex_lock(&m); x = 1; z = 1; for (;;) x = 1; return arg; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); assert(z == 0); return 0; }}\n"
    );
    let mut counts = Counts::default();
    compare(&text, 2, 5_000, &mut counts);
    assert_eq!((counts.merged, counts.failing), (1, 1), "{counts:?}");
}

#[test]
fn before_the_first_thread_everything_is_private() {
    // Written without the lock while nobody is there.
    let text = format!(
        "{HEAD}static void *w(void *arg) {{ int v; {ADD} return arg; }}\n\
         int main(void) {{ pthread_t t; x = 2; pthread_mutex_init(&m, 0); pthread_create(&t, 0, w, 0); pthread_create(&t, 0, w, 0); return 0; }}\n"
    );
    let program = read(&text);
    let merged = merge(&program, &Budget::unlimited()).expect("no limit").expect("the section of w");
    assert_eq!(begins(&merged.program), 1);
    let mut counts = Counts::default();
    compare(&text, 3, 20_000, &mut counts);
    assert_eq!(counts.safe, 1, "{counts:?}");
}
