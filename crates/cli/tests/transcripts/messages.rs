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

#[test]
fn errors_of_c_programs_name_the_remedy() {
    let folder = Folder::new("c-remedies");
    let err = wrong(&folder, "include.c", "int main(void) {\n  pthread_t t;\n  pthread_join(t, 0);\n}\n");
    assert!(err.contains("#include <pthread.h>") && !err.contains("`t` is not declared"), "{err}");
    let err = wrong(&folder, "null.c", "int *p;\nint main(void) {\n  p = NULL;\n}\n");
    assert!(err.contains("#include <stddef.h>"), "{err}");
    let err = wrong(&folder, "name.c", "int counter;\nint main(void) {\n  conter = 1;\n}\n");
    assert!(err.contains("name.c:3:3") && err.contains("did you mean `counter`?"), "{err}");
    let text = "#include <assert.h>\nint main(void) {\n  int x = 1\n  assert(x == 1);\n}\n";
    let err = wrong(&folder, "semicolon.c", text);
    assert!(err.contains("semicolon.c:3:") && err.contains("is a `;` or an operator missing"), "{err}");
    let err = wrong(&folder, "cpp.c", "#include <iostream>\nint main() { std::cout << 1; }\n");
    assert!(err.contains("is this C++?"), "{err}");
    let text = "int sensor(void);\nint x;\nint main(void) {\n  x = sensor();\n}\n";
    let err = selvedge(&["check", &folder.file("external.c", text)]).expect(0, "W1810").err;
    assert!(err.contains("--with FILE.c"), "{err}");
}

#[test]
fn a_program_is_run_with_what_stands_behind_args() {
    let folder = Folder::new("c-arguments");
    let text = "#include <assert.h>\n#include <string.h>\nint main(int argc, char **argv) {\n  assert(argc == 3 && !strcmp(argv[0], \"own\"));\n  \
                assert(!strcmp(argv[1], \"--timeout\") && !strcmp(argv[2], \"--\"));\n}\n";
    let path = folder.file("own.c", text);
    let transcript = selvedge(&["check", &path, "--args", "--timeout", "--"]).expect(0, "");
    assert!(!transcript.err.contains("W1812"), "{}", transcript.err);
    let err = selvedge(&["check", "--threads", "1", &path, "--timeout", "20s"]).expect(10, "W1812").err;
    assert!(err.contains("give them with `--args A B …`"), "{err}");
    selvedge(&["check", &path, "--stdin", "nowhere.txt"]).expect(2, "E0901");
}

#[test]
fn what_a_macro_makes_is_told_at_its_name() {
    let folder = Folder::new("macro");
    let text =
        "#include <assert.h>\nint a[4];\nint main(void) {\n  if (a[1] == 2)\n    assert(a[3] == 3);\n}\n";
    let path = folder.file("macro.c", text);
    let out = selvedge(&["check", "--property-list", &path]).expect(0, "").out;
    assert_eq!(out, format!("{path}:5:5: assertion assert(a[3] == 3)\n1 property\n"));
}

#[test]
fn where_nothing_of_c_can_fail_the_reason_is_told() {
    let folder = Folder::new("c-nothing");
    let none = folder.file("none.c", "int main(void) { return 0; }\n");
    let err = selvedge(&["check", &none]).expect(0, "W1811").err;
    assert!(err.contains("write `assert(CONDITION)`") && !err.contains("none.c:1"), "{err}");
    let head = "#include <assert.h>\n#include <pthread.h>\nstatic void *f(void *p) { return p; }\n";
    let text = format!(
        "{head}int main(void) {{\n  pthread_t t;\n  pthread_create(&t, 0, f(0), 0);\n  assert(0);\n}}\n"
    );
    let path = folder.file("thread.c", text);
    let err = selvedge(&["check", "--property", "assert", &path]).expect(0, "W1811").err;
    assert!(err.contains("thread.c:6:") && err.contains("undefined behaviour: "), "{err}");
    // An assertion behind what is not supported is there all the same.
    let text = "#include <assert.h>\n#include <unistd.h>\nint main(void) {\n  if (fork() < 0)\n    return 1;\n  assert(0);\n}\n";
    let transcript = selvedge(&["check", &folder.file("fork.c", text)]).expect(5, "");
    assert!(!transcript.err.contains("W1811"), "{}", transcript.err);
    let verdict = transcript.verdict();
    assert!(
        verdict.contains("the function `fork` at ") && verdict.contains("fork.c:4 is not supported"),
        "{verdict}"
    );
    assert!(!verdict.contains("abstract thread") && !verdict.contains("nothing to check"), "{verdict}");
}

#[test]
fn undefined_behaviour_is_told_at_its_place() {
    let folder = Folder::new("c-stops");
    let text = "#include <assert.h>\nint a[4];\nint main(void) {\n  for (int i = 0; i <= 4; i++)\n    a[i] = i;\n  assert(a[3] == 3);\n}\n";
    let path = folder.file("bounds.c", text);
    let err = selvedge(&["check", "-v", "--property", "assert", &path]).expect(0, "").err;
    assert!(
        err.contains(&format!("assumption: no undefined behaviour at {path}:5 (out of bounds)")),
        "{err}"
    );
    for property in [&[][..], &["--property", "memory"]] {
        let verdict = selvedge(&[&["check", "-q", &path], property].concat()).expect(10, "");
        let start = format!("unsafe: undefined behaviour (out of bounds) at {path}:5 ");
        assert!(verdict.verdict().starts_with(&start), "{}", verdict.out);
    }
}

#[test]
fn a_proof_that_nobody_checked_is_not_about_threads_that_stop() {
    let folder = Folder::new("c-lost-pointer");
    let text = "#include <assert.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n  int *p;\n  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();\n  if (a < 100000 && b < 100000) {\n    *p = 1;\n    assert(a + b == 77);\n  }\n}\n";
    let path = folder.file("lost.c", text);
    let verdict = selvedge(&["check", "--property", "assert", "--way", "exact", &path]).expect(5, "");
    assert!(verdict.verdict().contains("threads may stop at pointers that lead nowhere"), "{}", verdict.out);
}

#[test]
fn an_alarm_of_predicates_is_one_line_of_the_verdict() {
    let folder = Folder::new("c-alarm");
    let text = "#include <assert.h>\nint main(int argc, char **argv) {\n  int a[argc];\n  a[0] = 1;\n  assert(a[0] == 1);\n}\n";
    let path = folder.file("alarm.c", text);
    let verdict = selvedge(&["check", "--way", "abstract", &path]).expect(5, "");
    let end = "what the abstract way follows of the program does not exclude a failing assertion at ";
    assert!(verdict.verdict().starts_with(&format!("unknown: {end}")), "{}", verdict.out);
    assert!(verdict.verdict().ends_with("alarm.c:5"), "{}", verdict.out);
    selvedge(&["check", "-v", "--way", "abstract", &path]).expect(5, "an abstract thread reaches");
}
