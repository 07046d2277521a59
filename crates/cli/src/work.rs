//! Work on a file under limits, for the commands that make something of it: runs it where it can be stopped,
//! and tells what kept it from its end in the same words for all of them.

use crate::check::report_please;
use crate::exit::{BAD_INPUT, FAULT, UNKNOWN};
use crate::output;
use crate::terminal::Screen;
use base::{Event, Events};
use report::Document;
use verify::{Ended, Limits, NotRead, RunContext};

/// What a command is told: the exit code, or what is wrong with its usage.
pub type Code = Result<u8, String>;

/// Runs work that makes something of a file. Gives what it made; or, when that which kept it from its end has
/// been told, the end of the command. `unknown` tells why nothing is known.
pub fn made<T: Send + 'static>(
    limits: &Limits,
    screen: &mut Screen,
    unknown: impl FnOnce(&str) -> Code,
    job: impl FnOnce(RunContext<Event>) -> Result<T, NotRead> + Send + 'static,
) -> Result<T, Code> {
    let ended = verify::supervise(limits, &mut |event| screen.emit(event), job);
    screen.clear();
    Err(match ended {
        Ended::Done(Ok(made)) => return Ok(made),
        Ended::Done(Err(NotRead::Bad(bad))) => {
            output::tell_findings(&bad.sources, &bad.diagnostics);
            Ok(BAD_INPUT)
        }
        Ended::Done(Err(NotRead::Stopped(stop))) | Ended::Abandoned(stop) => {
            unknown(&limits.reason(stop).message)
        }
        Ended::Done(Err(NotRead::Fault(message))) | Ended::Panicked(message) => {
            output::tell(report_please("an internal fault", &message));
            Ok(FAULT)
        }
    })
}

/// Tells why nothing was made: standard output holds what was to be made, or nothing.
pub fn refused(why: &str) -> Code {
    output::tell_line(format!("unknown: {why}"));
    Ok(UNKNOWN)
}

/// Writes what was made to standard output.
pub fn print(document: &Document) -> Result<(), String> {
    output::print(document).map_err(|error| format!("standard output: {}", verify::plain(&error)))
}
