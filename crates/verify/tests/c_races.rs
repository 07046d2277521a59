//! Data races of random concurrent C programs: what the proofs by pairs of threads say of any number of
//! threads never contradicts the search of all states with few. Proofs are not taken for another program.

use base::Event;
use base::budget::StopHandle;
use ir::c::Sought;
use ir::certificate::{Body, Certificate};
use ir::property::PropertySet;
use ir::{Scope, Task};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use verify::{
    Answer, COptions, Confirmation, Limits, Origin, Outcome, Plan, Presented, Proof, ReadOptions, confirm,
};

/// How many programs of each kind.
const PROGRAMS: u64 = 150;

/// Any number of threads adds to a counter.
fn counter(before: &str, after: &str) -> String {
    format!(
        "#include <pthread.h>\nint counter;\npthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
         void *worker(void *unused) {{\n  {before}\n  counter++;\n  {after}\n  return 0;\n}}\n\
         int main(void) {{\n  pthread_t id;\n  while (1) pthread_create(&id, 0, worker, 0);\n}}\n"
    )
}

/// The question whether a program races.
fn task(name: &str, text: &str, scope: Scope) -> Task {
    let path: PathBuf = std::env::temp_dir().join(format!("selvedge-races-{}-{name}.c", std::process::id()));
    std::fs::write(&path, text).expect("a folder for files");
    let set = PropertySet::parse("race").expect("a property");
    let options = ReadOptions {
        c: COptions { property: Sought::List(set), ..COptions::default() },
        ..ReadOptions::default()
    };
    let read = verify::read(&Origin::File(path.clone()), &options);
    std::fs::remove_file(&path).expect("the file is there");
    let read = read.unwrap_or_else(|found| panic!("{name}: {:?}\n{text}", found.diagnostics));
    Task::new(read.source.model(), scope)
}

fn ask(task: &Task, engine: &str, time: Duration) -> Answer {
    let plan = Plan::named(&[engine.to_string()]).expect("there is such an engine");
    let limits = Limits { time: Some(time), memory: Some(2 << 30), ..Limits::default() };
    verify::answer(task, &plan, &limits, &mut Vec::<Event>::new())
}

fn certificate(task: &Task) -> Certificate {
    match ask(task, "abstract", Duration::from_secs(60)).outcome {
        Outcome::Safe { proof: Proof::Confirmed { certificate, .. }, .. } => certificate,
        other => panic!("{other:?}"),
    }
}

fn is_refused(task: &Task, certificate: Certificate) -> bool {
    let presented = Presented::Certificate(certificate);
    !matches!(confirm(task, &presented, &StopHandle::default()), Confirmation::Certificate(_))
}

#[test]
fn proofs_never_contradict_the_search_of_all_states() {
    let programs: Vec<(String, String)> = (0..PROGRAMS)
        .flat_map(|seed| {
            [("concurrent", testing::c::concurrent(seed)), ("locking", testing::c::locking(seed))]
                .map(|(kind, text)| (format!("{kind}-{seed}"), text))
        })
        .collect();
    let found = testing::in_parallel(&programs, |(name, text)| {
        let answer = ask(&task(name, text, Scope::ANY), "abstract", Duration::from_millis(100));
        let safe = match answer.outcome {
            Outcome::Safe { .. } => true,
            Outcome::Unsafe { .. } => panic!("{name}: {:?}\n{text}", answer.outcome),
            Outcome::Unknown(ref why) => {
                let faulty = matches!(why.kind, ir::ReasonKind::Fault | ir::ReasonKind::Rejected);
                assert!(!faulty, "{name}: {:?}\n{text}", answer.outcome);
                false
            }
        };
        let few = ask(&task(name, text, Scope::threads(3)), "concrete", Duration::from_secs(2));
        let fails = matches!(few.outcome, Outcome::Unsafe { .. });
        assert!(!(safe && fails), "{name}: proved, but {:?}\n{text}", few.outcome);
        (safe, fails, safe && matches!(few.outcome, Outcome::Safe { .. }))
    });
    let proved = found.iter().filter(|it| it.0).count();
    let racing = found.iter().filter(|it| it.1).count();
    let both = found.iter().filter(|it| it.2).count();
    println!("{proved} proved, {both} of them by the search too, {racing} race");
    assert!(both > 0 && racing > 20, "{proved} proved, {both} by both, {racing} race");
}

#[test]
fn a_counter_under_a_lock_is_proved_for_any_number_of_threads() {
    let locked = counter("pthread_mutex_lock(&lock);", "pthread_mutex_unlock(&lock);");
    let task = task("locked", &locked, Scope::ANY);
    let certificate = certificate(&task);
    assert!(!is_refused(&task, certificate));
}

#[test]
fn proofs_are_refused_of_what_they_do_not_show() {
    let locked = counter("pthread_mutex_lock(&lock);", "pthread_mutex_unlock(&lock);");
    let locked = task("refused-locked", &locked, Scope::ANY);
    let good = certificate(&locked);
    // The same text without the lock, and one that unlocks too early.
    let bare = counter("", "");
    let early = counter("pthread_mutex_lock(&lock);", "pthread_mutex_unlock(&lock); counter++;");
    for (name, text) in [("bare", bare), ("early", early)] {
        assert!(is_refused(&task(name, &text, Scope::ANY), good.clone()), "{name}");
    }
    let Body::Predicates(body) = &good.body else { panic!("another kind of proof") };
    // A proof that does not say that it is about races.
    let mut unsaid = good.clone();
    if let Body::Predicates(body) = &mut unsaid.body {
        Arc::make_mut(&mut body.proof).races = false;
    }
    assert!(is_refused(&locked, unsaid));
    // A proof that says nothing of two threads.
    assert!(body.proof.doubles.is_some(), "two threads are looked at together");
    let mut alone = good.clone();
    if let Body::Predicates(body) = &mut alone.body {
        Arc::make_mut(&mut body.proof).doubles = None;
    }
    assert!(is_refused(&locked, alone));
}
