//! Evidence in files: written whole or not at all, and confirmed on its own.

use crate::support::{COVERED, ENDLESS, Folder, SAFE, UNCOVERED, UNSAFE, selvedge};
use std::fs;

#[test]
fn evidence_is_written_and_confirmed() {
    let folder = Folder::new("confirm");
    for (name, text) in [("race.bp", UNSAFE), ("covered.tts", COVERED)] {
        let (file, trace) = (folder.file(name, text), folder.path("trace.json"));
        selvedge(&["check", &file, "--trace", &trace]).expect(10, "");
        let transcript = selvedge(&["confirm", &file, &trace]).expect(0, "");
        assert!(
            transcript.verdict().starts_with("confirmed: the trace reaches an error with 2 threads"),
            "{}",
            transcript.out
        );
    }
    for (name, text) in [("safe.bp", SAFE), ("uncovered.tts", UNCOVERED)] {
        let (file, proof) = (folder.file(name, text), folder.path("proof.cert"));
        selvedge(&["check", &file, "--threads", "2", "--certificate", &proof]).expect(0, "");
        let transcript = selvedge(&["confirm", &file, &proof]).expect(0, "");
        assert!(
            transcript.verdict().starts_with("confirmed: the certificate proves safety for "),
            "{}",
            transcript.out
        );
    }
    assert_eq!(folder.names().len(), 6, "no file is left behind: {:?}", folder.names());
}

#[test]
fn a_bounded_proof_does_not_confirm_more() {
    let folder = Folder::new("bounded");
    let (net, proof) = (folder.file("net.tts", UNCOVERED), folder.path("proof.cert"));
    selvedge(&["check", &net, "--threads", "2", "--certificate", &proof]).expect(0, "");
    selvedge(&["confirm", &net, &proof, "--threads", "2"]).expect(0, "");
    let transcript = selvedge(&["confirm", &net, &proof, "--threads", "any"]).expect(10, "");
    assert!(transcript.verdict().starts_with("rejected: "), "{}", transcript.out);
}

#[test]
fn evidence_about_another_program_is_rejected() {
    let folder = Folder::new("reject");
    let (race, trace) = (folder.file("race.bp", UNSAFE), folder.path("trace.json"));
    selvedge(&["check", &race, "--trace", &trace]).expect(10, "");
    let mended = folder.file("mended.bp", UNSAFE.replace("x := 1;", "x := 0;"));
    let transcript = selvedge(&["confirm", &mended, &trace]).expect(10, "");
    assert!(transcript.verdict().starts_with("rejected: "), "{}", transcript.out);
    let (safe, proof) = (folder.file("safe.bp", SAFE), folder.path("proof.cert"));
    selvedge(&["check", &safe, "--certificate", &proof]).expect(0, "");
    let broken = folder.file("broken.bp", SAFE.replace("x := 0", "x := 1"));
    let transcript = selvedge(&["confirm", &broken, &proof]).expect(10, "");
    assert!(transcript.verdict().starts_with("rejected: "), "{}", transcript.out);
}

/// Every option that changes what is an error: what is safe in one reading is not in the other, and `confirm`
/// knows that as `check` does.
#[test]
fn evidence_is_read_as_it_was_found() {
    let cases: [(&str, &str, &[&str]); 6] = [
        ("own.bp", "void main() begin OWN: skip; end", &["--error-label", "OWN"]),
        ("first.bp", "decl x; void main() begin assert(!x); end", &["--init", "zero"]),
        ("entry.bp", "void main() begin end void f() begin SLIC_ERROR: skip; end", &["--entry", "f"]),
        ("binds.bp", "void main() begin assert(0 & 0 = 0); end", &["--dialect", "boom"]),
        ("start.tts", COVERED, &["--start", "1|0"]),
        ("target.tts", COVERED, &["--target", "1|2,2"]),
    ];
    let folder = Folder::new("readings");
    for (name, text, options) in cases {
        let file = folder.file(name, text);
        let find = |options: &[&str], stem: &str| {
            let (trace, proof) =
                (folder.path(&format!("{name}-{stem}.json")), folder.path(&format!("{name}-{stem}.cert")));
            let arguments =
                ["check", "-q", &file, "--threads", "2", "--trace", &trace, "--certificate", &proof];
            let transcript = selvedge(&[&arguments, options].concat());
            assert!(matches!(transcript.code, Some(0 | 10)), "{name}: {}{}", transcript.out, transcript.err);
            (transcript.code, if transcript.code == Some(0) { proof } else { trace })
        };
        let ((plain, without), (other, with)) = (find(&[], "plain"), find(options, "other"));
        assert_ne!(plain, other, "{name}: the option makes no difference");
        let confirm = |evidence: &str, options: &[&str], code| {
            selvedge(&[&["confirm", &file, evidence], options].concat()).expect(code, "");
        };
        confirm(&without, &[], 0);
        confirm(&with, options, 0);
        confirm(&without, options, 10);
        confirm(&with, &[], 10);
    }
}

