//! Runs a job on its own thread, with a large stack, and supervises it: the clock, the memory limit and the
//! holder of the stop handle can stop it, and a panic becomes a reported fault. A job that does not react to
//! the request to stop is abandoned, so that a limit holds even where a loop spends no budget. Results that
//! the job sent before are kept.

use crate::limits::Limits;
use crate::memory::{self, Forecast, Granted, Usage};
use base::budget::StopHandle;
use base::{Event, Events, Stop};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the supervisor looks.
const TICK: Duration = Duration::from_millis(10);
/// How often it looks when the memory may soon be full: memory fills at a gigabyte a second and more.
const SHORT_TICK: Duration = Duration::from_millis(2);
/// How long a job that was asked to stop may take to put its things away.
const GRACE: Duration = Duration::from_millis(100);
/// The same when its time has passed: it was asked a little before, unless the time was very short.
const LATE_GRACE: Duration = Duration::from_millis(40);
/// Memory that fills up so soon counts as full.
const AHEAD: Duration = Duration::from_millis(4);
/// The largest stack that a job gets.
const STACK: usize = 1 << 27;

/// What a job works with: it hears of a stop here and sends messages to its supervisor.
pub struct RunContext<M> {
    /// Stops the job.
    pub stop: StopHandle,
    sender: Sender<M>,
    deadlines: Deadlines,
}

/// Parts of a job that end before it does.
type Deadlines = Arc<Mutex<Vec<(Instant, StopHandle)>>>;

impl<M> RunContext<M> {
    /// Sends a message.
    pub fn send(&self, message: M) {
        // Nobody listens any more if the job was left behind.
        let _ = self.sender.send(message);
    }

    /// The same for a part of the job, which is stopped when this much time has passed.
    pub fn for_time(&self, time: Option<Duration>) -> RunContext<M> {
        let part = RunContext { stop: self.stop.part(), ..self.clone() };
        if let Some(end) = time.and_then(|time| Instant::now().checked_add(time)) {
            let mut deadlines = self.deadlines.lock().unwrap_or_else(PoisonError::into_inner);
            deadlines.push((end, part.stop.clone()));
        }
        part
    }
}

impl<M> Clone for RunContext<M> {
    fn clone(&self) -> Self {
        RunContext {
            stop: self.stop.clone(),
            sender: self.sender.clone(),
            deadlines: Arc::clone(&self.deadlines),
        }
    }
}

impl<M: From<Event> + Send> Events for RunContext<M> {
    fn emit(&mut self, event: Event) {
        self.send(event.into());
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

/// Runs a job under limits; `hear` takes its messages as they come, on the thread of the caller.
pub fn supervise<T: Send + 'static, M: Send + 'static>(
    limits: &Limits,
    hear: &mut dyn FnMut(M),
    job: impl FnOnce(RunContext<M>) -> T + Send + 'static,
) -> Ended<T> {
    let stop = limits.stop.part();
    let deadlines = Deadlines::default();
    let ((sender, messages), (end, ended)) = (channel(), channel());
    let context = RunContext { stop: stop.clone(), sender, deadlines: Arc::clone(&deadlines) };
    let work: Work<T> = Box::new(move || job(context));
    if !spawn(work, end) {
        return Ended::Abandoned(Stop::Refused);
    }
    let (bytes, granted) = (limits.bytes(), Granted::to_this_process());
    let supervisor = Supervisor { limits, stop, start: Instant::now(), bytes, granted, deadlines };
    let result = supervisor.watch(&ended, &mut || messages.try_iter().for_each(&mut *hear));
    messages.try_iter().for_each(hear);
    result
}

type Work<T> = Box<dyn FnOnce() -> T + Send>;

/// Starts the work on a thread of its own; false if the system refuses one.
fn spawn<T: Send + 'static>(work: Work<T>, end: Sender<Result<T, String>>) -> bool {
    // A refused stack must not lose the work: it waits in a cell for the thread that gets through.
    let cell = Arc::new(Mutex::new(Some((work, end))));
    base::stack::sizes(STACK).any(|stack| {
        let cell = Arc::clone(&cell);
        let body = move || {
            let taken = cell.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some((work, end)) = taken else { return };
            let result = catch_unwind(AssertUnwindSafe(work)).map_err(|payload| message(&*payload));
            // Nobody listens any more if the job was left behind.
            let _ = end.send(result);
        };
        std::thread::Builder::new().name("work".into()).stack_size(stack).spawn(body).is_ok()
    })
}

/// What a panic said.
pub(crate) fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_string()
}

struct Supervisor<'a> {
    limits: &'a Limits,
    stop: StopHandle,
    start: Instant,
    /// The most memory to hold.
    bytes: Option<u64>,
    /// The most that the system grants.
    granted: Granted,
    deadlines: Deadlines,
}

