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
pub mod types;

use std::borrow::Cow;

use base::{Budget, Diagnostic, FileId, SourceMap};

use check::Checker;
pub use front::Failure;
use hir::Program;
use lex::Pragma;
use lex::lines::Lines;
use lex::token::Token;
pub use normalise::{Options as TranslateOptions, Problem, Refused, Translation, translate};
use parse::Parser;
pub use preprocess::Preprocessor;
pub use reader::READER;
use types::DataModel;

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
}

/// Reads, checks and links the files of a program. Their texts, and those of the files that they include, go
/// into the source map, so that every span leads to the user's own file and line.
pub fn read(options: &Options, map: &mut SourceMap, budget: &Budget) -> Result<Reading, Failure> {
    base::stack::run(STACK, || read_units(options, map, budget))?
}

/// A unit ready to be parsed.
struct Unit {
    text: String,
    tokens: Vec<Token>,
    pragmas: Vec<Pragma>,
}

fn read_units(options: &Options, map: &mut SourceMap, budget: &Budget) -> Result<Reading, Failure> {
    let mut warnings = vec![];
    let mut errors = vec![];
    let mut units = vec![];
    let mut files = vec![];
    for source in &options.units {
        let file = map.add(source.name.clone(), source.text.clone());
        files.push(file);
        match prepare(source, file, options, map, budget) {
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
    let model = choose_model(options, &units, &files, &mut warnings);
    let mut checker = Checker::new(model);
    warnings.into_iter().chain(errors).for_each(|diagnostic| checker.report.push(diagnostic));
    for unit in units {
        Parser::new(&mut checker, &unit.text, unit.tokens, budget).with_pragmas(unit.pragmas).unit()?;
    }
    library::read_models(&mut checker, map, budget)?;
    checker.link();
    match checker.report.finish() {
        Ok(warnings) => Ok(Reading { program: checker.program, warnings, files }),
        Err(diagnostics) => Err(Failure::Diagnostics(diagnostics)),
    }
}

fn choose_model(
    options: &Options,
    units: &[Unit],
    files: &[FileId],
    warnings: &mut Vec<Diagnostic>,
) -> DataModel {
    if let Some(model) = options.model {
        return model;
    }
    let preprocessed =
        options.units.iter().zip(units).zip(files).filter(|((source, _), _)| source.name.ends_with(".i"));
    for ((_, unit), file) in preprocessed {
        if model::detect(&unit.text, &unit.tokens) == Some(DataModel::Ilp32) {
            let span = base::Span { file: *file, start: 0, end: 0 };
            let message = "`size_t` is `unsigned int` here: read with 32-bit `long` and pointers (ILP32)";
            warnings.push(Diagnostic::warning("W1407", span, message));
            return DataModel::Ilp32;
        }
    }
    DataModel::Lp64
}

/// Preprocesses a file if it is needed, and cuts it into tokens.
fn prepare(
    source: &Source,
    file: FileId,
    options: &Options,
    map: &mut SourceMap,
    budget: &Budget,
) -> Result<(Unit, Vec<Diagnostic>), Failure> {
    if source.text.len() > lex::LONGEST_TEXT {
        let message = format!("the file has more than {} MB", lex::LONGEST_TEXT >> 20);
        return Err(Failure::Diagnostics(vec![Diagnostic::error("E1004", None, message).help("split it")]));
    }
    let rewritten = annotations::rewrite(&source.text);
    let mut verbatim = !rewritten.changed;
    let text = if source.name.ends_with(".i") {
        rewritten.text
    } else {
        let input = preprocess::Input {
            name: &source.name,
            file,
            text: &rewritten.text,
            model: options.model.unwrap_or_default(),
        };
        match preprocess::preprocess(&options.preprocessor, &input, budget) {
            Ok(text) => {
                verbatim = false;
                text
            }
            // A file without directives needs no preprocessor.
            Err(preprocess::Failure::NoCompiler(_)) if !has_directives(&rewritten.text) => rewritten.text,
            Err(preprocess::Failure::NoCompiler(diagnostic)) => {
                return Err(Failure::Diagnostics(vec![diagnostic]));
            }
            Err(preprocess::Failure::Diagnostics(diagnostics)) => {
                return Err(Failure::Diagnostics(diagnostics));
            }
            Err(preprocess::Failure::Stopped(stop)) => return Err(Failure::Stopped(stop)),
        }
    };
    let text = match lex::universal::plain(&text) {
        Cow::Owned(plain) => {
            verbatim = false;
            plain
        }
        Cow::Borrowed(_) => text,
    };
    let mut lines = Lines::new(map, file, &text, verbatim);
    let lexed = lex::lex(&text, &mut lines, budget)?;
    let found = lexed.errors;
    Ok((Unit { text, tokens: lexed.tokens, pragmas: lexed.pragmas }, found))
}

fn has_directives(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with('#'))
}
