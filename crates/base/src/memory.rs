//! How much memory processes use and how much the system grants this one, as the kernel tells it under
//! `/proc`. Where there is no `/proc` nothing is known.

use std::fs;

/// What a process takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// The bytes that it holds.
    pub held: Option<u64>,
    /// The most bytes that it held.
    pub peak: Option<u64>,
    /// The bytes of its address space.
    pub addresses: Option<u64>,
    /// The bytes of its address space that hold data of its own.
    pub data: Option<u64>,
}

/// What this process takes now.
pub fn usage() -> Usage {
    usage_of("self")
}

/// What the process of this number takes now.
pub fn usage_of(process: &str) -> Usage {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    Usage {
        held: kilobytes(&text, "VmRSS:"),
        peak: kilobytes(&text, "VmHWM:"),
        addresses: kilobytes(&text, "VmSize:"),
        data: kilobytes(&text, "VmData:"),
    }
}

/// How often a second the kernel counts processor time; it is the same on all machines that Linux runs on.
const TICKS_PER_SECOND: f64 = 100.0;

/// The processor time of the process of this number and of its children that have ended, in seconds. It is
/// known until the process was waited for.
pub fn processor_seconds(process: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name in parentheses, which may be anything, the first field is the third.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11..15)?.iter().map(|it| it.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(ticks as f64 / TICKS_PER_SECOND)
}

/// The most that the system grants the process; nothing where there is no such limit. An allocation beyond is
/// refused, and a refused allocation ends the process.
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

    /// How many of the granted bytes a process that uses so much does not use yet; none if nothing is
    /// limited.
    pub fn left(self, usage: Usage) -> Option<u64> {
        let left = |granted: Option<u64>, used: Option<u64>| Some(granted?.saturating_sub(used?));
        let both = [left(self.addresses, usage.addresses), left(self.data, usage.data)];
        both.into_iter().flatten().min()
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

/// The number of a field of `/proc`, in bytes.
pub fn kilobytes(text: &str, field: &str) -> Option<u64> {
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
        let usage = Usage { addresses: Some(1_000_000), data: Some(8_000_000), ..Usage::default() };
        assert_eq!((granted.left(usage), unlimited.left(usage)), (Some(192_000), None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_uses_something() {
        let usage = usage();
        assert!(usage.held > Some(0) && usage.addresses >= usage.held && usage.data > Some(0));
        assert!(usage.peak >= usage.held);
    }
}
