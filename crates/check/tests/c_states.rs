//! Proofs about C by all states: on the programs of `tests/c`, against their unsafe siblings, changed in many
//! ways, and beside a search without any reduction on random programs.

use base::Budget;
use c::{Machine, Options, Program, Refusal};
use check::c::states::{Unlisted, explore};
use ir::certificate::{Body, Fingerprint, States, text};
use ir::{Bound, Certificate, Model, Scope, Task};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use testing::programs::{Expectation, all, normalised};

const STATES: u64 = 300;

/// A test program and what it expects.
struct Case {
    name: String,
    program: Program,
    is_safe: bool,
}

fn cases() -> Vec<Case> {
    let all = all().expect("the test programs are there");
    let read = testing::in_parallel(&all, |(path, text)| {
        let expected = Expectation::read(text).expect("test programs say what they expect");
        let name = path.display().to_string();
        let made = normalised(&name, text, &expected.args)?;
        Some(Case { name, program: made.program, is_safe: expected.threads.is_none() })
    });
    read.into_iter().flatten().collect()
}

fn explored(program: &Program) -> Option<Certificate> {
    explore(program, Options::default(), STATES, &Budget::unlimited()).ok()
}

fn model(program: &Program) -> Arc<ir::c::Model> {
    Arc::new(testing::programs::model(program))
}

/// The text of a proof that there are as many states of a program as a certificate says.
fn written(program: &Program, certificate: &Certificate) -> String {
    let model = model(program);
    let program = Fingerprint::of(&model.program, &model.machine);
    let body = Body::States(States { program, states: states(certificate) });
    let claim = Certificate { body, ..certificate.clone() };
    let mut text = String::new();
    text::write_to(&mut text, &claim, &Model::C(model)).expect("a string takes everything");
    text
}

fn states(certificate: &Certificate) -> u64 {
    let Body::States(body) = &certificate.body else { panic!("{certificate:?}") };
    body.states
}

fn accepts(program: &Program, text: &str) -> bool {
    let model = model(program);
    let Ok(certificate) = text::read_c(text, &model, &Budget::unlimited()) else { return false };
    let task = Task::new(Model::C(model), certificate.scope);
    check::certificate(&task, &certificate, &Budget::unlimited()).is_ok()
}

/// The texts that differ from a proof in one number, one word or one line.
fn mutants(text: &str, count: u64) -> BTreeSet<String> {
    let lines: Vec<&str> = text.lines().collect();
    let join = |lines: Vec<&str>| lines.join("\n") + "\n";
    let mut found = BTreeSet::new();
    for at in 0..lines.len() {
        let without = lines.iter().enumerate().filter(|(line, _)| *line != at).map(|(_, line)| *line);
        found.insert(join(without.collect()));
        let (head, tail) = lines.split_at(at);
        found.insert(join([head, &lines[at..=at], tail].concat()));
        found.insert(join([head, &["nonsense"], tail].concat()));
    }
    let states = |other: u64| text.replace(&format!("states {count}"), &format!("states {other}"));
    found.extend([0, count - 1, count * 2].map(states));
    found.insert(text.replace("threads any", "threads some"));
    found.insert(text.replace("threads any", "threads -1"));
    found.insert(text.replace("kind states", "kind predicates"));
    found.insert(text.replace("end\n", "end\nend\n"));
    found.remove(text);
    found
}

/// What was tried with a program, if its states are few: with those of its sibling that fails, and changed.
fn tried(case: &Case, cases: &[Case]) -> Option<[usize; 2]> {
    let listing = explored(&case.program);
    assert!(listing.is_none() || case.is_safe, "{}: {listing:?}", case.name);
    let listing = listing?;
    assert_eq!(listing.scope, Scope::ANY, "{}", case.name);
    let text = written(&case.program, &listing);
    assert!(accepts(&case.program, &text), "{}: {text}", case.name);
    let (mut refused, mut changed) = (0, 0);
    let sibling = case.name.replace("_safe.c", "_unsafe.c");
    if let Some(other) = cases.iter().find(|it| it.name == sibling && it.name != case.name) {
        // The claim itself, about the other program, is refused because of the program.
        let claim = written(&other.program, &listing);
        for text in [&text, &claim] {
            assert!(!accepts(&other.program, text), "{sibling}");
            refused += 1;
        }
    }
    for mutant in mutants(&text, states(&listing)) {
        assert!(!accepts(&case.program, &mutant), "{}: {mutant}", case.name);
        changed += 1;
    }
    Some([refused, changed])
}

#[test]
fn safe_programs_are_confirmed_and_unsafe_ones_never() {
    let cases = cases();
    let tried: Vec<[usize; 2]> =
        testing::in_parallel(&cases, |case| tried(case, &cases)).into_iter().flatten().collect();
    let sum = |which: usize| tried.iter().map(|it| it[which]).sum::<usize>();
    let (confirmed, refused, changed) = (tried.len(), sum(0), sum(1));
    assert!(confirmed > 50 && refused > 100 && changed > 1_000, "{confirmed}, {refused}, {changed}");
}

#[test]
fn a_bound_on_threads_is_part_of_the_proof() {
    let text = "extern int pthread_create(unsigned long *, void *, void *(*)(void *), void *);\n\
                void *work(void *p) { return p; }\n\
                int main(void) { unsigned long t; for (;;) pthread_create(&t, 0, work, 0); }\n";
    let made = normalised("bound.c", text, &[]).expect("it is C");
    let options = Options { threads: Some(3), ..Options::default() };
    let listing = explore(&made.program, options, STATES, &Budget::unlimited()).expect("nothing fails");
    assert_eq!(listing.scope.threads, Bound::AtMost(3));
    let text = written(&made.program, &listing);
    assert!(accepts(&made.program, &text), "{text}");
    assert!(!accepts(&made.program, &text.replace("threads 3", "threads any")));
    assert!(!accepts(&made.program, &text.replace("threads 3", "threads 4")));
}

/// Whether something fails, by the plain definition; `None` if there are too many states.
fn fails(program: &Program, options: Options) -> Option<bool> {
    let machine = Machine::new(program, options);
    let start = machine.start();
    let (mut seen, mut work) = (HashSet::from([start.clone()]), vec![start]);
    while let Some(state) = work.pop() {
        for step in machine.candidates(&state, &[0, 1]) {
            match machine.apply(&state, &step) {
                Ok(after) => {
                    if seen.insert(after.clone()) {
                        work.push(after);
                    }
                }
                Err(Refusal::Fails(_)) => return Some(true),
                Err(_) => {}
            }
        }
        if seen.len() > 4_000 {
            return None;
        }
    }
    Some(false)
}

#[test]
fn random_programs_agree_with_a_search_without_reduction() {
    let options = Options { threads: Some(3), ..Options::default() };
    let (mut safe, mut wrong) = (0, 0);
    for seed in 0..80 {
        let text = testing::c::concurrent(seed);
        let made = normalised("random.c", &text, &[]).expect("generated programs are C");
        let Some(fails) = fails(&made.program, options) else { continue };
        match explore(&made.program, options, STATES, &Budget::unlimited()) {
            Ok(_) => {
                assert!(!fails, "seed {seed}\n{text}");
                safe += 1;
            }
            Err(Unlisted::Fails(why)) => {
                assert!(fails, "seed {seed}: {why}\n{text}");
                wrong += 1;
            }
            Err(_) => {}
        }
    }
    assert!(safe > 5 && wrong > 5, "{safe} safe, {wrong} unsafe");
}
