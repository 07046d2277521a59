//! `selvedge translate`: rewrites a program for another tool, on standard output.

use crate::args::{Language, Translate};
use crate::exit::SAFE;
use crate::terminal::Screen;
use crate::{output, work};
use base::budget::StopHandle;
use base::{Budget, Event};
use ir::{Bound, Reason};
use report::Document;
use verify::translate::{Target, translate};
use verify::{Input, NotRead, Origin, ReadOptions, RunContext};

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
    let request = TranslateRequest { origin, options: arguments.reading.options(), target, threads };
    let job =
        move |context: RunContext<Event>| translated(&request, &Budget::new(u64::MAX, context.stop.clone()));
    let Translated { text, input } =
        match work::made(&arguments.limits.limits(stop), screen, work::refused, job) {
            Ok(translated) => translated,
            Err(code) => return code,
        };
    output::tell_findings(&input.sources, &input.warnings);
    let code = match text {
        Ok(text) => work::print(&Document::Data(text)).map(|()| SAFE),
        Err(reason) => work::refused(&reason.message),
    };
    // The process gives back what it holds at its end, at once.
    std::mem::forget(input);
    code
}

/// What is to be translated.
struct TranslateRequest {
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

fn translated(request: &TranslateRequest, budget: &Budget) -> Result<Translated, NotRead> {
    let input = verify::read_within(&request.origin, &request.options, budget)?;
    let text = translate(&input.source.model(), request.target, request.threads, budget);
    match (&text, budget.handle().reason()) {
        (Err(_), Some(stop)) => Err(NotRead::Stopped(stop)),
        _ => Ok(Translated { text, input }),
    }
}
