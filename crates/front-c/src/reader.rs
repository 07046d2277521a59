//! C programs among the formats that can be read: from a file and the options of the command line to a
//! normalised program.

use super::normalise::{Environment, NO_ASSERTION, NOTHING_TO_CHECK, UNASKED};
use super::symbols::{Symbols, symbols};
use super::{Options, Preprocessor, Problem, Source as Unit, TranslateOptions, Translation, read, translate};
use crate::hir::Program;
use crate::types::DataModel;
use base::{Budget, Diagnostic, Severity, SourceMap};
use front::error_labels;
use front::{
    Beginning, COptions, CProgram, CProperty, Failure, ReadOptions, Reader, Reading, Request, Source,
};
use ir::property::{Class, PropertySet};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// The reader of C programs.
pub const READER: Reader = Reader {
    about: "a C program (`.c`, or `.i` if it is preprocessed)",
    extensions: &["c", "i"],
    recognises,
    takes_bytes: true,
    options: &[
        "--error-label",
        "--error-function",
        "-I, -D, -U, -include, --cc and the like",
        "--with",
        "--ilp32, -m32 or -m64",
        "-funsigned-char",
        "--unroll-threads",
        "--create-may-fail",
        "--malloc-may-fail",
        "--no-spurious-wakeups",
        "--args",
        "--stdin",
        "--property",
    ],
    read: read_c,
};

/// Loops that create or join threads are unrolled up to this many turns, if nothing else is said.
const UNROLL_THREADS: u32 = 16;

fn recognises(beginning: &Beginning<'_>) -> bool {
    // C and Boolean programs share `void`; those with `begin` are Boolean programs.
    const WORDS: &[&str] = &["#", "int", "struct", "typedef", "extern", "static", "unsigned", "char", "void"];
    WORDS.contains(&beginning.first())
}

fn read_c(request: &mut Request<'_>) -> Result<Reading, Failure> {
    let how = &request.options.c;
    let options = Options { units: units(request, how)?, ..options_of(how) };
    let reading = read(&options, request.sources, request.budget)?;
    let labels = || reading.program.labels.iter().filter_map(|label| label.name.as_deref());
    let named = &request.options.error_labels;
    let missing = named.iter().filter(|&label| !labels().any(|it| it == label));
    let mut missing: Vec<Diagnostic> = missing.map(|label| error_labels::missing(label, labels())).collect();
    missing.extend(missing_functions(&request.options.error_functions, &reading.program));
    if !missing.is_empty() {
        return Err(missing.into());
    }
    let environment = environment(request)?;
    let meaning = TranslateOptions { environment, ..meaning(request) };
    let translation = translate(&reading.program, &meaning, request.budget)?;
    let asks_for_undefined = !matches!(how.property, CProperty::List(_));
    let literal = asks_for_undefined.then(|| translation.clone());
    let mut warnings = reading.warnings;
    warnings.extend(translation.warnings.clone().into_sorted());
    if let Some(found) = warnings.iter().find(|it| it.severity == Severity::Error) {
        return Err(found.clone().into());
    }
    let mut assumptions = translation.assumptions.clone();
    if matches!(how.property, CProperty::List(set) if !set.assert) {
        // Nobody asks about assertions.
        warnings.retain(|it| it.code != NOTHING_TO_CHECK && it.code != UNASKED);
        warnings.extend(idle_functions(request.options));
        assumptions.retain(|it| it != NO_ASSERTION);
    }
    let sequential = "sequential consistency";
    // Whether plain accesses race is not looked into: with several threads they may.
    if translation.program.templates().len() > 1 && !assumptions.iter().any(|it| it == sequential) {
        assumptions.push(sequential.to_string());
        assumptions.sort();
    }
    let set = match how.property {
        CProperty::List(set) => set,
        CProperty::Default | CProperty::Assert => PropertySet { assert: true, ..PropertySet::default() },
    };
    let machine = c::Options {
        faults: set.faults(),
        spurious_wakeups: !how.no_spurious_wakeups,
        races: set.races(),
        deadlocks: set.deadlocks(),
        leaks: set.leaks(),
        ..c::Options::default()
    };
    let translation = Translation { program: exactly(translation.program, set), ..translation };
    let made = |translation: Translation, machine| CProgram {
        program: translation.program,
        machine,
        property: how.property,
        literal: None,
        wants_passes: true,
        unroll_threads: how.unroll_threads.unwrap_or(UNROLL_THREADS),
        assumptions: assumptions.clone(),
        refused: translation.refused,
        file: reading.files.first().copied().unwrap_or(request.file),
        made: ir::c::Made::default(),
    };
    let literal = literal.map(|it| Arc::new(made(it, c::Options { faults: c::Faults::ALL, ..machine })));
    let program = CProgram { literal, ..made(translation, machine) };
    let notes = reading.system_headers.then(|| SYSTEM_HEADERS.to_string()).into_iter().collect();
    Ok(Reading { source: Source::C(Arc::new(program)), warnings, notes })
}

