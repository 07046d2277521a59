//! What the fuzz targets do with C: texts through the reader and the normaliser, and normalised C through its
//! text form.

use crate::{findings, text};
use base::{Budget, FileId, SourceMap};
use c::Program;
use c::text::{parse, print};
use front_c::{Failure, Options, Preprocessor, Source, TranslateOptions, read, translate};

/// Enough for every input that is not made to be dear.
const TICKS: u64 = 2_000_000;

/// A preprocessed C file is read or refused; what is read is translated or refused; what is translated is
/// printed and read back.
pub fn c(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let mut map = SourceMap::new();
    let reading = match read(&options("input.i", text), &mut map, &Budget::with_ticks(TICKS)) {
        Ok(reading) => reading,
        Err(Failure::Diagnostics(found)) => return findings::<()>(&map, Err(found)),
        Err(Failure::Stopped(_)) => return,
    };
    findings(&map, Ok(((), reading.warnings)));
    if let Ok(made) = translate(&reading.program, &TranslateOptions::default(), &Budget::with_ticks(TICKS)) {
        same(&made.program);
    }
}

/// A C file in normalised form, if it has one; for the first inputs.
pub fn translated(name: &str, text: &str) -> Option<Program> {
    let options = options(&format!("{name}.c"), text);
    let reading = read(&options, &mut SourceMap::new(), &Budget::unlimited()).ok()?;
    translate(&reading.program, &TranslateOptions::default(), &Budget::unlimited())
        .ok()
        .map(|made| made.program)
}

fn options(name: &str, text: &str) -> Options {
    Options {
        units: vec![Source { name: name.into(), text: text.into() }],
        model: None,
        preprocessor: Preprocessor::default(),
    }
}

/// Normalised C in its text form is refused, or printed and read back as the same program.
pub fn normalised(data: &[u8]) {
    let Some(text) = text(data) else { return };
    if let Ok(program) = parse(text, file(text)) {
        same(&program);
    }
}

fn file(text: &str) -> FileId {
    SourceMap::new().add("input.cir", text)
}

fn same(program: &Program) {
    let printed = print(program);
    let read = parse(&printed, file(&printed))
        .unwrap_or_else(|why| panic!("what was printed is refused: {why:?}\n{printed}"));
    assert!(read == *program, "another program came back for\n{printed}\nnamely\n{}", print(&read));
}