#[test]
fn evidence_that_cannot_be_read_is_bad_input() {
    let folder = Folder::new("bad-evidence");
    let (race, trace) = (folder.file("race.bp", UNSAFE), folder.path("trace.json"));
    selvedge(&["check", &race, "--trace", &trace]).expect(10, "");
    let text = fs::read_to_string(&trace).expect("written");
    let bad = |name: &str, contents: &str| {
        let path = folder.file(name, contents);
        let transcript = selvedge(&["confirm", &race, &path]).expect(2, "error");
        assert_eq!(transcript.out, "");
    };
    bad("cut.json", &text[..text.len() / 2]);
    bad("other.json", "{\"schema\":\"other/1\"}");
    bad("schema.json", &text.replace("selvedge-trace/1", "selvedge-trace/9"));
    bad("location.json", &text.replace("\"loc\":0", "\"loc\":4000000000"));
    bad("variable.json", &text.replace("\"id\":0", "\"id\":99"));
    bad("value.json", &text.replace("\"value\":0", "\"value\":2"));
    bad("nowhere.json", &text.replace("\"stack\":[", "\"stack\":[],\"ignored\":["));
    bad("unbounded.json", &text.replace("\"threads\":null,", ""));
    bad("kind.json", &text.replace("\"model\":\"program\"", "\"model\":\"net\""));
    bad("text.cert", "hello\n");
    bad("empty.json", "");
    bad("deep.json", &"[".repeat(100_000));
    selvedge(&["confirm", &race, &folder.path("missing.json")]).expect(2, "no such file");
    selvedge(&["confirm", &folder.path("missing.bp"), &trace]).expect(2, "no such file");
    selvedge(&["confirm", "-", "-"]).expect(1, "once");
}

#[test]
fn what_is_for_people_is_not_read() {
    let folder = Folder::new("people");
    let (race, trace) = (folder.file("race.bp", UNSAFE), folder.path("trace.json"));
    selvedge(&["check", &race, "--trace", &trace]).expect(10, "");
    let text = fs::read_to_string(&trace).expect("written");
    let odd = text.replace("\"name\":\"x\"", "\"name\":[7]").replace("\"line\":", "\"line\":\"?\",\"more\":");
    assert!(odd.contains("[7]") && odd.contains("\"?\""), "{odd}");
    selvedge(&["confirm", &race, &folder.file("odd.json", odd)]).expect(0, "");
}

#[test]
fn damaged_evidence_never_crashes_the_checker() {
    let folder = Folder::new("damaged");
    let (race, trace) = (folder.file("race.bp", UNSAFE), folder.path("trace.json"));
    selvedge(&["check", &race, "--trace", &trace]).expect(10, "");
    damage(&folder, &race, &trace);
    let (lock, proof) = (folder.file("lock.bp", ENDLESS), folder.path("proof.cert"));
    selvedge(&["check", &lock, "--threads", "2", "--certificate", &proof]).expect(0, "");
    damage(&folder, &lock, &proof);
}

/// Changes one digit at a time: what comes out is confirmed, rejected or not evidence at all.
fn damage(folder: &Folder, file: &str, evidence: &str) {
    let text = fs::read_to_string(evidence).expect("written");
    let digits: Vec<usize> = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
    for &at in digits.iter().step_by(1 + digits.len() / 40) {
        for digit in ["0", "1", "7", "4000000000"] {
            let damaged = format!("{}{digit}{}", &text[..at], &text[at + 1..]);
            let transcript = selvedge(&["confirm", file, &folder.file("damaged", damaged)]);
            assert!(
                matches!(transcript.code, Some(0 | 2 | 10)),
                "{:?} with {digit} at {at}: {}",
                transcript.code,
                transcript.err
            );
        }
    }
}

#[test]
fn traces_have_three_forms() {
    let folder = Folder::new("forms");
    let race = folder.file("race.bp", UNSAFE);
    let form = |name: &str| {
        let path = folder.path(name);
        selvedge(&["check", &race, "--trace", &path]).expect(10, "");
        fs::read_to_string(path).expect("written")
    };
    assert!(form("trace.txt").contains("** the assertion fails"));
    assert!(form("trace.html").starts_with("<!DOCTYPE html>"));
    assert!(form("trace.json").starts_with("{\"schema\":\"selvedge-trace/1\""));
    assert!(form("trace").contains("** the assertion fails"));
}

#[test]
fn a_result_that_cannot_be_written_is_told_beside_the_verdict() {
    let folder = Folder::new("unwritable");
    let race = folder.file("race.bp", UNSAFE);
    for place in ["/dev/full", "/dev/full/x.txt", "/no/such/folder/trace.txt", &folder.path("")] {
        let transcript = selvedge(&["check", "-q", &race, "--trace", place]).expect(1, "cannot be written");
        assert!(transcript.verdict().starts_with("unsafe: "), "{}", transcript.out);
        assert_eq!(transcript.err.lines().count(), 1, "one clear message: {}", transcript.err);
    }
    let safe = folder.file("safe.bp", SAFE);
    let transcript =
        selvedge(&["check", "-q", &safe, "--certificate", "/dev/full"]).expect(1, "cannot be written");
    assert!(transcript.verdict().starts_with("safe: "), "{}", transcript.out);
    let old = folder.file("old.txt", "old");
    selvedge(&["check", "-q", &safe, "--trace", &old]).expect(0, "");
    assert_eq!(fs::read_to_string(&old).expect("still there"), "old", "no trace, no file");
}

#[test]
fn programs_are_translated() {
    let folder = Folder::new("translate");
    let race = folder.file("race.bp", UNSAFE);
    let again = selvedge(&["translate", &race, "--to", "bp"]).expect(0, "");
    selvedge(&["check", "-q", &folder.file("again.bp", &again.out)]).expect(10, "");
    let net = selvedge(&["translate", &race, "--to", "tts"]).expect(0, "");
    selvedge(&["check", "-q", &folder.file("race.tts", &net.out), "--start", "0|0"]).expect(10, "");
    let promela = selvedge(&["translate", &race, "--to", "promela", "--threads", "2"]).expect(0, "");
    assert!(promela.out.contains("proctype"), "{}", promela.out);
    let transcript = selvedge(&["translate", &folder.path("race.tts"), "--to", "bp"]).expect(5, "unknown: ");
    assert_eq!(transcript.out, "");
    selvedge(&["translate", &folder.path("missing.bp"), "--to", "bp"]).expect(2, "no such file");
}
