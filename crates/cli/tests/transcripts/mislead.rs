//! Nothing misleads: what decides a verdict is told wherever the verdict is, names cannot forge a line, and
//! what is written can be read back.

use crate::support::{COVERED, Folder, SAFE, Transcript, UNSAFE, selvedge};
use serde_json::Value;
use std::process::Command;

/// `a = b | c` binds differently in SatAbs and in Boom, and so do both conditions here.
const UNCLEAR: &str = "decl a, b, c;\nvoid main() begin\n  a, b, c := 0, 0, 1;\n  assert(a = b | c);\n  assume(b = a | c);\nend\n";

#[test]
fn what_decides_a_verdict_is_told_everywhere() {
    let folder = Folder::new("unclear");
    let path = folder.file("unclear.bp", UNCLEAR);
    let both = |err: &str| {
        assert!(err.contains("unclear.bp:4:9") && err.contains("unclear.bp:5:9"), "{err}");
        assert_eq!(err.matches("W0101").count(), 2, "{err}");
    };
    let (safe, certificate) = (selvedge(&["check", "-q", &path]), folder.path("c.cert"));
    both(&safe.err);
    selvedge(&["check", "-q", &path, "--certificate", &certificate, "--trace", &folder.path("t.json")]);
    let evidence = if safe.code == Some(0) { certificate } else { folder.path("t.json") };
    both(&selvedge(&["confirm", &path, &evidence]).expect(0, "").err);
    both(&selvedge(&["translate", &path, "--to", "bp"]).expect(0, "").err);
    let answer: Value =
        serde_json::from_str(&selvedge(&["check", "--format", "json", &path]).out).expect("one object");
    let codes: Vec<&str> =
        answer["warnings"].as_array().expect("a list").iter().filter_map(|it| it["code"].as_str()).collect();
    assert_eq!(codes, ["W0101", "W0101"]);
    let named = selvedge(&["check", "-q", "--dialect", "boom", &path]);
    assert!(!named.err.contains("W0101"), "{}", named.err);
}

#[test]
fn a_translated_start_is_read_back() {
    let folder = Folder::new("start");
    let written = selvedge(&["translate", &folder.file("race.bp", UNSAFE), "--to", "tts"]).expect(0, "").out;
    assert!(written.lines().any(|line| line.starts_with("#selvedge start ")), "{written}");
    let transcript = selvedge(&["check", "-q", &folder.file("race.tts", &written)]).expect(10, "");
    assert!(!transcript.err.contains("W0507"), "{}", transcript.err);
    // One thread that starts another: with the default start the answer would be another.
    let one = "decl x := 0;\nvoid main() begin\n  assert(!x);\n  x := 1;\nend\n";
    let written = selvedge(&["translate", &folder.file("one.bp", one), "--to", "tts"]).expect(0, "").out;
    let path = folder.file("one.tts", &written);
    selvedge(&["check", "-q", &path]).expect(0, "");
    selvedge(&["check", "-q", &path, "--start", "0/0"]).expect(10, "");
    let transcript = selvedge(&["check", "-q", &folder.file("net.tts", COVERED)]).expect(10, "W0507");
    assert!(transcript.err.contains("`0/0`"), "{}", transcript.err);
    assert!(!selvedge(&["check", "-q", &folder.path("net.tts"), "--start", "0/0"]).err.contains("W0507"));
    selvedge(&["check", &folder.file("bad.tts", format!("#selvedge start 7|9\n{COVERED}"))])
        .expect(2, "bad.tts:1:17");
    selvedge(&["check", &folder.file("odd.tts", format!("#selvedge start x\n{COVERED}"))]).expect(2, "E0505");
    let twice = format!("#selvedge start 0/0\n#selvedge start 0|0\n{COVERED}");
    selvedge(&["check", &folder.file("twice.tts", twice)]).expect(2, "a second time");
}

#[cfg(unix)]
#[test]
fn names_cannot_forge_a_line() {
    let folder = Folder::new("names");
    let clean = |transcript: &Transcript| {
        for text in [&transcript.out, &transcript.err] {
            assert!(!text.contains('\x1b') && !text.contains('\r'), "{text:?}");
            assert!(!text.lines().any(|line| line.starts_with("safe: all")), "{text:?}");
        }
    };
    let forged = folder.file("a\nsafe: all\x1b[31m.bp", UNSAFE);
    let other = folder.file("b\r\nsafe: all.bp", SAFE);
    for arguments in [
        vec!["check", &forged],
        vec!["check", "-v", &forged, &other],
        vec!["check", "-q", "--all", &forged],
        vec!["check", "--property-list", &forged],
        vec!["confirm", &forged, &other],
        vec!["translate", &forged, "--to", "tts"],
        vec!["check", &forged, "--trace", &forged],
        vec!["check", &forged, "--certificate", "no\nsafe: all/such"],
        vec!["check", "--engine", "\x1b[31m\nsafe: all", &forged],
        vec!["check", "--no\nsafe: all\x1b", &forged],
    ] {
        clean(&selvedge(&arguments));
    }
    let label = "void main() begin\n  {a\x1b[2J\rb}: skip;\n  error_label: skip;\nend\n";
    let path = folder.file("label.bp", label);
    let transcript = selvedge(&["check", &path, "--error-label", "a\x1b[2J\rb"]).expect(10, "");
    clean(&transcript);
    let procedure = "void {f\x1b[2J}() begin\n  assert(0);\nend\nvoid main() begin\n  {f\x1b[2J}();\nend\n";
    clean(&selvedge(&["check", &folder.file("procedure.bp", procedure)]).expect(10, ""));
    clean(&selvedge(&["translate", &folder.path("procedure.bp"), "--to", "tts"]).expect(0, ""));
}

#[cfg(unix)]
#[test]
fn results_are_written_where_they_may_be() {
    let folder = Folder::new("targets");
    let (safe, target, link) =
        (folder.file("safe.bp", SAFE), folder.file("old.cert", "old"), folder.path("link"));
    let mut permissions = std::fs::metadata(&target).expect("it is there").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&target, permissions).expect("it is ours");
    let transcript = selvedge(&["check", &safe, "--certificate", &target]).expect(1, "read-only");
    assert!(transcript.verdict().starts_with("safe: "), "{}", transcript.out);
    assert_eq!(std::fs::read_to_string(&target).expect("it is there"), "old");
    std::os::unix::fs::symlink(folder.path("nowhere"), &link).expect("a link");
    selvedge(&["check", &safe, "--certificate", &link]).expect(1, "a link to nothing");
    assert!(!folder.names().contains(&"nowhere".to_string()));
    for arguments in ["--help", "--version", "check --help"] {
        let script = format!("{} {arguments} > /dev/full", env!("CARGO_BIN_EXE_selvedge"));
        let output = Command::new("sh").args(["-c", &script]).output().expect("there is a shell");
        Transcript::of(output).expect(1, "standard output");
    }
}
