//! Runs the C preprocessor of the system, with our headers before the system's, under limits of time, memory
//! and output. Everything that is written goes into a directory of its own, which is removed whatever
//! happens.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Budget, Diagnostic, FileId, Stop};

use super::headers::{self, HEADERS};
use super::types::DataModel;
use base::process::{Folder, Output, ProcessLimits, ProcessProblem, is_executable};

/// How many bytes of memory the preprocessor may have.
const MEMORY: u64 = 6_000_000 << 10;

/// The signal that ends a process when memory is short.
const KILLED: i32 = 9;

/// The number of the system's error `EMFILE`.
const TOO_MANY_FILES: i32 = 24;

/// How to preprocess.
#[derive(Clone, Debug)]
pub struct Preprocessor {
    /// `--cc`: the compiler, with arguments; else `$CC`, `cc`, `gcc`, `clang`.
    pub command: Option<String>,
    /// `-I`.
    pub include_dirs: Vec<String>,
    /// `-D`.
    pub defines: Vec<String>,
    /// `-U`.
    pub undefines: Vec<String>,
    /// `-include`.
    pub includes: Vec<String>,
    /// Further words, in their order: they come after all others.
    pub flags: Vec<String>,
    /// The same for files of these names alone.
    pub file_flags: BTreeMap<String, Vec<String>>,
    /// `-funsigned-char`: whether `char` has no negative values.
    pub unsigned_char: bool,
    /// Whether only the headers of the system are included, and none of ours.
    pub system_headers: bool,
    /// How long it may take.
    pub time_limit: Duration,
    /// How many bytes it may write.
    pub output_limit: usize,
}

impl Default for Preprocessor {
    fn default() -> Self {
        Self {
            command: None,
            include_dirs: vec![],
            defines: vec![],
            undefines: vec![],
            includes: vec![],
            flags: vec![],
            file_flags: BTreeMap::new(),
            unsigned_char: false,
            system_headers: false,
            time_limit: Duration::from_secs(60),
            output_limit: super::lex::LONGEST_TEXT,
        }
    }
}

/// Why there is no preprocessed text.
pub enum Failure {
    /// What is wrong.
    Diagnostics(Vec<Diagnostic>),
    /// The run was stopped.
    Stopped(Stop),
    /// There is no compiler on this machine.
    NoCompiler(Diagnostic),
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Diagnostics(vec![diagnostic])
    }
}

/// A text to preprocess.
pub struct Input<'a> {
    /// The file's name, as the user gave it.
    pub name: &'a str,
    /// The file in the source map.
    pub file: FileId,
    /// The text, annotations rewritten.
    pub text: &'a str,
    /// The data model.
    pub model: DataModel,
}

/// The preprocessed text, with line markers.
pub fn preprocess(how: &Preprocessor, input: &Input<'_>, budget: &Budget) -> Result<String, Failure> {
    let compiler = find_compiler(how)?;
    let folder = folder()?;
    for (name, text) in &our_headers(how, input) {
        write(&folder, &format!("include/{name}"), text)?;
    }
    let quoted: String = input.name.chars().map(quote).collect();
    let unit = write(&folder, "unit.c", &format!("#line 1 \"{quoted}\"\n{}", input.text))?;
    let command = [compiler.clone(), arguments(how, input, &folder, &unit)].concat();
    let output = run(folder, &command, how, budget)?;
    if !output.status.success() {
        if let Some(stop) = ran_out(&output) {
            return Err(Failure::Stopped(stop));
        }
        return Err(Failure::Diagnostics(explain(&output, input, &compiler[0])));
    }
    Ok(base::bytes::decode(output.text))
}

/// Those of our headers that the text may include.
fn our_headers(how: &Preprocessor, input: &Input<'_>) -> Vec<headers::Header> {
    let plain = how.includes.is_empty() && how.flags.is_empty() && !how.file_flags.contains_key(input.name);
    match plain {
        _ if how.system_headers => vec![],
        true => headers::needed(input.text),
        false => HEADERS.to_vec(),
    }
}

/// A letter of a name in a string of C.
fn quote(letter: char) -> String {
    match letter {
        '\\' | '"' => format!("\\{letter}"),
        letter if letter.is_ascii_control() => format!("\\{:03o}", u32::from(letter)),
        letter => letter.to_string(),
    }
}

