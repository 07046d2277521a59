//! A bound below the number of threads that are there at the start: no start fits, nothing runs, and no
//! engine's answer is `safe`.

use base::NoEvents;
use base::budget::StopHandle;
use engines::Engine;
use ir::certificate::{Body, Reached, View};
use ir::{Certificate, Reason, ReasonKind, Scope};
use std::path::PathBuf;
use verify::{Confirmation, Limits, Origin, Outcome, Plan, Presented, Question, ReadOptions};

/// Two threads fail at once.
const PROGRAM: &str = "start main 2;\nvoid main() begin\n  assert(0);\nend\n";
/// Nothing fails, with any number of threads.
const HARMLESS: &str = "start f 1;\nstart g 2;\nvoid f() begin\n  skip;\nend\nvoid g() begin\n  skip;\nend\n";
/// Two counters start at 1 or more, and both at once is the target.
const NET: &str = "vars a b\nrules\n  a >= 1 -> a' = a - 1, b' = b + 1;\ninit a >= 1, b = 1\ntarget b >= 2\n";

fn outcome(name: &str, text: &str, threads: u32, engines: Vec<&'static dyn Engine>) -> Outcome {
    let name = format!("selvedge-starts-{}-{threads}-{name}", std::process::id());
    let path: PathBuf = std::env::temp_dir().join(name);
    std::fs::write(&path, text).expect("a file for the test");
    let question = Question {
        reading: ReadOptions::default(),
        scope: Scope::threads(threads),
        plan: Plan::of(engines),
        limits: Limits::default(),
        each: false,
    };
    let report = verify::check(&Origin::File(path.clone()), &question, &mut NoEvents);
    std::fs::remove_file(path).expect("the file of the test");
    report.answer.expect("a good file").outcome
}

/// Each engine alone, and all together.
fn plans() -> Vec<Vec<&'static dyn Engine>> {
    let mut plans: Vec<Vec<&'static dyn Engine>> = verify::engines().iter().map(|&it| vec![it]).collect();
    plans.push(verify::engines().to_vec());
    plans
}

#[test]
fn a_bound_that_no_start_fits_into_is_no_proof() {
    let all = [
        ("a.bp", PROGRAM, 1, "2 threads or more, so that no start fits into the bound of 1 thread"),
        ("b.bp", HARMLESS, 2, "3 threads or more, so that no start fits into the bound of 2 threads"),
        ("c.spec", NET, 1, "2 tokens or more, so that no start fits into the bound of 1 token"),
    ];
    for (name, text, threads, why) in all {
        for plan in plans() {
            let Outcome::Unknown(Reason { kind, message, .. }) = outcome(name, text, threads, plan) else {
                panic!("{name}: an answer about runs that there are none of")
            };
            assert_eq!(kind, ReasonKind::Bound, "{message}");
            assert!(message.contains(why), "{message}");
        }
    }
}

#[test]
fn the_least_bound_that_a_start_fits_into_counts() {
    let all = verify::engines().to_vec();
    assert!(matches!(outcome("d.bp", PROGRAM, 2, all.clone()), Outcome::Unsafe { threads: 2, .. }));
    assert!(matches!(outcome("e.bp", HARMLESS, 3, all.clone()), Outcome::Safe { .. }));
    assert!(matches!(outcome("f.spec", NET, 2, all), Outcome::Unsafe { threads: 2, .. }));
}

#[test]
fn what_init_does_before_the_threads_come_counts() {
    let program = |condition: &str| {
        format!(
            "start init first;\nstart main 2;\nvoid first() begin\n  assert({condition});\nend\nvoid main() begin\n  skip;\nend\n"
        )
    };
    let ask = |name: &str, condition: &str| outcome(name, &program(condition), 1, verify::engines().to_vec());
    assert!(matches!(ask("g.bp", "0"), Outcome::Unsafe { .. }));
    assert!(matches!(ask("h.bp", "1"), Outcome::Unknown(Reason { kind: ReasonKind::Bound, .. })));
}

#[test]
fn a_certificate_about_no_run_is_refused() {
    let path = std::env::temp_dir().join(format!("selvedge-starts-{}-i.bp", std::process::id()));
    std::fs::write(&path, HARMLESS).expect("a file for the test");
    let input = verify::read(&Origin::File(path.clone()), &ReadOptions::default()).expect("a good file");
    std::fs::remove_file(path).expect("the file of the test");
    let task = |threads| input.source.task(Scope::threads(threads));
    let confirmation = |threads: u32| {
        let body = Body::Reached(Reached { threads: vec![], states: vec![], bound: threads });
        let certificate =
            Certificate { scope: Scope::threads(threads), view: View::default(), body, passes: vec![] };
        verify::confirm(&task(threads), &Presented::Certificate(certificate), &StopHandle::default())
    };
    // Without a state: true of no thread at all, false as soon as a start fits.
    for (threads, why) in [(2, "no start fits"), (3, "")] {
        let Confirmation::Rejected(message) = confirmation(threads) else { panic!("{threads} threads") };
        assert!(message.why.contains(why), "{message}");
    }
}
