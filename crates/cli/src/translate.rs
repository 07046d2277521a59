//! `selvedge translate`: rewrites a program for another tool, on standard output.

use crate::args::{Language, Translate};
use crate::check::report_please;
use crate::terminal::{Paint, Screen, width};
use crate::verdict::{BAD_INPUT, FAULT, SAFE, UNKNOWN};
use crate::{diagnostics, output};
use base::{Budget, Diagnostic, SourceMap};
use ir::Reason;
use verify::translate::{Target, translate};
use verify::{BadInput, Desk, Ended, Limits, Origin, Reading};

/// Runs the command; the exit code, or what is wrong with its usage.
pub fn run(arguments: &Translate, screen: &mut Screen) -> Result<u8, String> {
    let origin = Origin::from_argument(&arguments.file);
    let (reading, threads) = (arguments.reading.reading(), arguments.threads);
    let target = match arguments.to {
        Language::Bp => Target::Bp,
        Language::Tts => Target::Tts,
        Language::Promela => Target::Promela,
        Language::Smv => Target::Smv,
    };
    let job = move |desk: Desk| translated(&origin, &reading, target, threads, &desk);
    let ended = verify::supervise(&Limits::default(), screen, &Desk::default(), job);
    screen.clear();
    match ended {
        Ended::Done(Ok((text, sources, warnings))) => {
            draw(&sources, &warnings);
            match text {
                Ok(text) => output::print(&text)
                    .map(|()| SAFE)
                    .map_err(|error| format!("standard output: {}", verify::plain(&error))),
                Err(reason) => Ok(refused(&reason.message)),
            }
        }
        Ended::Done(Err(bad)) => {
            draw(&bad.sources, &bad.diagnostics);
            Ok(BAD_INPUT)
        }
        Ended::Abandoned(stop) => Ok(refused(&stop.to_string())),
        Ended::Panicked(message) => {
            output::tell(&report_please("an internal fault", &message));
            Ok(FAULT)
        }
    }
}

type Translated = (Result<String, Reason>, SourceMap, Vec<Diagnostic>);

fn translated(
    origin: &Origin,
    reading: &Reading,
    target: Target,
    threads: Option<u32>,
    desk: &Desk,
) -> Result<Translated, BadInput> {
    let input = verify::read(origin, reading)?;
    let budget = Budget::new(u64::MAX, desk.handle.clone());
    Ok((translate(&input.model, target, threads, &budget), input.sources, input.warnings))
}

fn draw(sources: &SourceMap, found: &[Diagnostic]) {
    for found in found {
        output::tell(&diagnostics::draw(sources, found, Paint::for_stderr(), width()));
    }
}

/// Standard output holds the translation or nothing.
fn refused(why: &str) -> u8 {
    output::tell(&format!("unknown: {why}\n"));
    UNKNOWN
}
