//! The exact way on the C programs of `tests/c` and on random concurrent ones: what brute force over the
//! Boolean program finds is what is expected, or what brute force over the C machine finds.

#[path = "lower_search/mod.rs"]
mod lower_search;

use base::Budget;
use c::Program;
use lower_search::{Answer, answer};
use passes::lower::{Options, Problem, lower};

fn program(name: &str, text: &str, args: &[String]) -> Option<Program> {
    testing::programs::normalised(name, text, args).map(|it| it.program)
}

#[test]
fn the_programs_of_the_house() {
    let (mut decided, mut large, mut refused, mut wrong) = (0, 0, vec![], vec![]);
    for (path, text) in testing::programs::all().expect("the test programs are there") {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let expected =
            testing::programs::Expectation::read(&text).expect("the first lines say what is expected");
        let Some(program) = program(&name, &text, &expected.args) else { continue };
        match lower(&program, &Options::default(), &Budget::with_ticks(1_000_000)) {
            Err(Problem::Stop(_)) => large += 1,
            Err(Problem::Unsupported(it)) => refused.push(format!("{name}: {}", it.construct)),
            Ok(lowered) => match answer(&lowered, &program, expected.threads.unwrap_or(4), 2_500) {
                Answer::Safe if expected.threads.is_some() => {
                    wrong.push(format!("{name} is proved, but it is unsafe"))
                }
                Answer::Unsafe if expected.threads.is_none() => {
                    wrong.push(format!("{name} is refuted, but it is safe"))
                }
                Answer::Safe | Answer::Unsafe => decided += 1,
                Answer::Spurious(why) if lowered.exact => {
                    wrong.push(format!("{name}: {why}, though nothing was lost"))
                }
                Answer::Spurious(why) => refused.push(format!("{name}: {why}")),
                Answer::Unknown => refused.push(format!("{name}: a step whose meaning is not known")),
                Answer::Large => large += 1,
            },
        }
    }
    println!("{decided} decided, {large} too large for brute force, refused: {refused:#?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(decided >= 60, "{decided} decided, {large} too large, refused: {refused:#?}");
}
