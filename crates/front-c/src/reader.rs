//! C programs among the formats that can be read: from a file and the options of the command line to a
//! normalised program.

use super::{Options, Preprocessor, Problem, Source as Unit, TranslateOptions, Translation, read, translate};
use crate::types::DataModel;
use base::{Diagnostic, Severity};
use front::error_labels;
use front::{Beginning, COptions, CProgram, CProperty, Failure, Reader, Reading, Request, Source};
use std::sync::Arc;

/// The reader of C programs.
pub const READER: Reader = Reader {
    about: "a C program (`.c`, or `.i` if it is preprocessed)",
    extensions: &["c", "i"],
    recognises,
    takes_bytes: true,
    options: &[
        "--error-label",
        "-I, -D, -U, -include or --cc",
        "--with",
        "--ilp32",
        "--unroll-threads",
        "--create-may-fail",
        "--malloc-may-fail",
        "--no-spurious-wakeups",
        "--property",
    ],
    read: read_c,
};

fn recognises(beginning: &Beginning<'_>) -> bool {
    // C and Boolean programs share `void`; those with `begin` are Boolean programs.
    const WORDS: &[&str] = &["#", "int", "struct", "typedef", "extern", "static", "unsigned", "char", "void"];
    WORDS.contains(&beginning.first())
}

fn read_c(request: &mut Request<'_>) -> Result<Reading, Failure> {
    let how = &request.options.c;
    let options = Options {
        units: units(request, how)?,
        model: how.ilp32.then_some(DataModel::Ilp32),
        preprocessor: Preprocessor {
            command: how.cc.clone(),
            include_dirs: how.include_dirs.clone(),
            defines: how.defines.clone(),
            undefines: how.undefines.clone(),
            includes: how.includes.clone(),
            ..Preprocessor::default()
        },
    };
    let reading = read(&options, request.sources, request.budget)?;
    let labels = || reading.program.labels.iter().filter_map(|label| label.name.as_deref());
    let named = &request.options.error_labels;
    let missing = named.iter().filter(|&label| !labels().any(|it| it == label));
    let missing: Vec<Diagnostic> = missing.map(|label| error_labels::missing(label, labels())).collect();
    if !missing.is_empty() {
        return Err(missing.into());
    }
    let meaning = meaning(request);
    let translation = translate(&reading.program, &meaning, request.budget)?;
    let literal = match how.property {
        CProperty::Memory => None,
        _ => {
            Some(translate(&reading.program, &TranslateOptions { memory: true, ..meaning }, request.budget)?)
        }
    };
    let mut warnings = reading.warnings;
    warnings.extend(translation.warnings.clone().into_sorted());
    if let Some(found) = warnings.iter().find(|it| it.severity == Severity::Error) {
        return Err(found.clone().into());
    }
    let mut assumptions = translation.assumptions.clone();
    let sequential = "sequential consistency";
    // Whether plain accesses race is not looked into: with several threads they may.
    if translation.program.templates().len() > 1 && !assumptions.iter().any(|it| it == sequential) {
        assumptions.push(sequential.to_string());
        assumptions.sort();
    }
    let memory = how.property == CProperty::Memory;
    let machine = c::Options { memory, spurious_wakeups: !how.no_spurious_wakeups, ..c::Options::default() };
    let made = |translation: Translation, machine| CProgram {
        program: translation.program,
        machine,
        property: how.property,
        literal: None,
        assumptions: assumptions.clone(),
        refused: translation.refused,
        file: reading.files.first().copied().unwrap_or(request.file),
        made: ir::c::Made::default(),
    };
    let literal = literal.map(|it| Arc::new(made(it, c::Options { memory: true, ..machine })));
    let program = CProgram { literal, ..made(translation, machine) };
    Ok(Reading { source: Source::C(Arc::new(program)), warnings })
}

/// What the user decides about the meaning of the program.
fn meaning(request: &Request<'_>) -> TranslateOptions {
    let how = &request.options.c;
    TranslateOptions {
        create_may_fail: how.create_may_fail,
        malloc_may_fail: how.malloc_may_fail,
        unroll_threads: how.unroll_threads.unwrap_or(TranslateOptions::default().unroll_threads),
        memory: how.property == CProperty::Memory,
        error_labels: request.options.error_labels.clone(),
    }
}

/// The file and those to be linked with it.
fn units(request: &mut Request<'_>, how: &COptions) -> Result<Vec<Unit>, Failure> {
    let mut files = vec![request.file];
    for path in &how.with {
        files.push(request.files.load(request.sources, path)?);
    }
    let unit = |file| {
        let file = request.sources.file(file);
        Unit { name: file.name().to_string(), text: file.text().to_string() }
    };
    Ok(files.into_iter().map(unit).collect())
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Stop(stop) => stop.into(),
            Problem::Wrong(found) => {
                let found: Vec<Diagnostic> = found.into_sorted();
                found.into()
            }
        }
    }
}
