//! What the kernel tells under `/proc` of a program and those that it started; nothing, where there is none.

use crate::memory::usage_of;
use std::fs;

/// The most processes that are looked at: a program may start others without end.
const MOST: usize = 1000;

/// Whether a process of the group is there, other than as the remains of one that nobody has waited for.
pub fn is_group_alive(group: u32) -> bool {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = entries.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    // After the name in parentheses, which may be anything: state, parent, group.
    let fields = |stat: String| {
        let mut words = stat.rsplit_once(')')?.1.split_whitespace();
        Some((words.next()?.to_string(), words.nth(1)?.parse::<u32>().ok()?))
    };
    stats.filter_map(fields).any(|(state, of)| of == group && state != "Z" && state != "X")
}

/// The bytes that a process, its children and theirs hold.
pub fn memory(process: u32) -> u64 {
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
        let (all, one) = (memory(child.id()), usage_of(&sleeper.to_string()).held);
        assert!(one > Some(0) && Some(all) > one, "{all} {one:?}");
        let _ = Command::new("kill").arg(sleeper.to_string()).status();
        child.wait().expect("it ends with the one that it waits for");
    }
}
