//! How much memory there is and how much of it this process uses, as the kernel tells it under `/proc`. Where there is no
//! `/proc` nothing is known, and a memory limit has no effect.

use std::fs;

/// The bytes that the process holds now.
pub fn used() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
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
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_uses_some_of_the_machine() {
        let (used, peak, all) = (used(), peak(), of_the_machine());
        assert!(used > Some(0) && peak > Some(0) && all >= used);
    }
}
