//! How much memory there is and how much of it the run uses: this process, and the programs that it started.
//! Where the kernel tells nothing under `/proc`, a memory limit has no effect.

use base::memory::kilobytes;
pub use base::memory::{Granted, Usage};
use std::fs;
use std::time::{Duration, Instant};

/// What the run takes now. What programs hold that were started for it counts as held.
pub fn usage() -> Usage {
    let own = base::memory::usage();
    Usage { held: own.held.map(|held| held.saturating_add(base::process::held())), ..own }
}

/// Foresees what the process will hold in a moment: memory can fill faster than anybody looks.
#[derive(Default)]
pub struct Forecast {
    last: Option<Reading>,
}

#[derive(Clone, Copy)]
struct Reading {
    at: Instant,
    held: u64,
}

impl Forecast {
    /// What will be held after so much time, if it grows on as since the last reading.
    pub fn after(&mut self, time: Duration, held: u64, now: Instant) -> u64 {
        let last = self.last.replace(Reading { at: now, held });
        let Some(Reading { at, held: before }) = last else { return held };
        let elapsed = now.saturating_duration_since(at).as_secs_f64();
        let growth = held.saturating_sub(before) as f64;
        // Readings at the same instant say nothing about the speed.
        if elapsed == 0.0 {
            held
        } else {
            held.saturating_add((growth * time.as_secs_f64() / elapsed) as u64)
        }
    }
}

/// The most bytes that the process held since [`forget_peak`].
pub fn peak() -> Option<u64> {
    base::memory::usage().peak
}

/// Starts to measure the peak anew, where the kernel lets us.
pub fn forget_peak() {
    // Without this the peak of the whole process is told: too much, never too little.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The memory of the machine, or of the container if that is less.
pub fn of_the_machine() -> Option<u64> {
    let installed = kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")?;
    let limit = |path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let contained = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    Some(contained.into_iter().filter_map(limit).fold(installed, u64::min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_foreseen() {
        let (start, milliseconds) = (Instant::now(), Duration::from_millis);
        let mut forecast = Forecast::default();
        assert_eq!(forecast.after(milliseconds(4), 100, start), 100);
        assert_eq!(forecast.after(milliseconds(4), 120, start + milliseconds(2)), 160);
        assert_eq!(forecast.after(milliseconds(4), 90, start + milliseconds(4)), 90, "less is no growth");
        assert_eq!(forecast.after(milliseconds(4), 95, start + milliseconds(4)), 95, "no time has passed");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_uses_some_of_the_machine() {
        let (usage, peak, all) = (usage(), peak(), of_the_machine());
        assert!(usage.held > Some(0) && usage.addresses >= usage.held && usage.data > Some(0));
        assert!(peak > Some(0) && all >= usage.held);
    }
}
