//! `selvedge abstract`: the Boolean program of a C program by predicate abstraction, with its predicates as comments.

use crate::args::Abstract;
use crate::check::report_please;
use crate::terminal::{Paint, Screen, width};
use crate::verdict::{BAD_INPUT, FAULT, SAFE, UNKNOWN};
use crate::{diagnostics, output};
use base::budget::StopHandle;
use base::{Budget, Diagnostic, Event, Events, SourceMap};
use ir::{Reason, ReasonKind};
use verify::c::{BooleanProgram, Condition, NoBooleanProgram, boolean_program};
use verify::{Ended, Input, Limits, NotRead, Origin, ReadOptions, RunContext, Source};

/// Runs the command; the exit code, or what is wrong with its usage.
pub fn run(arguments: &Abstract, stop: &StopHandle, screen: &mut Screen) -> Result<u8, String> {
    let conditions = arguments.predicates.conditions()?;
    let origin = Origin::from_argument(&arguments.file);
    let request = Request { origin, options: arguments.reading.options(), conditions };
    let job = move |mut context: RunContext<Event>| {
        let budget = Budget::new(u64::MAX, context.stop.clone());
        abstracted(&request, &budget, &mut context)
    };
    let limits = Limits { stop: stop.clone(), time: arguments.timeout, ..Limits::default() };
    let ended = verify::supervise(&limits, &mut |event| screen.emit(event), job);
    screen.clear();
    match ended {
        Ended::Done(Ok(Abstracted { result, input })) => {
            draw(&input.sources, &input.warnings);
            match result {
                Ok(made) => write(arguments, &made.text()).map(|()| SAFE),
                Err(NoBooleanProgram::Condition(why)) => Err(why),
                Err(NoBooleanProgram::Reason(reason)) => Ok(refused(&reason.message)),
            }
        }
        Ended::Done(Err(NotRead::Bad(bad))) => {
            draw(&bad.sources, &bad.diagnostics);
            Ok(BAD_INPUT)
        }
        Ended::Done(Err(NotRead::Stopped(stop))) | Ended::Abandoned(stop) => Ok(refused(&stop.to_string())),
        Ended::Done(Err(NotRead::Fault(message))) | Ended::Panicked(message) => {
            output::tell(&report_please("an internal fault", &message));
            Ok(FAULT)
        }
    }
}

/// What is to be abstracted.
struct Request {
    origin: Origin,
    options: ReadOptions,
    conditions: Vec<Condition>,
}

/// What came of it.
struct Abstracted {
    result: Result<BooleanProgram, NoBooleanProgram>,
    input: Input,
}

fn abstracted(request: &Request, budget: &Budget, events: &mut dyn Events) -> Result<Abstracted, NotRead> {
    let input = verify::read_within(&request.origin, &request.options, budget)?;
    let result = match &input.source {
        Source::C(source) => boolean_program(source, &request.conditions, budget, events),
        _ => {
            let why = "only C programs are abstracted";
            Err(NoBooleanProgram::Reason(Reason::new(ReasonKind::Unsupported, why)))
        }
    };
    Ok(Abstracted { result, input })
}

fn write(arguments: &Abstract, text: &str) -> Result<(), String> {
    match &arguments.output {
        Some(path) => output::write_file(path, text),
        None => output::print(text).map_err(|error| format!("standard output: {}", verify::plain(&error))),
    }
}

fn draw(sources: &SourceMap, found: &[Diagnostic]) {
    for found in found {
        output::tell(&diagnostics::draw(sources, found, Paint::for_stderr(), width()));
    }
}

/// Standard output holds the program or nothing.
fn refused(why: &str) -> u8 {
    output::tell(&format!("unknown: {why}\n"));
    UNKNOWN
}
