//! Passes on normalised C: the validator accepts what they give, on the test programs and on random ones, and
//! refuses every random change that loses an error.

mod c_mutants;

use c_mutants::{Counts, chain, try_pass};
use passes::c::PASSES;

#[test]
fn mutants_that_lose_an_error_are_refused() {
    for (name, pass) in PASSES.iter().map(|it| (it.name(), it.run)) {
        let mut counts = Counts::default();
        let wrong = try_pass((name, pass), 0..40, 20, &mut counts);
        println!("{name}: {counts:?}");
        assert!(wrong.is_empty(), "{name}: {}\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n"));
        assert!(counts.losing >= 10 && counts.lifted >= 10, "{name}: {counts:?}");
    }
}

#[test]
fn test_programs_pass() {
    let all = testing::programs::all().expect("the folder is there");
    let mut seen = 0;
    // `cargo xtask c-passes tests/c` takes all of them.
    for (path, text) in all.into_iter().step_by(5) {
        let expected =
            testing::programs::Expectation::read(&text).expect("a test program says what is expected");
        let name = path.display().to_string();
        let Some(made) = testing::programs::normalised(&name, &text, &expected.args) else { continue };
        let done = chain(&made.program, |_| {});
        assert_eq!(done.refused, [""; 0], "{name}");
        seen += 1;
    }
    assert!(seen > 80, "{seen} programs");
}
