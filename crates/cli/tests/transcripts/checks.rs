//! A program's own checks (`--error-function`, `--property abort`), and programs with nothing to check.

use crate::support::{Folder, selvedge};

const FAILS: &str = "#include <pthread.h>\n#include <stdlib.h>\nint x;\n\
void fail(const char *why) { exit(why != 0); }\nvoid (*hook)(const char *) = fail;\n\
void g_assertion_message(const char *);\n\
void *w(void *p) { x = 1; return p; }\n\
int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, w, 0);\n  if (x)\n    CALL(\"x is set\");\n  pthread_join(t, 0);\n  return 0;\n}\n";

#[test]
fn calling_an_error_function_is_an_error() {
    let folder = Folder::new("error-function");
    let file = folder.file("a.c", FAILS);
    let check = |options: &[&str]| selvedge(&[&["check", "-q", &file], options].concat());
    let answered = check(&["-DCALL=fail", "--error-function", "fail"]).expect(10, "");
    assert!(
        answered.verdict().contains("`fail` at") && answered.verdict().contains("a.c:12 is reached"),
        "{}",
        answered.verdict()
    );
    // Through a pointer the error is where the function begins.
    let answered = check(&["-DCALL=hook", "--error-function", "fail"]).expect(10, "");
    assert!(answered.verdict().contains("a.c:4"), "{}", answered.verdict());
    // Functions that nobody defines are errors as well.
    check(&["-DCALL=g_assertion_message", "--error-function", "g_assertion_message"]).expect(10, "");
    check(&["-DCALL=(void)", "--error-function", "fail"]).expect(0, "");
    check(&["-DCALL=fail", "--error-function", "fails"]).expect(2, "did you mean `fail`?");
    check(&["-DCALL=fail", "--error-function", "CALL"]).expect(2, "E0213");
    check(&["-DCALL=fail", "--error-function", "fail", "--property", "race"]).expect(10, "no effect");
    let bp = folder.file("a.bp", crate::support::SAFE);
    selvedge(&["check", &bp, "--error-function", "f"]).expect(0, "W0901");
}

#[test]
fn checks_of_frameworks_are_pointed_out() {
    let folder = Folder::new("unasked");
    let file = folder.file("a.c", FAILS);
    let check = |options: &[&str]| selvedge(&[&["check", "-q", &file], options].concat());
    check(&["-DCALL=fail"]).expect(0, "give `--error-function fail`");
    check(&["-DCALL=g_assertion_message"]).expect(0, "W0805");
    let wanted = check(&["-DCALL=fail", "--error-function", "fail"]).expect(10, "");
    assert!(!wanted.err.contains("W0805"), "{}", wanted.err);
    // Where there is something to check, only functions of test frameworks are told.
    let text = "#include <assert.h>\nvoid fail(void) {}\nint EXPECT_EQ(int, int);\nint y;\nint main(void) { fail(); EXPECT_EQ(1, 1); assert(!y); }\n";
    let answered = selvedge(&["check", "-q", &folder.file("b.c", text)]).expect(0, "`EXPECT_EQ` is called");
    assert!(!answered.err.contains("`fail`"), "{}", answered.err);
    let answered = selvedge(&["check", "-q", "-DCALL=fail", "--property", "deadlock", &file]);
    assert!(!answered.err.contains("W0805"), "{}", answered.err);
}

#[test]
fn abnormal_ends_are_found() {
    let folder = Folder::new("abort");
    let text = "#include <stdlib.h>\n#include <unistd.h>\nvoid err(int, const char *, ...) __attribute__((noreturn));\n\
                int main(void) {\n  END;\n}\n";
    let file = folder.file("a.c", text);
    let check = |end: &str| selvedge(&["check", "-q", "--property", "abort", &format!("-DEND={end}"), &file]);
    for end in
        ["abort()", "exit(3)", "_exit(1)", "_Exit(1)", "quick_exit(1)", "__builtin_trap()", "err(1, \"x\")"]
    {
        assert!(check(end).expect(10, "").verdict().contains("a.c:5"), "{end}");
    }
    for end in ["exit(0)", "_exit(0)", "err(0, \"x\")", "return 0"] {
        check(end).expect(0, "");
    }
}

#[test]
fn nothing_to_check_is_told_at_once() {
    let folder = Folder::new("nothing");
    // The states of this program have no end.
    let text = "#include <pthread.h>\n#include <stdlib.h>\nstruct n { struct n *next; int v; } *head;\npthread_mutex_t m;\n\
                void *w(void *p) {\n  struct n *x = malloc(sizeof *x);\n  pthread_mutex_lock(&m);\n  x->next = head;\n  head = x;\n  pthread_mutex_unlock(&m);\n  BAD;\n  return p;\n}\n\
                int main(void) { for (;;) { pthread_t t; pthread_create(&t, 0, w, 0); } }\n";
    let file = folder.file("a.c", text);
    let check = |bad: &str, more: &[&str]| {
        selvedge(&[&["check", "-q", "--timeout", "60s", &format!("-DBAD={bad}"), &file], more].concat())
    };
    let answered = check("(void)0", &[]).expect(0, "--property race,deadlock,memory");
    assert!(answered.verdict().contains("there was nothing to check"), "{}", answered.verdict());
    assert!(check("(void)0", &["--property", "assert"]).expect(0, "").verdict().contains("unchecked"));
    assert!(
        check("(void)0", &["--property", "overflow"]).expect(0, "").verdict().contains("nothing to check")
    );
    // Undefined behaviour that happens is an error all the same.
    let answered = check("free(x),free(x)", &[]).expect(10, "");
    assert!(answered.verdict().contains("double free"), "{}", answered.verdict());
    // Behind what is not supported there may be an assertion.
    let answered = selvedge(&["check", "-q", "--timeout", "2s", "-DBAD=setjmp(0)", &file]).expect(5, "");
    assert!(answered.verdict().starts_with("unknown"), "{}", answered.verdict());
}
