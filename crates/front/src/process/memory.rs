//! How much memory a program and those that it started hold, as the kernel tells it under `/proc`; nothing, where there is none.

use base::memory::usage_of;
use std::fs;

/// The most processes that are looked at: a program may start others without end.
const MOST: usize = 1000;

/// The bytes that a process, its children and theirs hold.
pub fn of_family(process: u32) -> u64 {
    let mut family = vec![process];
    let mut at = 0;
    while at < family.len() && family.len() < MOST {
        family.extend(children(family[at]));
        at += 1;
    }
    family.into_iter().filter_map(|it| usage_of(&it.to_string()).held).sum()
}

fn children(process: u32) -> Vec<u32> {
    let list = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn children_count() {
        let mut child =
            Command::new("/bin/sh").args(["-c", "sleep 100 & wait"]).spawn().expect("there is a shell");
        let start = std::time::Instant::now();
        while children(child.id()).is_empty() && start.elapsed().as_secs() < 20 {
            std::thread::yield_now();
        }
        let sleeper = children(child.id())[0];
        let (all, one) = (of_family(child.id()), usage_of(&sleeper.to_string()).held);
        assert!(one > Some(0) && Some(all) > one, "{all} {one:?}");
        let _ = Command::new("kill").arg(sleeper.to_string()).status();
        child.wait().expect("it ends with the one that it waits for");
    }
}
