//! Passes on normalised C: the validator accepts what they give, on the test programs and on random ones, and
//! refuses every random change that loses an error.

mod c_mutants;

use c_mutants::{Counts, chain, random_program, try_pass};
use passes::c::{CPass, PASSES};

#[test]
fn mutants_that_lose_an_error_are_refused() {
    // Parts of a pass's programs, since some passes take much longer than others.
    let parts: Vec<_> = (0..4).flat_map(|part| PASSES.iter().map(move |pass| (pass, part))).collect();
    let tried = testing::in_parallel(&parts, |&(pass, part)| {
        let (mut counts, seeds) = (Counts::default(), part * 10..part * 10 + 10);
        let wrong = try_pass((pass.name(), pass.run), random_program, seeds, 20, &mut counts);
        (pass.name(), wrong, counts)
    });
    for name in PASSES.iter().map(CPass::name) {
        let own = || tried.iter().filter(|it| it.0 == name);
        let wrong: Vec<_> = own().flat_map(|it| &it.1).cloned().collect();
        let counts = own().fold(Counts::default(), |sum, it| sum.and(&it.2));
        println!("{name}: {counts:?}");
        assert!(wrong.is_empty(), "{name}: {}\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n"));
        assert!(counts.losing >= 10 && counts.lifted >= 10, "{name}: {counts:?}");
    }
}

#[test]
fn test_programs_pass() {
    let all = testing::programs::all().expect("the folder is there");
    // `cargo xtask c-passes tests/c` takes all of them.
    let some: Vec<_> = all.into_iter().step_by(5).collect();
    let seen = testing::in_parallel(&some, |(path, text)| {
        let expected =
            testing::programs::Expectation::read(text).expect("a test program says what is expected");
        let name = path.display().to_string();
        let Some(made) = testing::programs::read(&name, text, &expected.args) else { return 0 };
        let done = chain(&made.program, |_| {});
        assert_eq!(done.refused, [""; 0], "{name}");
        1
    });
    let seen: usize = seen.into_iter().sum();
    assert!(seen > 80, "{seen} programs");
}
