//! No unsafe C program of `tests/c` is proved, and proofs about the others are confirmed by the checker,
//! which shares nothing with the prover, also after they were written and read.

use base::{Budget, Event};
use check_formulas::c::about;
use predicates::{Options, Outcome, prove};
use relation::proof::{read, write};
use testing::programs::{Normalised, model, normalised};

#[test]
fn every_proof_is_confirmed() {
    let (mut confirmed, mut wrong) = (0, vec![]);
    for (path, text) in testing::programs::all().expect("the test programs are there") {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let expected =
            testing::programs::Expectation::read(&text).expect("the first lines say what is expected");
        let Some(Normalised { program, .. }) = normalised(&name, &text, &expected.args) else {
            continue;
        };
        let mut events: Vec<Event> = vec![];
        let found = prove(&program, &Options::default(), &Budget::with_ticks(20_000), &mut events);
        let Ok(Outcome::Proved { proof, relation, .. }) = found else { continue };
        if expected.threads.is_some() {
            wrong.push(format!("{name} is proved, but it is unsafe"));
        }
        let model = model(&program);
        let budget = Budget::with_ticks(50_000_000);
        let direct = about(&model, &proof, &budget);
        let again = read(&write(&relation, &proof), &relation, &budget).expect("what was written is read");
        let written = about(&model, &again, &budget);
        match (&direct, direct == written) {
            (Ok(_), true) => confirmed += 1,
            (_, true) => wrong.push(format!("{name}: {direct:?}")),
            (_, false) => wrong.push(format!("{name}: {direct:?}, but as a text {written:?}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(confirmed >= 70, "{confirmed} proofs");
}
