//! Runs a job on a thread of its own, with a deep stack, and watches it: the clock, the memory and the user can stop it, and a
//! panic in it is told, not fatal. A job that does not heed the request to stop is left behind, so that a limit holds
//! even for work that forgot to look.

use crate::memory;
use base::budget::StopHandle;
use base::{Event, Events, Stop};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the supervisor looks.
const TICK: Duration = Duration::from_millis(10);
/// How long a job that was asked to stop may take to put its things away.
const GRACE: Duration = Duration::from_millis(700);
/// Stack sizes to try, the largest first: only what is touched costs memory, but an address limit may refuse it.
const STACKS: [usize; 3] = [1 << 30, 1 << 26, 1 << 21];

/// What a job may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// On the wall clock.
    pub time: Option<Duration>,
    /// In bytes; `None` is 80 % of the machine.
    pub memory: Option<u64>,
}

impl Limits {
    /// The memory limit in bytes, if anything is known about memory.
    pub fn bytes(&self) -> Option<u64> {
        self.memory.or_else(|| Some(memory::of_the_machine()? / 5 * 4))
    }
}

/// Who looks on while a job runs.
pub trait Watcher {
    /// Whether the user wants it to end.
    fn interrupted(&self) -> bool;
    /// Takes a look; called about every 10 ms.
    fn look(&mut self, elapsed: Duration, doing: &str);
}

/// A counter of an engine or a pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Who counted.
    pub who: &'static str,
    /// What was counted.
    pub name: &'static str,
    /// How many.
    pub value: u64,
}

/// What a job has told so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// What it does at the moment.
    pub doing: String,
    /// Its counters, in the order in which they were first told.
    pub counters: Vec<Counter>,
    /// No error with up to so many threads.
    pub safe_up_to_threads: Option<u32>,
    /// No error within so many rounds.
    pub safe_up_to_rounds: Option<u32>,
    /// The widest view of threads together that is no proof.
    pub width_reached: Option<u32>,
}

/// What a job works with: it hears of a stop here and tells of its progress.
#[derive(Clone, Debug, Default)]
pub struct Desk {
    /// Stops the job.
    pub handle: StopHandle,
    told: Arc<Mutex<Told>>,
}

impl Desk {
    /// What was told so far.
    pub fn told(&self) -> Told {
        self.board().clone()
    }

    fn board(&self) -> MutexGuard<'_, Told> {
        // A panic between two events leaves whole values behind.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Events for Desk {
    fn emit(&mut self, event: Event) {
        let mut told = self.board();
        match event {
            Event::Progress(text) => told.doing = text,
            Event::Counter { who, name, value } => {
                match told.counters.iter_mut().find(|it| (it.who, it.name) == (who, name)) {
                    Some(counter) => counter.value = value,
                    None => told.counters.push(Counter { who, name, value }),
                }
            }
            Event::SafeUpToThreads(n) => told.safe_up_to_threads = told.safe_up_to_threads.max(Some(n)),
            Event::SafeUpToRounds(n) => told.safe_up_to_rounds = told.safe_up_to_rounds.max(Some(n)),
            // Whoever runs the engine listens for it.
            Event::NoCertificate(_) => {}
            Event::WidthReached(width) => told.width_reached = told.width_reached.max(Some(width)),
        }
    }
}

/// How a job ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended<T> {
    /// By itself; it may have heeded a stop.
    Done(T),
    /// It was asked to stop and did not: it is left behind.
    Abandoned(Stop),
    /// By a panic, with its message.
    Panicked(String),
}

/// Runs a job under limits.
pub fn supervise<T: Send + 'static>(
    limits: &Limits,
    watcher: &mut dyn Watcher,
    desk: &Desk,
    job: impl FnOnce(Desk) -> T + Send + 'static,
) -> Ended<T> {
    if watcher.interrupted() {
        desk.handle.stop(Stop::Interrupted);
    }
    let (sender, receiver) = channel();
    let theirs = desk.clone();
    let work: Work<T> = Box::new(move || job(theirs));
    match spawn(work, sender) {
        Ok(()) => watch(limits, watcher, desk, &receiver),
        Err(error) => Ended::Panicked(format!("no thread could be started: {error}")),
    }
}

type Work<T> = Box<dyn FnOnce() -> T + Send>;

fn spawn<T: Send + 'static>(work: Work<T>, sender: Sender<Result<T, String>>) -> std::io::Result<()> {
    // A refused stack must not lose the work: it waits in a cell for the thread that gets through.
    let cell = Arc::new(Mutex::new(Some((work, sender))));
    let mut refused = None;
    for stack in STACKS {
        let cell = Arc::clone(&cell);
        let body = move || {
            let taken = cell.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some((work, sender)) = taken else { return };
            let result = catch_unwind(AssertUnwindSafe(work)).map_err(|payload| message(&*payload));
            // Nobody listens any more if the job was left behind.
            let _ = sender.send(result);
        };
        match std::thread::Builder::new().name("work".into()).stack_size(stack).spawn(body) {
            Ok(_) => return Ok(()),
            Err(error) => refused = Some(error),
        }
    }
    Err(refused.expect("at least one stack size was tried"))
}

