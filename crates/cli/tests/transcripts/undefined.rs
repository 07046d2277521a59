//! Undefined behaviour on the command line: what is told by default, what is assumed, and threads that wait
//! for ever.

use crate::support::{Folder, Transcript, selvedge};
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

/// Two threads free one buffer.
const TWICE: &str = "#include <pthread.h>\n#include <stdlib.h>\nint *buffer;\nvoid *drop(void *unused)\n{\n    free(buffer);\n    \
return unused;\n}\nint main(void)\n{\n    pthread_t thread;\n    buffer = malloc(sizeof *buffer);\n    pthread_create(&thread, 0, drop, 0);\n    \
drop(0);\n    pthread_join(thread, 0);\n    return 0;\n}\n";

/// Every run divides by zero before it comes to the assertion.
const ALWAYS: &str = "#include <assert.h>\nvolatile int zero;\nint main(void)\n{\n    int quotient = 1 / zero;\n    \
assert(quotient == 7);\n    return 0;\n}\n";

fn json(arguments: &[&str], code: i32) -> Value {
    let transcript = selvedge(arguments).expect(code, "");
    serde_json::from_str(&transcript.out).expect("one object")
}

fn assumptions(json: &Value) -> Vec<String> {
    let all = json["assumptions"].as_array().expect("a list").iter();
    all.filter_map(Value::as_str).map(String::from).collect()
}

#[test]
fn undefined_behaviour_that_happens_is_told_with_its_evidence() {
    let folder = Folder::new("undefined-evidence");
    let path = folder.file("twice.c", TWICE);
    let (trace, program) = (folder.path("trace.json"), folder.path("run.c"));
    let report = selvedge(&["check", "--trace", &trace, "--replay", &program, &path]).expect(10, "");
    let start = format!("unsafe: undefined behaviour (double free) at {path}:6 with 2 threads in ");
    assert!(report.verdict().starts_with(&start), "{}", report.out);
    let confirmed = selvedge(&["confirm", &path, &trace]).expect(0, "");
    assert!(confirmed.verdict().starts_with("confirmed: the trace reaches an error"), "{}", confirmed.out);
    selvedge(&["confirm", "--property", "memory", &path, &trace]).expect(2, "leave out --property");
    let mended = folder.file("once.c", TWICE.replace("    drop(0);\n", ""));
    selvedge(&["confirm", &mended, &trace]).expect(10, "");
    let binary = folder.path("run");
    let compiled = Command::new("cc").args(["-pthread", "-o", &binary, &program]).output().expect("cc runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&binary).output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("double free"), "{output:?}");
    let json = json(&["check", "--format", "json", &path], 10);
    assert_eq!(json["property"]["kind"], "undefined");
    assert_eq!(json["property"]["location"].as_str(), Some(format!("{path}:6:5").as_str()), "{json}");
    let all = selvedge(&["check", "-q", "--all", &path]).expect(10, "");
    assert!(all.out.contains("undefined no undefined behaviour: unsafe: undefined behaviour"), "{}", all.out);
    let story = selvedge(&["check", &path]).expect(10, "");
    assert!(story.out.contains("undefined behaviour: double free"), "{}", story.out);
}

#[test]
fn each_property_has_its_own_reading() {
    let folder = Folder::new("undefined-readings");
    let path = folder.file("twice.c", TWICE);
    let arguments = ["check", "-q", "--property", "assert", &path];
    let blocks = selvedge(&arguments).expect(0, "assumption: creating a thread succeeds");
    let end = format!(" assuming no undefined behaviour at {path}:6 (invalid free)");
    assert!(blocks.verdict().ends_with(&end), "{}", blocks.out);
    let absent = selvedge(&["check", "-q", "--property", "memory", &path]).expect(10, "");
    assert!(absent.verdict().contains("undefined behaviour (double free)"), "{}", absent.out);
    let kind = json(&["check", "--format", "json", "--property", "memory", &path], 10);
    assert_eq!(kind["property"]["kind"], "memory");
    assert_eq!(kind["property"]["sub"], "double free");
    assert_eq!(kind["property"]["sv_comp"], "false(valid-free)");
    assert_eq!(kind["asked"], serde_json::json!(["memory"]));
    // What is not on the list is not looked at: the thread stops at the second `free`.
    selvedge(&["check", "-q", "--property", "undefined", &path]).expect(0, "");
    let once = folder.file("once.c", TWICE.replace("    drop(0);\n", ""));
    // Where only assertions are asked about and there is none, nobody looks for undefined behaviour.
    for property in [&[][..], &["--property", "memory"]] {
        let safe = selvedge(&[&["check", "-q", &once], property].concat()).expect(0, "");
        assert!(!safe.verdict().contains("assuming"), "{}", safe.out);
    }
}

#[test]
fn a_program_whose_runs_all_end_in_undefined_behaviour_is_never_plainly_safe() {
    let folder = Folder::new("undefined-always");
    let path = folder.file("always.c", ALWAYS);
    let report = selvedge(&["check", "-q", &path]).expect(10, "");
    assert!(report.verdict().contains(&format!("(division by zero) at {path}:5 ")), "{}", report.out);
    let proof = folder.file("proof", "");
    let arguments = ["check", "-q", "--property", "assert", "--certificate", &proof, &path];
    let end = format!(" assuming no undefined behaviour at {path}:5 (division by zero)");
    let blocks = selvedge(&arguments).expect(0, "");
    assert!(blocks.verdict().ends_with(&end), "{}", blocks.out);
    let listed = json(&["check", "--format", "json", "--property", "assert", &path], 0);
    assert!(assumptions(&listed).iter().any(|it| end.ends_with(it)), "{listed}");
    let confirmed = selvedge(&["confirm", "--property", "assert", &path, &proof]).expect(0, "");
    assert!(confirmed.verdict().ends_with(&end), "{}", confirmed.out);
}

#[test]
fn what_depends_on_an_external_function_is_assumed() {
    let text = "#include <assert.h>\nextern int setting(void);\nint table[3];\nint main(void)\n{\n    int at = setting() & 3;\n    \
                table[at] = 1;\n    assert(6 / (setting() & 1) == 6);\n    return 0;\n}\n";
    let folder = Folder::new("undefined-external");
    let path = folder.file("external.c", text);
    let safe = selvedge(&["check", "-v", &path]).expect(0, "W1810");
    let end = format!(" assuming no undefined behaviour at {path}:7 (out of bounds) and 1 other place");
    assert!(safe.verdict().ends_with(&end), "{}", safe.out);
    let one = format!("assumption: no undefined behaviour at {path}:8 (division by zero)");
    assert!(safe.err.contains(&one), "{}", safe.err);
}

#[test]
fn which_of_two_errors_is_told_does_not_depend_on_the_clock() {
    // The assertion fails in thousands of states; the division by zero lies behind a long loop, or comes
    // first.
    let text = "#include <assert.h>\n#include <pthread.h>\nvolatile int shared, zero;\nvoid *work(void *unused)\n{\n    for (int i = 0; i < TURNS; i++)\n        \
                shared = i;\n    shared = 1 / zero;\n    return unused;\n}\nint main(void)\n{\n    pthread_t a, b;\n    pthread_create(&a, 0, work, 0);\n    \
                pthread_create(&b, 0, work, 0);\n    assert(shared != 3);\n    return 0;\n}\n";
    let folder = Folder::new("undefined-both");
    let path = folder.file("both.c", text);
    for turns in ["-DTURNS=2", "-DTURNS=40"] {
        let ask = || selvedge(&["check", turns, &path]).expect(10, "").out;
        let first = ask();
        assert!((0..3).all(|_| ask() == first), "{first}");
    }
}

/// Two threads lock two mutexes in different order; `END` says what comes after.
fn crossed(end: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nextern void __VERIFIER_assume(int);\n\
         pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\nint x;\nvoid *other(void *unused)\n{{\n    \
         pthread_mutex_lock(&b);\n    pthread_mutex_lock(&a);\n    x++;\n    pthread_mutex_unlock(&a);\n    pthread_mutex_unlock(&b);\n    return unused;\n}}\n\
         int main(void)\n{{\n    pthread_t t;\n    pthread_create(&t, 0, other, 0);\n{end}    return 0;\n}}\n"
    )
}

