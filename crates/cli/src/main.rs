//! The command line of Selvedge: arguments in, verdicts and evidence out. `main` alone exits.

mod abstraction;
mod args;
mod batch;
mod c;
mod cc;
mod check;
mod completions;
mod confirm;
mod engines;
mod exit;
mod explain;
mod explore;
mod invocation;
mod man;
mod output;
mod programs;
mod properties;
mod signals;
mod terminal;
mod translate;
mod work;
mod worker;

use args::{Arguments, Command};
use base::budget::StopHandle;
use base::sanitise;
use clap::Parser;
use clap::error::ErrorKind;
use report::{Document, Text};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use terminal::Screen;

/// The stack of the thread that does the work. That of the first thread may be too small for anything
/// (`ulimit -s`).
const STACK: usize = 8 << 20;

fn main() {
    // A worker hears of one interrupt from the terminal and from its parent, which ends it at the second.
    let stop = signals::listen((!worker::is_worker()).then_some(end));
    worker::watch_parent(&stop);
    say_where_it_panics();
    // Without another thread this one has to do.
    let code = base::stack::run(STACK, || command(&stop)).unwrap_or_else(|_| command(&stop));
    end(i32::from(code));
}

/// Ends the process. Work that was left behind must not keep it alive, and nothing of it stays behind.
fn end(code: i32) -> ! {
    static ENDING: Mutex<()> = Mutex::new(());
    // A second caller waits for the end.
    let _ending = ENDING.lock().unwrap_or_else(PoisonError::into_inner);
    worker::end();
    batch::end_all();
    verify::end_processes();
    output::finish();
    std::process::exit(code)
}

/// A panic is told on one line, with its place: that is what a report needs.
fn say_where_it_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
        let text = info.payload_as_str().unwrap_or("a panic without a message");
        let lines = [String::new(), format!("selvedge: {text}{place}")];
        output::tell(lines.into_iter().collect::<Text>());
    }));
}

/// Does what the arguments say; a panic is a fault.
fn command(stop: &StopHandle) -> u8 {
    catch_unwind(AssertUnwindSafe(|| perform(stop))).unwrap_or_else(|_| {
        output::tell(check::report_please("an internal fault", "see above"));
        exit::FAULT
    })
}

fn perform(stop: &StopHandle) -> u8 {
    let given = match c::of_process() {
        Ok(given) => given,
        Err(why) => {
            output::tell_line(format!("error: {why}"));
            return exit::USAGE;
        }
    };
    let arguments = match Arguments::try_parse_from(given) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    if let Some(code) = worker::delegate(&arguments, stop) {
        return code;
    }
    let result = match &arguments.command {
        Command::Check(check) => check::run(check, stop, &mut Screen::of(check.progress, check.quiet)),
        Command::Confirm(confirm) => confirm::run(confirm, stop, &mut Screen::new(false)),
        Command::Abstract(it) => abstraction::run(it, stop, &mut Screen::new(false)),
        Command::Translate(translate) => translate::run(translate, stop, &mut Screen::new(false)),
        Command::Cc(line) => cc::run(line),
        Command::Explore(it) => explore::run(it, stop, &mut Screen::new(false)),
        Command::Batch(it) => batch::run(it, stop),
        Command::Merge(merge) => batch::run_merge(merge),
        Command::Completions(it) => completions::run(it),
        Command::Man(it) => man::run(it),
        Command::Explain(it) => explain::run(it),
        Command::Engines => work::print(&Document::Data(engines::list())).map(|()| exit::SAFE),
    };
    result.unwrap_or_else(|why| {
        output::tell_line(format!("error: {why}"));
        exit::USAGE
    })
}

/// Help and version are no errors; everything else is wrong usage.
fn usage(error: &clap::Error) -> u8 {
    if !matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let strange = |argument: std::ffi::OsString| {
            sanitise(&argument.to_string_lossy()) != argument.to_string_lossy()
        };
        let cleaned = || std::env::args_os().map(|it| sanitise(&it.to_string_lossy()));
        // A name that could drive the terminal is told as it can be shown.
        let again = std::env::args_os().any(strange).then(|| Arguments::try_parse_from(cleaned()).err());
        // Nobody is left to be told if that fails.
        let _ = again.flatten().as_ref().unwrap_or(error).print();
        return exit::USAGE;
    }
    match error.print() {
        // A reader that closed the stream does not want to read it.
        Err(failed) if failed.kind() != std::io::ErrorKind::BrokenPipe => {
            output::tell_line(format!("error: standard output: {}", verify::plain(&failed)));
            exit::USAGE
        }
        _ => exit::SAFE,
    }
}
