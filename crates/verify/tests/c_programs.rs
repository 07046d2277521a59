//! The C test programs, from the file to the verdict: what the command line does without its words. Whatever
//! is answered is right, errors need as many threads as the programs say and are where they say, and the ways
//! that a program names decide it.

use base::Event;
use base::budget::StopHandle;
use ir::{Bound, Model, Scope, Task, Trace};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use testing::programs::{Expectation, all};
use verify::{
    COptions, CProgram, CProperty, Confirmation, Limits, Origin, Outcome, Plan, Presented, Question,
    ReadOptions, Report,
};

/// Seconds for each program; a longer search is no error, but it is not quick either.
const SECONDS: u64 = 4;
/// The same for one that somebody is to decide, if the machine was too busy at first.
const LONG: u64 = 60;

fn reading(expectation: &Expectation) -> ReadOptions {
    let mut c = COptions::default();
    for argument in &expectation.args {
        match argument.split_at(2) {
            ("-D", rest) => c.defines.push(rest.to_string()),
            ("-U", rest) => c.undefines.push(rest.to_string()),
            ("-I", rest) => c.include_dirs.push(rest.to_string()),
            _ => panic!("no such argument: {argument}"),
        }
    }
    ReadOptions { c, ..ReadOptions::default() }
}

fn ask(path: &Path, reading: ReadOptions, ways: &[&str], threads: Bound) -> Report {
    ask_for(SECONDS, path, reading, ways, threads)
}

fn ask_for(seconds: u64, path: &Path, reading: ReadOptions, ways: &[&str], threads: Bound) -> Report {
    let names: Vec<String> = ways.iter().map(|way| way.to_string()).collect();
    let plan = Plan::named(&names).expect("there are such engines");
    let limits =
        Limits { time: Some(Duration::from_secs(seconds)), memory: Some(3 << 30), ..Limits::default() };
    let question = Question { reading, scope: Scope { threads }, plan, limits, each: false };
    verify::check(&Origin::File(path.to_path_buf()), &question, &mut Vec::<Event>::new())
}

/// What is wrong with the answer to a program, and whether there is one.
fn judge(path: &Path, expectation: &Expectation, seconds: u64) -> Result<bool, String> {
    // The abstract way has its own test; here a proof without a certificate would wait for it until the time
    // ends.
    let mut reading = reading(expectation);
    let ask = |reading| ask_for(seconds, path, reading, &["concrete", "exact"], Bound::Any);
    if let Some(undefined) = &expectation.undefined {
        happens(&ask(reading.clone()), undefined)?;
        reading.c.property = CProperty::Assert;
    }
    let report = ask(reading);
    let outcome = report.outcome().ok_or_else(|| format!("not read: {:?}", report.diagnostics))?;
    match (outcome, expectation.threads) {
        (Outcome::Safe { .. }, None) => Ok(true),
        (Outcome::Safe { .. }, Some(_)) => Err("safe, but it is unsafe".to_string()),
        (Outcome::Unsafe { trace: Trace::C(trace), .. }, _) if is_undefined(trace) => {
            Err("undefined behaviour that nobody expects".to_string())
        }
        (Outcome::Unsafe { trace, threads, .. }, Some(least)) => {
            if *threads < least {
                return Err(format!("{threads} threads cannot fail: it takes {least}"));
            }
            let (Trace::C(trace), Some(source)) = (trace, &program(&report)) else {
                return Err("no trace of a C program".to_string());
            };
            replay(source, trace)?;
            right_line(&report, source, trace, expectation).map(|()| true)
        }
        (Outcome::Unsafe { .. }, None) => Err("unsafe, but it is safe".to_string()),
        (Outcome::Unknown(_), _) => Ok(false),
    }
}

/// The most threads of a run, or why it is not one.
fn replay(source: &Arc<CProgram>, trace: &::c::Trace) -> Result<u32, String> {
    let threads = trace.options.threads.map_or(Bound::Any, Bound::AtMost);
    let task = Task::new(Model::C(Arc::clone(source)), Scope { threads });
    match verify::confirm(&task, &Presented::Trace(Trace::C(trace.clone())), &StopHandle::default()) {
        Confirmation::Trace { threads, .. } => Ok(threads),
        other => Err(format!("{other:?}")),
    }
}

