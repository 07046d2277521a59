//! The arguments. Only what is built is listed; what an engine can be told is in its own table and set by
//! `--set`.

use crate::batch::{Batch, Merge};
use crate::c::{AnalysisArgument, CArguments, PredicateArguments, ProjectArguments};
use crate::completions::Completions;
use crate::explain::Explain;
use crate::man::ManPages;
use crate::terminal::ProgressForm;
use base::Settings;
use base::budget::StopHandle;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use ir::Bound;
use report::FORMATS;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use verify::{CProperty, Dialect, InitReading, Limits, ReadOptions};

/// Verifies programs with many threads: is every assertion safe, for any number of threads?
#[derive(Parser, Debug)]
#[command(name = "selvedge", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Arguments {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 safe, 10 unsafe, 5 unknown, 1 wrong usage or a result file that cannot be written, \
2 bad input, 6 internal fault. With several files the worst counts, in the order 6, 2, 1, 10, 5, 0.";

/// A command.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Is every assertion safe?
    Check(Box<Check>),
    /// Check a trace or a certificate on its own, without any engine
    Confirm(Confirm),
    /// Rewrite a program for another tool
    Translate(Translate),
    /// Print the Boolean program of a C program by predicate abstraction
    Abstract(Abstract),
    /// Compile like `cc`, and record the compile line for `--compile-commands`
    Cc(Compile),
    /// Execute a C program by hand, step by step, up to an error
    Explore(Explore),
    /// Check many files, each in a process of its own, with a summary
    #[command(after_help = EXIT_CODES)]
    Batch(Box<Batch>),
    /// Put the rows of several batches together, and show them
    Merge(Merge),
    /// List the engines, what each can prove, its options and its paper
    Engines,
    /// Say what a code means
    Explain(Explain),
    /// Print a script with which a shell completes commands and options
    Completions(Completions),
    /// Print the manual page, or write those of all commands
    Man(ManPages),
}

/// The headings of options. A heading for all options that follow (`next_help_heading`) would take in those
/// of other kinds, too.
const ENGINES: &str = "Options of engines";
const LIMITS: &str = "Limits";

/// What a command may cost.
#[derive(Args, Debug)]
pub struct LimitArguments {
    /// Give up after this time, such as `60s`, `5m` or `1h` [default: none]
    #[arg(long, value_name = "T", value_parser = duration, help_heading = LIMITS)]
    timeout: Option<Duration>,

    /// Give up at this much memory, such as `500M` or `4G` [default: 80 % of the machine]
    #[arg(long, value_name = "M", value_parser = size, help_heading = LIMITS)]
    memory: Option<u64>,
}

impl LimitArguments {
    /// The same for the work; the interrupt stops it too.
    pub fn limits(&self, stop: &StopHandle) -> Limits {
        Limits { time: self.timeout, memory: self.memory, stop: stop.clone(), ..Limits::default() }
    }
}

/// How to read a file.
#[derive(Args, Debug)]
#[command(next_help_heading = "How to read the file")]
pub struct ReadingArguments {
    /// The dialect of a Boolean program [default: guessed]
    #[arg(long, value_name = "D", value_parser = PossibleValuesParser::new(Dialect::ALL.map(|(name, _)| name)).try_map(|name| name.parse::<Dialect>()))]
    dialect: Option<Dialect>,

    /// The first value of variables without an initialiser
    #[arg(long, value_name = "VALUE", default_value = "nondet")]
    init: FirstValue,

    /// Start any number of threads at procedure F instead of one at `main`
    #[arg(long, value_name = "F")]
    entry: Option<String>,

    /// Reaching a statement labelled L is an error too (repeatable; `SLIC_ERROR` always is one)
    #[arg(long, value_name = "L")]
    error_label: Vec<String>,

    /// Calling this function of a C program is an error too (repeatable)
    #[arg(long, value_name = "NAME")]
    error_function: Vec<String>,

