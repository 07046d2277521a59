//! The programs of `tests/c/props`: what each property means, ruling by ruling. Each is asked about the
//! property that it names, by the search of all states; an error must be in the lines that it names.

use base::budget::StopHandle;
use base::{Event, Settings};
use check::Run;
use ir::c::Sought;
use ir::property::PropertySet;
use ir::{Bound, Model, Reason, ReasonKind, Scope, Task, Trace};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use testing::programs::Expectation;
use verify::{
    COptions, Confirmation, Limits, Origin, Outcome, Plan, Presented, Question, ReadOptions, Report,
};

/// Seconds for each program.
const SECONDS: u64 = 60;

/// Seconds for a program that is not decided in time: it must not be decided wrongly.
const SECONDS_OF_OPEN: u64 = 2;

/// The families of programs that nobody decides in time.
const UNDECIDED: [&str; 5] =
    ["bank_7_safe", "chefs_7_safe", "intersection_7_safe", "philosophers_7_safe", "printers_7_safe"];

/// Programs whose number of threads is not known, and which are proved: their siblings must not be.
const PARAMETRIC: [&str; 6] =
    ["counted_atomic", "counted_threads", "own_index", "own_later", "own_pointer", "own_ticket"];

/// The rulings about what each property means, but for those about leaks.
const RULINGS: [u32; 30] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
    29, 40,
];

/// What accesses memory, with the programs about it: each is there safe and unsafe.
const ACCESSES: [(&str, &[&str]); 15] = [
    ("load and store", &["load_store", "two_reads", "lvalue_type"]),
    ("read-modify-write", &["builtins", "failing_exchange"]),
    ("operands by pointer", &["expected_operand", "order_operand", "atomic_init"]),
    ("synchronisation objects", &["sync_init", "sync_destroy", "wait_accesses"]),
    ("the handle of a thread", &["handle"]),
    ("the result of a join", &["join_result"]),
    ("the end of an object", &["free_use", "local_ends", "race_free_on"]),
    ("a new object and its first value", &["first_value"]),
    ("memset, strcpy, copies of structures", &["memory_calls", "string_copy", "struct_copy"]),
    (
        "printf, puts, scanf, read, gettimeofday",
        &["format_reads", "puts_reads", "scan_writes", "read_writes", "time_writes"],
    ),
    ("a function without a body", &["may_access", "may_access_beside"]),
    ("sizes and discarded expressions", &["array_size", "discarded_read"]),
    ("bit-fields", &["bit_fields"]),
    ("volatile", &["volatile_flag"]),
    ("hidden state of the library", &["library_state"]),
];

/// What the search of all states refuses, in place of deciding it.
const REFUSED: [&str; 4] =
    ["created_in_section_safe", "created_in_section_unsafe", "may_access_beside_safe", "once_safe"];

fn programs(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c").join(folder);
    let files =
        std::fs::read_dir(folder).expect("the folder is there").map(|it| it.expect("an entry").path());
    let mut files: Vec<PathBuf> = files.filter(|it| it.extension().is_some_and(|it| it == "c")).collect();
    files.sort();
    files.into_iter().map(|it| (it.clone(), std::fs::read_to_string(it).expect("a text"))).collect()
}

/// The value of a directive in the first lines.
fn directive<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let lines = text.lines().take_while(|it| it.starts_with("// "));
    lines.filter_map(|it| it.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": ")).next()
}

fn is_among(path: &Path, names: &[&str]) -> bool {
    path.file_stem().is_some_and(|stem| names.iter().any(|it| stem == *it))
}

/// Whether it is one of the programs whose number of threads is not known, or a sibling of one.
fn is_parametric(path: &Path, ending: &str) -> bool {
    let stem = path.file_stem().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    PARAMETRIC.iter().any(|it| stem == format!("{it}{ending}"))
}

fn ask(path: &Path, set: PropertySet, plan: Plan) -> Report {
    ask_within(path, set, plan, if is_among(path, &UNDECIDED) { SECONDS_OF_OPEN } else { SECONDS })
}

