//! One run of an engine under a limit on the time that its thread is on a processor: other work on the
//! machine does not count.

use anyhow::Result;
use base::{Budget, Event, Settings, Stop};
use engines::{Cx, Engine, Facts};
use ir::{Task, Verdict};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// What a run came to.
pub struct Run {
    /// What the engine said.
    pub answer: Result<Verdict, Stop>,
    /// What it told meanwhile.
    pub events: Vec<Event>,
    /// Its time on a processor.
    pub seconds: f64,
}

impl Run {
    /// The answer in one word.
    pub fn verdict(&self) -> &'static str {
        match &self.answer {
            Ok(Verdict::Safe { .. }) => "safe",
            Ok(Verdict::Unsafe(_)) => "unsafe",
            Ok(Verdict::Unknown(_)) => "unknown",
            Err(Stop::Memory) => "memory",
            Err(_) => "time",
        }
    }

    /// The largest value of a counter; 0 if it was never told.
    pub fn counter(&self, wanted: &str) -> u64 {
        let values = self.events.iter().filter_map(|event| match event {
            Event::Counter { name, value, .. } if *name == wanted => Some(*value),
            _ => None,
        });
        values.max().unwrap_or(0)
    }
}

/// The value in the middle, which few long runs do not move; 0 of none.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Runs the engine on a thread of its own and stops it when that thread has used up its time.
pub fn measured(engine: &'static dyn Engine, task: Task, settings: Settings, limit: f64) -> Result<Run> {
    let budget = Budget::unlimited();
    let handle = budget.handle().clone();
    let (clock, clocks) = mpsc::channel();
    let job = move || {
        let place = fs::read_link("/proc/thread-self").map(|path| PathBuf::from("/proc").join(path));
        let _ = clock.send(place.unwrap_or_default().join("schedstat"));
        let (facts, mut events) = (Facts::default(), Vec::<Event>::new());
        let mut cx = Cx { budget: &budget, events: &mut events, facts: &facts, settings: &settings, seed: 0 };
        let answer = engine.run(&task, &mut cx);
        Run { answer, events, seconds: processor_time(Path::new("/proc/thread-self/schedstat")) }
    };
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(job)?;
    let place = clocks.recv()?;
    while !worker.is_finished() {
        std::thread::sleep(Duration::from_millis(5));
        if processor_time(&place) > limit {
            handle.stop(Stop::Time);
        }
    }
    worker.join().map_err(|_| anyhow::anyhow!("the engine panicked"))
}

/// The seconds that a thread was on a processor.
fn processor_time(schedstat: &Path) -> f64 {
    let text = fs::read_to_string(schedstat).unwrap_or_default();
    let nanoseconds: f64 = text.split(' ').next().and_then(|field| field.parse().ok()).unwrap_or(0.0);
    nanoseconds / 1e9
}
