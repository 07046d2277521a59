//! The literal reading of C against the usual one: a search of all states says the same of both. `cargo xtask
//! c-literal` does the same with all programs.

#[path = "c_literal/mod.rs"]
mod literal;

use literal::{Compared, Effort, Outcome, compare, typed};
use testing::programs::{Expectation, all};

/// Programs that were written for the literal reading.
const WRITTEN: [&str; 5] =
    ["struct_by_value", "argument_lists", "handlers_in_calls", "exit_in_calls", "sizes_and_formats_in_calls"];
const EFFORT: Effort = Effort { threads: 3, ticks: 60_000 };

/// What came of some programs.
#[derive(Default, Debug)]
struct Counts {
    safe: u32,
    failing: u32,
    open: u32,
    refused: u32,
}

impl Counts {
    fn add(&mut self, name: &str, text: &str, args: &[String], memory: bool) {
        let program = typed(name, text, args).unwrap_or_else(|why| panic!("{name}: {why}"));
        match compare(&program, memory, EFFORT).unwrap_or_else(|why| panic!("{name}: {why}")) {
            Compared::Same(Outcome::Safe) => self.safe += 1,
            Compared::Same(Outcome::Unsafe) => self.failing += 1,
            Compared::Open | Compared::Same(Outcome::Open) => self.open += 1,
            Compared::Same(Outcome::Refused(_)) | Compared::Gained(_) => self.refused += 1,
            other => panic!("{name} (memory: {memory}): {other}\n{text}"),
        }
    }
}

#[test]
fn the_literal_reading_says_the_same_of_the_test_programs() {
    let mut counts = Counts::default();
    for (at, (path, text)) in all().expect("the test programs").iter().enumerate() {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let args = Expectation::read(text).unwrap_or_else(|why| panic!("{name}: {why}")).args;
        if WRITTEN.iter().any(|it| name.starts_with(it)) || at % 3 == 0 {
            counts.add(&name, text, &args, at % 2 == 0);
        }
    }
    assert!(counts.safe >= 60 && counts.failing >= 60 && counts.open <= 20, "{counts:?}");
}

#[test]
fn the_literal_reading_says_the_same_of_random_programs() {
    let mut counts = Counts::default();
    for seed in 0..40 {
        let texts =
            [testing::c::schedules(seed).plain(), testing::c::concurrent(seed), testing::c::locking(seed)];
        for text in texts {
            counts.add("random.c", &text, &[], seed % 2 == 0);
        }
    }
    assert!(counts.safe >= 20 && counts.failing >= 20, "{counts:?}");
}