fn ask_within(path: &Path, set: PropertySet, plan: Plan, seconds: u64) -> Report {
    let assertions = PropertySet { assert: true, ..PropertySet::default() };
    let property = if set == assertions { Sought::Assert } else { Sought::List(set) };
    let reading = ReadOptions { c: COptions { property, ..COptions::default() }, ..ReadOptions::default() };
    let limits = Limits { time: Some(Duration::from_secs(seconds)), ..Limits::default() };
    let question = Question { reading, scope: Scope { threads: Bound::Any }, plan, limits, each: false };
    verify::check(&Origin::File(path.to_path_buf()), &question, &mut Vec::<Event>::new())
}

/// The lines that a run into an error is told at: the user's, where a function of the library is called.
fn lines(report: &Report, model: &ir::c::Model, trace: &::c::Trace, last: &::c::State) -> BTreeSet<u32> {
    let places: Vec<(::c::ThreadId, ::c::Loc)> = match &trace.failure.kind {
        ::c::FailureKind::Race(race) => race.accesses.iter().map(|it| (it.thread, it.at)).collect(),
        ::c::FailureKind::Deadlock(it) => it.waits.iter().map(|it| (it.thread, it.at)).collect(),
        _ => vec![(trace.failure.step.thread, trace.failure.step.at)],
    };
    let line = |(thread, at): (::c::ThreadId, ::c::Loc)| {
        let frames = last.threads.get(&thread).into_iter().flat_map(|it| it.frames.iter().rev().skip(1));
        let mut files = std::iter::once(at).chain(frames.map(|frame| frame.loc)).filter_map(|at| {
            let span = model.program.at(at).span?;
            Some((report.sources.file(span.file), span))
        });
        let (file, span) = files.find(|(file, _)| !file.is_library())?;
        Some(file.position(span.start).line)
    };
    places.into_iter().filter_map(line).collect()
}

fn judge(path: &Path, text: &str) -> Result<(), String> {
    let expectation = Expectation::read(text)?;
    let set = PropertySet::parse(directive(text, "property").ok_or("no property is named")?)?;
    let mut settings = Settings::default();
    if let Some((name, value)) = directive(text, "set").and_then(|it| it.split_once('=')) {
        verify::set(&mut settings, name, value)?;
    }
    let engine = if is_parametric(path, "_safe") { "abstract" } else { "concrete" };
    let mut report = ask(path, set.with(&settings), Plan::named(&[engine.to_string()])?);
    if let Some(Outcome::Unknown(Reason { kind: ReasonKind::Bound, .. })) = report.outcome() {
        report = ask(path, set.with(&settings), Plan::named(&[])?);
    }
    let refused = is_among(path, &REFUSED);
    match report.outcome() {
        Some(Outcome::Unknown(reason)) if is_among(path, &UNDECIDED) && reason.kind == ReasonKind::Time => {
            Ok(())
        }
        Some(Outcome::Unknown(reason)) if refused && reason.kind == ReasonKind::Unsupported => Ok(()),
        _ if refused => Err("it is not refused any more: take it off the list".into()),
        Some(Outcome::Safe { .. }) if expectation.threads.is_none() => Ok(()),
        Some(Outcome::Unsafe { trace: Trace::C(trace), threads, run, .. }) => {
            let Some(least) = expectation.threads else { return Err("unsafe, but it is safe".into()) };
            if *threads < least {
                return Err(format!("{threads} threads cannot fail: it takes {least}"));
            }
            let Some(Model::C(model)) = report.source.as_ref().map(|it| it.model()) else {
                return Err("no C program".into());
            };
            let task = Task::new(Model::C(model.clone()), Scope { threads: Bound::Any });
            let presented = Presented::Trace(Trace::C(trace.clone()));
            if !matches!(
                verify::confirm(&task, &presented, &StopHandle::default()),
                Confirmation::Trace { .. }
            ) {
                return Err("the trace is not confirmed".into());
            }
            let Run::C(states) = run else { return Err("no states of a C program".into()) };
            let last = states.last().ok_or("no state")?;
            let expected = directive(text, "lines").unwrap_or_default();
            let expected: BTreeSet<u32> =
                expected.split_whitespace().filter_map(|it| it.parse().ok()).collect();
            let found = lines(&report, &model, trace, last);
            let right = expected.is_empty() || found == expected;
            if right { Ok(()) } else { Err(format!("told at {found:?}, not at {expected:?}")) }
        }
        other => Err(format!("{other:?}, {:?}", report.diagnostics)),
    }
}

