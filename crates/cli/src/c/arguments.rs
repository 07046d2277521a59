//! The arguments for C programs: how to preprocess them, and what C leaves open.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;
use verify::{COptions, CProperty};

/// How to read a C program and what it means.
#[derive(Args, Debug)]
#[command(next_help_heading = "C programs")]
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

    /// What is proved [default: assertions hold, and undefined behaviour that happens is an error]
    #[arg(long, value_name = "PROPERTY")]
    property: Option<Sought>,
}

/// What is looked for.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Sought {
    /// Assertions hold; a thread blocks at undefined behaviour
    Assert,
    /// Assertions hold, and there is no undefined behaviour
    Memory,
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
            with: self.with.clone(),
            ilp32: self.ilp32,
            unroll_threads: self.unroll_threads,
            create_may_fail: self.create_may_fail,
            malloc_may_fail: self.malloc_may_fail,
            no_spurious_wakeups: self.no_spurious_wakeups,
            property: match self.property {
                None => CProperty::Default,
                Some(Sought::Assert) => CProperty::Assert,
                Some(Sought::Memory) => CProperty::Memory,
            },
        }
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

/// The arguments of the process, with `-include` written as a long option: compilers know it with one dash.
pub fn of_process() -> impl Iterator<Item = std::ffi::OsString> {
    std::env::args_os().map(|it| if it == "-include" { "--include".into() } else { it })
}
