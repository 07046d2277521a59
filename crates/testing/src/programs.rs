//! The C test programs of `tests/c` with what their first lines expect.

use ::c::Program;
use base::{Budget, SourceMap};
use front_c::{Options, Preprocessor, Source, TranslateOptions, translate};
use passes::c::{PASSES, ROUNDS};
use std::path::{Path, PathBuf};

/// A program with the files that its places are in.
pub struct Normalised {
    /// The program.
    pub program: Program,
    /// The files.
    pub sources: SourceMap,
}

/// A C program as the engines get it: read, and then prepared by all passes.
pub fn normalised(name: &str, text: &str, args: &[String]) -> Option<Normalised> {
    let made = read(name, text, args)?;
    Some(Normalised { program: prepared(made.program), ..made })
}

/// What all passes make of a program. That they lose no error is tested where the passes are.
fn prepared(program: Program) -> Program {
    let mut program = program;
    for _ in 0..ROUNDS {
        let mut changed = false;
        for pass in PASSES {
            if let Some(passed) = (pass.run)(&program, &Budget::unlimited()).expect("there is no limit") {
                program = passed.program;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    program
}

/// Reads a C program down to normalised C; `None` if it cannot be. Of the options for the preprocessor only
/// `-D` counts.
pub fn read(name: &str, text: &str, args: &[String]) -> Option<Normalised> {
    let defines = args.iter().filter_map(|arg| arg.strip_prefix("-D")).map(String::from).collect();
    let preprocessor = Preprocessor { defines, ..Preprocessor::default() };
    let units = vec![Source { name: name.into(), text: text.into() }];
    let mut sources = SourceMap::new();
    let options = Options { units, model: None, preprocessor };
    let reading = front_c::read(&options, &mut sources, &Budget::unlimited()).ok()?;
    let budget = Budget::with_ticks(10_000_000);
    let translation = translate(&reading.program, &TranslateOptions::default(), &budget).ok()?;
    Some(Normalised { program: translation.program, sources })
}

/// What the first lines of a test program say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// For an unsafe program the smallest number of threads alive at once, main included; `None` for a safe
    /// one.
    pub threads: Option<u32>,
    /// Options for the preprocessor.
    pub args: Vec<String>,
    /// The ways that should decide it; empty where nothing is said.
    pub ways: Vec<String>,
    /// The line of the failing assertion.
    pub line: Option<usize>,
    /// Undefined behaviour that happens: its line and what it is. What is expected otherwise is expected of
    /// assertions alone.
    pub undefined: Option<(usize, String)>,
}

impl Expectation {
    /// Reads the directives of a program.
    pub fn read(text: &str) -> Result<Expectation, String> {
        let mut lines = text.lines();
        let first = lines.next().and_then(|line| line.strip_prefix("// expect: "));
        let first = first.ok_or("the first line is no `// expect: …`")?;
        let mut expectation = Expectation::default();
        if first != "safe" {
            let threads = first.strip_prefix("unsafe threads=").and_then(|it| it.parse().ok());
            expectation.threads = Some(threads.ok_or("neither `safe` nor `unsafe threads=N` is expected")?);
        }
        for line in lines.map_while(|line| line.strip_prefix("// ")) {
            expectation.directive(line)?;
        }
        Ok(expectation)
    }

    fn directive(&mut self, line: &str) -> Result<(), String> {
        let Some((key, value)) = line.split_once(": ") else { return Ok(()) };
        match key {
            "args" => self.args = value.split_whitespace().map(String::from).collect(),
            "ways" => self.ways = value.split(", ").map(String::from).collect(),
            "line" => self.line = Some(value.parse().map_err(|_| format!("`{value}` is no line"))?),
            "undefined" => {
                let parts = value.strip_suffix(')').and_then(|it| it.split_once(" ("));
                let (line, what) = parts.ok_or("undefined behaviour is `LINE (WHAT)`")?;
                let line = line.parse().map_err(|_| format!("`{line}` is no line"))?;
                self.undefined = Some((line, what.to_string()));
            }
            // A sentence about the program may have a colon.
            _ => {}
        }
        Ok(())
    }
}

/// All test programs below `tests/c`, in the order of their names, with their text.
pub fn all() -> std::io::Result<Vec<(PathBuf, String)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c");
    let mut found = vec![];
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "c") {
            let text = std::fs::read_to_string(&path)?;
            found.push((path, text));
        }
    }
    found.sort();
    Ok(found)
}

/// A program as it is verified, with the default options: a thread blocks at undefined behaviour.
pub fn model(program: &::c::Program) -> ir::c::Model {
    ir::c::Model {
        program: program.clone(),
        machine: ::c::Options::default(),
        property: ir::c::Sought::Assert,
        literal: None,
        wants_passes: false,
        unroll_threads: 16,
        assumptions: vec![],
        refused: vec![],
        file: base::SourceMap::new().add("test.c", ""),
        made: ir::c::Made::default(),
    }
}
