//! The programs of `tests/c/props`: what each property means, ruling by ruling. Each is asked about the
//! property that it names, by the search of all states; an error must be in the lines that it names.

use base::budget::StopHandle;
use base::{Event, Settings};
use ir::c::Sought;
use ir::property::PropertySet;
use ir::{Bound, Model, ReasonKind, Scope, Task, Trace};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use testing::programs::Expectation;
use verify::{
    COptions, Confirmation, Limits, Origin, Outcome, Plan, Presented, Question, ReadOptions, Report,
};

/// Seconds for each program.
const SECONDS: u64 = 60;

/// What the search of all states refuses, in place of deciding it.
const REFUSED: [&str; 6] = [
    "created_in_section_safe",
    "created_in_section_unsafe",
    "handle_safe",
    "mixed_sizes_safe",
    "once_safe",
    "part_of_word_safe",
];

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

fn ask(path: &Path, set: PropertySet) -> Report {
    let assertions = PropertySet { assert: true, ..PropertySet::default() };
    let property = if set == assertions { Sought::Assert } else { Sought::List(set) };
    let reading = ReadOptions { c: COptions { property, ..COptions::default() }, ..ReadOptions::default() };
    let plan = Plan::named(&["concrete".to_string()]).expect("there is such an engine");
    let limits = Limits { time: Some(Duration::from_secs(SECONDS)), ..Limits::default() };
    let question = Question { reading, scope: Scope { threads: Bound::Any }, plan, limits, each: false };
    verify::check(&Origin::File(path.to_path_buf()), &question, &mut Vec::<Event>::new())
}

/// The lines that a run into an error is told at.
fn lines(report: &Report, model: &ir::c::Model, trace: &::c::Trace) -> BTreeSet<u32> {
    let places: Vec<::c::Loc> = match &trace.failure.kind {
        ::c::FailureKind::Race(race) => race.accesses.iter().map(|it| it.at).collect(),
        ::c::FailureKind::Deadlock(deadlock) => deadlock.waits.iter().map(|it| it.at).collect(),
        _ => vec![trace.failure.step.at],
    };
    let spans = places.into_iter().filter_map(|at| model.program.at(at).span);
    spans.map(|span| report.sources.file(span.file).position(span.start).line).collect()
}

fn judge(path: &Path, text: &str) -> Result<(), String> {
    let expectation = Expectation::read(text)?;
    let set = PropertySet::parse(directive(text, "property").ok_or("no property is named")?)?;
    let mut settings = Settings::default();
    if let Some((name, value)) = directive(text, "set").and_then(|it| it.split_once('=')) {
        verify::set(&mut settings, name, value)?;
    }
    let report = ask(path, set.with(&settings));
    let refused = REFUSED.iter().any(|it| path.file_stem().is_some_and(|stem| stem == *it));
    match report.outcome() {
        Some(Outcome::Unknown(reason)) if refused && reason.kind == ReasonKind::Unsupported => Ok(()),
        _ if refused => Err("it is not refused any more: take it off the list".into()),
        Some(Outcome::Safe { .. }) if expectation.threads.is_none() => Ok(()),
        Some(Outcome::Unsafe { trace: Trace::C(trace), threads, .. }) => {
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
            let expected = directive(text, "lines").unwrap_or_default();
            let expected: BTreeSet<u32> =
                expected.split_whitespace().filter_map(|it| it.parse().ok()).collect();
            let found = lines(&report, &model, trace);
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

/// Philosophers, transfers between accounts, an intersection, printers and a kitchen: with 3 and 5 threads
/// or resources, with and without the deadlock, and with 7 where there is one.
#[test]
fn classic_deadlocks_are_found_and_excluded() {
    assert_eq!(judge_all("families"), 25);
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
