//! Normalised C as text, for small programs that show one thing each: what is a call, what is one step, what
//! is a register.

mod search;

use std::path::Path;

use front_c::TranslateOptions;
use search::translated;

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let text = std::fs::read_to_string(folder.join(format!("{name}.i"))).expect("the program is there");
    let (translation, _) = translated(&format!("{name}.i"), &text, &[], &TranslateOptions::default())
        .expect("the program is right");
    assert!(translation.refused.is_empty(), "{:?}", translation.refused);
    let printed = ::c::text::print(&translation.program);
    let file = folder.join(format!("{name}.ir"));
    if std::env::var_os("SELVEDGE_BLESS").is_some() {
        std::fs::write(&file, &printed).expect("the expectation can be written");
    }
    let expected = std::fs::read_to_string(&file).expect("the expectation is there");
    assert_eq!(printed, expected, "{name}: run with SELVEDGE_BLESS=1 if this is what it should be");
}

#[test]
fn calls_stay_calls_and_addressed_variables_objects() {
    check("lock");
}

#[test]
fn a_compare_exchange_is_one_step_on_its_object() {
    check("cas");
}

#[test]
fn accesses_are_atomic_by_their_type_or_their_operation() {
    check("atomic");
}

#[test]
fn sections_that_nest_are_counted() {
    check("section");
}

#[test]
fn structs_are_copied_scalar_by_scalar_and_adjacent_bit_fields_are_one_cell() {
    check("record");
}

#[test]
fn recursive_functions_are_procedures() {
    check("recursion");
}

#[test]
fn loops_that_create_and_join_threads_stay_loops() {
    check("threads");
}
