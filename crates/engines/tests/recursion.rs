//! The recursive programs of tests/recursion: no engine contradicts a header, `rounds` decides each of them,
//! and `modular` proves most of the safe ones.

mod kit;

use base::{Budget, NoEvents, SourceMap};
use engines::{Counter, Cover, Engine, Explicit, Modular, Rounds, Simulate};
use front::{Dialect, ReadOptions, read_program};
use ir::bp::Machine;
use ir::{Bound, Model, Program, Scope, Task, Verdict};
use kit::{ask, replay, task};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a header expects: unsafe or safe, with up to this many threads or with any number.
#[derive(Clone, Copy, Debug)]
struct Expected {
    fails: bool,
    threads: Bound,
}

struct Case {
    name: String,
    program: Program,
    expected: Vec<Expected>,
    /// `rounds` may say that it does not know as long as the program has calls.
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
    let name = file.file_stem().expect("a file").to_string_lossy().to_string();
    let text = std::fs::read_to_string(file).expect("a text");
    let values = |key: &str| {
        let start = format!("// {key}: ");
        text.lines().filter_map(|line| line.strip_prefix(&start).map(str::to_string)).collect::<Vec<_>>()
    };
    let expected = values("expect").into_iter().map(|line| {
        let mut words = line.split(' ');
        let fails = words.next() == Some("unsafe");
        let threads = words.next().and_then(|it| it.strip_prefix("threads=")?.parse().ok());
        Expected { fails, threads: threads.map_or(Bound::Any, Bound::AtMost) }
    });
    let (expected, open) = (expected.collect(), !values("inline first").is_empty());
    let getafix = values("args").iter().any(|line| line == "--dialect getafix");
    let options = ReadOptions { dialect: getafix.then_some(Dialect::Getafix), ..ReadOptions::default() };
    let mut map = SourceMap::default();
    let source = map.add(name.clone(), text);
    let (program, _) =
        read_program(&map, source, &options).unwrap_or_else(|found| panic!("{name}: {found:?}"));
    Case { name, program, expected, open }
}

/// The verdict, unless the engine refuses the task or takes too long.
fn verdict(engine: &dyn Engine, task: &Task) -> Option<Verdict> {
    engine.accepts(task).ok()?;
    ask(engine, task, &[], &Budget::with_ticks(100_000_000), &mut NoEvents).ok()
}

#[test]
fn no_engine_contradicts_and_rounds_decides() {
    let cases = cases();
    assert!(cases.len() >= 20);
    let mut proved = vec![];
    for Case { name, program, expected, open } in cases {
        let model = Model::Program(Arc::new(program.clone()));
        for Expected { fails, threads } in expected {
            let task = task(&model, threads);
            let all: [&dyn Engine; 6] = [&Explicit, &Counter, &Simulate, &Cover, &Modular, &Rounds];
            for engine in all {
                let context = format!("{} on {name}, {threads:?} threads", engine.name());
                match verdict(engine, &task) {
                    Some(Verdict::Unsafe(trace)) => {
                        assert!(fails, "{context}: an error");
                        replay(&task, &trace);
                    }
                    Some(Verdict::Safe { .. }) => {
                        assert!(!fails, "{context}: safe");
                        if engine.name() == "modular" && program.recursive_procedure().is_some() {
                            proved.push(name.clone());
                        }
                    }
                    // A bound below what the error needs is no question for `rounds`.
                    unknown => {
                        let decided = open || !fails && threads != Bound::Any;
                        assert!(decided || engine.name() != "rounds", "{context}: {unknown:?}");
                    }
                }
            }
        }
    }
    let expected = "answers_in_turn carries_a_lock enforced_depth locals_survive_calls mutual_parity \
        relocks_itself result_is_shared several_returns swap_results template_recursion_safe";
    assert_eq!(proved, expected.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn the_headers_are_right() {
    for Case { name, program, expected, .. } in cases() {
        for it in expected {
            let most = it.threads.limit().unwrap_or(3);
            let fails = |threads| Machine::new(&program, Some(threads)).fails_with_short_stacks(4, 20_000);
            assert_eq!((1..=most).any(fails), it.fails, "{name}: {it:?}");
        }
    }
}

#[test]
fn inlined_the_mended_driver_is_proved() {
    let case = cases().into_iter().find(|case| case.name == "bluetooth_fixed").expect("it is there");
    let passed = passes::inline::inline(&case.program, 1000, &Budget::unlimited()).expect("nobody stops it");
    let program = passed.expect("it is small").program;
    let task = task(&Model::Program(Arc::new(program)), Bound::Any);
    let verdict = verdict(&Rounds, &task);
    assert!(matches!(verdict, Some(Verdict::Safe { scope: Scope::ANY, .. })));
}
