//! Under a limit of addresses (`ulimit -v`, `ulimit -d`) the system refuses memory, and a refused allocation
//! ends a process on the spot. So there the work is done by a second process of the same program, one for
//! each file, and this one tells what came of it: the verdict stays `unknown` with a reason, whatever becomes
//! of the worker.

use crate::args::{Arguments, Command};
use crate::exit::{self, UNKNOWN, USAGE};
use crate::programs::programs;
use crate::{check, output};
use base::Stop;
use base::budget::StopHandle;
use ir::Scope;
use report::Text;
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use verify::Report;

/// Tells a worker what it is, and the number of the file that it is about.
const WORKER: &str = "SELVEDGE_WORKER";

/// Tells a process whose work ends with its parent the number of that parent.
pub const PARENT: &str = "SELVEDGE_PARENT";

/// This many addresses are many: the work is stopped before the allocator has none left to reserve.
const LARGE: u64 = 4 << 30;

/// How often the worker is looked at.
const TICK: Duration = Duration::from_millis(5);

/// How often a worker looks whether its parent is there.
const LONG_TICK: Duration = Duration::from_millis(100);

/// The worker that is at work.
static WORKER_PROCESS: Mutex<Option<Child>> = Mutex::new(None);

fn worker() -> MutexGuard<'static, Option<Child>> {
    // A panic elsewhere leaves whole values behind.
    WORKER_PROCESS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this process is a worker.
pub fn is_worker() -> bool {
    std::env::var_os(WORKER).is_some()
}

/// Ends the worker, if one is at work.
pub fn end() {
    if let Some(mut child) = worker().take() {
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// In a worker: stops the work when the parent has ended, which then cannot tell anybody what came of it. It
/// may have ended before this one looks, so it says who it is.
pub fn watch_parent(stop: &StopHandle) {
    let parent = std::env::var(PARENT).ok().and_then(|number| number.parse::<u32>().ok());
    let Some(parent) = parent else { return };
    let stop = stop.clone();
    let watch = move || {
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(LONG_TICK);
        }
        stop.stop(Stop::Interrupted);
    };
    // Without the thread the work goes on to its end.
    let _ = std::thread::Builder::new().stack_size(1 << 18).spawn(watch);
}

/// The programs that this process is to look at: all, or one if it is a worker.
pub fn own<T>(all: &[T]) -> &[T] {
    let own = std::env::var(WORKER).ok().and_then(|number| number.parse::<usize>().ok());
    own.and_then(|number| all.get(number..=number)).unwrap_or(all)
}

/// Does the work in workers, if that is called for; the exit code.
pub fn delegate(arguments: &Arguments, stop: &StopHandle) -> Option<u8> {
    let granted = verify::Granted::to_this_process().least()?.bytes;
    if is_worker() {
        return None;
    }
    let files = match &arguments.command {
        Command::Check(check) if !check.project.is_given() => programs(&check.files).len(),
        // Each of the others looks after its own processes, or needs no limit; and who executes a program by
        // hand sees what becomes of it.
        Command::Batch(_)
        | Command::Merge(_)
        | Command::Explain(_)
        | Command::Completions(_)
        | Command::Man(_)
        | Command::Engines
        | Command::Cc(_)
        | Command::Explore(_) => return None,
        _ => 1,
    };
    let mut worst = None;
    for file in 0..files {
        let code = match run(file, granted, stop)? {
            End::Code(code) => code,
            End::Killed => lost(arguments, file, stop),
        };
        worst = Some(worst.map_or(code, |worst| exit::worse(worst, code)));
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
    command.env(PARENT, std::process::id().to_string());
    // The allocator of glibc reserves addresses for each thread, and near the limit it asks for them in vain
    // at every allocation. A large limit is not reached that closely.
    if granted < LARGE {
        command.env("MALLOC_ARENA_MAX", "1");
    }
    *worker() = Some(command.spawn().ok()?);
    let status = wait(stop)?;
    Some(status.code().and_then(|code| u8::try_from(code).ok()).map_or(End::Killed, End::Code))
}

/// Waits for the end. A request to stop that came to this process alone is passed on.
fn wait(stop: &StopHandle) -> Option<ExitStatus> {
    let mut passed_on = false;
    loop {
        {
            let mut worker = worker();
            let child = worker.as_mut()?;
            if let Some(status) = child.try_wait().ok()? {
                *worker = None;
                return Some(status);
            }
            if stop.reason().is_some() && !passed_on {
                passed_on = true;
                let script = format!("kill -TERM {}", child.id());
                // Without a shell the worker goes on; a second interrupt ends it and this process.
                let _ = std::process::Command::new("/bin/sh").args(["-c", &script]).status();
            }
        }
        std::thread::sleep(TICK);
    }
}

/// What is told of work whose process was killed.
fn lost(arguments: &Arguments, file: usize, stop: &StopHandle) -> u8 {
    match &arguments.command {
        Command::Check(check) => {
            let limits = check.limits.limits(stop);
            let name =
                programs(&check.files).get(file).map_or("the project".to_string(), |it| it.origin().name());
            let scope = Scope { threads: check.threads };
            let report = Report::unknown(name, scope, limits.reason(Stop::Memory));
            // What this process holds says nothing about the one that was killed.
            check::tell(check, &Report { peak_memory: None, ..report })
        }
        Command::Confirm(_) => {
            // A reader that closed the stream does not want to read it.
            let _ = output::print(&Text::line(format!("unknown: {}", Stop::Memory)).into());
            UNKNOWN
        }
        _ => {
            output::tell_line(format!("unknown: {}", Stop::Memory));
            UNKNOWN
        }
    }
}