/// The C program of a report.
fn program(report: &Report) -> Option<Arc<CProgram>> {
    match report.source.as_ref()?.model() {
        Model::C(model) => Some(model),
        _ => None,
    }
}

fn is_undefined(trace: &::c::Trace) -> bool {
    matches!(trace.failure.kind, ::c::FailureKind::Undefined(_))
}

/// Whether the verdict is undefined behaviour, this one.
fn happens(report: &Report, (line, what): &(usize, String)) -> Result<(), String> {
    let (Some(Outcome::Unsafe { trace: Trace::C(trace), .. }), Some(source)) =
        (report.outcome(), &program(report))
    else {
        return Err(format!("undefined behaviour is not told: {:?}", report.answer));
    };
    replay(source, trace)?;
    let ::c::FailureKind::Undefined(fault) = &trace.failure.kind else {
        return Err("an assertion fails in place of undefined behaviour".to_string());
    };
    let words = verify::undefined::words(source, trace, fault);
    let span = source.program.at(trace.failure.step.at).span.ok_or("the failure has no place")?;
    let found = report.sources.file(span.file).position(span.start).line as usize;
    let same = (found, &words) == (*line, what);
    if same { Ok(()) } else { Err(format!("undefined behaviour in line {found} ({words})")) }
}

fn right_line(
    report: &Report,
    source: &verify::CProgram,
    trace: &::c::Trace,
    expectation: &Expectation,
) -> Result<(), String> {
    let Some(line) = expectation.line else { return Ok(()) };
    let site = match &trace.failure.kind {
        ::c::FailureKind::Property(property) => source.program.properties()[*property].span,
        _ => None,
    };
    let span = site.or(source.program.at(trace.failure.step.at).span).ok_or("the failure has no place")?;
    let found = report.sources.file(span.file).position(span.start).line as usize;
    if found == line { Ok(()) } else { Err(format!("fails in line {found}, not in line {line}")) }
}

#[test]
fn test_programs_get_the_verdicts_that_they_expect() {
    let programs = all().expect("the test programs");
    let (mut wrong, mut undecided, mut decided) = (vec![], vec![], 0);
    let judged = testing::in_parallel(&programs, |(path, text)| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let expectation = Expectation::read(text).unwrap_or_else(|why| panic!("{name}: {why}"));
        let named = expectation.ways.iter().any(|way| verify::c::engines().iter().any(|it| it.name() == way));
        let mut judged = judge(path, &expectation, SECONDS);
        if named && judged == Ok(false) {
            judged = judge(path, &expectation, LONG);
        }
        (name, named, judged)
    });
    for (name, named, judged) in judged {
        match judged {
            Ok(true) => decided += 1,
            Ok(false) if !named => undecided.push(name),
            Ok(false) => wrong.push(format!("{name}: nobody decides it")),
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Most of them are small enough for somebody.
    assert!(decided * 10 >= programs.len() * 9, "{decided} of {}; not {undecided:?}", programs.len());
}

#[test]
fn a_bound_on_threads_is_kept() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/race.c");
    let two = ask(&path, ReadOptions::default(), &[], Bound::AtMost(2));
    assert!(
        matches!(two.outcome(), Some(Outcome::Safe { scope, .. }) if *scope == Scope::threads(2)),
        "{two:?}"
    );
    let any = ask(&path, ReadOptions::default(), &[], Bound::Any);
    assert!(matches!(any.outcome(), Some(Outcome::Unsafe { threads: 3, .. })), "{any:?}");
}

#[test]
fn a_changed_trace_is_refused() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/race.c");
    let report = ask(&path, ReadOptions::default(), &["concrete"], Bound::Any);
    let (Some(Outcome::Unsafe { trace: Trace::C(trace), .. }), Some(source)) =
        (report.outcome(), &program(&report))
    else {
        panic!("{report:?}")
    };
    replay(source, trace).expect("it is a run");
    for index in 0..trace.steps.len() {
        let mut shorter = trace.clone();
        shorter.steps.remove(index);
        assert!(replay(source, &shorter).is_err(), "without step {index}");
        let mut changed = trace.clone();
        changed.steps[index].step.thread += 7;
        assert!(replay(source, &changed).is_err(), "another thread in step {index}");
    }
    let mut other = trace.clone();
    other.options.spurious_wakeups = !other.options.spurious_wakeups;
    assert!(replay(source, &other).is_err(), "other options");
}
