//! Limits and interrupts: `unknown` with a reason, never a crash. The endless program has no end for `explicit` alone; others prove it.

use crate::support::{ENDLESS, Folder, Transcript, command, selvedge};
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn the_time_limit_ends_a_run() {
    let folder = Folder::new("time");
    let begin = Instant::now();
    let transcript = selvedge(&[
        "check",
        "--engine",
        "explicit",
        &folder.file("endless.bp", ENDLESS),
        "--timeout",
        "500ms",
    ])
    .expect(5, "");
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert!(
        transcript.verdict().starts_with("unknown: time limit 0.5 s reached; safe up to "),
        "{}",
        transcript.out
    );
    let transcript = selvedge(&[
        "check",
        "--engine",
        "explicit",
        &folder.path("endless.bp"),
        "--timeout",
        "0",
        "--format",
        "json",
    ])
    .expect(5, "");
    assert!(transcript.out.contains("\"reason\":{\"kind\":\"time\""), "{}", transcript.out);
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_limit_ends_a_run() {
    let folder = Folder::new("memory");
    let transcript =
        selvedge(&["check", "--engine", "explicit", &folder.file("endless.bp", ENDLESS), "--memory", "1M"])
            .expect(5, "");
    assert!(transcript.verdict().starts_with("unknown: memory limit 1 MiB reached"), "{}", transcript.out);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_run_with_a_verdict() {
    let folder = Folder::new("interrupt");
    let path = folder.file("endless.bp", ENDLESS);
    for signal in ["INT", "TERM"] {
        let child = command(&["check", "--engine", "explicit", &path]).spawn().expect("the binary runs");
        std::thread::sleep(Duration::from_millis(400));
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        let transcript = Transcript::of(child.wait_with_output().expect("it ends")).expect(5, "");
        assert!(transcript.verdict().starts_with("unknown: interrupted; safe up to "), "{}", transcript.out);
    }
}

#[cfg(unix)]
#[test]
fn waiting_for_input_can_be_interrupted() {
    let mut child =
        command(&["check", "-"]).stdin(std::process::Stdio::piped()).spawn().expect("the binary runs");
    let kept_open = child.stdin.take();
    std::thread::sleep(Duration::from_millis(200));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let transcript = Transcript::of(child.wait_with_output().expect("it ends")).expect(5, "");
    assert_eq!(transcript.verdict(), "unknown: interrupted");
    drop(kept_open);
}