    /// The initial states of a thread transition system, such as `0|0` or `0/0` [default: 0/0]
    #[arg(long, value_name = "S")]
    start: Option<String>,

    /// The target of a thread transition system: its text, or a `.prop` file [default: the `.prop` of the
    /// same name]
    #[arg(long, value_name = "T")]
    target: Option<String>,

    #[command(flatten)]
    c: CArguments,
}

/// What variables start with.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum FirstValue {
    /// Any value
    Nondet,
    /// 0
    Zero,
}

impl ReadingArguments {
    /// The same for the readers, with options of properties.
    pub fn options_with(&self, settings: &Settings) -> ReadOptions {
        let mut options = self.options();
        if let CProperty::List(set) = &mut options.c.property {
            *set = set.with(settings);
        }
        options
    }

    /// The same for the readers.
    pub fn options(&self) -> ReadOptions {
        let init = match self.init {
            FirstValue::Nondet => InitReading::Nondet,
            FirstValue::Zero => InitReading::Zero,
        };
        ReadOptions {
            dialect: self.dialect,
            init,
            error_labels: self.error_label.clone(),
            error_functions: self.error_function.clone(),
            entry: self.entry.clone(),
            start: self.start.clone(),
            target: self.target.clone(),
            c: self.c.options(),
        }
    }
}

/// What is said of the options of compilers.
const COMPILERS: &str = "A compile line can be given as it is: of the options of C compilers `-std`, `-isystem`, `-iquote`, `-imacros`, `-m32`, \
`-funsigned-char` and the like are honoured, those that only say how to compile (`-W…`, `-O…`, `-g`, `-c`, `-o X`, `-l…`, `-f…`) are passed over, \
and `-fopenmp` is refused.";

/// `check`
#[derive(Args, Debug)]
#[command(after_help = COMPILERS)]
pub struct Check {
    /// C programs (`.c`, `.i`; several files are one program), Boolean programs (`.bp`, `.nbp`), thread
    /// transition systems (`.tts`) or Petri nets (`.spec`); `-` reads standard input
    #[arg(required_unless_present = "compile_commands", value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub project: ProjectArguments,

    /// At most N threads alive at once, or `any` number
    #[arg(long, value_name = "N|any", default_value = "any", value_parser = threads)]
    pub threads: Bound,

    /// The engines to ask, in this order; `selvedge engines` lists them
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "auto")]
    pub engine: Vec<String>,

    /// Analyses to run on C programs [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub way: Option<Vec<AnalysisArgument>>,

    #[command(flatten)]
    pub predicates: PredicateArguments,

    /// The most rounds that `rounds` looks at; the same as `--set rounds.most=K`
    #[arg(long, value_name = "K", help_heading = ENGINES)]
    pub rounds: Option<u32>,

    /// The most threads that `modular` looks at together; the same as `--set modular.width=K`
    #[arg(long, value_name = "K", help_heading = ENGINES)]
    pub width: Option<u32>,

    /// The most threads that abstract the statements of a C program [default: all cores]; the same as `--set
    /// abstraction.workers=N`
    #[arg(long, value_name = "N", help_heading = ENGINES)]
    pub workers: Option<u32>,

    /// Set an option of an engine or a pass, such as `explicit.reduction=off` (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, help_heading = ENGINES)]
    pub set: Vec<(String, String)>,

    #[command(flatten)]
    pub limits: LimitArguments,

    /// List what there is to check, and check nothing
    #[arg(long, conflicts_with_all = ["all", "report", "trace", "certificate", "replay", "witness", "sarif"])]
    pub property_list: bool,

    /// Give a verdict for each property, as if it were the only one
    #[arg(long, conflicts_with_all = ["trace", "certificate", "replay", "witness"])]
    pub all: bool,

    #[command(flatten)]
    pub reading: ReadingArguments,

    /// How the answer is written
    #[arg(long, value_name = "FORM", default_value = "text", value_parser = formats(), help_heading = "Output")]
    pub format: String,

    /// Write a page for a browser: the run into the error step by step, the proof, or how far the search came
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub report: Option<PathBuf>,

    /// Write the trace to a file; its form follows the extension: `.txt`, `.json` or `.html`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace: Option<PathBuf>,

    /// Write the certificate to a file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub certificate: Option<PathBuf>,

    /// Write the failing run of a C program as a C program that fails every time (`cc -pthread`)
    #[arg(long, value_name = "FILE.c", help_heading = "Output")]
    pub replay: Option<PathBuf>,

    /// Write a witness for the validators of others: `.graphml` (1.0: a violation) or `.yml` (2.2: a
    /// violation, 2.1: a proof) of a C program
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<PathBuf>,

    /// Write the results of all files as SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sarif: Option<PathBuf>,

    /// In SARIF, what holds is a result, too
    #[arg(long, requires = "sarif", help_heading = "Output")]
    pub sarif_pass: bool,

    /// How progress is shown
    #[arg(long, value_name = "FORM", default_value = "line", help_heading = "Output")]
    pub progress: ProgressForm,

    /// Print the counters of every reduction and engine to standard error
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    /// Print the verdict only
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,

    /// Print also what was read, who confirmed the certificate and what it cost
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}

