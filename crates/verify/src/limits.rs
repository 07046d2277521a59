//! The limits of a run (time, memory, ticks), and the reason that is reported when one is reached.

use crate::memory::{self, Granted};
use base::Stop;
use base::budget::StopHandle;
use ir::{Reason, ReasonKind};
use std::time::Duration;

/// What work may cost.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// On the wall clock.
    pub time: Option<Duration>,
    /// How much of that time has passed before.
    pub passed: Duration,
    /// In bytes; `None` is 80 % of the machine.
    pub memory: Option<u64>,
    /// Its holder can stop the work: the user's interrupt, or a larger task that this work is a part of.
    pub stop: StopHandle,
}

impl Limits {
    /// The memory limit in bytes, if anything is known about memory.
    pub fn bytes(&self) -> Option<u64> {
        self.memory.or_else(|| Some(memory::of_the_machine()? / 5 * 4))
    }

    /// The same limits after so much time has passed.
    pub fn after(&self, elapsed: Duration) -> Limits {
        Limits { passed: self.passed.saturating_add(elapsed), ..self.clone() }
    }

    /// One part in this many of the time that is left.
    pub fn share(&self, parts: usize) -> Option<Duration> {
        let parts = u32::try_from(parts).unwrap_or(u32::MAX).max(1);
        self.time.map(|time| time.saturating_sub(self.passed) / parts)
    }

    /// Whether it is time to ask the work to stop: it needs a moment to put its things away, and the process
    /// one to end.
    pub fn is_soon_late(&self, elapsed: Duration, held: u64) -> bool {
        let before = |time: Duration| (time / 10).min(Duration::from_millis(120)) + ending(time, held);
        let now = self.passed.saturating_add(elapsed);
        self.time.is_some_and(|time| now >= time.saturating_sub(before(time)))
    }

    /// Whether it is time to end: the process needs a moment for that.
    pub fn is_last_moment(&self, elapsed: Duration, held: u64) -> bool {
        let now = self.passed.saturating_add(elapsed);
        self.time.is_some_and(|time| now >= time.saturating_sub(ending(time, held)))
    }

    /// The end of work that reached a limit, told with the limit.
    pub fn reason(&self, stop: Stop) -> Reason {
        let message = match (stop, self.time, self.bytes()) {
            (Stop::Time, Some(time), _) => format!("time limit {} s reached", time.as_secs_f64()),
            (Stop::Memory, _, bytes) => match (bytes, Granted::to_this_process().least()) {
                (bytes, Some(least)) if bytes.is_none_or(|bytes| least.bytes < bytes) => {
                    format!("memory limit {} reached (ulimit {})", size(least.bytes), least.option)
                }
                (Some(bytes), _) => format!("memory limit {} reached", size(bytes)),
                (None, _) => stop.to_string(),
            },
            _ => stop.to_string(),
        };
        Reason::new(stop_kind(stop), message)
    }
}

/// How long a process that holds this many bytes takes to end: the system takes back what it holds. A
/// gigabyte takes some 0.06 s, and on a busy machine several times as much. Of a short time not too much is
/// set aside.
fn ending(time: Duration, held: u64) -> Duration {
    Duration::from_millis(20).saturating_add(Duration::from_nanos(held / 4)).min(time / 10)
}

/// The kind of reason that a stop is.
pub fn stop_kind(stop: Stop) -> ReasonKind {
    match stop {
        Stop::Time => ReasonKind::Time,
        Stop::Memory | Stop::Refused => ReasonKind::Memory,
        Stop::Ticks => ReasonKind::Ticks,
        Stop::Interrupted | Stop::Cancelled => ReasonKind::Interrupted,
    }
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let tenths = (bytes as f64 / *unit as f64 * 10.0).round() / 10.0;
            format!("{tenths} {name}")
        }
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        let all = [(900, "900 B"), (4 << 30, "4 GiB"), (1_600_000, "1.5 MiB")];
        for (bytes, text) in all {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn time_that_has_passed_is_gone() {
        let limits = Limits { time: Some(Duration::from_secs(3)), ..Limits::default() };
        let later = limits.after(Duration::from_secs(2));
        let second = Duration::from_secs(1);
        assert!(!limits.is_soon_late(second, 0) && !limits.is_last_moment(second, 0));
        assert!(later.is_soon_late(second, 0) && later.is_last_moment(second, 0));
        // Large holders are asked earlier, but not much earlier.
        let nearly = Duration::from_millis(800);
        assert!(!later.is_soon_late(nearly, 0) && later.is_soon_late(nearly, 1 << 30));
        assert!(!later.is_soon_late(second / 2, 1 << 40));
        assert_eq!(later.reason(Stop::Time).message, "time limit 3 s reached");
    }
}
