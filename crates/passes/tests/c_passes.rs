//! Passes on normalised C: the validator accepts what they give, on the test programs and on random ones, and refuses every random change that loses an error.

mod c_mutants;

use c_mutants::{Counts, try_pass};
use passes::c::PASSES;

#[test]
fn mutants_that_lose_an_error_are_refused() {
    for &(name, pass) in PASSES {
        let mut counts = Counts::default();
        let wrong = try_pass(pass, 0..60, 20, &mut counts);
        println!("{name}: {counts:?}");
        assert!(wrong.is_empty(), "{name}: {}\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n"));
        assert!(counts.losing >= 50 && counts.lifted >= 50, "{name}: {counts:?}");
    }
}