/// The command to run, as words.
fn find_compiler(how: &Preprocessor) -> Result<Vec<String>, Failure> {
    let environment = std::env::var("CC").ok().filter(|command| !command.trim().is_empty());
    let named = [(how.command.as_ref(), "`--cc`"), (environment.as_ref(), "the environment variable `CC`")];
    // A user who names a compiler does not mean another one.
    if let Some((command, by)) = named.into_iter().find_map(|(command, by)| Some((command?, by))) {
        let words: Vec<String> = command.split_whitespace().map(str::to_string).collect();
        return if words.first().is_some_and(|word| is_executable(word)) {
            Ok(words)
        } else {
            let message = format!("the preprocessor `{command}`, which {by} names, is not found");
            Err(Diagnostic::error("E1401", None, message)
                .help("give the name or the path of a C compiler")
                .into())
        };
    }
    if let Some(found) = ["cc", "gcc", "clang"].into_iter().find(|it| is_executable(it)) {
        return Ok(vec![found.to_string()]);
    }
    let message = "no C compiler is found, and this file needs a preprocessor";
    let help = "install gcc or clang (Debian: `apt install gcc`), name one with `--cc`, or give a preprocessed `.i` file";
    Err(Failure::NoCompiler(Diagnostic::error("E1400", None, message).help(help)))
}

fn arguments(how: &Preprocessor, input: &Input<'_>, folder: &Folder, unit: &Path) -> Vec<String> {
    let mut arguments: Vec<String> = ["-E", "-x", "c", "-std=gnu11", "-w"].map(str::to_string).to_vec();
    if input.model == DataModel::Ilp32 {
        arguments.push("-m32".into());
    }
    if how.unsigned_char {
        arguments.push("-funsigned-char".into());
    }
    let home = Path::new(input.name).parent().filter(|home| !home.as_os_str().is_empty());
    let home = home.map_or(".".to_string(), |home| home.display().to_string());
    arguments.extend(["-iquote".to_string(), home]);
    let pairs = [
        ("-I", &how.include_dirs),
        ("-D", &how.defines),
        ("-U", &how.undefines),
        ("-include", &how.includes),
    ];
    arguments.extend(["-isystem".to_string(), folder.path.join("include").display().to_string()]);
    arguments.push("-D__SELVEDGE__=1".into());
    for (flag, values) in pairs {
        arguments.extend(values.iter().flat_map(|value| [flag.to_string(), value.clone()]));
    }
    arguments.extend(how.flags.iter().chain(how.file_flags.get(input.name).into_iter().flatten()).cloned());
    arguments.push(unit.display().to_string());
    arguments
}

fn run(folder: Folder, command: &[String], how: &Preprocessor, budget: &Budget) -> Result<Output, Failure> {
    let limits = ProcessLimits { time: how.time_limit, memory: MEMORY, output: how.output_limit };
    folder.run(command, &limits, budget).map_err(|problem| match problem {
        ProcessProblem::Stopped(stop) => Failure::Stopped(stop),
        ProcessProblem::TooLong => too_long(how),
        ProcessProblem::TooMuch => too_much(how),
        ProcessProblem::Start(error) if refused(&error).is_some() => not_made(&error),
        ProcessProblem::Start(error) => {
            let message = format!("the preprocessor `{}` cannot be started: {error}", command[0]);
            Diagnostic::error("E1401", None, message).help("name another one with `--cc`").into()
        }
    })
}

fn too_long(how: &Preprocessor) -> Failure {
    let message = format!("the preprocessor did not end within {} s", how.time_limit.as_secs_f32());
    Diagnostic::error("E1403", None, message)
        .help("check what the file includes, or preprocess it yourself and give the `.i` file")
        .into()
}

fn too_much(how: &Preprocessor) -> Failure {
    let message = format!("the preprocessor wrote more than {} MB", how.output_limit >> 20);
    Diagnostic::error("E1404", None, message).help("check what the file includes").into()
}

