//! Messages that say what to do, about what is really wrong.

use crate::support::{Folder, SAFE, Transcript, UNSAFE, selvedge};

fn wrong(folder: &Folder, name: &str, text: &str) -> String {
    selvedge(&["check", &folder.file(name, text)]).expect(2, "").err
}

#[test]
fn errors_of_boolean_programs_name_the_remedy() {
    let folder = Folder::new("remedies");
    let err = wrong(&folder, "broken.bp", "void main( begin\n  skip;\nend\n");
    assert!(err.contains("E0110") && !err.contains("E0301"), "{err}");
    assert!(wrong(&folder, "none.bp", "decl x;\nvoid f() begin skip; end\n").contains("E0301"));
    let err = wrong(&folder, "lock.bp", "lock m;\nvoid main() begin\n  lock(m);\n  unlock(m);\nend\n");
    assert!(err.contains("`lock m;`") && err.contains("`unlock m;`"), "{err}");
    let err = wrong(&folder, "true.bp", "decl x;\nvoid main() begin\n  x := true;\n  assert(false);\nend\n");
    assert!(err.contains("use `T`") && err.contains("use `F`"), "{err}");
    let err = wrong(&folder, "word.bp", "decl end;\nvoid main() begin skip; end\n");
    assert!(err.contains("the reserved word `end`"), "{err}");
    let err = wrong(&folder, "semicolon.bp", "decl x;\nvoid main() begin\n  x := 0\n  x := 1;\nend\n");
    assert!(err.contains("semicolon.bp:3:9") && err.contains("expected `;`"), "{err}");
    let many: String = (0..150).map(|n| format!("  x := nope{n};\n")).collect();
    let err = wrong(&folder, "many.bp", &format!("decl x;\nvoid main() begin\n{many}end\n"));
    let last = err.lines().rfind(|line| line.starts_with("error")).unwrap_or_default();
    assert_eq!(last, "error[E0199]: 50 more errors are not shown");
}

#[test]
fn an_error_label_may_stand_at_several_statements() {
    let folder = Folder::new("several-labels");
    let text = "decl x;\nvoid main() begin\n  if x then SLIC_ERROR: skip; else SLIC_ERROR: skip; fi\nend\n";
    let path = folder.file("two.bp", text);
    selvedge(&["check", "-q", &path]).expect(10, "");
    let list = selvedge(&["check", "--property-list", &path]).expect(0, "").out;
    assert_eq!(list.matches("label SLIC_ERROR").count(), 2, "{list}");
    let own = folder.file("own.bp", text.replace("SLIC_ERROR", "OWN"));
    selvedge(&["check", "-q", &own, "--error-label", "OWN"]).expect(10, "");
    selvedge(&["check", "-q", &own]).expect(2, "E0205");
    let jump = text.replace("  if", "  goto SLIC_ERROR;\n  if");
    selvedge(&["check", "-q", &folder.file("jump.bp", jump)]).expect(2, "several statements are labelled");
    // What is read can be written and read again.
    let written = selvedge(&["translate", &path, "--to", "bp"]).expect(0, "").out;
    selvedge(&["check", "-q", &folder.file("again.bp", written)]).expect(10, "");
}

#[test]
fn all_errors_of_a_net_are_told() {
    let folder = Folder::new("net-errors");
    let text = "vars\n  x y\nrules\n  x >= 1 -> x' = x - 1\n  y >= 1 -> y' = x + x;\n  x > 1 -> ;\ninit\n  x = 1, y = 0\ntarget\n  y >= 2\n";
    let err = wrong(&folder, "a.spec", text);
    assert!(err.contains("a.spec:4:") && err.contains("a.spec:5:") && err.contains("a.spec:6:"), "{err}");
}

#[test]
fn nets_speak_of_tokens() {
    let folder = Folder::new("tokens");
    let net = |target: &str| {
        format!(
            "vars\n  x y\nrules\n  x >= 1 -> x' = x - 1, y' = y + 1;\ninit\n  x >= 1, y = 0\ntarget\n  {target}\n"
        )
    };
    let path = folder.file("covered.spec", net("y >= 2"));
    let transcript = selvedge(&["check", "-q", &path]).expect(10, "");
    assert!(transcript.out.contains("with 2 tokens"), "{}", transcript.out);
    let never = folder.file("never.spec", net("x >= 2, y in [3, 3]").replace("x >= 1, y", "x = 1, y"));
    let transcript = selvedge(&["check", "-q", &never]).expect(0, "");
    assert!(transcript.out.starts_with("safe: any number of tokens ("), "{}", transcript.out);
}

#[test]
fn threads_that_are_not_alive_together_are_told() {
    let folder = Folder::new("at-once");
    let text = "decl n0, n1;\nvoid main() begin\n  n0, n1 := 0, 0;\n  start_thread f();\n  start_thread f();\n  assume(n1);\n  assert(0);\nend\n\
void f() begin\n  n0, n1 := !n0, n0 | n1;\nend\n";
    let transcript =
        selvedge(&["check", "-q", "--threads", "2", &folder.file("two.bp", text)]).expect(10, "");
    assert!(transcript.out.contains("with 2 threads at once (3 in all) in "), "{}", transcript.out);
    let race = selvedge(&["check", "-q", &folder.file("race.bp", UNSAFE)]).expect(10, "");
    assert!(race.out.contains("with 2 threads in "), "{}", race.out);
}

#[test]
fn evidence_that_cannot_be_checked_says_why() {
    let folder = Folder::new("no-evidence");
    let (safe, race, certificate) =
        (folder.file("safe.bp", SAFE), folder.file("race.bp", UNSAFE), folder.path("safe.cert"));
    selvedge(&["check", &safe, "--certificate", &certificate]).expect(0, "");
    let text = std::fs::read_to_string(&certificate).expect("written");
    let half = folder.file("half.cert", &text[..text.len() / 2]);
    selvedge(&["confirm", &safe, &half]).expect(2, "a damaged certificate");
    for name in ["trace.txt", "trace.html"] {
        let path = folder.path(name);
        selvedge(&["check", &race, "--trace", &path]).expect(10, "");
        selvedge(&["confirm", &race, &path]).expect(2, "--trace FILE.json");
    }
    selvedge(&["confirm", &race, &safe]).expect(2, "neither a trace nor a certificate");
}

#[test]
fn rejections_name_lines() {
    let folder = Folder::new("lines");
    let (safe, certificate) = (folder.file("safe.bp", SAFE), folder.path("safe.cert"));
    selvedge(&["check", &safe, "--certificate", &certificate]).expect(0, "");
    // The same program with an assertion that fails: the certificate is one of another program.
    let other = folder.file("other.bp", SAFE.replace("assert(!x)", "assert(x)"));
    let Transcript { out, code, .. } = selvedge(&["confirm", &other, &certificate]);
    assert_eq!(code, Some(10), "{out}");
    assert!(out.contains("at line 4") && !out.contains("at l3"), "{out}");
}

#[test]
fn a_language_without_threads_needs_a_number() {
    let folder = Folder::new("any");
    let safe = folder.file("safe.bp", SAFE);
    selvedge(&["translate", &safe, "--to", "tts", "--threads", "any"]).expect(0, "");
    selvedge(&["translate", &safe, "--to", "promela", "--threads", "any"]).expect(1, "needs a number");
    selvedge(&["translate", &safe, "--to", "smv", "--threads", "3"]).expect(0, "");
}
