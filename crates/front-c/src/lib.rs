//! The reader of C: preprocessing, parsing, type checking and linking, down to the typed form, and its
//! normalisation. Library functions are C programs (`library/`), read like the user's; our own headers
//! (`headers/`) come before the system's.
//!
//! The parser is our own (`docs/decisions/0006-c-parser.md`): it must go on after a mistake, stay within
//! limits whatever the file says, and know the types while it parses.

mod annotations;
mod check;
pub mod constructs;
mod headers;
mod hints;
pub mod hir;
pub mod layout;
mod lex;
mod library;
mod model;
pub mod normalise;
mod parse;
mod preprocess;
mod reader;
mod report;
mod symbols;
pub mod types;
mod unit;

use base::{Budget, Diagnostic, FileId, SourceMap};

use check::Checker;
pub use front::Failure;
use hir::Program;
pub use normalise::{Options as TranslateOptions, Problem, Refused, Translation, translate};
use parse::Parser;
pub use preprocess::Preprocessor;
pub use reader::{READER, symbols_of};
pub use symbols::{Symbols, symbols};
use types::{DataModel, IntKind};

/// The largest stack of the reading thread: the parser calls itself to a depth of `hir::MAX_DEPTH`.
const STACK: usize = 256 << 20;

/// A file to read. One whose name ends in `.i` is preprocessed already.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name, as the user gave it: what its `#include "…"` name is looked for beside it.
    pub name: String,
    /// The text.
    pub text: String,
}

/// What to read and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The files: the program, then those to be linked with it.
    pub units: Vec<Source>,
    /// The data model; without one, LP64, unless a `.i` file was made for ILP32.
    pub model: Option<DataModel>,
    /// How to preprocess.
    pub preprocessor: Preprocessor,
}

/// A program that was read.
#[derive(Debug)]
pub struct Reading {
    /// The program.
    pub program: Program,
    /// Warnings and notes.
    pub warnings: Vec<Diagnostic>,
    /// The files in the source map, one for each unit.
    pub files: Vec<FileId>,
    /// Whether the headers of the system were taken, since ours did not do.
    pub system_headers: bool,
}

/// Reads, checks and links the files of a program. Their texts, and those of the files that they include, go
/// into the source map, so that every span leads to the user's own file and line.
pub fn read(options: &Options, map: &mut SourceMap, budget: &Budget) -> Result<Reading, Failure> {
    base::stack::run(STACK, || read_units(options, map, budget))?
}

fn read_units(options: &Options, map: &mut SourceMap, budget: &Budget) -> Result<Reading, Failure> {
    let first = read_once(options, map, budget);
    let Err(Failure::Diagnostics(found)) = &first else { return first };
    // What our headers lack those of the system may have.
    if !found.iter().any(is_about_the_text) || !unit::includes_ours(options) {
        return first;
    }
    let mut again = options.clone();
    again.preprocessor.system_headers = true;
    match read_once(&again, map, budget) {
        Err(Failure::Diagnostics(_)) => first,
        second => second,
    }
}

/// Whether a finding is about what was preprocessed, not about preprocessing.
fn is_about_the_text(found: &Diagnostic) -> bool {
    found.severity == base::Severity::Error && !found.code.starts_with("E14")
}

fn read_once(options: &Options, map: &mut SourceMap, budget: &Budget) -> Result<Reading, Failure> {
    let (checker, files) = parsed(options, map, budget)?;
    let mut checker = checker;
    library::read_models(&mut checker, map, budget)?;
    checker.link();
    let system_headers = options.preprocessor.system_headers;
    match checker.report.finish() {
        Ok(warnings) => Ok(Reading { program: checker.program, warnings, files, system_headers }),
        Err(diagnostics) => Err(Failure::Diagnostics(diagnostics)),
    }
}

/// The checker after it has seen all units, and their files.
fn parsed(
    options: &Options,
    map: &mut SourceMap,
    budget: &Budget,
) -> Result<(Checker, Vec<FileId>), Failure> {
    let mut warnings = vec![];
    let mut errors = vec![];
    let mut units = vec![];
    let mut files = vec![];
    for source in &options.units {
        let file = map.add(source.name.clone(), source.text.clone());
        files.push(file);
        match unit::prepare(source, file, options, map, budget) {
            Ok((unit, found)) => {
                units.push(unit);
                for diagnostic in found {
                    let warning = diagnostic.severity == base::Severity::Warning;
                    if warning { warnings.push(diagnostic) } else { errors.push(diagnostic) }
                }
            }
            Err(Failure::Diagnostics(found)) => errors.extend(found),
            Err(stopped) => return Err(stopped),
        }
    }
    let model = unit::choose_model(options, &units, &files, &mut warnings);
    let char = if options.preprocessor.unsigned_char { IntKind::PlainUnsignedChar } else { IntKind::Char };
    let mut checker = Checker::new(model, char);
    warnings.into_iter().chain(errors).for_each(|diagnostic| checker.report.push(diagnostic));
    for unit in units {
        Parser::new(&mut checker, &unit.text, unit.tokens, budget).with_pragmas(unit.pragmas).unit()?;
    }
    Ok((checker, files))
}
