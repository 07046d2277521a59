//! Every engine on every program of `tests/programs`. The head of a program says what is true of it and who
//! must find out:
//!
//! ```text
//! // args: --entry f --init zero      how to read it
//! // expect: safe threads=2           no engine may say otherwise; without a number: with any number of threads
//! // solves: explicit                 these must decide all expectations; `explicit` if nothing is said
//! ```
//!
//! `auto` among those who must decide stands for all engines together, with evidence that was confirmed.

mod support;

use base::{NoEvents, Settings};
use ir::{Bound, Model, Scope, Task};
use std::path::{Path, PathBuf};
use support::{decide, fails};
use verify::{InitReading, Limits, Origin, Outcome, Plan, Proof, Question, ReadOptions};

/// Expectations with more states than this are not checked by brute force.
const MOST_STATES: usize = 20_000;
/// What an engine may spend on a program that it has to decide, and on any other: there it only must not
/// contradict.
const TICKS: u64 = 3_000_000;
const TICKS_BESIDE_OTHERS: u64 = 50_000;

struct Expectation {
    safe: bool,
    threads: Bound,
}

struct Case {
    path: PathBuf,
    reading: ReadOptions,
    expectations: Vec<Expectation>,
    solvers: Vec<String>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let entries = std::fs::read_dir(&folder).expect("the programs are there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bp"));
    paths.sort();
    paths.into_iter().map(case).collect()
}

fn case(path: PathBuf) -> Case {
    let text = std::fs::read_to_string(&path).expect("it can be read");
    let values = |key: &str| {
        let prefix = format!("// {key}: ");
        text.lines().filter_map(|line| line.strip_prefix(&prefix).map(str::to_string)).collect::<Vec<_>>()
    };
    let reading = reading(&values("args").join(" "));
    let expectations = values("expect").iter().map(|text| expectation(text)).collect();
    let solvers =
        values("solves").iter().flat_map(|it| it.split(", ").map(str::to_string)).collect::<Vec<_>>();
    let solvers = if solvers.is_empty() { vec!["explicit".to_string()] } else { solvers };
    Case { path, reading, expectations, solvers }
}

fn reading(args: &str) -> ReadOptions {
    let mut reading = ReadOptions::default();
    let mut words = args.split_whitespace();
    while let Some(option) = words.next() {
        let value = words.next().expect("every option has a value").to_string();
        match option {
            "--entry" => reading.entry = Some(value),
            "--init" if value == "zero" => reading.init = InitReading::Zero,
            "--dialect" => reading.dialect = Some(value.parse().expect("a dialect")),
            "--error-label" => reading.error_labels.push(value),
            _ => panic!("unknown option {option}"),
        }
    }
    reading
}

fn expectation(text: &str) -> Expectation {
    let (verdict, threads) = text.split_once(" threads=").map_or((text, None), |(v, n)| (v, Some(n)));
    let number = |n: &str| Bound::AtMost(n.parse().expect("a number of threads"));
    let safe = match verdict {
        "safe" => true,
        "unsafe" => false,
        _ => panic!("`{text}` expects neither safe nor unsafe"),
    };
    Expectation { safe, threads: threads.map_or(Bound::Any, number) }
}

fn model(case: &Case) -> Model {
    let origin = Origin::from_argument(&case.path);
    verify::read(&origin, &case.reading)
        .unwrap_or_else(|bad| panic!("{:?}: {:?}", case.path, bad.diagnostics))
        .source
        .model()
}

#[test]
fn expectations_are_true() {
    let mut checked = 0;
    for case in cases() {
        let Model::Program(program) = model(&case) else { panic!("a program") };
        assert!(!case.expectations.is_empty(), "{:?} expects nothing", case.path);
        for expectation in &case.expectations {
            let Bound::AtMost(bound) = expectation.threads else { continue };
            let Some(fails) = fails(&program, bound, MOST_STATES) else { continue };
            assert_eq!(fails, !expectation.safe, "{:?} with {bound} threads", case.path);
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} expectations were small enough");
}

#[test]
fn no_engine_contradicts_and_solvers_decide() {
    for case in cases() {
        let model = model(&case);
        for expectation in &case.expectations {
            let scope = Scope { threads: expectation.threads };
            let task = Task::new(model.clone(), scope);
            for &engine in verify::engines() {
                let context = format!("{} on {:?}, {scope}", engine.name(), case.path);
                let must = case.solvers.iter().any(|solver| solver == engine.name());
                let ticks = if must { TICKS } else { TICKS_BESIDE_OTHERS };
                let decided = match decide(engine, &task, &Settings::default(), ticks) {
                    Some(Outcome::Safe { .. }) => Some(true),
                    Some(Outcome::Unsafe { .. }) => Some(false),
                    Some(Outcome::Unknown(reason)) => {
                        assert_ne!(reason.kind, ir::ReasonKind::Rejected, "{context}: {}", reason.message);
                        None
                    }
                    _ => None,
                };
                assert!(decided.is_none_or(|safe| safe == expectation.safe), "wrong verdict: {context}");
                assert!(decided.is_some() || !must, "not decided: {context}");
            }
        }
    }
}

#[test]
fn all_engines_together_decide_with_confirmed_evidence() {
    let mut decided = [0; 2];
    for case in cases().into_iter().filter(|case| case.solvers.iter().any(|solver| solver == "auto")) {
        for expectation in &case.expectations {
            let question = Question {
                reading: case.reading.clone(),
                scope: Scope { threads: expectation.threads },
                plan: Plan::of(verify::engines().to_vec()),
                limits: Limits::default(),
                each: false,
            };
            let report = verify::check(&Origin::from_argument(&case.path), &question, &mut NoEvents);
            match report.answer.expect("a good file").outcome {
                Outcome::Safe { proof: Proof::Confirmed { .. }, .. } => assert!(expectation.safe),
                Outcome::Unsafe { .. } => assert!(!expectation.safe),
                outcome => panic!("{:?}: {outcome:?}", case.path),
            }
            decided[usize::from(expectation.safe)] += 1;
        }
    }
    assert!(decided.iter().all(|&count| count > 10), "{decided:?}");
}
