//! How much memory there is and how much of it this process uses, as the kernel tells it under `/proc`. Where there is no
//! `/proc` nothing is known, and a memory limit has no effect.

use std::fs;

/// What the process takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// The bytes that it holds.
    pub held: Option<u64>,
    /// The bytes of its address space.
    pub addresses: Option<u64>,
}

/// What the process takes now.
pub fn usage() -> Usage {
    match fs::read_to_string("/proc/self/status") {
        Ok(text) => Usage { held: kilobytes(&text, "VmRSS:"), addresses: kilobytes(&text, "VmSize:") },
        Err(_) => Usage::default(),
    }
}

/// The largest address space that the process may have (`ulimit -v`); nothing if there is no such limit. An allocation beyond it is
/// refused, and a refused allocation ends the process.
pub fn address_limit() -> Option<u64> {
    address_limit_in(&fs::read_to_string("/proc/self/limits").ok()?)
}

fn address_limit_in(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
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
            "Max stack size  8388608 unlimited bytes\nMax address space    4096000    unlimited    bytes\n";
        assert_eq!(address_limit_in(limits), Some(4_096_000));
        assert_eq!(address_limit_in("Max address space    unlimited   unlimited   bytes"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_uses_some_of_the_machine() {
        let (usage, peak, all) = (usage(), peak(), of_the_machine());
        assert!(usage.held > Some(0) && usage.addresses >= usage.held);
        assert!(peak > Some(0) && all >= usage.held);
    }
}