/// What a panic said.
pub(crate) fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_string()
}

fn watch<T>(
    limits: &Limits,
    watcher: &mut dyn Watcher,
    desk: &Desk,
    receiver: &Receiver<Result<T, String>>,
) -> Ended<T> {
    let start = Instant::now();
    let bytes = limits.bytes();
    let mut asked: Option<(Stop, Instant)> = None;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(Ok(result)) => return Ended::Done(result),
            Ok(Err(message)) => return Ended::Panicked(message),
            Err(RecvTimeoutError::Disconnected) => {
                return Ended::Panicked("the work ended without a result".to_string());
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        watcher.look(start.elapsed(), &desk.board().doing);
        let used = memory::used();
        let reason = reason_to_stop(limits, start, watcher, used > bytes && bytes.is_some());
        if let (None, Some(reason)) = (asked, reason) {
            desk.handle.stop(reason);
            asked = Some((desk.handle.reason().unwrap_or(reason), Instant::now()));
        }
        if let Some((reason, since)) = asked {
            // One huge allocation can pass the limit by far before the job looks at its budget again.
            let far_over = bytes.is_some_and(|bytes| used > bytes.checked_add(bytes / 8));
            if since.elapsed() > GRACE || far_over {
                return Ended::Abandoned(reason);
            }
        }
    }
}

fn reason_to_stop(limits: &Limits, start: Instant, watcher: &dyn Watcher, full: bool) -> Option<Stop> {
    if watcher.interrupted() {
        Some(Stop::Interrupted)
    } else if limits.time.is_some_and(|time| start.elapsed() >= time) {
        Some(Stop::Time)
    } else {
        full.then_some(Stop::Memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Budget;

    struct Nobody(bool);

    impl Watcher for Nobody {
        fn interrupted(&self) -> bool {
            self.0
        }
        fn look(&mut self, _: Duration, _: &str) {}
    }

    fn run<T: Send + 'static>(limits: Limits, job: impl FnOnce(Desk) -> T + Send + 'static) -> Ended<T> {
        supervise(&limits, &mut Nobody(false), &Desk::default(), job)
    }

    fn spin(desk: Desk) -> Stop {
        let budget = Budget::new(u64::MAX, desk.handle);
        loop {
            if let Err(stop) = budget.spend(1) {
                return stop;
            }
        }
    }

    #[test]
    fn a_job_ends_by_itself_or_by_a_panic() {
        assert_eq!(run(Limits::default(), |_| 7), Ended::Done(7));
        let ended = run(Limits::default(), |_| -> u8 { panic!("seven is {}", "odd") });
        assert_eq!(ended, Ended::Panicked("seven is odd".to_string()));
    }

    #[test]
    fn limits_stop_a_job_that_looks() {
        let time = Limits { time: Some(Duration::from_millis(30)), memory: None };
        assert_eq!(run(time, spin), Ended::Done(Stop::Time));
        let memory = Limits { time: None, memory: Some(1 << 40) };
        assert_eq!(run(memory, |_| 1), Ended::Done(1));
        let ended = supervise(&Limits::default(), &mut Nobody(true), &Desk::default(), spin);
        assert_eq!(ended, Ended::Done(Stop::Interrupted));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_job_that_does_not_look_is_left_behind() {
        // A limit of one byte is passed by far from the start, so there is no grace either.
        let limits = Limits { time: None, memory: Some(1) };
        assert_eq!(run(limits, |_| std::thread::park()), Ended::Abandoned(Stop::Memory));
    }

    #[test]
    fn a_deep_job_has_the_stack_it_needs() {
        fn depth(n: u64) -> u64 {
            if std::hint::black_box(n) == 0 { 0 } else { 1 + depth(n - 1) }
        }
        assert_eq!(run(Limits::default(), |_| depth(200_000)), Ended::Done(200_000));
    }

    #[test]
    fn the_best_result_stays() {
        let mut desk = Desk::default();
        desk.emit(Event::SafeUpToThreads(3));
        desk.emit(Event::SafeUpToThreads(2));
        desk.emit(Event::Counter { who: "a", name: "states", value: 1 });
        desk.emit(Event::Counter { who: "a", name: "states", value: 5 });
        let told = desk.told();
        assert_eq!((told.safe_up_to_threads, told.counters.len()), (Some(3), 1));
        assert_eq!(told.counters[0].value, 5);
    }
}
