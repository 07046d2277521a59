//! What the fuzz targets do with an input. Every reader takes any text and either gives a value or says what
//! is wrong, at places that exist; nothing panics, hangs or eats the memory. `docs/fuzzing.md` says how to
//! run them and how inputs are laid out.

mod c;
mod evidence;
mod models;
mod pipeline;

pub use c::{c, normalised, translated};
pub use evidence::{certificate, trace, trace_text};
pub use models::{MODELS, model};
pub use pipeline::pipeline;

use base::{Diagnostic, FileId, Severity, SourceMap};
use front::dialects::{prop, spec, tts};
use front::{Dialect, InitReading, ReadOptions, read_program};
use ir::bp::{Program, print};
use report::Paint;

/// The part of an input that is text; everything else is refused before any reader sees it.
fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok().filter(|text| !text.contains('\0'))
}

/// Two bytes of options, then a Boolean program. Digits do as options: the first byte modulo 8 is the dialect
/// (6 and 7: guessed), of the second bit 0 is `--init zero`, bit 1 `--entry main`, bit 2 `--error-label L`.
pub(crate) fn options(data: &[u8]) -> Option<(ReadOptions, &str)> {
    let (&[dialect, flags], rest) = data.split_first_chunk()?;
    let dialect = Dialect::ALL.get(usize::from(dialect % 8)).map(|(_, dialect)| *dialect);
    let on = |bit: u8| flags >> bit & 1 == 1;
    let options = ReadOptions {
        dialect,
        init: if on(0) { InitReading::Zero } else { InitReading::Nondet },
        entry: on(1).then(|| "main".to_string()),
        error_labels: if on(2) { vec!["L".to_string()] } else { vec![] },
        ..ReadOptions::default()
    };
    Some((options, text(rest)?))
}

/// Reads a Boolean program in any dialect.
pub fn program(data: &[u8]) {
    let Some((options, text)) = options(data) else { return };
    let mut map = SourceMap::new();
    let file = map.add("input.bp", text);
    findings(&map, read_program(&map, file, &options));
}

/// What the reader accepts is printed and read back as the same program.
pub fn roundtrip(data: &[u8]) {
    let Some((options, text)) = options(data) else { return };
    let Some(made) = accepted(text, &options) else { return };
    let printed = print::program(&made);
    let Some(read) = accepted(&printed, &ReadOptions::default()) else {
        panic!("what was printed is refused:\n{printed}")
    };
    assert!(read == made, "another program came back for\n{printed}\nnamely\n{}", print::program(&read));
}

pub(crate) fn accepted(text: &str, options: &ReadOptions) -> Option<Program> {
    let mut map = SourceMap::new();
    let file = map.add("input.bp", text);
    read_program(&map, file, options).ok().map(|(program, _)| program)
}

/// `start % target % prop % net`: the parts of a question about a thread transition system; an empty one is
/// not given.
pub fn tts(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let mut parts = text.splitn(4, '%');
    let mut part = || parts.next().filter(|part| !part.is_empty());
    let options = ReadOptions {
        start: part().map(str::to_string),
        target: part().map(str::to_string),
        ..ReadOptions::default()
    };
    let mut map = SourceMap::new();
    let prop = part().map(|text| map.add("input.prop", text));
    let file = map.add("input.tts", part().unwrap_or_default());
    findings(&map, tts::read_tts(&map, file, &options, prop));
}

/// Reads a file of targets.
pub fn prop(data: &[u8]) {
    let Some((map, file)) = one_file("input.prop", data) else { return };
    findings(&map, prop::read_prop(&map, file).map(|targets| (targets, vec![])));
}

/// Reads a Petri net.
pub fn spec(data: &[u8]) {
    let Some((map, file)) = one_file("input.spec", data) else { return };
    findings(&map, spec::read_spec(&map, file));
}

fn one_file(name: &str, data: &[u8]) -> Option<(SourceMap, FileId)> {
    let mut map = SourceMap::new();
    let file = map.add(name, text(data)?);
    Some((map, file))
}

/// Findings beside a result are warnings, those instead of one hold an error; all of them can be drawn.
fn findings<T>(map: &SourceMap, read: Result<(T, Vec<Diagnostic>), Vec<Diagnostic>>) {
    let (found, errors) = match read {
        Ok((_, found)) => (found, false),
        Err(found) => (found, true),
    };
    let any_error = found.iter().any(|it| it.severity == Severity::Error);
    assert_eq!(any_error, errors, "errors and results exclude each other: {found:?}");
    for it in &found {
        let spans = it.span.iter().chain(it.labels.iter().map(|(span, _)| span));
        for span in spans {
            let text = map.file(span.file).text();
            let exists = text.get(span.start as usize..span.end as usize).is_some();
            assert!(exists, "{it:?} is at no place of the text");
        }
    }
    // Drawing is the same for all of them, and there may be a hundred.
    for it in found.iter().take(3) {
        report::diagnostics::draw(map, it, 60).render(Paint::Ansi);
    }
}
