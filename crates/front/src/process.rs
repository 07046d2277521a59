//! Runs programs of the system, such as a preprocessor, under limits of time, memory and output, and ends them with all that they started when
//! the work that they belong to is stopped.

use base::{Budget, Stop};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
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

/// Whether a program of this name or path is there.
pub fn is_executable(command: &str) -> bool {
    if command.contains('/') {
        return Path::new(command).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(command).is_file())
}

/// Runs a program with its arguments to its end; there is at least one word.
pub fn run(command: &[String], limits: &ProcessLimits, budget: &Budget) -> Result<Output, ProcessProblem> {
    let mut child = spawn(command, limits).map_err(ProcessProblem::Start)?;
    let text = child.stdout.take().map(|pipe| reader(pipe, limits.output));
    let errors = child.stderr.take().map(|pipe| reader(pipe, 1 << 20));
    let start = Instant::now();
    let full = |reader: &Option<Reader>| reader.as_ref().is_some_and(|reader| reader.is_full());
    // What the program started may hold its pipes longer than it is there itself.
    let is_read = |reader: &Option<Reader>| reader.as_ref().is_none_or(|it| it.thread.is_finished());
    let status = loop {
        if let Ok(Some(status)) = child.try_wait()
            && is_read(&text)
            && is_read(&errors)
        {
            break status;
        }
        let problem = if let Some(stop) = budget.handle().reason() {
            Some(ProcessProblem::Stopped(stop))
        } else if start.elapsed() > limits.time {
            Some(ProcessProblem::TooLong)
        } else if full(&text) {
            Some(ProcessProblem::TooMuch)
        } else {
            None
        };
        if let Some(problem) = problem {
            kill(&mut child);
            return Err(problem);
        }
        std::thread::sleep(Duration::from_millis(3));
    };
    if full(&text) {
        return Err(ProcessProblem::TooMuch);
    }
    let finish = |reader: Option<Reader>| reader.map(Reader::finish).unwrap_or_default();
    Ok(Output { status, text: finish(text), errors: finish(errors) })
}

/// Starts the program through a shell that limits its memory and time: it may start processes of its own.
fn spawn(words: &[String], limits: &ProcessLimits) -> std::io::Result<Child> {
    let script = format!(
        "ulimit -v {} 2>/dev/null; ulimit -t {} 2>/dev/null; exec \"$0\" \"$@\"",
        limits.memory >> 10,
        limits.time.as_secs() + 2
    );
    let mut command = if Path::new("/bin/sh").exists() {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script]).args(words);
        shell
    } else {
        let mut direct = Command::new(&words[0]);
        direct.args(&words[1..]);
        direct
    };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).env("LC_ALL", "C");
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

/// Ends the program and what it started: they are a process group.
fn kill(child: &mut Child) {
    let group = format!("kill -KILL -{}", child.id());
    let _ = Command::new("/bin/sh").args(["-c", &group]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let _ = child.kill();
    let _ = child.wait();
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

fn reader(pipe: impl Read + Send + 'static, limit: usize) -> Reader {
    let full = Arc::new(AtomicBool::new(false));
    let flag = full.clone();
    let thread = std::thread::spawn(move || {
        let mut text = vec![];
        let _ = pipe.take(limit as u64 + 1).read_to_end(&mut text);
        flag.store(text.len() > limit, Ordering::Relaxed);
        text
    });
    Reader { thread, full }
}

/// A directory of our own that goes away with this value.
#[derive(Debug)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
}

impl Folder {
    /// A new one among the temporary files of the system.
    pub fn new() -> std::io::Result<Folder> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut last = None;
        for _ in 0..1000 {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("selvedge-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Folder { path }),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| std::io::ErrorKind::AlreadyExists.into()))
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, text: &str) -> std::io::Result<PathBuf> {
        let path = self.path.join(name);
        let parent = path.parent().unwrap_or(&self.path);
        std::fs::create_dir_all(parent)?;
        std::fs::write(&path, text)?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ProcessLimits =
        ProcessLimits { time: Duration::from_millis(300), memory: 1 << 32, output: 1000 };

    fn shell(script: &str, budget: &Budget) -> Result<Output, ProcessProblem> {
        run(&["sh", "-c", script].map(String::from), &LIMITS, budget)
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
