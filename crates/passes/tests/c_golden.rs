//! What the passes make of programs whose literal reading is in `front-c/tests/golden`, as text.

use std::path::Path;

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let source = folder.join("../../front-c/tests/golden").join(format!("{name}.i"));
    let text = std::fs::read_to_string(source).expect("the program is there");
    let made = testing::programs::normalised(&format!("{name}.i"), &text, &[]).expect("the program is right");
    let printed = ::c::text::print(&made.program);
    let file = folder.join("c_golden").join(format!("{name}.ir"));
    if std::env::var_os("SELVEDGE_BLESS").is_some() {
        std::fs::write(&file, &printed).expect("the expectation can be written");
    }
    let expected = std::fs::read_to_string(&file).expect("the expectation is there");
    assert_eq!(printed, expected, "{name}: run with SELVEDGE_BLESS=1 if this is what it should be");
}

#[test]
fn pointers_given_to_inlined_functions_vanish() {
    check("lock");
}

#[test]
fn functions_that_begin_sections_are_inlined() {
    check("section");
}

#[test]
fn recursive_functions_stay_procedures() {
    check("recursion");
}

#[test]
fn loops_that_create_and_join_threads_are_unrolled() {
    check("threads");
}
