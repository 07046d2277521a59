//! C programs that were read literally: passes run on them, each result is validated, a wrong one is left
//! out, traces are about the program as it was read, and certificates name the passes.

use ::c::{Control, Op, Program};
use base::budget::StopHandle;
use base::{Budget, Event, Stop};
use ir::certificate::text;
use ir::{Bound, Model, Scope, Task, Trace};
use passes::c::{CPass, PASSES, Passed};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use verify::{
    COptions, CProgram, CProperty, Confirmation, Limits, Origin, Outcome, Plan, Presented, Question,
    ReadOptions, Report,
};

const SECONDS: u64 = 60;
const LEFT_OUT: &str = "W0904";

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/c").join(name)
}

fn reading(property: CProperty) -> ReadOptions {
    ReadOptions { c: COptions { property, ..COptions::default() }, ..ReadOptions::default() }
}

fn ask(name: &str, property: CProperty, plan: Plan) -> Report {
    ask_as(name, reading(property), plan)
}

fn ask_as(name: &str, reading: ReadOptions, plan: Plan) -> Report {
    let limits =
        Limits { time: Some(Duration::from_secs(SECONDS)), memory: Some(3 << 30), ..Limits::default() };
    let scope = Scope { threads: Bound::Any };
    let question = Question { reading, scope, plan, limits, each: false };
    verify::check(&Origin::File(file(name)), &question, &mut Vec::<Event>::new())
}

fn plan() -> Plan {
    Plan::named(&["concrete".to_string()]).expect("there is such an engine")
}

fn model(report: &Report) -> Arc<CProgram> {
    match report.source.as_ref().map(verify::Source::model) {
        Some(Model::C(model)) => model,
        other => panic!("no C program: {other:?}"),
    }
}

fn left_out(report: &Report) -> usize {
    report.diagnostics.iter().filter(|it| it.code == LEFT_OUT).count()
}

#[test]
fn traces_are_about_the_program_as_it_was_read() {
    for (name, property) in [
        ("struct_by_value_unsafe.c", CProperty::Assert),
        ("reuse_last_free_unsafe.c", CProperty::Assert),
        ("function_pointers_unsafe.c", CProperty::Default),
    ] {
        let report = ask(name, property, plan());
        let Some(Outcome::Unsafe { trace: Trace::C(trace), .. }) = report.outcome() else {
            panic!("{name}: {:?}", report.answer);
        };
        assert_eq!(left_out(&report), 0, "{name}");
        let model = model(&report);
        assert!(model.wants_passes, "{name}");
        let ran = report.counters.iter().find(|it| it.name == "passes run").map(|it| it.value);
        assert!(ran.is_some_and(|it| it > 0), "{name}: {ran:?}");
        let task = Task::new(Model::C(model), Scope::ANY);
        let presented = Presented::Trace(Trace::C(trace.clone()));
        let confirmed = verify::confirm(&task, &presented, &StopHandle::default());
        assert!(matches!(confirmed, Confirmation::Trace { .. }), "{name}: {confirmed:?}");
    }
}

#[test]
fn a_certificate_whose_passes_are_changed_is_refused() {
    let report = ask("struct_by_value_safe.c", CProperty::Assert, plan());
    let certificate = report.outcome().and_then(Outcome::proof).and_then(verify::Proof::certificate);
    let certificate = certificate.unwrap_or_else(|| panic!("no certificate: {:?}", report.answer));
    let model = model(&report);
    let written = text::write(certificate, &Model::C(Arc::clone(&model)));
    let confirm = |text: &str| verify::confirm_text(&model, text, None, &StopHandle::default());
    assert!(matches!(confirm(&written), Confirmation::Certificate(_)), "{:?}", confirm(&written));
    assert!(!certificate.passes.is_empty(), "{written}");
    let record = format!("passes {}\n", certificate.passes.join(" "));
    assert!(written.contains(&record), "{written}");
    let others = [
        String::new(),
        "passes absorb\n".to_string(),
        record.replacen(&certificate.passes[0], "magic", 1),
        record.replacen(&format!(" {}", certificate.passes[0]), "", 1),
    ];
    for other in others {
        let changed = written.replace(&record, &other);
        assert!(matches!(confirm(&changed), Confirmation::Rejected(_)), "{other}: {:?}", confirm(&changed));
    }
    // The same certificate for a program to which no pass is applied.
    let plain = CProgram { wants_passes: false, ..CProgram::clone(&model) };
    let confirmed = verify::confirm_text(&Arc::new(plain), &written, None, &StopHandle::default());
    assert!(matches!(confirmed, Confirmation::Rejected(_)), "{confirmed:?}");
}

