//! What the tests of the reader share.
#![allow(dead_code, reason = "each test uses a part")]

use base::{Diagnostic, SourceMap};
use front::{ReadOptions, read_program};
use ir::bp::{Machine, Program, print};

/// Reads a text; findings as `code line:column message`.
pub fn read(text: &str, options: &ReadOptions) -> Result<Program, Vec<String>> {
    let mut map = SourceMap::new();
    let file = map.add("test.bp", text);
    let tell = |found: Vec<Diagnostic>| {
        let place = |it: &Diagnostic| {
            it.span.map_or("-".to_string(), |span| {
                let at = map.file(file).position(span.start);
                format!("{}:{}", at.line, at.column)
            })
        };
        found.iter().map(|it| format!("{} {} {}", it.code, place(it), it.message)).collect()
    };
    read_program(&map, file, options).map(|(program, _)| program).map_err(tell)
}

/// Reads a text that is right.
pub fn program(text: &str) -> Program {
    program_with(text, &ReadOptions::default())
}

/// Reads a text that is right under these options.
pub fn program_with(text: &str, options: &ReadOptions) -> Program {
    read(text, options).unwrap_or_else(|found| panic!("{text}\n{found:#?}"))
}

/// The canonical text without indentation and empty lines.
pub fn canonical(program: &Program) -> String {
    let text = print::program(program);
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Whether an error is reachable with at most this many threads, by brute force.
pub fn is_unsafe(program: &Program, threads: u32) -> bool {
    let machine = Machine::new(program, Some(threads));
    let states = machine.reachable(50_000).expect("the test program is small");
    states.iter().any(|state| machine.failure(state).is_some())
}