fn warned(transcript: &Transcript) -> bool {
    transcript.err.contains("warning[W0903]")
}

#[test]
fn threads_that_wait_for_ever_are_warned_of() {
    let folder = Folder::new("undefined-waiting");
    let locks = "    pthread_mutex_lock(&a);\n    pthread_mutex_lock(&b);\n    x++;\n    assert(x <= 2);\n    pthread_mutex_unlock(&b);\n    \
                 pthread_mutex_unlock(&a);\n    pthread_join(t, 0);\n";
    let path = folder.file("crossed.c", crossed(locks));
    for property in [&[][..], &["--property", "assert"]] {
        let report = selvedge(&[&["check", "-q", &path], property].concat()).expect(0, "");
        assert!(
            warned(&report) && report.err.contains("a run can end with 2 threads waiting for ever"),
            "{}",
            report.err
        );
        assert!(report.err.contains(&format!("{path}:10:")), "{}", report.err);
        assert_eq!(report.err.matches("W0903").count(), 1, "{}", report.err);
    }
    let json = json(&["check", "--format", "json", &path], 0);
    assert_eq!(json["warnings"][0]["code"], "W0903", "{json}");
    // Who leaves the program, or stands where no run goes on, keeps nobody waiting.
    let exits = "    pthread_mutex_lock(&a);\n    assert(x <= 1);\n    exit(0);\n";
    let assumes = "    pthread_mutex_lock(&a);\n    __VERIFIER_assume(x > 2);\n    assert(x <= 1);\n    pthread_mutex_unlock(&a);\n    pthread_join(t, 0);\n";
    let ordered = "    pthread_mutex_lock(&b);\n    pthread_mutex_lock(&a);\n    assert(x <= 1);\n    pthread_mutex_unlock(&a);\n    pthread_mutex_unlock(&b);\n    pthread_join(t, 0);\n";
    for (name, end) in [("exits.c", exits), ("assumes.c", assumes), ("ordered.c", ordered)] {
        let quiet = selvedge(&["check", "-q", &folder.file(name, crossed(end))]).expect(0, "");
        assert!(!warned(&quiet), "{name}: {}", quiet.err);
    }
}

#[test]
fn the_search_for_a_certificate_ends_with_a_time_limit_as_without() {
    // A number of 32 bits is chosen: the states cannot be listed, and no predicates prove it.
    let text = "#include <assert.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nint main(void)\n{\n    unsigned n = __VERIFIER_nondet_uint();\n    \
                unsigned square = (n % 7) * (n % 7) % 7;\n    assert(square != 3 && square != 5);\n    return 0;\n}\n";
    let folder = Folder::new("undefined-certificate");
    let path = folder.file("square.c", text);
    let begun = Instant::now();
    let answer = selvedge(&["check", "-q", "--timeout", "60s", &path]);
    assert!(begun.elapsed() < Duration::from_secs(45), "{} after {:?}", answer.out, begun.elapsed());
}
