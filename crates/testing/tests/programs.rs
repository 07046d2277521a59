//! The C test programs are well-formed: their first lines can be read, the failing line asserts something,
//! and the compiler takes them.

use std::process::Command;
use testing::programs::{Expectation, all};

const ERRORS: &[&str] = &["assert", "reach_error", "__VERIFIER_error"];

#[test]
fn first_lines_can_be_read() {
    let programs = all().expect("tests/c is part of the project");
    assert!(programs.len() >= 300, "{} programs", programs.len());
    for (path, text) in &programs {
        let name = path.file_stem().and_then(|it| it.to_str()).expect("names are plain");
        let expectation = Expectation::read(text).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(expectation.threads.is_some(), name.ends_with("_unsafe"), "{name}");
        assert_eq!(expectation.threads.is_some(), expectation.line.is_some(), "{name}");
        if let Some(number) = expectation.line {
            let line = text.lines().nth(number - 1).unwrap_or_default();
            assert!(ERRORS.iter().any(|it| line.contains(it)), "{name}:{number} asserts nothing: {line}");
        }
        for way in &expectation.ways {
            assert!(["concrete", "exact", "abstract"].contains(&way.as_str()), "{name}: `{way}`");
        }
    }
}

#[test]
fn wrong_first_lines_are_refused() {
    for text in ["", "int x;", "// expect: maybe", "// expect: unsafe", "// expect: safe\n// line: x"] {
        assert!(Expectation::read(text).is_err(), "{text}");
    }
}

#[test]
fn the_compiler_takes_them() {
    if !Command::new("gcc").arg("--version").output().is_ok_and(|it| it.status.success()) {
        println!("skipped: there is no gcc");
        return;
    }
    // Those without options of their own in one call: a call for each would take most of a minute.
    let mut together = vec![];
    for (path, text) in all().expect("tests/c is part of the project") {
        let expectation = Expectation::read(&text).expect("tested above");
        if expectation.args.is_empty() { together.push(path) } else { accepts(&expectation.args, &[path]) }
    }
    accepts(&[], &together);
}

fn accepts(args: &[String], files: &[std::path::PathBuf]) {
    let options = ["-std=gnu11", "-w", "-pthread", "-fsyntax-only"];
    let output = Command::new("gcc").args(options).args(args).args(files).output().expect("gcc was there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