/// The functions that the program does not even declare, though it is to be an error to call them: most
/// likely they are misspelt.
fn missing_functions(named: &[String], program: &Program) -> Vec<Diagnostic> {
    let functions = || program.functions.iter().filter(|it| !it.library);
    let names = || functions().flat_map(|it| [Some(&it.name), it.symbol.as_ref()]).flatten();
    let missing = named.iter().filter(|name| !names().any(|it| it == *name));
    let found = missing.map(|name| {
        let found = Diagnostic::error("E0213", None, format!("there is no function `{name}`"));
        match base::spelling::similar(name, names().map(String::as_str)) {
            Some(hint) => found.help(hint),
            None => found.help("--error-function takes functions, not macros"),
        }
    });
    found.collect()
}

/// Calls of functions count as assertions do.
fn idle_functions(options: &ReadOptions) -> Option<Diagnostic> {
    let message = "--error-function has no effect: `--property` does not ask about `assert`";
    (!options.error_functions.is_empty()).then(|| Diagnostic::warning("W0901", None, message))
}

/// How files are preprocessed and read.
fn options_of(how: &COptions) -> Options {
    let file_flags = how.file_flags.iter().map(|(path, flags)| (path.display().to_string(), flags.clone()));
    let lp64 = how.lp64.then_some(DataModel::Lp64);
    Options {
        units: vec![],
        model: how.ilp32.then_some(DataModel::Ilp32).or(lp64),
        preprocessor: Preprocessor {
            command: how.cc.clone(),
            include_dirs: how.include_dirs.clone(),
            defines: how.defines.clone(),
            undefines: how.undefines.clone(),
            includes: how.includes.clone(),
            flags: how.flags.clone(),
            unsigned_char: how.unsigned_char,
            file_flags: file_flags.collect(),
            ..Preprocessor::default()
        },
    }
}

/// What one file of a program defines and needs of the others.
pub fn symbols_of(name: &str, text: &str, how: &COptions, budget: &Budget) -> Result<Symbols, Failure> {
    let units = vec![Unit { name: name.to_string(), text: text.to_string() }];
    symbols(&Options { units, ..options_of(how) }, &mut SourceMap::new(), budget)
}

/// Said where our headers were not enough.
const SYSTEM_HEADERS: &str =
    "the program could not be read with the headers of selvedge: it was read with those of the system alone";

/// What is asked about by the word `assert`.
const ASSERTIONS: [Class; 3] = [Class::ASSERTION, Class::ERROR_CALL, Class::ERROR_LABEL];

/// The program in which assertions that nobody asks about end a run where they fail: the program may put off
/// its end for ever, so that whatever others do can still happen.
fn exactly(program: c::Program, set: PropertySet) -> c::Program {
    if set.assert {
        return program;
    }
    let mut builder = program.edit();
    let never = builder.exprs().number(c::TRUTH, 0);
    for at in program.locations().ids() {
        let op = &mut builder.at(at).op;
        let is_assertion = |id| ASSERTIONS.contains(&program.properties()[id].class);
        match *op {
            c::Op::Assert { cond, property } if is_assertion(property) => *op = c::Op::Assume(cond),
            c::Op::Error(property) if is_assertion(property) => *op = c::Op::Assume(never),
            _ => {}
        }
    }
    builder.finish().expect("conditions of assertions are those of assumptions")
}

/// What the user decides about the meaning of the program.
fn meaning(request: &Request<'_>) -> TranslateOptions {
    let how = &request.options.c;
    TranslateOptions {
        create_may_fail: how.create_may_fail,
        malloc_may_fail: how.malloc_may_fail,
        overflow: matches!(how.property, CProperty::List(set) if set.overflow),
        overflow_of_shifts: !matches!(how.property, CProperty::List(set) if set.without_shifts),
        races: matches!(how.property, CProperty::List(set) if set.race),
        abort: matches!(how.property, CProperty::List(set) if set.abort),
        error_labels: request.options.error_labels.clone(),
        error_functions: request.options.error_functions.clone(),
        leaks: matches!(how.property, CProperty::List(set) if set.leak),
        waits: how.no_spurious_wakeups || matches!(how.property, CProperty::List(set) if set.deadlock),
        ..TranslateOptions::default()
    }
}

/// What the program is run with. Its name is that of the file, without the extension.
fn environment(request: &mut Request<'_>) -> Result<Environment, Failure> {
    let how = &request.options.c;
    let name = Path::new(request.sources.file(request.file).name());
    let own = name.file_stem().unwrap_or_default().to_os_string();
    let bytes = |text: OsString| text.as_encoded_bytes().to_vec();
    let arguments = how.arguments.clone();
    let arguments = arguments.map(|given| std::iter::once(own).chain(given).map(bytes).collect());
    let input = how.stdin.as_ref().map(|path| request.files.bytes(path)).transpose()?;
    Ok(Environment { arguments, input })
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
