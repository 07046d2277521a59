//! Signals: the first request to end stops the work, which then tells what it has; a second one ends the
//! process.

use base::Stop;
use base::budget::StopHandle;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A handle that the signals raise. `end` ends the process with a code at the second one; without it,
/// somebody else does.
pub fn listen(end: Option<fn(i32) -> !>) -> StopHandle {
    let stop = StopHandle::default();
    // A file that grows beyond its limit is an error of writing, and no end of the process.
    let _ = flag::register(SIGXFSZ, Arc::default());
    let signals = requests();
    let heard = Signals::new(&signals).and_then(|mut heard| {
        let stop = stop.clone();
        // The thread waits for the rest of the process's life.
        let wait = move || {
            for signal in &mut heard {
                if signal == SIGXCPU {
                    stop.stop(Stop::Time);
                } else if let (Some(Stop::Interrupted), Some(end)) = (stop.reason(), end) {
                    end(128 + signal);
                }
                stop.stop(Stop::Interrupted);
            }
        };
        std::thread::Builder::new().stack_size(1 << 18).spawn(wait)
    });
    if heard.is_err() {
        for signal in signals {
            // Without a verdict, but with the code of an interrupted process.
            let _ =
                flag::register_conditional_shutdown(signal, 128 + signal, Arc::new(AtomicBool::new(true)));
        }
    }
    stop
}

/// The signals that ask the work to stop.
fn requests() -> Vec<i32> {
    let mut signals = vec![SIGINT, SIGTERM, SIGQUIT, SIGXCPU];
    // `nohup` means that the end of the terminal is to be ignored.
    if !is_ignored(SIGHUP) {
        signals.push(SIGHUP);
    }
    signals
}

/// Whether this process was started with the signal ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (signal - 1)) != 0
}
