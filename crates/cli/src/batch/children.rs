//! The processes of a batch: each checks one file. A process ends at the latest when the batch does, however
//! that ends: it is killed by the batch, and where the batch was killed it sees that its parent is gone
//! ([`crate::worker::watch_parent`]). Each is in a process group of its own, so that an interrupt from the
//! terminal reaches the batch alone, which then kills them and keeps no rows of them.

use crate::worker::PARENT;
use report::batch::Ended;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The most bytes that a process may print: more is no result.
const MOST_OUTPUT: u64 = 256 << 20;

/// The bytes of standard error that are kept: enough for the first words.
const KEPT_ERRORS: usize = 1 << 12;

/// How often it is looked whether a process has ended that has closed its output.
const TICK: Duration = Duration::from_millis(1);

/// The processes that are at work.
#[derive(Default)]
struct Registry {
    running: Vec<Arc<Running>>,
    /// No process is started any more.
    is_closed: bool,
}

/// A process at work.
struct Running {
    child: Mutex<Child>,
    /// When it is killed.
    deadline: Option<Instant>,
    /// Why it was killed, if it was.
    killed: Mutex<Option<Killed>>,
}

/// Why a process was killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Killed {
    /// It went far beyond its time limit.
    Late,
    /// The batch ends.
    Ending,
    /// It printed too much.
    Output,
}

/// What came of a process.
pub enum Outcome {
    /// It ended, or was killed for something that it did.
    Ended(Ended),
    /// The batch ends: there is no row.
    Ending,
}

fn registry() -> MutexGuard<'static, Registry> {
    static REGISTRY: Mutex<Registry> = Mutex::new(Registry { running: vec![], is_closed: false });
    open(&REGISTRY)
}

/// A panic elsewhere leaves whole values behind.
fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all processes, and lets none be started: this is for the end.
pub fn end_all() {
    let running = {
        let mut registry = registry();
        registry.is_closed = true;
        std::mem::take(&mut registry.running)
    };
    running.iter().for_each(|it| it.kill(Killed::Ending));
}

/// Kills the processes whose time is over.
pub fn end_late() {
    let now = Instant::now();
    for running in registry().running.iter().filter(|it| it.deadline.is_some_and(|end| now >= end)) {
        running.kill(Killed::Late);
    }
}

impl Running {
    fn kill(&self, why: Killed) {
        open(&self.killed).get_or_insert(why);
        // It may have ended a moment ago.
        let _ = open(&self.child).kill();
    }
}

/// Runs a process of this program to its end; `limit` is when it is killed.
pub fn run(arguments: &[OsString], limit: Option<Duration>) -> Outcome {
    let start = Instant::now();
    let started = match begin(arguments, limit.map(|limit| start + limit)) {
        Ok(Some(started)) => started,
        Ok(None) => return Outcome::Ending,
        Err(error) => return not_started(&error),
    };
    let Started { running, out, errors } = started;
    let text = read_all(out, &running);
    let (status, cpu_seconds) = wait(&running);
    let wall_seconds = start.elapsed().as_secs_f64();
    registry().running.retain(|it| !Arc::ptr_eq(it, &running));
    let err = errors.map(|it| it.join().unwrap_or_default()).unwrap_or_default();
    let killed = *open(&running.killed);
    let ended = Ended { out: text, err, wall_seconds, cpu_seconds, ..Ended::default() };
    match (killed, status) {
        // What it printed before it was killed may be all, and then it is a result.
        (Some(Killed::Ending), Some(status)) if status.code().is_none() => Outcome::Ending,
        (Some(Killed::Late), Some(status)) if status.code().is_none() => {
            let seconds = limit.unwrap_or_default().as_secs_f64();
            let why = format!("killed by the batch: it had not ended after {seconds} s");
            Outcome::Ended(Ended { killed: Some(("time", why)), ..ended })
        }
        (Some(Killed::Output), Some(_)) => {
            let why = format!("killed by the batch: it printed more than {} MiB", MOST_OUTPUT >> 20);
            Outcome::Ended(Ended { killed: Some(("memory", why)), ..ended })
        }
        (_, Some(status)) => {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            Outcome::Ended(Ended { code, signal: status.signal(), ..ended })
        }
        (_, None) => Outcome::Ended(Ended { err: b"it cannot be waited for".to_vec(), ..ended }),
    }
}

fn not_started(error: &std::io::Error) -> Outcome {
    let err = format!("a process cannot be started: {}", verify::plain(error));
    Outcome::Ended(Ended { code: Some(crate::exit::FAULT), err: err.into_bytes(), ..Ended::default() })
}

/// A process that was started.
struct Started {
    running: Arc<Running>,
    out: Option<std::process::ChildStdout>,
    errors: Option<JoinHandle<Vec<u8>>>,
}

/// Starts a process, unless the batch ends.
fn begin(arguments: &[OsString], deadline: Option<Instant>) -> std::io::Result<Option<Started>> {
    let program = std::env::current_exe()?;
    let mut command = Command::new(program);
    command.args(arguments).env(PARENT, std::process::id().to_string()).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Under the lock, so that the end of the batch sees every process or prevents it.
    let mut registry = registry();
    if registry.is_closed {
        return Ok(None);
    }
    let mut child = command.spawn()?;
    let (out, errors) = (child.stdout.take(), child.stderr.take());
    let running = Arc::new(Running { child: Mutex::new(child), deadline, killed: Mutex::new(None) });
    registry.running.push(Arc::clone(&running));
    drop(registry);
    let keep = move || {
        let mut kept = vec![];
        if let Some(mut errors) = errors {
            let _ = errors.by_ref().take(KEPT_ERRORS as u64).read_to_end(&mut kept);
            // A full pipe would hold it up.
            let _ = std::io::copy(&mut errors, &mut std::io::sink());
        }
        kept
    };
    let errors = std::thread::Builder::new().stack_size(1 << 17).spawn(keep).ok();
    Ok(Some(Started { running, out, errors }))
}

fn read_all(out: Option<std::process::ChildStdout>, running: &Running) -> Vec<u8> {
    let mut text = vec![];
    let Some(out) = out else { return text };
    let _ = out.take(MOST_OUTPUT + 1).read_to_end(&mut text);
    if text.len() as u64 > MOST_OUTPUT {
        running.kill(Killed::Output);
        text.clear();
    }
    text
}

/// Waits for the end of a process that prints nothing more; its processor time is known as long as nobody has
/// waited for it.
fn wait(running: &Running) -> (Option<ExitStatus>, Option<f64>) {
    loop {
        let mut child = open(&running.child);
        let seconds = base::memory::processor_seconds(child.id());
        match child.try_wait() {
            Ok(Some(status)) => return (Some(status), seconds),
            Ok(None) => {}
            Err(_) => return (None, seconds),
        }
        drop(child);
        std::thread::sleep(TICK);
    }
}
