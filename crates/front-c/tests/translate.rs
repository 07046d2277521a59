//! Normalised C against what the test programs of `tests/c` expect, by brute force on the machine.

mod search;

use front_c::TranslateOptions;
use search::{search, translated};
use testing::programs::{Expectation, all};

/// This many states are looked at for each program and number of threads.
const STATES: usize = 30_000;

#[test]
fn test_programs_mean_what_they_expect() {
    let mut wrong = vec![];
    let (mut decided, mut translated_fully) = (0, 0);
    let only = std::env::var("SELVEDGE_C_TEST").ok();
    for (path, text) in all().expect("the test programs are there") {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_string();
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let expectation = Expectation::read(&text).expect("every test program says what it expects");
        let defines: Vec<String> =
            expectation.args.iter().filter_map(|it| it.strip_prefix("-D")).map(String::from).collect();
        let options = TranslateOptions::default();
        let (translation, map) = match translated(&path.to_string_lossy(), &text, &defines, &options) {
            Ok(done) => done,
            Err(message) => {
                wrong.push(format!("{name}: {message}"));
                continue;
            }
        };
        for refused in &translation.refused {
            eprintln!("{name}: refused: {}", refused.construct);
        }
        translated_fully += usize::from(translation.refused.is_empty());
        let program = &translation.program;
        let printed = ::c::text::print(program);
        let again = ::c::text::parse(&printed, base::Id::from_index(0)).expect("what is printed can be read");
        assert!(again == *program, "{name}: print and parse are not the identity");
        let threads = expectation.threads.unwrap_or(3);
        let found = search(program, threads, STATES);
        if let Some((why, _)) = &found.unsupported {
            eprintln!("{name}: unsupported: {why}");
        }
        match (expectation.threads, found.error) {
            (None, Some(at)) => {
                let place = program.at(at).span.map(|span| map.describe(span));
                wrong.push(format!("{name}: safe, but an error is found at {place:?}"));
            }
            (Some(_), None) if !found.cut && found.unsupported.is_none() => {
                wrong.push(format!("{name}: no error is found ({} states)", found.states))
            }
            (Some(threads), Some(at)) => {
                let line =
                    program.at(at).span.map(|span| map.file(span.file).position(span.start).line as usize);
                if expectation.line.is_some() && line != expectation.line {
                    wrong.push(format!("{name}: the error is in line {line:?}"));
                }
                let fewer = search(program, threads - 1, STATES);
                if threads > 1 && fewer.error.is_some() {
                    wrong.push(format!("{name}: fails with {} threads", threads - 1));
                }
                decided += 1;
            }
            (None, None) => decided += usize::from(!found.cut && found.unsupported.is_none()),
            (Some(_), None) => eprintln!("{name}: not decided ({} states)", found.states),
        }
    }
    eprintln!("{decided} decided, {translated_fully} without a refused construct");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
