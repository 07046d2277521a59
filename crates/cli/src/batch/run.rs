//! Does the tasks of a batch, some at a time. Threads wait for one process each; rows are told and kept by
//! the one thread that called, in the order in which the files end.

use crate::batch::arguments::Batch;
use crate::batch::children::{self, Outcome};
use crate::batch::tasks::TaskFile;
use base::budget::StopHandle;
use report::batch::{BatchRow, Task};
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use verify::Limits;

/// How often it is looked after time limits and the interrupt.
const TICK: Duration = Duration::from_millis(20);

/// How long the batch waits to be interrupted itself when a process was: a signal to all of them may reach
/// that first.
const LAST_SIGNAL: Duration = Duration::from_secs(1);

/// A process that does not keep its time limit is killed this long after it, and a half of the limit more.
const LATE: Duration = Duration::from_secs(10);

/// The stack of a thread that waits for processes and reads what they print.
const STACK: usize = 1 << 20;

/// What is done.
pub struct Work<'a> {
    /// The tasks.
    pub tasks: &'a [TaskFile],
    /// How many at a time.
    pub jobs: usize,
    /// The options of the processes.
    pub options: Vec<OsString>,
    /// The time limit of each.
    pub timeout: Option<Duration>,
    /// Stops all of it.
    pub stop: &'a StopHandle,
}

/// The options that every process gets: those that were passed on, and shares of what the machine has.
pub fn options(batch: &Batch, jobs: usize) -> Vec<OsString> {
    let mut options: Vec<OsString> = ["check", "--format=json", "-q"].map(OsString::from).to_vec();
    options.extend(batch.passed_on.iter().cloned());
    if let Some(bytes) = Limits::default().bytes().filter(|_| batch.open.memory) {
        options.push(format!("--memory={}", (bytes / jobs as u64).max(1 << 20)).into());
    }
    if batch.open.workers {
        options.push(format!("--workers={}", (cores() / jobs).max(1)).into());
    }
    options
}

/// The cores of the machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |it| it.get())
}

/// The arguments for one file.
pub fn arguments(options: &[OsString], task: &Task, path: &Path) -> Vec<OsString> {
    let args = task.args.iter().map(OsString::from);
    let end: [OsString; 2] = ["--".into(), path.into()];
    options.iter().cloned().chain(args).chain(end).collect()
}

impl Work<'_> {
    /// Does the tasks, and gives each that has ended to `taker`, in the caller's thread. An error of it ends
    /// all of them.
    pub fn run(&self, taker: &mut impl Taker) -> Result<(), String> {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = sync_channel(self.jobs);
        std::thread::scope(|scope| {
            let mut slots = 0;
            for _ in 0..self.jobs.min(self.tasks.len()) {
                let (sender, next) = (sender.clone(), &next);
                let slot = move || self.work(next, &sender);
                let begun = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, slot);
                slots += usize::from(begun.is_ok());
            }
            drop(sender);
            if slots == 0 && !self.tasks.is_empty() {
                return Err("the system lets no thread be started".to_string());
            }
            let taken = self.receive(&receiver, taker);
            // Without this the threads would go on with what is left.
            if taken.is_err() || self.stop.reason().is_some() {
                next.store(self.tasks.len(), Ordering::Relaxed);
                children::end_all();
            }
            drop(receiver);
            taken
        })
    }

    /// Takes tasks one after the other.
    fn work(&self, next: &AtomicUsize, sender: &SyncSender<Done>) {
        while let Some(TaskFile { task, path }) = self.tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let limit = self.timeout.map(|time| time + time / 2 + LATE);
            let outcome = children::run(&arguments(&self.options, task, path), limit);
            let Outcome::Ended(ended) = outcome else { return };
            let (row, result) = ended.row(task.clone());
            let line = row.line(&result);
            if sender.send(Done { row, line }).is_err() {
                return;
            }
        }
    }

    fn receive(&self, receiver: &Receiver<Done>, taker: &mut impl Taker) -> Result<(), String> {
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(done) if self.is_interrupted(&done.row) => {}
                Ok(done) => taker.take(done)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if self.stop.reason().is_some() {
                // Those that have ended by now have rows; the others are killed.
                children::end_all();
            }
            children::end_late();
            taker.wait();
        }
    }

    /// Whether a process ended because the batch is to end: a signal to all processes reached it, too.
    fn is_interrupted(&self, row: &BatchRow) -> bool {
        if row.reason.as_deref() != Some("interrupted") {
            return false;
        }
        let begun = Instant::now();
        while self.stop.reason().is_none() && begun.elapsed() < LAST_SIGNAL {
            std::thread::sleep(TICK);
        }
        self.stop.reason().is_some()
    }
}

/// A task whose process has ended.
pub struct Done {
    /// Its row.
    pub row: BatchRow,
    /// The line that is kept of it.
    pub line: String,
}

/// Takes what has ended.
pub trait Taker {
    /// Takes one.
    fn take(&mut self, done: Done) -> Result<(), String>;

    /// Is called now and then.
    fn wait(&mut self);
}
