//! From a file to a model: chooses the reader by the extension, then by the contents.

use crate::load::{Origin, load};
use base::{Diagnostic, FileId, Severity, SourceMap};
use front::dialects::spec::read_spec;
use front::dialects::tts::{NetOptions, read_tts};
use front::{Dialect, InitReading, ReadOptions, read_program};
use ir::{Model, Property, Scope, Task};
use std::path::Path;
use std::sync::Arc;

/// How a file is to be read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// The dialect of a Boolean program, one of [`dialects`]; guessed if nothing is said.
    pub dialect: Option<String>,
    /// Whether variables without an initialiser start with 0 instead of any value.
    pub init_zero: bool,
    /// Labels that are errors.
    pub error_labels: Vec<String>,
    /// Start any number of threads at this procedure.
    pub entry: Option<String>,
    /// Initial states of a transition system.
    pub start: Option<String>,
    /// The target of a transition system: its text, or the name of a `.prop` file.
    pub target: Option<String>,
}

/// The names of the dialects of Boolean programs.
pub fn dialects() -> Vec<&'static str> {
    Dialect::ALL.iter().map(|(name, _)| *name).collect()
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Input {
    /// The files.
    pub sources: SourceMap,
    /// What was read.
    pub model: Model,
    /// Findings that do not keep it from being used.
    pub warnings: Vec<Diagnostic>,
}

impl Input {
    /// The question about the file, within a scope: what is an error in it. Whoever looks for errors or checks evidence asks this one.
    pub fn task(&self, scope: Scope) -> Task {
        Task { model: self.model.clone(), property: Property::NoError, scope }
    }
}

/// A file that cannot be used.
#[derive(Clone, Debug)]
pub struct BadInput {
    /// The files, as far as they could be read.
    pub sources: SourceMap,
    /// Everything that is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Program,
    TransitionSystem,
    PetriNet,
    C,
}

/// Reads a file.
pub fn read(origin: &Origin, reading: &Reading) -> Result<Input, BadInput> {
    let mut sources = SourceMap::new();
    match read_into(&mut sources, origin, reading) {
        Ok((model, warnings)) => Ok(Input { sources, model, warnings }),
        Err(mut diagnostics) => {
            diagnostics.sort_by_key(|it| (std::cmp::Reverse(it.severity), it.span));
            Err(BadInput { sources, diagnostics })
        }
    }
}

type Found = Result<(Model, Vec<Diagnostic>), Vec<Diagnostic>>;

fn read_into(sources: &mut SourceMap, origin: &Origin, reading: &Reading) -> Found {
    let file = load(sources, origin).map_err(|found| vec![found])?;
    let kind = match &reading.dialect {
        Some(_) => Kind::Program,
        None => kind(sources, file, origin).map_err(|found| vec![found])?,
    };
    let (model, mut warnings) = match kind {
        Kind::Program => {
            let (program, warnings) = read_program(sources, file, &program_options(reading))?;
            (Model::Program(Arc::new(program)), warnings)
        }
        Kind::TransitionSystem => {
            let mut options = NetOptions { start: reading.start.clone(), target: reading.target.clone() };
            let prop = prop_file(sources, origin, &mut options).map_err(|found| vec![found])?;
            let (net, warnings) = read_tts(sources, file, &options, prop)?;
            (Model::Net(Arc::new(net)), warnings)
        }
        Kind::PetriNet => {
            let (net, warnings) = read_spec(sources, file)?;
            (Model::Net(Arc::new(net)), warnings)
        }
        Kind::C => return Err(vec![c_file(origin)]),
    };
    warnings.extend(idle_options(kind, reading));
    debug_assert!(warnings.iter().all(|it| it.severity == Severity::Warning));
    Ok((model, warnings))
}

fn program_options(reading: &Reading) -> ReadOptions {
    let named =
        |name: &str| Dialect::ALL.iter().find(|(other, _)| *other == name).map(|(_, dialect)| *dialect);
    ReadOptions {
        dialect: reading.dialect.as_deref().and_then(named),
        init: if reading.init_zero { InitReading::Zero } else { InitReading::Nondet },
        error_labels: reading.error_labels.clone(),
        entry: reading.entry.clone(),
    }
}