impl Supervisor<'_> {
    fn watch<T>(&self, ended: &Receiver<Result<T, String>>, hear: &mut dyn FnMut()) -> Ended<T> {
        let mut stopped_at: Option<Instant> = None;
        let mut tick = SHORT_TICK;
        let mut forecast = Forecast::default();
        loop {
            match ended.recv_timeout(tick) {
                Ok(Ok(result)) => return Ended::Done(result),
                Ok(Err(message)) => return Ended::Panicked(message),
                Err(RecvTimeoutError::Disconnected) => {
                    return Ended::Panicked("the work ended without a result".to_string());
                }
                Err(RecvTimeoutError::Timeout) => hear(),
            }
            self.end_parts();
            let usage = memory::usage();
            let soon = usage.held.map(|held| forecast.after(AHEAD, held, Instant::now()));
            let soon = Usage { held: soon, ..usage };
            tick = if self.fills(usage, 50) { SHORT_TICK } else { TICK };
            if let (None, Some(reason)) = (stopped_at, self.reason_to_stop(soon)) {
                self.stop.stop(reason);
                stopped_at = Some(Instant::now());
            }
            if let (Some(since), Some(reason)) = (stopped_at, self.stop.reason()) {
                // One huge allocation can pass the limit before the job looks at its budget again.
                if self.grace_ends(since, reason, usage) || self.overflows(usage, soon) {
                    return Ended::Abandoned(reason);
                }
            }
        }
    }

    /// Stops the parts whose time is over.
    fn end_parts(&self) {
        let now = Instant::now();
        self.deadlines.lock().unwrap_or_else(PoisonError::into_inner).retain(|(end, stop)| {
            if *end <= now {
                stop.stop(Stop::Time);
            }
            *end > now
        });
    }

    /// Whether a job that was asked to stop has had its time; it is asked a little before the time limit.
    fn grace_ends(&self, since: Instant, reason: Stop, usage: Usage) -> bool {
        match reason {
            Stop::Time if self.limits.time.is_some() => {
                let last = self.limits.is_last_moment(self.start.elapsed(), usage.held.unwrap_or(0));
                last && since.elapsed() > LATE_GRACE
            }
            _ => since.elapsed() > GRACE,
        }
    }

    /// Whether there is no time to wait for anybody.
    fn overflows(&self, usage: Usage, soon: Usage) -> bool {
        self.fills(usage, 100) || self.fills(soon, 102)
    }

    /// Whether more than this many parts in a hundred of the memory are taken.
    fn fills(&self, usage: Usage, percent: u64) -> bool {
        let over = |taken: Option<u64>, limit: Option<u64>| match (taken, limit) {
            (Some(taken), Some(limit)) => taken > limit / 100 * percent,
            _ => false,
        };
        over(usage.held, self.bytes)
            || over(usage.addresses, self.granted.addresses)
            || over(usage.data, self.granted.data)
    }

    fn reason_to_stop(&self, soon: Usage) -> Option<Stop> {
        let late = self.limits.is_soon_late(self.start.elapsed(), soon.held.unwrap_or(0));
        let full = self.fills(soon, 97);
        let own = late.then_some(Stop::Time).or(full.then_some(Stop::Memory));
        self.limits.stop.reason().or(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Budget;

    fn run<T: Send + 'static>(
        limits: &Limits,
        job: impl FnOnce(RunContext<Event>) -> T + Send + 'static,
    ) -> Ended<T> {
        supervise(limits, &mut |_| {}, job)
    }

    fn spin(context: RunContext<Event>) -> Stop {
        let budget = Budget::new(u64::MAX, context.stop);
        loop {
            if let Err(stop) = budget.spend(1) {
                return stop;
            }
        }
    }

    #[test]
    fn a_job_ends_by_itself_or_by_a_panic() {
        assert_eq!(run(&Limits::default(), |_| 7), Ended::Done(7));
        let ended = run(&Limits::default(), |_| -> u8 { panic!("seven is {}", "odd") });
        assert_eq!(ended, Ended::Panicked("seven is odd".to_string()));
    }

    #[test]
    fn limits_stop_a_job_that_looks() {
        let time = Limits { time: Some(Duration::from_secs(1)), ..Limits::default() };
        assert_eq!(run(&time, spin), Ended::Done(Stop::Time));
        let memory = Limits { memory: Some(1 << 40), ..Limits::default() };
        assert_eq!(run(&memory, |_| 1), Ended::Done(1));
        let interrupted = Limits::default();
        interrupted.stop.stop(Stop::Interrupted);
        assert_eq!(run(&interrupted, spin), Ended::Done(Stop::Interrupted));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_job_that_does_not_look_is_left_behind() {
        let job = |mut context: RunContext<Event>| {
            context.emit(Event::SafeUpToThreads(2));
            std::thread::park();
        };
        let limits = Limits { time: Some(Duration::from_millis(500)), ..Limits::default() };
        let mut heard = vec![];
        assert_eq!(supervise(&limits, &mut |event| heard.push(event), job), Ended::Abandoned(Stop::Time));
        assert_eq!(heard, [Event::SafeUpToThreads(2)], "what it sent is heard");
        // A limit of one byte is passed by far from the start: there is no grace, perhaps not even a start.
        let limits = Limits { memory: Some(1), ..Limits::default() };
        assert_eq!(run(&limits, |_| std::thread::park()), Ended::Abandoned(Stop::Memory));
    }

    #[test]
    fn a_part_of_a_job_ends_before_it_does() {
        let job = |context: RunContext<Event>| {
            let part = spin(context.for_time(Some(Duration::from_millis(30))));
            (part, context.stop.reason())
        };
        assert_eq!(run(&Limits::default(), job), Ended::Done((Stop::Time, None)));
    }

    #[test]
    fn a_deep_job_has_the_stack_it_needs() {
        fn depth(n: u64) -> u64 {
            if std::hint::black_box(n) == 0 { 0 } else { 1 + depth(n - 1) }
        }
        assert_eq!(run(&Limits::default(), |_| depth(200_000)), Ended::Done(200_000));
    }
}
