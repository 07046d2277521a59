//! Boolean programs in the dialects of SatAbs/Boppo, SLAM, BoPP, Boom, Getafix, and with `shared`/`local`
//! sections. One grammar reads them all: what one dialect has, every file may use, where that leaves no
//! doubt. `docs/language.md` is the reference.

mod ast;
mod cursor;
mod declare;
mod dialect;
mod expressions;
mod lexer;
mod lower;
mod names;
mod numbered;
mod operations;
mod parser;
mod report;
mod simple;
mod start;
mod statements;
mod token;

pub use dialect::Dialect;

use crate::options::{DIALECT, InitReading, ReadOptions};
use crate::registry::{Beginning, Failure, Reader, Reading, Request};
use crate::source::Source;
use ast::Unit;
use base::{Budget, Diagnostic, FileId, SourceMap};
use cursor::Parser;
use dialect::Facts;
use ir::bp::{Builder, Init, Program};
use report::Report;
use std::collections::HashSet;
use std::sync::Arc;

/// The reader of Boolean programs.
pub const READER: Reader = Reader {
    about: "a Boolean program",
    extensions: &["bp", "nbp"],
    recognises,
    takes_bytes: false,
    options: &[DIALECT, "--init", "--entry", "--error-label"],
    read,
};

fn recognises(beginning: &Beginning<'_>) -> bool {
    match beginning.first() {
        "decl" | "dfs" | "shared" | "local" => true,
        // C has these words too, but no `begin`.
        "void" | "bool" => beginning.text.contains("begin"),
        _ => false,
    }
}

fn read(request: &mut Request<'_>) -> Result<Reading, Failure> {
    let (program, warnings) =
        read_program_within(request.sources, request.file, request.options, request.budget)?;
    Ok(Reading { source: Source::Program(Arc::new(program)), warnings, notes: vec![] })
}

/// The most expressions that are named because dialects read them differently.
const MOST_UNCLEAR: usize = 100;

/// The label at which it is always an error to arrive.
const ERROR_LABEL: &str = "SLIC_ERROR";

/// Reads a Boolean program, however long that takes. Gives the program with warnings, or all that is wrong
/// with the file.
pub fn read_program(
    map: &SourceMap,
    file: FileId,
    options: &ReadOptions,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    match read_program_within(map, file, options, &Budget::unlimited()) {
        Ok(read) => Ok(read),
        Err(Failure::Diagnostics(found)) => Err(found),
        Err(Failure::Stopped(_)) => unreachable!("nothing stops an unlimited budget"),
    }
}

/// Reads a Boolean program within a budget.
fn read_program_within(
    map: &SourceMap,
    file: FileId,
    options: &ReadOptions,
    budget: &Budget,
) -> Result<(Program, Vec<Diagnostic>), Failure> {
    let source = map.file(file);
    let facts = Facts::of(source.text());
    let dialect = options.dialect.unwrap_or_else(|| facts.dialect(source.name()));
    let mut report = Report::new(file);
    let parser = Parser::new(source.text(), dialect, facts.defines_print, &mut report, budget);
    let (unit, unclear) = parser.file()?;
    // Giving names their meaning looks at every statement once more.
    budget.spend(unit.statements.len() as u64)?;
    if options.dialect.is_none() {
        unclear_expressions(&unclear, dialect, &mut report);
    }
    let program = build(&unit, dialect, options, &mut report);
    match (program, report.finish()) {
        (Some(program), Ok(warnings)) => Ok((program, warnings)),
        (_, Err(found)) => Err(found.into()),
        (None, Ok(_)) => unreachable!("a program that is not made has errors"),
    }
}

/// Each expression that dialects read differently is named: which of them decides the verdict nobody knows
/// yet.
fn unclear_expressions(unclear: &[ast::Bytes], dialect: Dialect, report: &mut Report) {
    for &bytes in unclear.iter().take(MOST_UNCLEAR) {
        let message = format!("dialects differ on how this binds; it is read as in `{}`", dialect.name());
        let warning = Diagnostic::warning("W0101", report.span(bytes), message);
        report.push(warning.help("add parentheses, or name the dialect with --dialect"));
    }
    if unclear.len() > MOST_UNCLEAR {
        let message = format!("dialects differ on {} more expressions", unclear.len() - MOST_UNCLEAR);
        report.push(Diagnostic::warning("W0101", None, message));
    }
}

/// Gives names their meaning and makes the program; findings go to the report.
fn build(unit: &Unit, dialect: Dialect, options: &ReadOptions, report: &mut Report) -> Option<Program> {
    let mut builder = Builder::new();
    let open = if options.init == InitReading::Zero { Init::Fixed(false) } else { Init::Any };
    let scopes = declare::Declare { unit, builder: &mut builder, report, open }.all();
    let own = unit.error_labels.iter().map(|name| unit.symbols.text(name.symbol));
    let requested = options.error_labels.iter().map(String::as_str);
    let error_labels: HashSet<&str> = own.chain(requested).chain([ERROR_LABEL]).collect();
    let mut lower = lower::Lower {
        unit,
        scopes: &scopes,
        builder: &mut builder,
        report,
        error_labels: &error_labels,
        found_labels: HashSet::new(),
        open_targets: 0,
    };
    lower.all();
    let found = lower.found_labels;
    missing_labels(unit, options, &found, report);
    start::Starter { unit, scopes: &scopes, builder: &mut builder, report, dialect }.decide(options);
    match builder.finish() {
        Ok(program) => Some(program),
        Err(problems) => {
            // A program of which a part could not be read may start a thread there.
            let follows = |problem: &Diagnostic| problem.code == "E0301" && report.has_errors();
            let problems: Vec<_> = problems.into_sorted().into_iter().filter(|it| !follows(it)).collect();
            problems.into_iter().for_each(|problem| report.push(problem));
            None
        }
    }
}

/// An error label that no statement has is most likely misspelt.
fn missing_labels(unit: &Unit, options: &ReadOptions, found: &HashSet<ast::Symbol>, report: &mut Report) {
    let all = || unit.statements.iter().flat_map(|statement| &unit.names[statement.labels.range()]);
    let message = |label: &str| {
        let labels = all().map(|name| unit.symbols.text(name.symbol));
        (format!("no statement has the error label `{label}`"), base::spelling::similar(label, labels))
    };
    for label in &options.error_labels {
        if !unit.symbols.get(label).is_some_and(|symbol| found.contains(&symbol)) {
            report.error("E0206", None, || message(label));
        }
    }
    for name in unit.error_labels.iter().filter(|name| !found.contains(&name.symbol)) {
        report.error("E0206", name.bytes, || message(unit.symbols.text(name.symbol)));
    }
}
