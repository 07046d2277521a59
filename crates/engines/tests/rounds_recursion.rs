//! The recursive programs of tests/recursion: the engine decides each of them as its header says, and confirms every error.

use base::{Budget, Settings, Silent, SourceMap};
use engines::{Cx, Engine, Facts, Rounds};
use front::{Dialect, ReadOptions, read_program};
use ir::bp::Machine;
use ir::{Model, Program, Property, Scope, Task, Trace, Verdict};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a header expects: unsafe or safe, with up to so many threads or with any number.
#[derive(Clone, Copy, Debug)]
struct Expected {
    fails: bool,
    threads: Option<u32>,
}

struct Case {
    name: String,
    program: Program,
    expected: Vec<Expected>,
    /// The engine may say that it does not know as long as the program has calls.
    open: bool,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/recursion");
    let entries = std::fs::read_dir(folder).expect("the folder is part of the repository");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    files.iter().map(|file| case(file)).collect()
}

fn case(file: &Path) -> Case {
    let name = file.file_name().expect("a file").to_string_lossy().to_string();
    let text = std::fs::read_to_string(file).expect("a text");
    let said = |what: &str| {
        let start = format!("// {what}: ");
        let lines = text.lines().filter_map(move |line| line.strip_prefix(&start).map(str::to_string));
        lines.collect::<Vec<_>>()
    };
    let expected = said("expect").into_iter().map(|line| {
        let mut words = line.split(' ');
        let fails = words.next() == Some("unsafe");
        Expected { fails, threads: words.next().and_then(|it| it.strip_prefix("threads=")?.parse().ok()) }
    });
    let expected = expected.collect();
    let open = !said("inline first").is_empty();
    let getafix = said("args").iter().any(|line| line == "--dialect getafix");
    let mut map = SourceMap::default();
    let source = map.add(name.clone(), text);
    let options = ReadOptions { dialect: getafix.then_some(Dialect::Getafix), ..ReadOptions::default() };
    let (program, _) =
        read_program(&map, source, &options).unwrap_or_else(|found| panic!("{name}: {found:?}"));
    Case { name, program, expected, open }
}

fn run(program: &Program, scope: Scope) -> Verdict {
    let task = Task { model: Model::Program(Arc::new(program.clone())), property: Property::NoError, scope };
    Rounds.accepts(&task).expect("linear interfaces fit these programs");
    let (budget, facts, settings) = (Budget::unlimited(), Facts::default(), Settings::default());
    let mut cx = Cx { budget: &budget, events: &mut Silent, facts: &facts, settings: &settings, seed: 0 };
    Rounds.run(&task, &mut cx).expect("nothing stops it")
}

fn confirm(name: &str, program: &Program, trace: &Trace, bound: Option<u32>) {
    let Trace::Program(trace) = trace else { panic!("a trace of a program") };
    let machine = Machine::new(program, bound);
    machine.starts_in(&trace.start).expect("a start of the program");
    let end = trace.steps.iter().fold(trace.start.clone(), |state, step| {
        machine.apply(&state, step).unwrap_or_else(|why| panic!("{name}: {why:?} at {step:?}"))
    });
    assert_eq!(machine.failure(&end), Some(trace.failure), "{name}");
}

#[test]
fn every_program_is_decided_as_its_header_says() {
    let cases = cases();
    assert!(cases.len() >= 20);
    for Case { name, program, expected, open } in cases {
        for Expected { fails, threads } in expected {
            let scope = threads.map_or(Scope::ANY, Scope::threads);
            match run(&program, scope) {
                Verdict::Unsafe(trace) => {
                    assert!(fails, "{name}: an error with {threads:?} threads");
                    confirm(&name, &program, &trace, threads);
                }
                Verdict::Safe { scope, .. } => {
                    assert!(!fails, "{name}: safe with {threads:?} threads");
                    assert_eq!(scope, Scope::ANY, "{name}");
                }
                // A bound below what the error needs is no question for this engine.
                Verdict::Unknown(_) if open || !fails && threads.is_some() => {}
                Verdict::Unknown(why) => panic!("{name} with {threads:?} threads: {why:?}"),
            }
        }
    }
}

#[test]
fn the_headers_are_right() {
    for Case { name, program, expected, .. } in cases() {
        for it in expected {
            let most = it.threads.unwrap_or(3);
            let fails = |threads| Machine::new(&program, Some(threads)).fails_with_short_stacks(4, 20_000);
            let found = (1..=most).any(fails);
            assert_eq!(found, it.fails, "{name}: {it:?}");
        }
    }
}

#[test]
fn inlined_the_mended_driver_is_proved() {
    let case = cases().into_iter().find(|case| case.name == "bluetooth_fixed.bp").expect("it is there");
    let (program, _) = passes::inline::inline(&case.program, 1000).expect("it has no recursion");
    assert!(matches!(run(&program, Scope::ANY), Verdict::Safe { scope: Scope::ANY, .. }));
}
