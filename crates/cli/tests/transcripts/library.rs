//! What functions of the library give: results that they cannot have carry no error, those that they can have
//! are no surprise.

use crate::support::{Folder, selvedge};

const HEADERS: &str = "#define _GNU_SOURCE\n#include <assert.h>\n#include <errno.h>\n#include <fcntl.h>\n#include <math.h>\n\
#include <pthread.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n#include <unistd.h>\n";

/// What a check of a `main` with these statements gives.
fn check(body: &str, code: i32) {
    let folder = Folder::new(&format!(
        "library-{:x}",
        body.bytes().fold(7u64, |sum, b| sum.wrapping_mul(31) + u64::from(b))
    ));
    let path = folder.file("main.c", format!("{HEADERS}int main(void) {{ {body} return 0; }}\n"));
    let report = selvedge(&["check", "-q", &path]).expect(code, "");
    assert!(
        code != 5 || report.out.contains("approximated") || report.out.contains("not supported"),
        "{body}"
    );
}

#[test]
fn what_follows_from_earlier_calls_carries_no_error() {
    for body in [
        "srand(3); int a = rand(); srand(3); assert(a == rand());",
        "int a = rand(); srand(1); assert(a == rand());",
        "unsigned s = 4, t = 4; assert(rand_r(&s) == rand_r(&t));",
        "char *a = getenv(\"A\"), *b = getenv(\"A\"); assert((a == 0) == (b == 0));",
        "setenv(\"A\", \"1\", 1); assert(getenv(\"A\") != 0);",
        "int c = getchar(); if (c == EOF) assert(feof(stdin) || ferror(stdin));",
        "int x = 0; if (scanf(\"%1d\", &x) == 1) assert(x < 10);",
        "assert(fileno(tmpfile()) == 3);",
        "assert(sysconf(_SC_PAGESIZE) > 0);",
        "assert(strtod(\"0.1234567890123456789\", 0) < 1);",
        "double i; modf(2.5, &i); assert(i == 2.0);",
        "if (open(\"f\", O_RDONLY) < 0) assert(errno != EPERM);",
    ] {
        check(body, 5);
    }
}

#[test]
fn what_nobody_follows_is_refused() {
    for body in [
        "raise(SIGKILL); assert(0);",
        "kill(getpid(), SIGKILL); assert(0);",
        "fesetround(0x800); volatile double a = 1; assert(a / 3 == 1.0 / 3);",
        "assert(optind == 1);",
        "char b[9]; snprintf(b, 9, \"%g\", 0.5); assert(b[0] == '0');",
        "assert(environ == 0);",
        "size_t n = (size_t)1 << 61; int *p = calloc(n, 16); assert(p == 0);",
        "extern void take(unsigned long); static int x; take((unsigned long)&x); assert(x == 0);",
        "pthread_key_t a, b; pthread_key_create(&a, 0); pthread_key_delete(a); pthread_key_create(&b, 0); assert(a != b);",
    ] {
        check(&body.replace("fesetround", "extern int fesetround(int); fesetround"), 5);
    }
}

#[test]
fn streams_are_used_while_they_are_open() {
    for body in [
        "FILE *f = fopen(\"f\", \"w\"); if (f) { fclose(f); fputs(\"x\", f); }",
        "char *p = strtok(0, \",\"); assert(p == 0);",
        "printf(\"%s %s\", \"a\");",
        "volatile int least = 1 << 31, minus = -1; return least / minus;",
    ] {
        check(body, 10);
    }
    // That opening succeeds is assumed.
    check("FILE *f = fopen(\"f\", \"r\"); fgetc(f); fclose(f);", 0);
    check("printf(\"x\"); assert(stdin != 0 && stdout != stderr); fclose(stdout);", 0);
}

#[test]
fn what_is_computed_is_known() {
    for body in [
        "assert(strtod(\"1.5\", 0) == 1.5 && fileno(stdin) == 0);",
        "char *v[] = {\"x\", \"-a\", 0}; assert(getopt(2, v, \"a\") == 'a' && optind == 2);",
        "char b[9]; assert(snprintf(b, 9, \"%05.1f|%s\", 2.25, \"abcde\") == 11 && !strcmp(b, \"002.2|ab\"));",
    ] {
        check(body, 0);
    }
}

#[test]
fn an_error_that_needs_a_function_to_fail_says_so() {
    let folder = Folder::new("library-fails");
    let text = format!("{HEADERS}int main(void) {{ FILE *f = fopen(\"f\", \"r\"); assert(f); return 0; }}\n");
    let report = selvedge(&["check", "-q", &folder.file("main.c", text)]).expect(10, "");
    assert!(report.out.contains("assuming that `fopen` fails"), "{}", report.out);
}
