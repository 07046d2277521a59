//! Deadlock freedom for any number of threads: the programs of `tests/c/orders` are proved with a certificate
//! of kind `order`, their broken siblings are refuted, and certificates that say anything else are refused.

use base::Event;
use base::budget::StopHandle;
use ir::c::Sought;
use ir::certificate::{Body, Certificate, text};
use ir::property::PropertySet;
use ir::{Bound, Model, Scope, Task, Trace};
use relation::{Direction, Resource};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use verify::{
    Answer, COptions, Confirmation, Limits, Origin, Outcome, Plan, Presented, Proof, ReadOptions, confirm,
    confirm_text,
};

/// The programs without `_safe.c` and `_unsafe.c`.
const PROGRAMS: [&str; 8] = [
    "bank_address",
    "bank_index",
    "external",
    "heap_locks",
    "joined_workers",
    "philosophers",
    "semaphores",
    "two_lock_queue",
];

fn task(name: &str) -> Task {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/c/orders/{name}.c"));
    let set = PropertySet::parse("deadlock").expect("a property");
    let c = COptions { property: Sought::List(set), ..COptions::default() };
    let read = verify::read(&Origin::File(path), &ReadOptions { c, ..ReadOptions::default() });
    let read = read.unwrap_or_else(|found| panic!("{name}: {:?}", found.diagnostics));
    Task::new(read.source.model(), Scope::ANY)
}

fn ask(task: &Task, engine: &str) -> Answer {
    let plan = Plan::named(&[engine.to_string()]).expect("there is such an engine");
    let limits = Limits { time: Some(Duration::from_secs(60)), ..Limits::default() };
    verify::answer(task, &plan, &limits, &mut Vec::<Event>::new())
}

fn certificate(task: &Task) -> Certificate {
    match ask(task, "abstract").outcome {
        Outcome::Safe { proof: Proof::Confirmed { certificate, .. }, .. } => certificate,
        other => panic!("{other:?}"),
    }
}

fn is_refused(task: &Task, certificate: &Certificate) -> bool {
    let presented = Presented::Certificate(certificate.clone());
    !matches!(confirm(task, &presented, &StopHandle::default()), Confirmation::Certificate(_))
}

/// Each proof holds for its program, also as a text, and not for the broken sibling.
#[test]
fn programs_are_proved_for_any_number_of_threads() {
    for name in PROGRAMS {
        let [safe, broken] = ["safe", "unsafe"].map(|it| task(&format!("{name}_{it}")));
        let good = certificate(&safe);
        assert!(matches!(good.body, Body::Order(_)), "{name}");
        assert!(is_refused(&broken, &good), "{name}");
        let written = text::write(&good, &safe.model);
        let Model::C(model) = &safe.model else { panic!("{name} is a C program") };
        let confirmed = confirm_text(model, &written, Some(Bound::Any), &StopHandle::default());
        assert_eq!(confirmed, Confirmation::Certificate(Scope::ANY), "{name}\n{written}");
    }
}

#[test]
fn broken_programs_are_refuted() {
    for name in PROGRAMS {
        let broken = task(&format!("{name}_unsafe"));
        match ask(&broken, "concrete").outcome {
            Outcome::Unsafe { trace: Trace::C(trace), .. } => {
                assert!(matches!(trace.failure.kind, ::c::FailureKind::Deadlock(_)), "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
        let proved = matches!(ask(&broken, "abstract").outcome, Outcome::Safe { .. });
        assert!(!proved, "{name}");
    }
}

/// The certificate with another order.
fn with(good: &Certificate, change: impl Fn(&mut Vec<Resource>, &mut usize)) -> Certificate {
    let mut changed = good.clone();
    if let Body::Order(body) = &mut changed.body {
        change(&mut body.order.resources, &mut body.order.slots);
    }
    changed
}

#[test]
fn certificates_with_other_numbers_are_refused() {
    for name in PROGRAMS {
        let safe = task(&format!("{name}_safe"));
        let good = certificate(&safe);
        let refused = |what: &str, changed: Certificate| {
            assert!(changed != good && is_refused(&safe, &changed), "{name}: {what}");
        };
        refused("nothing has a number", with(&good, |resources, _| resources.clear()));
        refused("the other way round", with(&good, |resources, _| turn(resources)));
        refused("fewer slots", with(&good, |_, slots| *slots = 0));
        refused("too many slots", with(&good, |_, slots| *slots = usize::MAX));
        let mut without = good.clone();
        if let Body::Order(body) = &mut without.body {
            Arc::make_mut(&mut body.invariant.proof).singles.pop();
        }
        refused("a table is missing", without);
        let mut emptied = good.clone();
        if let Body::Order(body) = &mut emptied.body {
            let single = Arc::make_mut(&mut body.invariant.proof).singles.iter_mut().last();
            single.expect("there is a table").table.rows.clear();
        }
        refused("a table has no rows", emptied);
    }
}

/// The order from its end to its beginning, within classes too.
fn turn(resources: &mut [Resource]) {
    let other = |it: Direction| if it == Direction::Up { Direction::Down } else { Direction::Up };
    resources.reverse();
    for resource in resources {
        *resource = match *resource {
            Resource::Object(object, direction) => Resource::Object(object, other(direction)),
            Resource::Rest(direction) => Resource::Rest(other(direction)),
            kept => kept,
        };
    }
}

/// A proof that no thread waits against the order says nothing about other properties.
#[test]
fn certificates_are_about_deadlocks() {
    let safe = task("two_lock_queue_safe");
    let good = certificate(&safe);
    let Model::C(model) = &safe.model else { panic!("it is a C program") };
    let mut other = ir::c::Model::clone(model);
    other.machine.deadlocks = ::c::machine::Deadlocks::Ignored;
    assert!(is_refused(&Task::new(Model::C(Arc::new(other)), Scope::ANY), &good));
}
