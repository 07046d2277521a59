//! Wrong usage, help, and the lists.

use crate::support::{Folder, SAFE, selvedge};

#[test]
fn wrong_usage_is_code_one() {
    let folder = Folder::new("usage");
    let safe = folder.file("safe.bp", SAFE);
    let check = |arguments: &[&str], err: &str| {
        let transcript = selvedge(&[&["check", &safe], arguments].concat()).expect(1, err);
        assert_eq!(transcript.out, "");
    };
    check(&["--no-such-flag"], "--no-such-flag");
    check(&["--threads", "0"], "at least");
    check(&["--threads", "many"], "any");
    check(&["--engine", "magic"], "there is no engine `magic`");
    check(&["--engine", ""], "there is no engine");
    check(&["--dialect", "klingon"], "satabs");
    check(&["--timeout", "soon"], "60s");
    check(&["--memory", "0"], "too little");
    check(&["--set", "passes.magic=on"], "there is no option `passes.magic`");
    check(&["--set", "nonsense"], "NAME=VALUE");
    check(&["--trace", "a.pdf"], ".html");
    check(&["--trace", &safe], "over the file");
    check(&["--certificate", &safe], "over the file");
    check(&["-q", "-v"], "cannot be used with");
    check(&[&safe, "--certificate", "x"], "one by one");
    selvedge(&["check", "-", "-"]).expect(1, "once");
    selvedge(&["check"]).expect(1, "FILE");
    selvedge(&["frobnicate"]).expect(1, "frobnicate");
    selvedge(&[]).expect(1, "Usage");
    selvedge(&["confirm", "a.bp"]).expect(1, "EVIDENCE");
    selvedge(&["translate", &safe]).expect(1, "--to");
    selvedge(&["translate", &safe, "--to", "latin"]).expect(1, "promela");
}

#[test]
fn help_and_version_are_no_errors() {
    assert!(selvedge(&["--help"]).expect(0, "").out.contains("check"));
    assert!(selvedge(&["check", "--help"]).expect(0, "").out.contains("--threads"));
    assert!(selvedge(&["--version"]).expect(0, "").out.starts_with("selvedge "));
}

#[test]
fn options_may_stand_anywhere() {
    let folder = Folder::new("anywhere");
    let safe = folder.file("safe.bp", SAFE);
    let before = selvedge(&["check", "--threads", "2", &safe]).expect(0, "");
    let after = selvedge(&["check", &safe, "--threads", "2"]).expect(0, "");
    assert_eq!(before.out, after.out);
}

#[test]
fn engines_are_listed_with_their_options() {
    let transcript = selvedge(&["engines"]).expect(0, "");
    assert!(transcript.out.contains("\n") && transcript.out.starts_with("explicit\n"), "{}", transcript.out);
    assert!(transcript.out.contains("passes.cone=on"), "{}", transcript.out);
}