/// The file with the targets: the one that `--target` names, or the one beside the transition system.
fn prop_file(
    sources: &mut SourceMap,
    origin: &Origin,
    options: &mut NetOptions,
) -> Result<Option<FileId>, Diagnostic> {
    let named = match &options.target {
        Some(target) if is_file_name(target) => Origin::File(target.into()),
        Some(_) => return Ok(None),
        None => match origin {
            Origin::File(path) if path.with_extension("prop").is_file() => {
                Origin::File(path.with_extension("prop"))
            }
            _ => return Ok(None),
        },
    };
    options.target = None;
    load(sources, &named).map(Some)
}

/// Targets are written with digits and a few signs, so anything else is meant as a file.
fn is_file_name(target: &str) -> bool {
    target.ends_with(".prop") || Path::new(target).is_file()
}

fn kind(sources: &SourceMap, file: FileId, origin: &Origin) -> Result<Kind, Diagnostic> {
    match origin.extension().as_deref() {
        Some("bp" | "nbp") => Ok(Kind::Program),
        Some("tts" | "ttd") => Ok(Kind::TransitionSystem),
        Some("spec") => Ok(Kind::PetriNet),
        Some("c" | "i" | "h") => Ok(Kind::C),
        _ => guess(sources.file(file).text()).ok_or_else(|| unknown_kind(origin)),
    }
}

fn unknown_kind(origin: &Origin) -> Diagnostic {
    let message = format!("cannot tell what kind of file `{}` is", origin.name());
    Diagnostic::error("E0908", None, message).help(
        "Boolean programs end in `.bp` or `.nbp`, transition systems in `.tts`, Petri nets in `.spec`; --dialect reads any file as a Boolean program",
    )
}

fn c_file(origin: &Origin) -> Diagnostic {
    let message = format!("`{}` is a C program: C is not read yet", origin.name());
    Diagnostic::error("E0907", None, message)
        .help("give its Boolean program (`.bp`), as a predicate abstraction tool writes it")
}

/// Guesses by the first words.
fn guess(text: &str) -> Option<Kind> {
    let words = first_words(text);
    let first = *words.first()?;
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    match first {
        "vars" => Some(Kind::PetriNet),
        "decl" | "dfs" | "shared" | "local" => Some(Kind::Program),
        "#" | "int" | "struct" | "typedef" | "extern" | "static" | "unsigned" | "char" => Some(Kind::C),
        // C and Boolean programs share `void` and `bool`; only the latter have `begin`.
        "void" | "bool" if text.contains("begin") => Some(Kind::Program),
        "void" => Some(Kind::C),
        _ if words.len() > 1 && words[..2].iter().all(is_number) => Some(Kind::TransitionSystem),
        _ => None,
    }
}

/// The first two words that are not in comments; `#` stands for a line of the C preprocessor.
fn first_words(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut words = vec![];
    while words.len() < 2 {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if rest.starts_with("#include") || rest.starts_with("#define") {
            words.push("#");
            rest = "";
        } else if rest.starts_with("//") || rest.starts_with('#') {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if rest.is_empty() {
            break;
        } else {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let end = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
            words.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    words
}

/// Options that say nothing about this kind of file: told, so that nobody takes them for heeded.
fn idle_options(kind: Kind, reading: &Reading) -> Vec<Diagnostic> {
    let net = kind != Kind::Program;
    let given = [
        ("--start", kind != Kind::TransitionSystem && reading.start.is_some()),
        ("--target", kind != Kind::TransitionSystem && reading.target.is_some()),
        ("--init", net && reading.init_zero),
        ("--entry", net && reading.entry.is_some()),
        ("--error-label", net && !reading.error_labels.is_empty()),
    ];
    let idle = given.iter().filter(|(_, idle)| *idle);
    idle.map(|(name, _)| {
        Diagnostic::warning("W0901", None, format!("{name} has no meaning for this kind of file"))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_tell_the_kind() {
        let check = |text: &str, kind| assert_eq!(guess(text), kind, "{text}");
        check("/* c */ // d\ndecl x;", Some(Kind::Program));
        check("void main() begin end", Some(Kind::Program));
        check("bool f() begin return 0; end", Some(Kind::Program));
        check("# shared\n3 4\n0 0 -> 1 1", Some(Kind::TransitionSystem));
        check("# net\nvars\n x y\nrules", Some(Kind::PetriNet));
        check("#include <stdio.h>\nint main() {}", Some(Kind::C));
        check("void f(void) { }", Some(Kind::C));
        check("Ein Text.", None);
        check("/* never closed", None);
        check("é", None);
        check("3", None);
    }
}
