//! How a file is to be read. These options exist once: readers take them as they are, and each reader says
//! which of them it heeds.

use crate::dialects::bp::Dialect;
pub use ir::c::Sought as CProperty;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// What a variable without a first value starts with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum InitReading {
    /// Any value.
    #[default]
    Nondet,
    /// 0.
    Zero,
}

/// How to read a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// The dialect of a Boolean program; guessed from the contents if it is not given.
    pub dialect: Option<Dialect>,
    /// First values of variables.
    pub init: InitReading,
    /// Labels at which it is an error to arrive; `SLIC_ERROR` always is one.
    pub error_labels: Vec<String>,
    /// Functions of a C program that it is an error to call.
    pub error_functions: Vec<String>,
    /// Start any number of threads, at least one, at this procedure.
    pub entry: Option<String>,
    /// `0|0,1/2`: where a transition system starts; `0/0` if nothing is said.
    pub start: Option<String>,
    /// The target of a transition system, instead of those of the file: `1|2,2`, several separated by line
    /// ends, or the name of a file of targets.
    pub target: Option<String>,
    /// How a C program is to be read, and what it means.
    pub c: COptions,
}

/// How to read a C program, and what C leaves open and the user decides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct COptions {
    /// The preprocessor's command; `$CC`, `cc`, `gcc` or `clang` if nothing is said.
    pub cc: Option<String>,
    /// Folders of headers.
    pub include_dirs: Vec<String>,
    /// Macros, `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Macros that are not to be defined.
    pub undefines: Vec<String>,
    /// Headers to include first.
    pub includes: Vec<String>,
    /// Further words for the preprocessor, such as `-std=c99` and `-isystem DIR`, in their order.
    pub flags: Vec<String>,
    /// The same for one of the files alone.
    pub file_flags: BTreeMap<PathBuf, Vec<String>>,
    /// Further files of the program.
    pub with: Vec<PathBuf>,
    /// `int`, `long` and pointers have 32 bits.
    pub ilp32: bool,
    /// `long` and pointers have 64 bits, whatever a preprocessed file looks like.
    pub lp64: bool,
    /// `char` has no negative values.
    pub unsigned_char: bool,
    /// The most turns to which loops that create or join threads are unrolled.
    pub unroll_threads: Option<u32>,
    /// Creating a thread may fail.
    pub create_may_fail: bool,
    /// `malloc` may give null.
    pub malloc_may_fail: bool,
    /// A thread that waits on a condition variable wakes only if it is signalled.
    pub no_spurious_wakeups: bool,
    /// What is looked for.
    pub property: CProperty,
    /// The arguments that the program is run with, without its name; any ones if nothing is said.
    pub arguments: Option<Vec<OsString>>,
    /// The file that the program reads from its standard input; anything comes if nothing is said.
    pub stdin: Option<PathBuf>,
}

impl COptions {
    fn preprocesses(&self) -> bool {
        let lists = [&self.include_dirs, &self.defines, &self.undefines, &self.includes];
        self.cc.is_some() || !self.flags.is_empty() || lists.iter().any(|list| !list.is_empty())
    }
}

/// An option of the command line.
pub struct ReadOption {
    /// Its name there.
    pub name: &'static str,
    /// Whether the user gave it.
    pub given: fn(&ReadOptions) -> bool,
}

/// The name of the option that says that a file is a Boolean program, whatever it looks like.
pub const DIALECT: &str = "--dialect";

/// All options.
pub const OPTIONS: &[ReadOption] = &[
    ReadOption { name: DIALECT, given: |options| options.dialect.is_some() },
    ReadOption { name: "--start", given: |options| options.start.is_some() },
    ReadOption { name: "--target", given: |options| options.target.is_some() },
    ReadOption { name: "--init", given: |options| options.init != InitReading::default() },
    ReadOption { name: "--entry", given: |options| options.entry.is_some() },
    ReadOption { name: "--error-label", given: |options| !options.error_labels.is_empty() },
    ReadOption { name: "--error-function", given: |options| !options.error_functions.is_empty() },
    ReadOption { name: "-I, -D, -U, -include, --cc and the like", given: |options| options.c.preprocesses() },
    ReadOption { name: "--with", given: |options| !options.c.with.is_empty() },
    ReadOption { name: "--ilp32, -m32 or -m64", given: |options| options.c.ilp32 || options.c.lp64 },
    ReadOption { name: "-funsigned-char", given: |options| options.c.unsigned_char },
    ReadOption { name: "--unroll-threads", given: |options| options.c.unroll_threads.is_some() },
    ReadOption { name: "--create-may-fail", given: |options| options.c.create_may_fail },
    ReadOption { name: "--malloc-may-fail", given: |options| options.c.malloc_may_fail },
    ReadOption { name: "--no-spurious-wakeups", given: |options| options.c.no_spurious_wakeups },
    ReadOption { name: "--args", given: |options| options.c.arguments.is_some() },
    ReadOption { name: "--stdin", given: |options| options.c.stdin.is_some() },
    ReadOption { name: "--property", given: |options| options.c.property != CProperty::Default },
];