/// What the compiler had too little of. It says so in one of these ways, unless the system ended it.
fn ran_out(output: &Output) -> Option<Stop> {
    const MESSAGES: &[(&str, Stop)] = &[
        ("out of memory", Stop::Memory),
        ("memory exhausted", Stop::Memory),
        ("annot allocate memory", Stop::Memory),
        ("Killed signal", Stop::Memory),
        ("Resource temporarily unavailable", Stop::Refused),
        ("annot fork", Stop::Refused),
    ];
    let errors = String::from_utf8_lossy(&output.errors);
    // What is wrong with the text is told with its place.
    let has_place = |line: &str| line.split(':').nth(1).is_some_and(|number| number.parse::<u32>().is_ok());
    let limit = |line: &str| MESSAGES.iter().find(|(words, _)| line.contains(words)).map(|(_, stop)| *stop);
    let killed = (output.status.signal() == Some(KILLED)).then_some(Stop::Memory);
    errors.lines().filter(|line| !has_place(line)).find_map(limit).or(killed)
}

/// The compiler's own messages as diagnostics: `file:line:column: error: message`.
fn explain(output: &Output, input: &Input<'_>, compiler: &str) -> Vec<Diagnostic> {
    let errors = String::from_utf8_lossy(&output.errors);
    let starts = line_starts(input.text);
    let mut found = vec![];
    for line in errors.lines() {
        let Some((place, message)) = line.split_once("error: ") else { continue };
        let mut parts = place.trim_end_matches("fatal ").trim_end_matches([' ', ':']).rsplitn(3, ':');
        let (column, number, name) = (parts.next(), parts.next(), parts.next());
        let number: Option<usize> = number.and_then(|number| number.parse().ok());
        let start = match (name, number) {
            (Some(name), Some(number)) if name == input.name => starts.get(number.saturating_sub(1)).copied(),
            _ => None,
        };
        let column: u32 = column.and_then(|column| column.parse().ok()).unwrap_or(1);
        let span = start.map(|start| {
            let start = start + column.saturating_sub(1);
            base::Span { file: input.file, start, end: start }
        });
        let help = hint(message);
        let message = if span.is_some() { message.to_string() } else { line.to_string() };
        found.push(Diagnostic::error("E1402", span, format!("preprocessor: {message}")).help(help));
    }
    if found.is_empty() {
        let last = errors.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it wrote no message");
        let message = format!("the preprocessor `{compiler}` failed ({}): {last}", output.status);
        found.push(
            Diagnostic::error("E1402", None, message)
                .help("run it by hand to see what is wrong, or name another one with `--cc`"),
        );
    }
    found.truncate(20);
    found
}

/// What to do about a message of the preprocessor.
fn hint(message: &str) -> &'static str {
    match message.split_once(": No such file") {
        // The headers of C++ have no ending.
        Some((header, _)) if !header.contains('.') => "headers of C end in `.h`: is this C++? Only C is read",
        _ => "give the folders of headers with `-I`, and macros with `-D`",
    }
}

fn line_starts(text: &str) -> Vec<u32> {
    let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1);
    std::iter::once(0).chain(breaks).collect()
}

/// A directory for what is preprocessed.
fn folder() -> Result<Folder, Failure> {
    Folder::new().map_err(|error| not_made(&error))
}

/// Why there is no temporary directory.
fn not_made(error: &std::io::Error) -> Failure {
    if let Some(stop) = refused(error) {
        return Failure::Stopped(stop);
    }
    let message = format!("no temporary directory can be made: {error}");
    let help = match error.raw_os_error() {
        Some(TOO_MANY_FILES) => "raise the limit of open files (`ulimit -n`)",
        _ => "set TMPDIR to a folder that can be written",
    };
    Diagnostic::error("E1405", None, message).help(help).into()
}

/// The resource that ended, if that is why nothing can be started.
fn refused(error: &std::io::Error) -> Option<Stop> {
    match error.kind() {
        ErrorKind::WouldBlock => Some(Stop::Refused),
        ErrorKind::OutOfMemory => Some(Stop::Memory),
        ErrorKind::Interrupted => Some(Stop::Interrupted),
        _ => None,
    }
}

fn write(folder: &Folder, name: &str, text: &str) -> Result<PathBuf, Diagnostic> {
    folder.write(name, &base::bytes::encode(text)).map_err(|error| {
        let path = folder.path.join(name);
        let message = format!("the temporary file {} cannot be written: {error}", path.display());
        Diagnostic::error("E1405", None, message).help("set TMPDIR to a folder that can be written")
    })
}
