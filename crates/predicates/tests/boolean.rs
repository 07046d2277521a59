//! C programs through their Boolean programs: those of `tests/c`, where no unsafe one may be safe, and small
//! ones that are proved for any number of threads. The unsound treatments of mixed predicates miss errors
//! that the sound one does not.

mod counting;
mod locked;
mod written;

use base::events::NoEvents;
use base::{Budget, Stop};
use counting::RAISE;
use ir::{Model, Scope, Task};
use predicates::boolean::{Abstraction, Limits, Request, Treatment, abstraction, of_templates};
use relation::{NoRelation, Relation};
use std::sync::Arc;
use std::time::Duration;
use testing::programs::{Expectation, normalised};
use verify::{Outcome, Plan};

/// The Boolean program of a C program over its own comparisons; `None` if there is none within the ticks.
fn abstracted(
    name: &str,
    text: &str,
    args: &[String],
    layer: usize,
    treatment: Treatment,
    ticks: u64,
) -> Option<Abstraction> {
    let program = normalised(name, text, args)?.program;
    let budget = Budget::with_ticks(ticks);
    let relation = match Relation::of(&program, &c::Options::default(), &budget) {
        Ok(relation) => relation,
        Err(NoRelation::Unsupported(_) | NoRelation::Stopped(Stop::Ticks)) => return None,
        Err(other) => panic!("{name}: {other}"),
    };
    let predicates = of_templates(&relation, layer, &budget).ok()?;
    let request = Request {
        relation: &relation,
        exprs: &predicates.exprs,
        conditions: &predicates.conditions,
        starts: &[],
        limits: Limits::default(),
        treatment,
    };
    abstraction(&request, &budget).ok()
}

fn outcome(made: Abstraction, scope: Scope, engine: &str, time: Duration) -> Outcome {
    let task = Task::new(Model::Program(Arc::new(made.program)), scope);
    let plan = Plan::named(&[engine.into()]).expect("there is such an engine");
    let limits = verify::Limits { time: Some(time), ..verify::Limits::default() };
    verify::answer(&task, &plan, &limits, &mut NoEvents).outcome
}

fn is_safe(made: Abstraction, time: Duration) -> bool {
    matches!(outcome(made, Scope::ANY, "modular", time), Outcome::Safe { .. })
}

#[test]
fn no_unsafe_program_of_the_house_is_safe() {
    let (mut checked, mut abstract_programs) = (0, 0);
    for (path, text) in testing::programs::all().expect("the test programs are there") {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let expected = Expectation::read(&text).expect("the first lines say what is expected");
        if expected.threads.is_none() {
            continue;
        }
        checked += 1;
        if let Some(made) = abstracted(&name, &text, &expected.args, 1, Treatment::Sound, 30_000) {
            abstract_programs += 1;
            assert!(
                !is_safe(made, Duration::from_millis(100)),
                "{name} is unsafe, but its Boolean program is safe"
            );
        }
    }
    println!("{abstract_programs} of {checked} unsafe programs have Boolean programs");
    assert!(abstract_programs > 40, "{abstract_programs} of {checked}");
}

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stddef.h>\nextern int __VERIFIER_nondet_int(void);\n";
const MAIN: &str = "int main(void) { pthread_t id; for (;;) pthread_create(&id, NULL, worker, NULL); }\n";

fn made(body: &str, layer: usize, treatment: Treatment) -> Abstraction {
    let text = format!("{HEAD}{body}{MAIN}");
    abstracted("test.c", &text, &[], layer, treatment, 20_000_000).expect("there is a Boolean program")
}

fn check(body: &str, layer: usize, expected: bool) {
    let time = Duration::from_secs(if expected { 60 } else { 1 });
    assert_eq!(is_safe(made(body, layer, Treatment::Sound), time), expected, "{body}");
}

#[test]
fn a_counter_under_a_lock() {
    check(&locked::worker(""), 3, true);
    check(&locked::worker(locked::GAP), 3, false);
}

#[test]
fn a_counter_by_compare_and_swap() {
    check(RAISE, 1, true);
    check(&RAISE.replace("> before", "> before + 1u"), 1, false);
}

#[test]
fn a_maximum() {
    let body = |retry: &str| {
        format!(
            "int best;
            void *worker(void *arg) {{
                int mine = __VERIFIER_nondet_int(), old;
                do old = __atomic_load_n(&best, 5); while (old < mine && {retry});
                assert(__atomic_load_n(&best, 5) >= mine); return NULL; }}\n"
        )
    };
    check(&body("!__sync_bool_compare_and_swap(&best, old, mine)"), 1, true);
    check(&body("(best = mine, 0)"), 1, false);
}

/// The predicate `s == l` of a thread is changed by others, at a place where their own `l` is dead.
const DISTURBED: &str = "int s;
    void *worker(void *arg) {
        int l = __atomic_load_n(&s, 5) + 1;
        assert(__atomic_load_n(&s, 5) != l);
        __sync_fetch_and_add(&s, 1); return NULL; }\n";

/// Every thread has its own value of `s == l`, and each only ever makes its own true.
const OWN: &str = "int s;
    void *worker(void *arg) {
        int l = __atomic_load_n(&s, 5);
        if (__VERIFIER_nondet_int()) l = __sync_add_and_fetch(&s, 1);
        assert(__atomic_load_n(&s, 5) == l); return NULL; }\n";

/// Fails with this many workers, found in the Boolean program.
fn fails(body: &str, treatment: Treatment, workers: u32) -> bool {
    let scope = Scope::threads(workers + 1);
    match outcome(made(body, 2, treatment), scope, "explicit", Duration::from_secs(60)) {
        Outcome::Unsafe { .. } => true,
        Outcome::Safe { .. } => false,
        Outcome::Unknown(reason) => panic!("{}: {body}", reason.message),
    }
}

#[test]
fn mixed_predicates_need_broadcasts() {
    assert!(fails(DISTURBED, Treatment::Sound, 2));
    assert!(!fails(DISTURBED, Treatment::MixedAsLocal, 2), "tracking it as local misses the error");
    assert!(
        !fails(DISTURBED, Treatment::NotifyAsPrinted, 2),
        "where the active thread stands says nothing about others"
    );
    assert!(fails(OWN, Treatment::Sound, 2));
    assert!(!fails(OWN, Treatment::MixedAsShared, 2), "tracking it as shared misses the error");
}
