//! The command line of Selvedge: arguments in, verdicts and evidence out. `main` alone exits.

mod abstraction;
mod args;
mod c;
mod check;
mod confirm;
mod diagnostics;
mod engines;
mod json;
mod output;
mod properties;
mod stats;
mod terminal;
mod threads;
mod trace;
mod translate;
mod verdict;
mod work;
mod worker;

use args::{Arguments, Command};
use base::Stop;
use base::budget::StopHandle;
use clap::Parser;
use clap::error::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use terminal::{Screen, harmless};

fn main() {
    let stop = listen();
    say_where_it_panics();
    let code = catch_unwind(AssertUnwindSafe(|| command(&stop))).unwrap_or_else(|_| {
        output::tell(&check::report_please("an internal fault", "see above"));
        verdict::FAULT
    });
    // Work that was left behind must not keep the process alive.
    std::process::exit(i32::from(code));
}

/// A handle that the user's interrupt raises; a second interrupt ends the process at once.
fn listen() -> StopHandle {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag;
    let interrupt = Arc::new(AtomicBool::new(false));
    let signals = [SIGINT, SIGTERM];
    for signal in signals {
        // Without the handler an interrupt ends the process without a verdict: worse, but no reason not to run.
        let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&interrupt));
        let _ = flag::register(signal, Arc::clone(&interrupt));
    }
    let stop = StopHandle::default();
    if let Ok(mut signals) = signal_hook::iterator::Signals::new(signals) {
        let stop = stop.clone();
        // The thread waits for the rest of the process's life; without it an interrupt comes to nothing until the second one.
        let _ = std::thread::Builder::new().spawn(move || {
            signals.forever().for_each(|_| stop.stop(Stop::Interrupted));
        });
    }
    stop
}

/// A panic is told on one line, with its place: that is what a report needs.
fn say_where_it_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
        let text = info.payload_as_str().unwrap_or("a panic without a message");
        output::tell(&format!("\nselvedge: {}{place}\n", harmless(text)));
    }));
}

fn command(stop: &StopHandle) -> u8 {
    let arguments = match Arguments::try_parse_from(c::of_process()) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    if let Some(code) = worker::delegate(&arguments, stop) {
        return code;
    }
    let result = match &arguments.command {
        Command::Check(check) => check::run(check, stop, &mut Screen::new(check.quiet)),
        Command::Confirm(confirm) => confirm::run(confirm, stop, &mut Screen::new(false)),
        Command::Abstract(it) => abstraction::run(it, stop, &mut Screen::new(false)),
        Command::Translate(translate) => translate::run(translate, stop, &mut Screen::new(false)),
        Command::Engines => work::print(&engines::list()).map(|()| verdict::SAFE),
    };
    result.unwrap_or_else(|why| {
        output::tell(&format!("error: {}\n", harmless(&why)));
        verdict::USAGE
    })
}

/// Help and version are no errors; everything else is wrong usage.
fn usage(error: &clap::Error) -> u8 {
    if !matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let strange = |argument: std::ffi::OsString| {
            harmless(&argument.to_string_lossy()) != argument.to_string_lossy()
        };
        let cleaned = || std::env::args_os().map(|it| harmless(&it.to_string_lossy()));
        // A name that could drive the terminal is told as it can be shown.
        let again = std::env::args_os().any(strange).then(|| Arguments::try_parse_from(cleaned()).err());
        // Nobody is left to be told if that fails.
        let _ = again.flatten().as_ref().unwrap_or(error).print();
        return verdict::USAGE;
    }
    match error.print() {
        // Whoever closed the stream does not want to read it.
        Err(failed) if failed.kind() != std::io::ErrorKind::BrokenPipe => {
            output::tell(&format!("error: standard output: {}\n", verify::plain(&failed)));
            verdict::USAGE
        }
        _ => verdict::SAFE,
    }
}
