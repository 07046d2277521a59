//! `selvedge confirm`: has evidence checked on its own, without any engine.

use crate::args::Confirm;
use crate::check::{limits, report_please};
use crate::terminal::{Paint, Screen, width};
use crate::trace::json;
use crate::verdict::{BAD_INPUT, FAULT, SAFE, UNKNOWN, UNSAFE, counted};
use crate::{c, diagnostics, output};
use base::budget::StopHandle;
use base::{Budget, Diagnostic, Event, Events, SourceMap};
use ir::{Bound, Model, Property, Scope, Task};
use verify::{
    BadInput, Confirmation, Ended, Input, NotRead, Origin, Presented, ReadOptions, RunContext, Source,
};

/// Runs the command; the exit code, or what is wrong with its usage.
pub fn run(arguments: &Confirm, stop: &StopHandle, screen: &mut Screen) -> Result<u8, String> {
    let file = Origin::from_argument(&arguments.file);
    let evidence = Origin::from_argument(&arguments.evidence);
    if file == Origin::Stdin && evidence == Origin::Stdin {
        return Err("standard input can be read once only".to_string());
    }
    let request =
        Request { file, options: arguments.reading.options(), evidence, threads: arguments.threads };
    let limits = limits(arguments.timeout, arguments.memory, stop);
    let job = move |context: RunContext<Event>| confirmed(&request, &context.stop);
    let ended = verify::supervise(&limits, &mut |event| screen.emit(event), job);
    screen.clear();
    match ended {
        Ended::Done(Ok(Confirmed { input, confirmation })) => {
            // Whoever reads a file as `check` does hears of it what `check` says.
            draw(&input.sources, &input.warnings);
            tell(&confirmation)
        }
        Ended::Done(Err(NotRead::Bad(bad))) => {
            draw(&bad.sources, &bad.diagnostics);
            Ok(BAD_INPUT)
        }
        Ended::Done(Err(NotRead::Stopped(stop))) | Ended::Abandoned(stop) => {
            tell(&Confirmation::Stopped(stop))
        }
        Ended::Done(Err(NotRead::Fault(message))) | Ended::Panicked(message) => {
            output::tell(&report_please("an internal fault", &message));
            Ok(FAULT)
        }
    }
}

fn draw(sources: &SourceMap, findings: &[Diagnostic]) {
    for found in findings {
        output::tell(&diagnostics::draw(sources, found, Paint::for_stderr(), width()));
    }
}

fn tell(confirmation: &Confirmation) -> Result<u8, String> {
    let (line, code) = match confirmation {
        Confirmation::Trace { threads, steps } => {
            let (threads, steps) = (counted(*threads as usize, "thread"), counted(*steps, "step"));
            (format!("confirmed: the trace reaches an error with {threads} in {steps}"), SAFE)
        }
        Confirmation::Certificate(scope) => {
            (format!("confirmed: the certificate proves safety for {scope}"), SAFE)
        }
        Confirmation::Rejected(why) => (format!("rejected: {why}"), UNSAFE),
        Confirmation::Stopped(stop) => (format!("unknown: {stop}"), UNKNOWN),
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    output::print(&format!("{}\n", words.join(" ")))
        .map_err(|error| format!("standard output: {}", verify::plain(&error)))?;
    Ok(code)
}

/// What is to be confirmed.
pub struct Request {
    /// The file that the evidence is about.
    pub file: Origin,
    options: ReadOptions,
    /// The evidence.
    pub evidence: Origin,
    /// How far it must reach.
    pub threads: Option<Bound>,
}

fn confirmed(request: &Request, stop: &StopHandle) -> Result<Confirmed, NotRead> {
    let input = verify::read_within(&request.file, &request.options, &Budget::new(u64::MAX, stop.clone()))?;
    let mut sources = SourceMap::new();
    let bad = |sources, diagnostics| Err(NotRead::Bad(BadInput { sources, diagnostics }));
    if let Source::C(source) = &input.source {
        return match c::confirmed(&mut sources, &input.sources, source, request, stop) {
            Ok(confirmation) => Ok(Confirmed { confirmation, input }),
            Err(diagnostic) => bad(sources, vec![diagnostic]),
        };
    }
    let Some(model) = input.source.model() else {
        let message = format!("`{}` is nothing that evidence can be checked about", request.file.name());
        return bad(sources, vec![Diagnostic::error("E0909", None, message)]);
    };
    let presented = match presented(&mut sources, &model, &request.evidence) {
        Ok(presented) => presented,
        Err(diagnostics) => return bad(sources, diagnostics),
    };
    let claimed = match &presented {
        (Presented::Certificate(certificate), _) => certificate.scope,
        (Presented::Trace(_), bound) => Scope { threads: *bound },
    };
    let scope = request.threads.map_or(claimed, |threads| Scope { threads });
    let task = Task { model, property: Property::NoError, scope };
    let confirmation = verify::confirm(&task, &presented.0, stop);
    Ok(Confirmed { input, confirmation })
}

/// What the checker says about a file.
struct Confirmed {
    input: Input,
    confirmation: Confirmation,
}

/// Reads evidence: a trace is JSON, a certificate is not. A trace comes with the bound under which it was found.
fn presented(
    sources: &mut SourceMap,
    model: &Model,
    evidence: &Origin,
) -> Result<(Presented, Bound), Vec<Diagnostic>> {
    let file = verify::load(sources, evidence).map_err(|found| vec![found])?;
    let text = sources.file(file).text();
    if text.trim_start().starts_with('{') {
        let (trace, bound) = json::read(sources, file, model).map_err(|found| vec![found])?;
        return Ok((Presented::Trace(trace), bound));
    }
    let no_certificate = |why: String| {
        let message = format!("`{}` is neither a trace nor a certificate: {why}", evidence.name());
        vec![
            Diagnostic::error("E0910", None, message)
                .help("`selvedge check` writes both, with --trace and --certificate"),
        ]
    };
    let certificate = ir::certificate::text::read(text).map_err(no_certificate)?;
    Ok((Presented::Certificate(certificate), Bound::Any))
}
