//! `selvedge translate`: rewrites a program for another tool, on standard output.

use crate::args::{Language, Translate};
use crate::check::{limits, report_please};
use crate::terminal::{Paint, Screen, harmless, width};
use crate::verdict::{BAD_INPUT, FAULT, SAFE, UNKNOWN};
use crate::{diagnostics, output};
use base::budget::StopHandle;
use base::{Budget, Diagnostic, Event, Events, SourceMap};
use ir::{Bound, Reason, ReasonKind};
use verify::translate::{Target, translate};
use verify::{Ended, Input, NotRead, Origin, ReadOptions, RunContext};

/// Runs the command; the exit code, or what is wrong with its usage.
pub fn run(arguments: &Translate, stop: &StopHandle, screen: &mut Screen) -> Result<u8, String> {
    let origin = Origin::from_argument(&arguments.file);
    let target = match arguments.to {
        Language::Bp => Target::Bp,
        Language::Tts => Target::Tts,
        Language::Promela => Target::Promela,
        Language::Smv => Target::Smv,
    };
    let threads = match (arguments.threads, arguments.to) {
        (Some(Bound::Any), Language::Promela | Language::Smv) => {
            return Err(
                "--threads any: this language needs a number of threads; `tts` and `bp` speak of any number"
                    .to_string(),
            );
        }
        (threads, _) => threads.and_then(Bound::limit),
    };
    let request = Request { origin, options: arguments.reading.options(), target, threads };
    let job =
        move |context: RunContext<Event>| translated(&request, &Budget::new(u64::MAX, context.stop.clone()));
    let limits = limits(arguments.timeout, arguments.memory, stop);
    let ended = verify::supervise(&limits, &mut |event| screen.emit(event), job);
    screen.clear();
    match ended {
        Ended::Done(Ok(Translated { text, input })) => {
            draw(&input.sources, &input.warnings);
            match text {
                Ok(text) => output::print(&text)
                    .map(|()| SAFE)
                    .map_err(|error| format!("standard output: {}", verify::plain(&error))),
                Err(reason) => Ok(refused(&reason.message)),
            }
        }
        Ended::Done(Err(NotRead::Bad(bad))) => {
            draw(&bad.sources, &bad.diagnostics);
            Ok(BAD_INPUT)
        }
        Ended::Done(Err(NotRead::Stopped(stop))) | Ended::Abandoned(stop) => {
            Ok(refused(&limits.reason(stop).message))
        }
        Ended::Done(Err(NotRead::Fault(message))) | Ended::Panicked(message) => {
            output::tell(&report_please("an internal fault", &message));
            Ok(FAULT)
        }
    }
}

/// What is to be translated.
struct Request {
    origin: Origin,
    options: ReadOptions,
    target: Target,
    threads: Option<u32>,
}

/// What came of it.
struct Translated {
    text: Result<String, Reason>,
    input: Input,
}

fn translated(request: &Request, budget: &Budget) -> Result<Translated, NotRead> {
    let input = verify::read_within(&request.origin, &request.options, budget)?;
    let text = match input.source.model() {
        Some(model) => translate(&model, request.target, request.threads, budget),
        None => Err(Reason::new(ReasonKind::Unsupported, "such a file cannot be translated")),
    };
    Ok(Translated { text, input })
}

fn draw(sources: &SourceMap, found: &[Diagnostic]) {
    for found in found {
        output::tell(&diagnostics::draw(sources, found, Paint::for_stderr(), width()));
    }
}

/// Standard output holds the translation or nothing.
fn refused(why: &str) -> u8 {
    output::tell(&format!("unknown: {}\n", harmless(why)));
    UNKNOWN
}
