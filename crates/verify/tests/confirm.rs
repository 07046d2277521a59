//! `check` and `confirm` mean the same errors: on the random programs of the differential test, as files and
//! in several readings, each says of the other's evidence what brute force says of the program.

mod support;

use base::NoEvents;
use base::budget::StopHandle;
use ir::bp::{Count, print};
use ir::{Certificate, Model, Program, Scope};
use std::path::PathBuf;
use testing::bp::{self as random, Profile};
use verify::{Confirmation, InitReading, Limits, Origin, Outcome, Plan, Presented, Question, ReadOptions};

/// Programs with more states than this are left out.
const MOST_STATES: usize = 1500;
const THREADS: u32 = 2;

/// A file that is gone when the test ends.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> File {
        File(std::env::temp_dir().join(format!("selvedge-confirm-{name}-{}.bp", std::process::id())))
    }

    fn origin(&self) -> Origin {
        Origin::File(self.0.clone())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // Nothing depends on it.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The text, with `Marked` at some statements and all that can be read in several ways left to the reader.
fn text(program: &Program, seed: u64) -> String {
    let mut lines: Vec<String> = print::program(program).lines().map(str::to_string).collect();
    let statements: Vec<usize> =
        (0..lines.len()).filter(|&at| lines[at].trim_start().starts_with("skip;")).collect();
    if let Some(&at) = statements.get(seed as usize % 3) {
        lines[at] = lines[at].replacen("skip;", "Marked: skip;", 1);
    }
    lines.join("\n")
}

/// Ways to read the text of a program.
fn readings(text: &str) -> Vec<ReadOptions> {
    let plain = ReadOptions::default();
    let mut all = vec![ReadOptions { init: InitReading::Zero, ..plain.clone() }];
    if text.contains("Marked:") {
        all.push(ReadOptions { error_labels: vec!["Marked".to_string()], ..plain.clone() });
    }
    if !text.lines().any(|line| line.trim_start().starts_with("start ")) {
        all.push(ReadOptions { entry: Some("main".to_string()), ..plain.clone() });
    }
    all.push(plain);
    all
}

/// Whether a program fails, by brute force.
fn fails(model: &Model) -> Option<bool> {
    let Model::Program(program) = model else { unreachable!("only programs are written") };
    let fewest = program.start().templates.iter().map(|template| match template.count {
        Count::Exactly(n) | Count::AtLeast(n) => n,
    });
    // Without room for the threads of the start there is no question.
    if fewest.sum::<u32>() > THREADS {
        return None;
    }
    support::fails(program, THREADS, MOST_STATES)
}

/// What `check` says of the file, with its evidence as it is in a file.
fn checked(file: &File, reading: &ReadOptions) -> (bool, Presented) {
    let question = Question {
        reading: reading.clone(),
        scope: Scope::threads(THREADS),
        plan: Plan::named(&["explicit".to_string()]).expect("the engine is there"),
        limits: Limits::default(),
        each: false,
    };
    let report = verify::check(&file.origin(), &question, &mut NoEvents);
    let model = report.source.expect("it was read").model();
    match report.answer.expect("a good file").outcome {
        Outcome::Safe { proof, .. } => {
            (true, Presented::Certificate(again(proof.certificate().expect("it is small"), &model)))
        }
        Outcome::Unsafe { trace, .. } => (false, Presented::Trace(trace)),
        outcome => panic!("{outcome:?}"),
    }
}

fn again(certificate: &Certificate, model: &Model) -> Certificate {
    let text = ir::certificate::text::write(certificate, model);
    ir::certificate::text::read(&text).expect("what was written is read")
}

/// How often evidence was confirmed and rejected.
#[derive(Default, Debug)]
struct Tally {
    certificates: usize,
    traces: usize,
    rejected: usize,
}

impl Tally {
    fn program(&mut self, file: &File, text: &str) {
        std::fs::write(&file.0, text).expect("a file for the test");
        let mut known = vec![];
        for reading in readings(text) {
            let input = verify::read(&file.origin(), &reading);
            let input = input.unwrap_or_else(|bad| panic!("{:?}\n{text}", bad.diagnostics));
            let Some(fails) = fails(&input.source.model()) else { continue };
            let (safe, evidence) = checked(file, &reading);
            assert_eq!(safe, !fails, "{reading:?}\n{text}");
            known.push((reading, fails, evidence));
        }
        for (requested, fails, _) in &known {
            let input = verify::read(&file.origin(), requested).expect("it was read before");
            for (found, _, evidence) in &known {
                let task = input.source.task(Scope::threads(THREADS));
                let confirmation = verify::confirm(&task, evidence, &StopHandle::default());
                let context = || format!("{found:?} as {requested:?}: {confirmation:?}\n{text}");
                match &confirmation {
                    Confirmation::Certificate(_) => assert!(!fails, "{}", context()),
                    Confirmation::Trace { .. } => assert!(fails, "{}", context()),
                    _ => assert!(found != requested, "{}", context()),
                }
                match confirmation {
                    Confirmation::Certificate(_) => self.certificates += 1,
                    Confirmation::Trace { .. } => self.traces += 1,
                    _ => self.rejected += 1,
                }
            }
        }
    }
}

fn tally(name: &str, seeds: std::ops::Range<u64>, profile: &Profile) {
    let (file, mut tally) = (File::new(name), Tally::default());
    for seed in seeds {
        tally.program(&file, &text(&random::program(seed, profile), seed));
    }
    let Tally { certificates, traces, rejected } = tally;
    assert!(certificates > 100 && traces > 100 && rejected > 20, "{tally:?}");
}

#[test]
fn on_programs_with_everything() {
    tally("all", 0..600, &Profile::ALL);
}

#[test]
fn on_programs_with_broadcasts() {
    tally("broadcasts", 10_000..10_400, &Profile::BROADCASTS);
}

#[test]
fn on_programs_that_create_threads() {
    tally("spawning", 20_000..20_400, &Profile::SPAWNING);
}

#[test]
fn on_the_programs_for_options() {
    tally("options", 30_000..30_700, &Profile::ALL);
    tally("plain", 40_000..40_300, &Profile::ALL);
}