/// Asks about every program of a folder; how many there are.
fn judge_all(folder: &str) -> usize {
    let programs = programs(folder);
    let wrong: Vec<String> = programs
        .iter()
        .filter_map(|(path, text)| judge(path, text).err().map(|why| format!("{}: {why}", path.display())))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    programs.len()
}

#[test]
fn properties_mean_what_the_rulings_say() {
    let count = judge_all("props");
    assert!(count > 100, "{count}");
}

/// What the prover makes of programs that race, and whose siblings it proves.
#[test]
fn siblings_of_what_is_proved_are_not_proved() {
    let programs = programs("props");
    let unsafe_ones = programs.iter().filter(|(path, _)| is_parametric(path, "_unsafe"));
    let mut count = 0;
    for (path, _) in unsafe_ones {
        let set = PropertySet { race: true, ..PropertySet::default() };
        let plan = Plan::named(&["abstract".to_string()]).expect("there is such an engine");
        let outcome = ask_within(path, set, plan, SECONDS_OF_OPEN * 2);
        let proved = matches!(outcome.outcome(), Some(Outcome::Safe { .. }));
        assert!(!proved, "{} is proved", path.display());
        count += 1;
    }
    assert_eq!(count, PARAMETRIC.len());
}

/// Philosophers, transfers between accounts, an intersection, printers and a kitchen: with 3, 5 and 7 threads
/// or resources, with and without the deadlock.
#[test]
fn classic_deadlocks_are_found_and_excluded() {
    assert_eq!(judge_all("families"), 30);
}

/// The rulings that a program is about.
fn rulings(text: &str) -> BTreeSet<u32> {
    let about = directive(text, "about").unwrap_or_default();
    let number = |it: &str| it.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok();
    about.split("P-").skip(1).filter_map(number).collect()
}

#[test]
fn every_ruling_and_every_access_has_a_safe_and_an_unsafe_program() {
    let programs = programs("props");
    for ending in ["_safe.c", "_unsafe.c"] {
        let such = programs.iter().filter(|it| it.0.to_string_lossy().ends_with(ending));
        let found: BTreeSet<u32> = such.clone().flat_map(|it| rulings(&it.1)).collect();
        let missing: Vec<u32> = RULINGS.into_iter().filter(|it| !found.contains(it)).collect();
        assert!(missing.is_empty(), "no program {ending} about the rulings {missing:?}");
        for (access, names) in ACCESSES {
            let is_there = |name: &&str| {
                let file = format!("{name}{ending}");
                such.clone().any(|it| it.0.file_name().is_some_and(|it| *it == *file))
            };
            assert!(names.iter().all(is_there), "{access}: not all of {names:?} are there {ending}");
        }
    }
}

/// A program that is safe has a sibling that is not: a test that cannot fail says nothing.
#[test]
fn every_program_has_a_sibling() {
    let names: BTreeSet<String> = programs("props")
        .iter()
        .map(|it| it.0.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    for name in &names {
        let sibling = match (name.strip_suffix("_safe"), name.strip_suffix("_unsafe")) {
            (Some(stem), _) => format!("{stem}_unsafe"),
            (_, Some(stem)) => format!("{stem}_safe"),
            _ => panic!("{name} is neither safe nor unsafe"),
        };
        assert!(names.contains(&sibling), "{name} has no sibling");
    }
}
