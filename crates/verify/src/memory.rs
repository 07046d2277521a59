//! How much memory there is and how much of it this process uses, as the kernel tells it under `/proc`. Where there is no
//! `/proc` nothing is known, and a memory limit has no effect.

use std::fs;
use std::time::{Duration, Instant};

/// What the process takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// The bytes that it holds.
    pub held: Option<u64>,
    /// The bytes of its address space.
    pub addresses: Option<u64>,
    /// The bytes of its address space that hold data of its own.
    pub data: Option<u64>,
}

/// What the process takes now.
pub fn usage() -> Usage {
    let Ok(text) = fs::read_to_string("/proc/self/status") else { return Usage::default() };
    Usage {
        held: kilobytes(&text, "VmRSS:"),
        addresses: kilobytes(&text, "VmSize:"),
        data: kilobytes(&text, "VmData:"),
    }
}

/// The most that the system grants the process; nothing where there is no such limit. An allocation beyond is refused, and a refused
/// allocation ends the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Granted {
    /// Bytes of the address space (`ulimit -v`).
    pub addresses: Option<u64>,
    /// Bytes of it that hold data of the process (`ulimit -d`).
    pub data: Option<u64>,
}

impl Granted {
    /// What the system grants this process.
    pub fn to_this_process() -> Granted {
        fs::read_to_string("/proc/self/limits").map(|text| Granted::read(&text)).unwrap_or_default()
    }

    fn read(limits: &str) -> Granted {
        let limit = |name: &str| {
            let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse().ok()
        };
        Granted { addresses: limit("Max address space"), data: limit("Max data size") }
    }

    /// The limit that is reached first, if there is one, and the option of `ulimit` that sets it.
    pub fn least(self) -> Option<Least> {
        let limits = [(self.addresses, "-v"), (self.data, "-d")];
        let limits = limits.into_iter().filter_map(|(bytes, option)| Some(Least { bytes: bytes?, option }));
        limits.min_by_key(|least| least.bytes)
    }
}

/// A limit of the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Least {
    /// How much is granted.
    pub bytes: u64,
    /// The option of `ulimit` that sets it.
    pub option: &'static str,
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
    kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
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

fn kilobytes(text: &str, field: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found() {
        let text = "VmPeak:\t  100 kB\nVmRSS:\t    12 kB\n";
        assert_eq!(kilobytes(text, "VmRSS:"), Some(12 * 1024));
        assert_eq!(kilobytes(text, "VmHWM:"), None);
        let limits =
            "Max data size  8192000 unlimited bytes\nMax address space    4096000    unlimited    bytes\n";
        let granted = Granted { addresses: Some(4_096_000), data: Some(8_192_000) };
        assert_eq!(Granted::read(limits), granted);
        assert_eq!(granted.least(), Some(Least { bytes: 4_096_000, option: "-v" }));
        let data = Granted { addresses: None, ..granted };
        assert_eq!(data.least(), Some(Least { bytes: 8_192_000, option: "-d" }));
        let unlimited = Granted::read("Max address space    unlimited   unlimited   bytes");
        assert_eq!((unlimited, unlimited.least()), (Granted::default(), None));
    }

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
