//! The programs of these tests, and what is done with them.

use base::{NoEvents, SourceMap};
use ir::c::Model;
use ir::property::PropertySet;
use ir::{Scope, Trace};
use std::path::PathBuf;
use std::sync::Arc;
use verify::{COptions, CProperty, Limits, Origin, Outcome, Plan, Question, ReadOptions, Report};

/// A program and what is asked about it.
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// The property.
    pub property: &'static str,
    /// The program; empty for a file of `tests/c`.
    pub text: &'static str,
}

/// A program with the answer.
pub struct Checked {
    /// The answer.
    pub report: Report,
}

const RACE: &str = "#include <pthread.h>
int x;
void *w(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, w, 0);
  x = 2;
  return 0;
}
";

const INPUT: &str = "#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int x, y;
void *w(void *arg) {
  x++;
  y = x;
  return 0;
}
int main(void) {
  pthread_t t, u;
  int k = __VERIFIER_nondet_int();
  if (k != 7) return 0;
  pthread_create(&t, 0, w, 0);
  pthread_create(&u, 0, w, 0);
  while (y < 2) { if (x == 2 && y == 1) reach_error(); }
  return 0;
}
";

const OVERFLOW: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = a + 1;
  return b;
}
";

const MEMORY: &str = "#include <pthread.h>
#include <stdlib.h>
int *p;
void *w(void *arg) {
  free(p);
  return 0;
}
int main(void) {
  pthread_t t;
  p = malloc(sizeof(int));
  pthread_create(&t, 0, w, 0);
  *p = 1;
  return 0;
}
";

const LEAK: &str = "#include <stdlib.h>
int main(void) {
  int *p = malloc(4);
  p = 0;
  return p == 0;
}
";

/// Two threads that lock two mutexes in two orders.
pub const DEADLOCK: &str = "#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *w(void *arg) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, w, 0);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  return 0;
}
";

/// Any number of threads that change a variable while they have a mutex.
pub const GUARDED: &str = "#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *w(void *arg) {
  pthread_mutex_lock(&m);
  x = 1;
  x = 0;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, w, 0);
  pthread_mutex_lock(&m);
  assert(x == 0);
  pthread_mutex_unlock(&m);
  return 0;
}
";

/// Nobody knows: what it needs is not supported.
const OPEN: &str = "#include <assert.h>
#include <setjmp.h>
static jmp_buf back;
int main(void) {
  int one = 1;
  assert(one);
  setjmp(back);
  return 0;
}
";

/// Programs with errors; those without a text are in `tests/c`.
pub fn unsafe_cases() -> Vec<Case> {
    let own = [
        ("race", "race", RACE),
        ("input", "assert", INPUT),
        ("overflow", "overflow", OVERFLOW),
        ("memory", "memory", MEMORY),
        ("leak", "leak", LEAK),
    ];
    let files =
        ["alias_names", "array_elements", "barrier", "cleanup", "atomic_compare", "section", "assume"];
    let files = files.into_iter().map(|name| (name, "assert", ""));
    own.into_iter().chain(files).map(|(name, property, text)| Case { name, property, text }).collect()
}

/// Programs without errors that are found.
pub fn other_cases() -> Vec<Case> {
    let all = [("guarded", "assert", GUARDED), ("deadlock", "deadlock", DEADLOCK), ("open", "assert", OPEN)];
    all.into_iter().map(|(name, property, text)| Case { name, property, text }).collect()
}

/// The folder of the programs.
pub fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("selvedge-formats-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn origin(case: &Case) -> Origin {
    if case.text.is_empty() {
        let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/c");
        return Origin::File(tests.join(format!("{}_unsafe.c", case.name)));
    }
    let path = folder().join(format!("{} program.c", case.name));
    // Tests run at the same time; the file is never half written.
    let beside = folder().join(format!("{}-{:?}.tmp", case.name, std::thread::current().id()));
    std::fs::write(&beside, case.text).expect("a file for the test");
    std::fs::rename(&beside, &path).expect("a file for the test");
    Origin::File(path)
}

fn reading(property: PropertySet) -> ReadOptions {
    let assertions = PropertySet { assert: true, ..PropertySet::default() };
    let property = if property == assertions { CProperty::Assert } else { CProperty::List(property) };
    ReadOptions { c: COptions { property, ..COptions::default() }, ..ReadOptions::default() }
}

/// The answer about a program.
pub fn checked(case: &Case) -> Checked {
    let property = PropertySet::parse(case.property).expect("there is such a property");
    let question = Question {
        reading: reading(property),
        scope: Scope::ANY,
        plan: Plan::named(&["auto".to_string()]).expect("all engines"),
        limits: Limits::default(),
        each: false,
    };
    Checked { report: verify::check(&origin(case), &question, &mut NoEvents) }
}

/// A program as a witness has it read.
pub fn read(case: &Case, property: PropertySet) -> (SourceMap, Arc<Model>) {
    let input = verify::read(&origin(case), &reading(property)).expect("it is read");
    let ir::Model::C(model) = input.source.model() else { panic!("it is C") };
    (input.sources, model)
}

/// Where a run fails: in order, since of two accesses either may come first.
pub fn places(sources: &SourceMap, model: &Model, trace: &c::Trace) -> Vec<String> {
    let at = match &trace.failure.kind {
        c::FailureKind::Race(race) => race.accesses.iter().map(|it| it.at).collect(),
        _ => vec![trace.failure.step.at],
    };
    let place = |at: c::Loc| model.program.at(at).span.map(|span| sources.describe(span));
    let mut places: Vec<String> = at.into_iter().filter_map(place).collect();
    places.sort();
    assert!(!places.is_empty());
    places
}

impl Checked {
    /// Where the run fails.
    pub fn places(&self) -> Vec<String> {
        let report = &self.report;
        let Some(Outcome::Unsafe { trace: Trace::C(trace), .. }) = report.outcome() else {
            panic!("{}: {:?} {:?}", report.name, report.outcome(), report.diagnostics)
        };
        let source = report.source.as_ref().expect("it was read").model();
        let ir::Model::C(model) = source else { panic!("it is C") };
        places(&report.sources, &model, trace)
    }
}