/// `confirm`
#[derive(Args, Debug)]
#[command(override_usage = "selvedge confirm [OPTIONS] <FILE>... <EVIDENCE>")]
pub struct Confirm {
    /// The program, transition system or net, all files of a C program in the order in which they were given
    /// to `check`; and last a trace (`.json`) or a certificate, as `check` wrote it, or a violation witness
    /// of a C program (`.yml`, `.graphml`)
    #[arg(required = true, value_name = "FILE... EVIDENCE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub project: ProjectArguments,

    /// How far the evidence must reach [default: as far as it claims]
    #[arg(long, value_name = "N|any", value_parser = threads)]
    pub threads: Option<Bound>,

    /// Set an option of a property, such as `race.free=off`, as it was for `check` (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    pub reading: ReadingArguments,
}

/// `cc`
#[derive(Args, Debug)]
#[command(disable_help_flag = true, after_help = CC_EXAMPLE)]
pub struct Compile {
    /// The arguments of the compiler
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub line: Vec<OsString>,
}

const CC_EXAMPLE: &str = "Example: make CC=\"selvedge cc\" && selvedge check --compile-commands .";

/// `translate`
#[derive(Args, Debug)]
pub struct Translate {
    /// The program, transition system or net; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The language to write
    #[arg(long, value_name = "LANGUAGE")]
    pub to: Language,

    /// The number of threads, for languages that need one
    #[arg(long, value_name = "N|any", value_parser = threads)]
    pub threads: Option<Bound>,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    pub reading: ReadingArguments,
}

/// `abstract`
#[derive(Args, Debug)]
#[command(after_help = ABSTRACT_EXAMPLE)]
pub struct Abstract {
    /// The C program (`.c`, `.i`)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    #[command(flatten)]
    pub predicates: PredicateArguments,

    /// Write the Boolean program to a file [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    pub reading: ReadingArguments,
}

/// `explore`
#[derive(Args, Debug)]
#[command(after_help = crate::explore::HELP)]
pub struct Explore {
    /// The C program (`.c`, `.i`); commands are read from standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// At most N threads alive at once, or `any` number
    #[arg(long, value_name = "N|any", default_value = "any", value_parser = threads)]
    pub threads: Bound,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    pub reading: ReadingArguments,
}

const ABSTRACT_EXAMPLE: &str = "Example: selvedge abstract counter.c --predicate 'count > before' --predicate 'count == before' -o counter.bp\n\
If counter.bp is safe, so is counter.c: `selvedge check counter.bp`.";

/// A language to translate to.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// A Boolean program
    Bp,
    /// A thread transition system
    Tts,
    /// Spin's language
    Promela,
    /// NuSMV's language
    Smv,
}

