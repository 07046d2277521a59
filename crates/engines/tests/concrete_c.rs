//! The concrete way on C: the programs of `tests/c` against what they expect, and random concurrent programs
//! against brute force.

#[path = "concrete/support.rs"]
mod support;

use base::{Budget, SourceMap};
use c::{Machine, Program};
use front_c::{Options, Preprocessor, Source, TranslateOptions, read, translate};
use ir::{Verdict, Why};
use support::{Truth, brute, run_within};
use testing::programs::Expectation;

/// From C text to normalised C.
fn normalised(name: &str, text: &str, args: &[String]) -> Result<Program, String> {
    let defines = args.iter().filter_map(|arg| arg.strip_prefix("-D")).map(String::from).collect();
    let units = vec![Source { name: name.into(), text: text.into() }];
    let preprocessor = Preprocessor { defines, ..Preprocessor::default() };
    let budget = Budget::unlimited();
    let reading = read(&Options { units, model: None, preprocessor }, &mut SourceMap::new(), &budget)
        .map_err(|found| format!("{name}: {found:?}"))?;
    let made = translate(&reading.program, &TranslateOptions::default(), &budget);
    made.map(|made| made.program).map_err(|found| format!("{name}: {found:?}"))
}

/// Treiber's stack goes wrong because an address is used again, and for no other reason.
#[test]
fn a_stack_without_versions_is_safe_where_addresses_are_not_used_again() {
    let text = include_str!("../../../tests/c/aba_stack_unsafe.c");
    let program = normalised("aba_stack_unsafe.c", text, &[]).expect("it is C");
    let options = c::Options::default();
    let Verdict::Unsafe(trace) = run_within(&program, options, &[], 200_000).verdict else {
        panic!("the error is not found");
    };
    assert!(trace.steps.iter().any(|step| step.step.choice.reuses.is_some()), "the trace says so");
    // What ends by itself leaves no address behind.
    let text = c::text::print(&program)
        .replace(" zeroed", " zeroed automatic")
        .replace(" free ", " free automatic ");
    assert!(text.contains("zeroed automatic") && text.contains("free automatic"), "{text}");
    let file = SourceMap::new().add("test.cir", text.as_str());
    let program = c::text::parse(&text, file).expect("it is as valid as before");
    let verdict = run_within(&program, options, &[], 200_000).verdict;
    assert!(matches!(verdict, Verdict::Safe { .. }), "{verdict:?}");
}

#[test]
fn test_programs_are_as_they_expect() {
    let options = c::Options::default();
    let (mut decided, mut all) = (0, 0);
    for (path, text) in testing::programs::all().expect("the test programs are there") {
        let name = path.display().to_string();
        let expected = Expectation::read(&text).expect("test programs say what they expect");
        all += 1;
        let Ok(program) = normalised(&name, &text, &expected.args) else { continue };
        match run_within(&program, options, &[], 200_000).verdict {
            Verdict::Unsafe(trace) => {
                let replay = Machine::new(&program, options).replay(&trace).expect("traces replay");
                assert_eq!(Some(replay.threads), expected.threads, "{name}: {} steps", trace.len());
                decided += 1;
            }
            Verdict::Safe { .. } => {
                assert_eq!(expected.threads, None, "{name}");
                decided += 1;
            }
            Verdict::Unknown(_) => {}
        }
    }
    // Proofs over numbers of 32 bits, or for any number of threads, are the business of other ways.
    assert!(decided * 10 > all * 9, "{decided} of {all}");
}

#[test]
fn random_programs_agree_with_brute_force() {
    let options = c::Options { threads: Some(3), ..c::Options::default() };
    let (mut safe, mut wrong) = (0, 0);
    for seed in 0..150 {
        let text = testing::c::concurrent(seed);
        let program = normalised("random.c", &text, &[]).expect("generated programs are C");
        let truth = brute(&program, options, &[0, 1], 3_000);
        match (truth, run_within(&program, options, &[], 1_000_000).verdict) {
            (Truth::TooMany, _) | (_, Verdict::Unknown(Why::Stopped(_))) => {}
            (Truth::Safe, Verdict::Safe { .. }) => safe += 1,
            (Truth::Unsafe, Verdict::Unsafe(trace)) => {
                Machine::new(&program, options).replay(&trace).expect("traces replay");
                wrong += 1;
            }
            (truth, found) => panic!("seed {seed}: {truth:?}, but {found:?}\n{text}"),
        }
    }
    assert!(safe > 5 && wrong > 5, "{safe} safe, {wrong} unsafe");
}
