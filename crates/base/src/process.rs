//! Runs programs of the system, such as a preprocessor, under limits of time, memory and output, and ends
//! them with all that they started when the work that they belong to is stopped, or this process ends,
//! however it does.

mod family;
mod keeper;

use crate::{Budget, Stop};
use keeper::is_ending;
pub use keeper::{Folder, end_all, held};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a program may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessLimits {
    /// How long it may take.
    pub time: Duration,
    /// How many bytes of memory it may have.
    pub memory: u64,
    /// How many bytes it may write.
    pub output: usize,
}

/// What a program wrote.
#[derive(Clone, Debug)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub text: Vec<u8>,
    /// Its standard error, or the beginning of it.
    pub errors: Vec<u8>,
}

/// Why a program did not come to its end.
#[derive(Debug)]
pub enum ProcessProblem {
    /// It cannot be started.
    Start(std::io::Error),
    /// It took too long.
    TooLong,
    /// It wrote too much.
    TooMuch,
    /// The work that it belongs to was stopped.
    Stopped(Stop),
}

/// Where programs are looked for if nothing is said.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Whether a program of this name or path is there.
pub fn is_executable(command: &str) -> bool {
    if command.contains('/') {
        return Path::new(command).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into());
    std::env::split_paths(&path).any(|folder| folder.join(command).is_file())
}

impl Folder {
    /// Runs a program with its arguments to its end, then removes the folder; there is at least one word.
    pub fn run(
        self,
        command: &[String],
        limits: &ProcessLimits,
        budget: &Budget,
    ) -> Result<Output, ProcessProblem> {
        let mut child = self.spawn(&mut limited(command, limits)).map_err(ProcessProblem::Start)?;
        let mut ended = watch(&mut child, limits, budget);
        if is_ending() {
            ended = Err(ProcessProblem::Stopped(Stop::Interrupted));
        }
        if ended.is_ok() {
            self.forget_program();
        }
        // Ends what is still there, so that the program can be waited for.
        drop(self);
        let _ = child.wait();
        ended
    }
}

fn watch(child: &mut Child, limits: &ProcessLimits, budget: &Budget) -> Result<Output, ProcessProblem> {
    let start = Instant::now();
    let text = reader(child.stdout.take(), limits.output).map_err(ProcessProblem::Start)?;
    let errors = reader(child.stderr.take(), 1 << 20).map_err(ProcessProblem::Start)?;
    let status = loop {
        // What the program started may hold its pipes longer than it is there itself.
        if let Ok(Some(status)) = child.try_wait()
            && text.thread.is_finished()
            && errors.thread.is_finished()
        {
            break status;
        }
        if let Some(stop) = budget.handle().reason() {
            return Err(ProcessProblem::Stopped(stop));
        } else if start.elapsed() > limits.time {
            return Err(ProcessProblem::TooLong);
        } else if text.is_full() {
            return Err(ProcessProblem::TooMuch);
        }
        std::thread::sleep(Duration::from_millis(3));
    };
    if text.is_full() {
        return Err(ProcessProblem::TooMuch);
    }
    Ok(Output { status, text: text.finish(), errors: errors.finish() })
}

/// The program started through a shell that limits its memory and time: it may start processes of its own.
fn limited(words: &[String], limits: &ProcessLimits) -> Command {
    let script = format!(
        "ulimit -v {} 2>/dev/null; ulimit -t {} 2>/dev/null; exec \"$0\" \"$@\"",
        limits.memory >> 10,
        limits.time.as_secs() + 2
    );
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &script]).args(words);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).env("LC_ALL", "C");
    // A compiler looks for its own parts there.
    if std::env::var_os("PATH").is_none() {
        command.env("PATH", DEFAULT_PATH);
    }
    command
}

/// Reads a pipe in a thread of its own, up to a limit.
struct Reader {
    thread: std::thread::JoinHandle<Vec<u8>>,
    full: Arc<AtomicBool>,
}

impl Reader {
    fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    fn finish(self) -> Vec<u8> {
        self.thread.join().unwrap_or_default()
    }
}

fn reader(pipe: Option<impl Read + Send + 'static>, limit: usize) -> std::io::Result<Reader> {
    let full = Arc::new(AtomicBool::new(false));
    let flag = full.clone();
    let read = move || {
        let mut text = vec![];
        let _ = pipe.map(|pipe| pipe.take(limit as u64 + 1).read_to_end(&mut text));
        flag.store(text.len() > limit, Ordering::Relaxed);
        text
    };
    let thread = std::thread::Builder::new().stack_size(1 << 16).spawn(read)?;
    Ok(Reader { thread, full })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ProcessLimits =
        ProcessLimits { time: Duration::from_millis(300), memory: 1 << 32, output: 1000 };

    fn shell(script: &str, budget: &Budget) -> Result<Output, ProcessProblem> {
        let folder = Folder::new().expect("there is a place for temporary files");
        folder.run(&["sh", "-c", script].map(String::from), &LIMITS, budget)
    }

    #[test]
    fn what_is_written_is_read() {
        let output = shell("echo yes; echo no >&2; exit 3", &Budget::unlimited()).expect("it ends");
        assert_eq!((output.text, output.errors), (b"yes\n".to_vec(), b"no\n".to_vec()));
        assert_eq!(output.status.code(), Some(3));
    }

    #[test]
    fn limits_and_the_stop_handle_end_it() {
        let budget = Budget::unlimited();
        let start = Instant::now();
        assert!(matches!(shell("sleep 60", &budget), Err(ProcessProblem::TooLong)));
        assert!(matches!(shell("while :; do echo y; done", &budget), Err(ProcessProblem::TooMuch)));
        // What is left behind in the background does not hold anybody up.
        assert!(matches!(shell("sleep 60 & exit 0", &budget), Err(ProcessProblem::TooLong)));
        budget.handle().stop(Stop::Interrupted);
        assert!(matches!(shell("sleep 60", &budget), Err(ProcessProblem::Stopped(Stop::Interrupted))));
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
