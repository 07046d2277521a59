//! The files of a program before they are parsed: preprocessed if need be, and cut into tokens.

use std::borrow::Cow;

use base::{Budget, Diagnostic, FileId, SourceMap};

use super::lex::lines::Lines;
use super::lex::token::Token;
use super::lex::{self, Pragma};
use super::types::DataModel;
use super::{Failure, Options, Source, annotations, headers, model, preprocess};

/// A unit ready to be parsed.
pub struct Unit {
    /// Its text.
    pub text: String,
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// Its pragmas.
    pub pragmas: Vec<Pragma>,
}

/// The data model: the one that was asked for, or that of preprocessed files.
pub fn choose_model(
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
pub fn prepare(
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

/// Whether a file may include headers of ours.
pub fn includes_ours(options: &Options) -> bool {
    let preprocessed = |source: &&Source| !source.name.ends_with(".i");
    let included = !options.preprocessor.includes.is_empty();
    let mut units = options.units.iter().filter(preprocessed);
    units.any(|source| included || !headers::needed(&source.text).is_empty())
}
