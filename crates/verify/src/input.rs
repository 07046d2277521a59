//! From a file to a source: loads it and has it read by the reader that fits.

use crate::load::{Origin, load_bytes, load_source};
use base::{Budget, Diagnostic, FileId, Severity, SourceMap, Stop};
use front::dialects::{bp, spec, tts};
use front::{Failure, Files, ReadOptions, Reader, Request, Source};
use front_c::Symbols;
use std::path::Path;

/// The formats that can be read, in the order in which the contents of a file are compared with them.
pub const READERS: &[&Reader] = &[&bp::READER, &spec::READER, &tts::READER, &front_c::READER];

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Input {
    /// The files.
    pub sources: SourceMap,
    /// What was read.
    pub source: Source,
    /// Findings that do not keep it from being used.
    pub warnings: Vec<Diagnostic>,
    /// How it was read, for those who want to know more.
    pub notes: Vec<String>,
}

/// A file that cannot be used.
#[derive(Clone, Debug)]
pub struct BadInput {
    /// The files, as far as they could be read.
    pub sources: SourceMap,
    /// Everything that is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why a file was not read.
#[derive(Clone, Debug)]
pub enum NotRead {
    /// It cannot be used.
    Bad(BadInput),
    /// A resource ended.
    Stopped(Stop),
    /// A fault of the tool, in words.
    Fault(String),
}

/// Reads a file, however long that takes.
///
/// ```
/// use verify::{Origin, ReadOptions, read};
///
/// let bad = read(&Origin::File("../../no/such/file.bp".into()), &ReadOptions::default()).unwrap_err();
/// assert_eq!(bad.diagnostics[0].code, "E0901");
/// ```
pub fn read(origin: &Origin, options: &ReadOptions) -> Result<Input, BadInput> {
    match read_within(origin, options, &Budget::unlimited()) {
        Ok(input) => Ok(input),
        Err(NotRead::Bad(bad)) => Err(bad),
        Err(NotRead::Stopped(_) | NotRead::Fault(_)) => unreachable!("nothing stops an unlimited budget"),
    }
}

/// Reads a file within a budget, with the readers that there are.
pub fn read_within(origin: &Origin, options: &ReadOptions, budget: &Budget) -> Result<Input, NotRead> {
    read_with(READERS, origin, options, budget)
}

/// Reads a file with the one of these readers that fits.
pub fn read_with(
    readers: &[&Reader],
    origin: &Origin,
    options: &ReadOptions,
    budget: &Budget,
) -> Result<Input, NotRead> {
    let mut sources = SourceMap::new();
    let path = match origin {
        Origin::File(path) => Some(path.as_path()),
        Origin::Stdin => None,
    };
    let read = load_source(&mut sources, origin).map_err(Failure::from).and_then(|file| {
        let mut request = Request { sources: &mut sources, file, path, options, budget, files: &mut Disk };
        front::read(readers, &mut request)
    });
    match read {
        Ok(reading) => {
            debug_assert!(reading.warnings.iter().all(|it| it.severity == Severity::Warning));
            let front::Reading { source, warnings, notes } = reading;
            Ok(Input { sources, source, warnings, notes })
        }
        Err(Failure::Stopped(stop)) => Err(NotRead::Stopped(stop)),
        Err(Failure::Diagnostics(mut diagnostics)) => {
            // What has no place comes after what has one: that more errors are not shown is told last.
            diagnostics.sort_by_key(|it| (std::cmp::Reverse(it.severity), it.span.is_none(), it.span));
            Err(NotRead::Bad(BadInput { sources, diagnostics }))
        }
    }
}

/// What one file of a C program defines and needs.
pub fn symbols(path: &Path, options: &ReadOptions, budget: &Budget) -> Result<Symbols, NotRead> {
    let mut sources = SourceMap::new();
    let read = load_source(&mut sources, &Origin::File(path.to_path_buf())).map_err(Failure::from);
    let found = read.and_then(|file| {
        let file = sources.file(file);
        front_c::symbols_of(file.name(), file.text(), &options.c, budget)
    });
    found.map_err(|failure| match failure {
        Failure::Stopped(stop) => NotRead::Stopped(stop),
        Failure::Diagnostics(diagnostics) => NotRead::Bad(BadInput { sources, diagnostics }),
    })
}

/// The files of the system.
struct Disk;

impl Files for Disk {
    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn load(&mut self, sources: &mut SourceMap, path: &Path) -> Result<FileId, Diagnostic> {
        load_source(sources, &Origin::File(path.to_path_buf()))
    }

    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, Diagnostic> {
        load_bytes(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use front::{Beginning, OPTIONS};

    fn check(text: &str, extension: Option<&str>) {
        let beginning = Beginning::of(text);
        let found = READERS.iter().find(|reader| (reader.recognises)(&beginning));
        assert_eq!(found.map(|reader| reader.extensions[0]), extension, "{text}");
    }

    #[test]
    fn contents_tell_the_format() {
        check("/* c */ // d\ndecl x;", Some("bp"));
        check("void main() begin end", Some("bp"));
        check("bool f() begin return 0; end", Some("bp"));
        check("# shared\n3 4\n0 0 -> 1 1", Some("tts"));
        check("# net\nvars\n x y\nrules", Some("spec"));
        check("#include <stdio.h>\nint main() {}", Some("c"));
        check("void f(void) { }", Some("c"));
        check("Ein Text.", None);
        check("/* never closed", None);
        check("é", None);
        check("3", None);
    }

    #[test]
    fn every_option_of_a_reader_is_in_the_table() {
        for name in READERS.iter().flat_map(|reader| reader.options) {
            assert!(OPTIONS.iter().any(|it| it.name == *name), "{name}");
        }
    }
}
