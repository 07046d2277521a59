//! Under a limit of addresses (`ulimit -v`, `ulimit -d`) the system refuses memory, and a refused allocation ends a process on the spot. So there the work is
//! done by a second process of the same program, one for each file, and this one tells what came of it: the verdict stays `unknown` with a
//! reason, whatever becomes of the worker.

use crate::args::{Arguments, Command};
use crate::output;
use crate::verdict::{self, UNKNOWN, USAGE};
use crate::{check, terminal::harmless};
use base::Stop;
use base::budget::StopHandle;
use ir::Scope;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::time::Duration;
use verify::{Origin, Report};

/// Tells a worker what it is, and the number of the file that it is about.
const WORKER: &str = "SELVEDGE_WORKER";

/// So many addresses are many: the work is stopped before the allocator has none left to reserve.
const LARGE: u64 = 4 << 30;

/// How often the worker is looked at.
const TICK: Duration = Duration::from_millis(5);

/// The files that this process is to look at: all, or one if it is a worker.
pub fn own_files(all: &[PathBuf]) -> &[PathBuf] {
    let own = std::env::var(WORKER).ok().and_then(|number| number.parse::<usize>().ok());
    own.and_then(|number| all.get(number..=number)).unwrap_or(all)
}

/// Does the work in workers, if that is called for; the exit code.
pub fn delegate(arguments: &Arguments, stop: &StopHandle) -> Option<u8> {
    let granted = verify::Granted::to_this_process().least()?.bytes;
    if std::env::var_os(WORKER).is_some() {
        return None;
    }
    let files = match &arguments.command {
        Command::Check(check) => check.files.len(),
        Command::Engines => return None,
        _ => 1,
    };
    let mut worst = None;
    for file in 0..files {
        let code = match run(file, granted, stop)? {
            End::Code(code) => code,
            End::Killed => lost(arguments, file, stop),
        };
        worst = Some(worst.map_or(code, |worst| verdict::worse(worst, code)));
        // What is wrong with the usage is wrong with it for every file.
        if code == USAGE {
            break;
        }
    }
    worst
}

/// How a worker ended.
enum End {
    /// By itself.
    Code(u8),
    /// By a signal.
    Killed,
}

/// Runs a worker, if one can be started.
fn run(file: usize, granted: u64, stop: &StopHandle) -> Option<End> {
    let program = std::env::current_exe().ok()?;
    let mut command = std::process::Command::new(program);
    command.args(std::env::args_os().skip(1)).env(WORKER, file.to_string());
    // The allocator of glibc reserves addresses for each thread, and near the limit it asks for them in vain at every allocation. A large
    // limit is not reached that closely.
    if granted < LARGE {
        command.env("MALLOC_ARENA_MAX", "1");
    }
    let mut child = command.spawn().ok()?;
    let status = wait(&mut child, stop)?;
    Some(status.code().and_then(|code| u8::try_from(code).ok()).map_or(End::Killed, End::Code))
}

/// Waits for the end. A request to stop that came to this process alone is passed on.
fn wait(child: &mut Child, stop: &StopHandle) -> Option<ExitStatus> {
    let mut passed_on = false;
    loop {
        if let Some(status) = child.try_wait().ok()? {
            return Some(status);
        }
        if stop.reason().is_some() && !passed_on {
            passed_on = true;
            // Without `kill` the worker goes on; a second interrupt ends this process.
            let _ = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        }
        std::thread::sleep(TICK);
    }
}

/// What is told of work whose process was killed.
fn lost(arguments: &Arguments, file: usize, stop: &StopHandle) -> u8 {
    match &arguments.command {
        Command::Check(check) => {
            let limits = check.limits.limits(stop);
            let name = Origin::from_argument(&check.files[file]).name();
            let scope = Scope { threads: check.threads };
            let report = Report::unknown(name, scope, limits.reason(Stop::Memory));
            // What this process holds says nothing about the one that was killed.
            check::tell(check, &Report { peak_memory: None, ..report })
        }
        Command::Confirm(_) => {
            // Whoever closed the stream does not want to read it.
            let _ = output::print(&format!("unknown: {}\n", Stop::Memory));
            UNKNOWN
        }
        _ => {
            output::tell(&format!("unknown: {}\n", harmless(&Stop::Memory.to_string())));
            UNKNOWN
        }
    }
}
