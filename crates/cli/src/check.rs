//! `selvedge check`: asks about every file and tells what came out.

use crate::args::Check;
use crate::exit::{self, USAGE};
use crate::programs::{self, Program, Sources};
use crate::terminal::{Screen, width};
use crate::{invocation, output, properties, work, worker};
use base::Settings;
use base::budget::StopHandle;
use ir::{ReasonKind, Scope};
use report::witness::Made;
use report::{FORMATS, Format, Layout, Sarif, SarifOptions, Text, stats, verdict};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use verify::{Outcome, Plan, Question, Report};

/// Runs the command; the exit code, or what is wrong with its usage.
pub fn run(arguments: &Check, stop: &StopHandle, screen: &mut Screen) -> Result<u8, String> {
    let general = question(arguments, stop)?;
    let formats = usable(arguments)?;
    let found = programs::sources(
        &arguments.files,
        &arguments.project,
        general.reading.clone(),
        general.limits.clone(),
        screen,
    );
    let Sources { programs, reading, limits } = match found {
        Ok(found) => found,
        Err(end) => return end,
    };
    let general = Question { reading, limits, ..general };
    if arguments.property_list {
        return properties::list(arguments, &programs, &general, screen);
    }
    let mut worst = exit::SAFE;
    let mut sarif = sarif(arguments);
    for program in worker::own(&programs) {
        let question = Question { reading: program.reading(&general.reading), ..general.clone() };
        let report = verify::check(&program.origin(), &question, screen);
        screen.clear();
        if arguments.verbose {
            tell_files(program);
        }
        let code = Telling { arguments, formats, report: &report, one_of: programs.len() }.tell();
        worst = exit::worse(worst, code);
        sarif.iter_mut().for_each(|it| it.add(&report));
        // Giving back a large program piece by piece takes time that nobody has asked for: the process gives
        // it back at its end.
        if programs.len() == 1 {
            std::mem::forget(report);
        }
    }
    Ok(write_sarif(arguments, sarif, worst))
}

/// The results for code scanning, if they are wanted.
fn sarif(arguments: &Check) -> Option<Sarif> {
    arguments.sarif.as_ref()?;
    let root = std::env::current_dir().unwrap_or_default();
    FORMATS.results(SarifOptions { root, pass: arguments.sarif_pass, command_line: command_line() })
}

/// Writes the results for code scanning; the exit code.
fn write_sarif(arguments: &Check, sarif: Option<Sarif>, code: u8) -> u8 {
    let (Some(path), Some(sarif)) = (&arguments.sarif, sarif) else { return code };
    match output::write_file(path, &sarif.finish(code)) {
        Ok(()) => code,
        Err(why) => {
            output::tell_line(format!("error: {why}"));
            exit::worse(code, USAGE)
        }
    }
}

/// The command line as a shell would take it.
fn command_line() -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_./=,:+%@".contains(it);
    let one = |argument: String| match !argument.is_empty() && argument.chars().all(plain) {
        true => argument,
        false => format!("'{}'", argument.replace('\'', "'\\''")),
    };
    let rest = std::env::args_os().skip(1).map(|it| one(it.to_string_lossy().into_owned()));
    std::iter::once("selvedge".to_string()).chain(rest).collect::<Vec<_>>().join(" ")
}

/// The seconds since 1970: those that `SOURCE_DATE_EPOCH` says, so that files can be made again byte for
/// byte, or now.
fn seconds() -> u64 {
    let stated = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|it| it.parse().ok());
    stated.unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs()))
}

/// Which files a program is linked from.
fn tell_files(program: &Program) {
    if !program.with.is_empty() {
        let others: Vec<String> = program.with.iter().map(|it| it.display().to_string()).collect();
        output::tell_line(format!("linked: {} with {}", program.first.display(), others.join(", ")));
    }
}

/// What is asked of the files; or what is wrong with the options.
pub fn question(arguments: &Check, stop: &StopHandle) -> Result<Question, String> {
    let mut names = arguments.engine.clone();
    if let Some(ways) = &arguments.way {
        // Nobody who names the engines for C means all of them by `auto`.
        names.retain(|it| it != "auto");
        names.extend(ways.iter().map(|way| way.0.to_string()));
    }
    let mut plan = Plan::named(&names).map_err(|why| format!("--engine: {why}"))?;
    let limits = arguments.limits.limits(stop);
    plan.predicates = arguments.predicates.conditions(&limits)?;
    let settings = &mut plan.settings;
    let bounds = [
        ("rounds", "rounds.most", arguments.rounds),
        ("width", "modular.width", arguments.width),
        ("workers", "abstraction.workers", arguments.workers),
    ];
    for (option, name, bound) in bounds {
        let Some(bound) = bound else { continue };
        verify::set(settings, name, &bound.to_string())
            .map_err(|why| format!("--{option} {bound}: {why}"))?;
    }
    set_all(settings, &arguments.set)?;
    Ok(Question {
        reading: arguments.reading.options_with(&plan.settings),
        scope: Scope { threads: arguments.threads },
        plan,
        limits,
        each: arguments.all,
    })
}

/// Sets the options that `--set` names.
pub fn set_all(settings: &mut Settings, pairs: &[(String, String)]) -> Result<(), String> {
    for (name, value) in pairs {
        verify::set(settings, name, value)
            .map_err(|why| format!("--set {name}={value}: {why}; `selvedge engines` lists the options"))?;
    }
    Ok(())
}

/// The formats of the files that are written by their extensions.
#[derive(Clone, Copy, Default)]
struct FileFormats {
    report: Option<&'static Format>,
    trace: Option<&'static Format>,
    witness: Option<&'static Format>,
}

