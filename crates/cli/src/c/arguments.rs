//! The arguments for C programs: how to preprocess them, and what C leaves open.

use super::project::ProjectRequest;
use clap::Args;
use ir::property::PropertySet;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use verify::{COptions, CProperty, ReadOptions};

/// The heading of the options for C programs.
const C_PROGRAMS: &str = "C programs";

/// How to read a C program and what it means.
#[derive(Args, Debug)]
#[command(next_help_heading = C_PROGRAMS)]
pub struct CArguments {
    /// A folder of headers (repeatable)
    #[arg(short = 'I', value_name = "DIR")]
    include_dir: Vec<String>,

    /// Define a macro (repeatable)
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,

    /// Undefine a macro (repeatable)
    #[arg(short = 'U', value_name = "NAME")]
    undefine: Vec<String>,

    /// Include a header first (repeatable; `-include FILE` is the same)
    #[arg(long, value_name = "FILE")]
    include: Vec<String>,

    /// The C compiler that preprocesses [default: $CC, cc, gcc or clang]
    #[arg(long, value_name = "COMMAND")]
    cc: Option<String>,

    /// A further file of the program (repeatable)
    #[arg(long, value_name = "FILE.c")]
    with: Vec<PathBuf>,

    /// `long` and pointers have 32 bits
    #[arg(long)]
    ilp32: bool,

    /// `long` and pointers have 64 bits, in preprocessed files too: `-m64`
    #[arg(long, hide = true)]
    lp64: bool,

    /// `char` has no negative values: `-funsigned-char`
    #[arg(long, hide = true)]
    unsigned_char: bool,

    /// A word for the preprocessor: what the options of compilers become
    #[arg(long, value_name = "WORD", hide = true, allow_hyphen_values = true)]
    word: Vec<String>,

    /// Unroll loops that create or join threads up to N turns [default: 16]
    #[arg(long, value_name = "N")]
    unroll_threads: Option<u32>,

    /// Creating a thread may fail
    #[arg(long)]
    create_may_fail: bool,

    /// `malloc` may give null
    #[arg(long)]
    malloc_may_fail: bool,

    /// A thread that waits on a condition variable wakes only when it is signalled
    #[arg(long)]
    no_spurious_wakeups: bool,

    /// The arguments of the program: all that comes behind is its own [default: any]
    #[arg(long, value_name = "ARG", num_args = 0.., allow_hyphen_values = true)]
    args: Option<Vec<OsString>>,

    /// What the program reads from its standard input [default: anything]
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,

    /// What is proved, and nothing else: `assert`, `race`, `deadlock`, `memory` (accesses and `free`),
    /// `leak`, `overflow`, `undefined` (all other undefined behaviour), `abort`, a list such as
    /// `race,deadlock`, or `all`, which is all but `abort` [default: assertions hold, and undefined behaviour
    /// that happens is an error]
    #[arg(long, value_name = "LIST")]
    property: Option<PropertyArgument>,

    /// A property file of SV-COMP, in place of `--property`; `free` is then no access that races
    #[arg(long, value_name = "FILE.prp", value_parser = spec, conflicts_with = "property")]
    spec: Option<PropertyArgument>,
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PropertyArgument(CProperty);

impl FromStr for PropertyArgument {
    type Err = String;

    fn from_str(list: &str) -> Result<Self, String> {
        PropertySet::parse(list).map(PropertyArgument::of)
    }
}

impl PropertyArgument {
    fn of(set: PropertySet) -> PropertyArgument {
        let assertions = PropertySet { assert: true, ..PropertySet::default() };
        PropertyArgument(if set == assertions { CProperty::Assert } else { CProperty::List(set) })
    }
}

/// What a property file asks.
fn spec(path: &str) -> Result<PropertyArgument, String> {
    let text = std::fs::read_to_string(path).map_err(|why| why.to_string())?;
    PropertySet::of_spec(&text).map(PropertyArgument::of)
}

impl CArguments {
    /// The same for the reader.
    pub fn options(&self) -> COptions {
        COptions {
            cc: self.cc.clone(),
            include_dirs: self.include_dir.clone(),
            defines: self.define.clone(),
            undefines: self.undefine.clone(),
            includes: self.include.clone(),
            flags: self.word.clone(),
            file_flags: BTreeMap::new(),
            with: self.with.clone(),
            ilp32: self.ilp32,
            lp64: self.lp64,
            unsigned_char: self.unsigned_char,
            unroll_threads: self.unroll_threads,
            create_may_fail: self.create_may_fail,
            malloc_may_fail: self.malloc_may_fail,
            no_spurious_wakeups: self.no_spurious_wakeups,
            arguments: self.args.clone(),
            stdin: self.stdin.clone(),
            property: self.property.or(self.spec).map_or(CProperty::Default, |it| it.0),
        }
    }
}

/// Where the files of a C program are found. The heading is that of each option: it would take in those that
/// follow.
#[derive(Args, Debug)]
pub struct ProjectArguments {
    /// Read DIR/compile_commands.json: each file is read with the options that it is compiled with, and the
    /// files that define what FILE, or the file with `main`, needs are found
    #[arg(long, value_name = "DIR", help_heading = C_PROGRAMS)]
    compile_commands: Option<PathBuf>,

    /// The file of the project with the `main` that is meant
    #[arg(long, value_name = "FILE", requires = "compile_commands", help_heading = C_PROGRAMS)]
    main: Option<PathBuf>,
}

impl ProjectArguments {
    /// Whether files are looked for in a project.
    pub fn is_given(&self) -> bool {
        self.compile_commands.is_some()
    }

    /// What is looked for in a project, if one is named.
    pub fn request(&self, files: &[PathBuf], reading: &ReadOptions) -> Option<ProjectRequest> {
        let (files, reading, main) = (files.to_vec(), reading.clone(), self.main.clone());
        self.compile_commands.clone().map(|database| ProjectRequest { database, main, files, reading })
    }
}

/// The name of an engine for C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnalysisArgument(pub &'static str);

impl FromStr for AnalysisArgument {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names: Vec<&'static str> = verify::c::engines().iter().map(|it| it.name()).collect();
        let known = names.iter().find(|it| **it == name).copied();
        known
            .map(AnalysisArgument)
            .ok_or_else(|| format!("there is no analysis `{name}`; there are `{}`", names.join("`, `")))
    }
}