/// The names of the formats that can show an answer.
fn formats() -> PossibleValuesParser {
    FORMATS.of_answers().map(|it| PossibleValue::new(it.name).help(it.about)).collect::<Vec<_>>().into()
}

fn threads(text: &str) -> Result<Bound, String> {
    match text {
        "any" => Ok(Bound::Any),
        _ => match text.parse() {
            Ok(0) => Err("there is always one thread at least".to_string()),
            Ok(n) => Ok(Bound::AtMost(n)),
            Err(_) => Err("give a number from 1 to 4294967295, or `any`".to_string()),
        },
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.trim().to_string(), value.trim().to_string()))
}

fn duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 0.001), ("min", 60.0), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("", 1.0)];
    let seconds = with_unit(text, &units).ok_or("write it as `60s`, `500ms`, `5m` or `1h`")?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "that is too long".to_string())
}

fn size(text: &str) -> Result<u64, String> {
    let (k, m, g) = (1024.0, 1024.0 * 1024.0, 1024.0 * 1024.0 * 1024.0);
    let units = [
        ("ki", k),
        ("mi", m),
        ("gi", g),
        ("ti", g * k),
        ("k", k),
        ("m", m),
        ("g", g),
        ("t", g * k),
        ("", 1.0),
    ];
    let lower = text.to_ascii_lowercase();
    let bare = lower.strip_suffix('b').unwrap_or(&lower);
    let bytes = with_unit(bare, &units).ok_or("write it as `500M` or `4G`")?;
    if bytes < LEAST_MEMORY {
        Err("that is too little: 1M is the least".to_string())
    } else {
        Ok(bytes as u64)
    }
}

/// No run takes less.
const LEAST_MEMORY: f64 = 1024.0 * 1024.0;

/// A number that is not negative, times the unit behind it.
fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim();
    let (digits, factor) =
        units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    let digits = digits.trim();
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = digits.parse().ok().filter(|_| plain)?;
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_arguments_is_sound() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn no_option_is_under_the_heading_of_others() {
        use clap::CommandFactory;
        let under = |command: &str, heading: &str| {
            let all = Arguments::command();
            let command = all.find_subcommand(command).expect("the command is there");
            let listed = command.get_arguments().filter(|it| it.get_help_heading() == Some(heading));
            listed.map(|it| it.get_id().to_string()).collect::<Vec<_>>()
        };
        for command in ["check", "abstract"] {
            assert_eq!(under(command, "Predicates"), ["predicate", "predicates"], "{command}");
        }
        for command in ["check", "confirm", "translate", "abstract"] {
            assert_eq!(under(command, LIMITS), ["timeout", "memory"], "{command}");
        }
        assert_eq!(under("check", ENGINES), ["rounds", "width", "workers", "set"]);
        for command in ["check", "confirm"] {
            let of_c = under(command, "C programs");
            let others = ["threads", "engine", "way", "all", "set"];
            assert!(of_c.iter().any(|it| it == "compile_commands"), "{command}");
            assert!(!of_c.iter().any(|it| others.contains(&it.as_str())), "{command}: {of_c:?}");
        }
    }

    #[test]
    fn limits_are_read() {
        assert_eq!(duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("200ms"), Ok(Duration::from_millis(200)));
        assert_eq!(size("4G"), Ok(4 << 30));
        assert_eq!(size("10MiB"), Ok(10 << 20));
        for bad in ["", "s", "-1s", "1e9999h", "nan", "inf", "1 2s", "."] {
            assert!(duration(bad).is_err(), "{bad}");
            assert!(size(bad).is_err(), "{bad}");
        }
        assert!(size("0").is_err() && size("0G").is_err() && size("1").is_err() && size("1023K").is_err());
    }

    #[test]
    fn threads_are_at_least_one() {
        assert_eq!(threads("any"), Ok(Bound::Any));
        assert_eq!(threads("7"), Ok(Bound::AtMost(7)));
        assert!(threads("0").is_err() && threads("-1").is_err() && threads("4294967296").is_err());
    }
}