/// What can be known to be wrong before any work is done; the formats of the files that are written.
fn usable(arguments: &Check) -> Result<FileFormats, String> {
    let evidence =
        [&arguments.report, &arguments.trace, &arguments.certificate, &arguments.replay, &arguments.witness];
    let programs = programs::programs(&arguments.files);
    if programs.len() > 1 && evidence.iter().any(|it| it.is_some()) {
        return Err(
            "--report, --trace, --certificate, --replay and --witness are about one program: check the \
                    files one by one"
                .to_string(),
        );
    }
    let results = || evidence.into_iter().chain([&arguments.sarif]).flatten();
    if arguments.sarif.is_some() && programs.len() > 1 && worker::is_worker() {
        return Err(
            "--sarif takes one file under a limit of addresses (`ulimit -v`): check the files one by one"
                .to_string(),
        );
    }
    if arguments.files.iter().filter(|file| file.as_path() == Path::new("-")).count() > 1 {
        return Err("standard input can be read once only".to_string());
    }
    if results().any(|result| arguments.files.iter().any(|file| same_file(file, result))) {
        return Err("a result would be written over the file that is checked".to_string());
    }
    Ok(FileFormats {
        report: arguments.report.as_ref().map(|path| FORMATS.of_report(path)).transpose()?,
        trace: arguments.trace.as_ref().map(|path| FORMATS.of_trace(path)).transpose()?,
        witness: arguments.witness.as_ref().map(|path| FORMATS.of_witness(path)).transpose()?,
    })
}

/// Whether two paths lead to one file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Tells a report without evidence; the exit code.
pub fn tell(arguments: &Check, report: &Report) -> u8 {
    let one_of = programs::programs(&arguments.files).len();
    let code = Telling { arguments, formats: FileFormats::default(), report, one_of }.tell();
    let mut sarif = sarif(arguments);
    sarif.iter_mut().for_each(|it| it.add(report));
    write_sarif(arguments, sarif, code)
}

/// Tells one report.
struct Telling<'a> {
    arguments: &'a Check,
    formats: FileFormats,
    report: &'a Report,
    /// How many programs are checked.
    one_of: usize,
}

impl Telling<'_> {
    /// Tells everything; the verdict comes last whatever happens before.
    fn tell(&self) -> u8 {
        self.tell_findings();
        if self.arguments.verbose {
            output::tell(verdict::alarms(self.report));
            output::tell(stats::input(self.report));
            self.report.notes.iter().for_each(|note| output::tell_line(format!("note: {note}")));
            output::tell(stats::rounds(self.report));
            output::tell(stats::checker(self.report));
        }
        if self.arguments.stats {
            output::tell(stats::counters(self.report));
        }
        if self.arguments.stats || self.arguments.verbose {
            output::tell(stats::cost(self.report));
        }
        let mut code = exit::code(self.report);
        for why in self.write_evidence().into_iter().chain(self.tell_verdict().err()) {
            output::tell_line(format!("error: {why}"));
            code = exit::worse(code, USAGE);
        }
        code
    }

    fn tell_findings(&self) {
        // Also without words (`-q`): a warning says how the file was read, and that may decide the verdict.
        output::tell_findings(&self.report.sources, &self.report.diagnostics);
        if let Some(answer) = &self.report.answer {
            // Where there may be undefined behaviour the verdict says.
            for assumption in verdict::assumptions(self.report, answer, self.arguments.verbose) {
                output::tell_line(format!("assumption: {assumption}"));
            }
        }
        let Some(answer) = &self.report.answer else { return };
        if let Outcome::Unknown(reason) = &answer.outcome {
            let what = match reason.kind {
                ReasonKind::Fault => "an internal fault",
                ReasonKind::Rejected => "evidence that does not hold",
                _ => return,
            };
            output::tell(report_please(what, &verdict::message(self.report, answer, reason)));
            output::tell(report::contradiction(self.report));
        }
    }

    /// Writes the evidence that was asked for; what could not be written.
    fn write_evidence(&self) -> Vec<String> {
        let mut problems = vec![];
        let invocation = invocation::of_process(self.arguments);
        let page = self.formats.report.and_then(|it| it.page(self.report, &invocation));
        let trace = self.formats.trace.and_then(|it| it.trace(self.report, &invocation));
        let made = Made { command_line: command_line(), seconds: seconds() };
        let witness = self.formats.witness.map_or(Ok(None), |it| it.witness(self.report, &made));
        let files = [
            (&self.arguments.report, Ok(page)),
            (&self.arguments.trace, Ok(trace)),
            (&self.arguments.certificate, Ok(FORMATS.certificate(self.report))),
            (&self.arguments.replay, FORMATS.replay(self.report)),
            (&self.arguments.witness, witness),
        ];
        for (path, made) in files {
            let Some(path) = path else { continue };
            let written = made.and_then(|it| it.map_or(Ok(()), |it| output::write_file(path, &it)));
            problems.extend(written.err());
        }
        problems
    }

    fn tell_verdict(&self) -> Result<(), String> {
        let Check { report, trace, quiet, .. } = self.arguments;
        let layout = Layout {
            width: width(),
            trace: report.is_none() && trace.is_none() && !quiet,
            names_file: self.one_of > 1,
            counts: self.arguments.verbose,
        };
        let format = &self.arguments.format;
        let answer = FORMATS.answer(format, self.report, &layout);
        work::print(&answer.ok_or_else(|| format!("--format {format} shows no answers"))?)
    }
}

/// The request for a report.
pub fn report_please(what: &str, message: &str) -> Text {
    let end = "This is a fault of selvedge, not of your file. Please report it with the file, the command line and this message.";
    [format!("selvedge: {what}: {message}"), end.to_string()].into_iter().collect()
}
