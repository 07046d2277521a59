//! Boolean programs in the dialects of SatAbs/Boppo, SLAM, BoPP, Boom, Getafix, and with `shared`/`local` sections. One grammar
//! reads them all: what one dialect has, every file may use, where that leaves no doubt. `docs/language.md` is the reference.

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

use ast::Unit;
use base::{Diagnostic, FileId, SourceMap};
use cursor::Parser;
use dialect::Facts;
use ir::bp::{Builder, Init, Program};
use report::Report;
use std::collections::HashSet;

/// What a variable without a first value starts with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum InitReading {
    /// Any value.
    #[default]
    Nondet,
    /// 0.
    Zero,
}

/// How to read a Boolean program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// The dialect; guessed from the contents if it is not given.
    pub dialect: Option<Dialect>,
    /// First values of variables.
    pub init: InitReading,
    /// Labels at which it is an error to arrive; `SLIC_ERROR` always is one.
    pub error_labels: Vec<String>,
    /// Start any number of threads, at least one, at this procedure.
    pub entry: Option<String>,
}

/// The label at which it is always an error to arrive.
const ERROR_LABEL: &str = "SLIC_ERROR";

/// Reads a Boolean program. Gives the program with warnings, or all that is wrong with the file.
pub fn read_program(
    map: &SourceMap,
    file: FileId,
    options: &ReadOptions,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let source = map.file(file);
    let facts = Facts::of(source.text());
    let dialect = options.dialect.unwrap_or_else(|| facts.dialect(source.name()));
    let mut report = Report::new(file);
    let (unit, unclear) = Parser::new(source.text(), dialect, facts.defines_print, &mut report).file();
    if let (Some(bytes), None) = (unclear, options.dialect) {
        let message = format!("dialects differ on how this binds; it is read as in `{}`", dialect.name());
        let warning = Diagnostic::warning("W0101", report.span(bytes), message);
        report.push(warning.help("add parentheses, or name the dialect with --dialect"));
    }
    let program = build(&unit, dialect, options, &mut report);
    match (program, report.finish()) {
        (Some(program), Ok(warnings)) => Ok((program, warnings)),
        (_, Err(found)) => Err(found),
        (None, Ok(_)) => unreachable!("a program that is not made has errors"),
    }
}

/// Gives names their meaning and makes the program; findings go to the report.
fn build(unit: &Unit, dialect: Dialect, options: &ReadOptions, report: &mut Report) -> Option<Program> {
    let mut builder = Builder::new();
    let open = if options.init == InitReading::Zero { Init::Fixed(false) } else { Init::Any };
    let scopes = declare::Declare { unit, builder: &mut builder, report, open }.all();
    let own = unit.error_labels.iter().map(|name| unit.symbols.text(name.symbol));
    let asked = options.error_labels.iter().map(String::as_str);
    let error_labels: HashSet<&str> = own.chain(asked).chain([ERROR_LABEL]).collect();
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
            problems.into_sorted().into_iter().for_each(|problem| report.push(problem));
            None
        }
    }
}

/// An error label that no statement has is most likely misspelt.
fn missing_labels(unit: &Unit, options: &ReadOptions, found: &HashSet<ast::Symbol>, report: &mut Report) {
    let all = || unit.statements.iter().flat_map(|statement| &unit.names[statement.labels.range()]);
    let message = |label: &str| {
        let labels = all().map(|name| unit.symbols.text(name.symbol));
        (format!("no statement has the error label `{label}`"), names::similar(label, labels))
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
