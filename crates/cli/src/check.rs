//! `selvedge check`: asks about every file and tells what came out.

use crate::args::Check;
use crate::exit::{self, USAGE};
use crate::terminal::{Screen, width};
use crate::{output, properties, work, worker};
use base::Settings;
use base::budget::StopHandle;
use ir::{ReasonKind, Scope};
use report::{FORMATS, Format, Layout, Text, stats, verdict};
use std::path::Path;
use verify::{Origin, Outcome, Plan, Question, Report};

/// Runs the command; the exit code, or what is wrong with its usage.
pub fn run(arguments: &Check, stop: &StopHandle, screen: &mut Screen) -> Result<u8, String> {
    let question = question(arguments, stop)?;
    let trace = usable(arguments)?;
    if arguments.property_list {
        return properties::list(arguments, stop, screen);
    }
    let mut worst = exit::SAFE;
    for file in worker::own_files(&arguments.files) {
        let report = verify::check(&Origin::from_argument(file), &question, screen);
        screen.clear();
        let code = Telling { arguments, trace, report: &report }.tell();
        worst = exit::worse(worst, code);
        // Giving back a large program piece by piece takes time that nobody has asked for: the process gives
        // it back at its end.
        if arguments.files.len() == 1 {
            std::mem::forget(report);
        }
    }
    Ok(worst)
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

/// What can be known to be wrong before any work is done; the format of the trace, if one is written.
fn usable(arguments: &Check) -> Result<Option<&'static Format>, String> {
    let results = || [&arguments.trace, &arguments.certificate, &arguments.replay].into_iter().flatten();
    if arguments.files.len() > 1 && results().next().is_some() {
        return Err(
            "--trace, --certificate and --replay take the evidence of one file: check the files one by one"
                .to_string(),
        );
    }
    if arguments.files.iter().filter(|file| file.as_path() == Path::new("-")).count() > 1 {
        return Err("standard input can be read once only".to_string());
    }
    if results().any(|result| arguments.files.iter().any(|file| same_file(file, result))) {
        return Err("a result would be written over the file that is checked".to_string());
    }
    arguments.trace.as_ref().map(|path| FORMATS.of_trace(path)).transpose()
}

/// Whether two paths lead to one file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Tells a report; the exit code.
pub fn tell(arguments: &Check, report: &Report) -> u8 {
    Telling { arguments, trace: None, report }.tell()
}

/// Tells one report.
struct Telling<'a> {
    arguments: &'a Check,
    /// The format of the trace file, if one is written.
    trace: Option<&'static Format>,
    report: &'a Report,
}

impl Telling<'_> {
    /// Tells everything; the verdict comes last whatever happens before.
    fn tell(&self) -> u8 {
        self.tell_findings();
        if self.arguments.verbose {
            output::tell(verdict::alarms(self.report));
            output::tell(stats::input(self.report));
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
        let trace = self.trace.and_then(|it| it.trace(self.report));
        let files = [
            (&self.arguments.trace, Ok(trace)),
            (&self.arguments.certificate, Ok(FORMATS.certificate(self.report))),
            (&self.arguments.replay, FORMATS.replay(self.report)),
        ];
        for (path, made) in files {
            let Some(path) = path else { continue };
            let written = made.and_then(|it| it.map_or(Ok(()), |it| output::write_file(path, &it)));
            problems.extend(written.err());
        }
        problems
    }

    fn tell_verdict(&self) -> Result<(), String> {
        let layout = Layout {
            width: width(),
            trace: self.arguments.trace.is_none() && !self.arguments.quiet,
            names_file: self.arguments.files.len() > 1,
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