/// What a real pass made, without its assertions.
fn lies(program: &Program, budget: &Budget) -> Result<Option<Passed>, Stop> {
    let inline = PASSES.iter().find(|it| it.name() == "inline").expect("there is such a pass");
    let Some(mut passed) = (inline.run)(program, budget)? else { return Ok(None) };
    let mut builder = passed.program.edit();
    for at in passed.program.locations().ids() {
        if matches!(passed.program.effects(at).control, Control::Check | Control::Nowhere) {
            builder.at(at).op = Op::skip();
        }
    }
    passed.program = builder.finish().expect("a step that does nothing is one");
    Ok(Some(passed))
}

fn panics(_: &Program, _: &Budget) -> Result<Option<Passed>, Stop> {
    panic!("a fault of a pass")
}

#[test]
fn a_wrong_pass_is_left_out_and_the_verdict_stays_right() {
    let wrong = |run: passes::c::Pass| -> &'static [CPass] {
        let rows: Vec<CPass> =
            PASSES.iter().map(|it| if it.name() == "inline" { CPass { run, ..*it } } else { *it }).collect();
        rows.leak()
    };
    for run in [lies as passes::c::Pass, panics] {
        let plan = Plan { passes: wrong(run), ..plan() };
        let report = ask("struct_by_value_unsafe.c", CProperty::Assert, plan);
        assert!(matches!(report.outcome(), Some(Outcome::Unsafe { .. })), "{:?}", report.answer);
        assert!(left_out(&report) > 0, "{:?}", report.diagnostics);
    }
}

#[test]
fn loops_over_threads_are_unrolled_up_to_the_turns_that_are_asked_for() {
    for (turns, unrolled) in [(None, true), (Some(3), true), (Some(1), false)] {
        let mut reading = reading(CProperty::Assert);
        reading.c.unroll_threads = turns;
        let report = ask_as("joined_by_turns_safe.c", reading, plan());
        let certificate = report.outcome().and_then(Outcome::proof).and_then(verify::Proof::certificate);
        let certificate = certificate.unwrap_or_else(|| panic!("{turns:?}: {:?}", report.answer));
        let found = certificate.passes.iter().any(|it| it == "unroll");
        assert_eq!(found, unrolled, "{turns:?}: {:?}", certificate.passes);
    }
}

#[test]
fn each_pass_can_be_switched_off() {
    for pass in PASSES {
        let mut plan = plan();
        verify::set(&mut plan.settings, pass.switch.name, "off").expect("there is such an option");
        let report = ask("struct_by_value_unsafe.c", CProperty::Assert, plan.clone());
        assert!(
            matches!(report.outcome(), Some(Outcome::Unsafe { .. })),
            "{}: {:?}",
            pass.name(),
            report.answer
        );
        let report = ask("struct_by_value_safe.c", CProperty::Assert, plan);
        let Some(Outcome::Safe { proof, .. }) = report.outcome() else { panic!("{:?}", report.answer) };
        let passes = proof.certificate().map(|it| it.passes.clone()).unwrap_or_default();
        assert!(!passes.iter().any(|name| name == pass.name()), "{}: {passes:?}", pass.name());
    }
}
