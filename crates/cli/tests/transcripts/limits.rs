//! Limits and interrupts: `unknown` with a reason, never a crash. The endless program has no end for
//! `explicit` alone; others prove it.

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

/// The system refuses addresses (`ulimit -v`, `ulimit -d`): that is no crash, whichever part is at work.
#[cfg(target_os = "linux")]
#[test]
fn refused_memory_is_no_crash() {
    let folder = Folder::new("addresses");
    let (endless, big) = (folder.file("endless.bp", ENDLESS), folder.file("big.bp", big(60_000)));
    let under = |limit: &str, arguments: &str| {
        let script = format!("ulimit {limit}; exec {} {arguments}", env!("CARGO_BIN_EXE_selvedge"));
        Transcript::of(Command::new("sh").args(["-c", &script]).output().expect("there is a shell"))
    };
    let run = |kilobytes: u32, arguments: &str| under(&format!("-v {kilobytes}"), arguments);
    let wide = folder.file("wide.bp", wide());
    let transcript = run(300_000, &format!("check --engine explicit {wide}")).expect(5, "");
    assert!(transcript.verdict().starts_with("unknown: memory limit "), "{}", transcript.out);
    let transcript = under("-d 300000", &format!("check --engine explicit {wide}")).expect(5, "");
    assert_eq!(transcript.verdict(), "unknown: memory limit 293 MiB reached (ulimit -d)");
    // The reader of C takes the stack that it can get.
    let c = folder.file("small.c", "int x;\nint main(void) { __VERIFIER_assert(!x); return 0; }\n");
    for limit in ["-v 300000", "-d 300000", "-v 150000", "-d 100000"] {
        let transcript = under(limit, &format!("check {c}")).expect(0, "");
        assert!(transcript.verdict().starts_with("safe"), "{limit}: {}", transcript.out);
    }
    // What is nested too deeply for it is no crash either.
    let deep = format!("int x;\nint main(void) {{ return {}x{}; }}\n", "(1+".repeat(900), ")".repeat(900));
    let deep = folder.file("deep.c", deep);
    for limit in [60_000, 80_000, 100_000, 150_000, 300_000] {
        let transcript = run(limit, &format!("check {deep}"));
        assert!(matches!(transcript.code, Some(0 | 5)), "{limit}: {}{}", transcript.out, transcript.err);
    }
    let transcript = run(40_000, &format!("check --format json {big} {big}")).expect(5, "");
    assert_eq!(transcript.out.matches("\"kind\":\"memory\"").count(), 2, "{}", transcript.out);
    run(40_000, &format!("translate --to bp {big}")).expect(5, "memory");
    let transcript = run(40_000, &format!("confirm {big} {endless}")).expect(5, "");
    assert!(transcript.verdict().starts_with("unknown: memory"), "{}", transcript.out);
    // There is enough: the answer is the same, and so is the exit code.
    let safe = folder.file("safe.bp", crate::support::SAFE);
    let transcript = run(1_000_000, &format!("check {safe} {endless}")).expect(0, "");
    assert_eq!(transcript.out.lines().count(), 2, "{}", transcript.out);
}

/// A program whose first values alone are a million.
fn wide() -> String {
    let names: Vec<String> = (0..20).map(|n| format!("a{n}")).collect();
    let (list, any) = (names.join(", "), names.join(" | "));
    format!("decl {list};\nvoid main() begin\n  a0 := !a0;\n  assert(a0 | !a0 | {any});\nend\n")
}

/// A program that is long to read.
fn big(assignments: usize) -> String {
    let body: String = (0..assignments).map(|n| format!("  x := x ^ ({} & !x | y);\n", n % 2)).collect();
    format!("decl x, y;\nvoid main() begin\n{body}  assert(x | !x);\nend\n")
}

/// What cannot be looked at in time is given up in time, also where it is read or rewritten only.
#[test]
fn limits_hold_for_every_command() {
    let folder = Folder::new("commands");
    let big = folder.file("big.bp", big(150_000));
    let body: String = (0..50_000).map(|n| format!("  x = x * {n} + y;\n")).collect();
    let c = folder.file("big.c", format!("int x, y;\nint main(void) {{\n{body}  return 0;\n}}\n"));
    for arguments in [
        vec!["check", "-q", &big, "--timeout", "20ms"],
        vec!["translate", "--to", "tts", &big, "--timeout", "20ms"],
        vec!["confirm", &big, &big, "--timeout", "20ms"],
        vec!["check", "--all", "-q", &big, "--timeout", "20ms"],
        vec!["check", "--property-list", &big, "--timeout", "20ms"],
        vec!["check", "-q", &c, "--timeout", "20ms"],
        vec!["abstract", &c, "--timeout", "20ms"],
    ] {
        // Reading alone takes many times longer than the limit.
        let transcript = selvedge(&arguments).expect(5, "");
        let written = format!("{}{}", transcript.out, transcript.err);
        assert!(written.contains("unknown: time limit 0.02 s reached"), "{arguments:?}: {written}");
    }
    selvedge(&["abstract", &c, "--memory", "2M"]).expect(5, "memory limit 2 MiB reached");
    selvedge(&["check", &big, "--memory", "1"]).expect(1, "too little");
    selvedge(&["translate", "--to", "bp", &big, "--memory", "2M"]).expect(5, "memory limit 2 MiB reached");
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_limit_is_kept() {
    let folder = Folder::new("kept");
    let wide = folder.file("wide.bp", wide());
    let limit = 60 << 20;
    let transcript =
        selvedge(&["check", "--engine", "explicit", &wide, "--memory", "60M", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&transcript.expect(5, "").out).expect("one object");
    assert_eq!(answer["reason"]["kind"], "memory");
    let peak = answer["peak_memory_bytes"].as_u64().expect("it is known");
    assert!(peak < limit / 100 * 110, "{peak} of {limit}");
    // What is no text is not read to an end that never comes.
    selvedge(&["check", "/dev/zero"]).expect(2, "not a text file");
}
