//! C programs on the command line: verdicts, traces and their confirmation, and runs as programs.

use crate::support::{Folder, repository, selvedge};
use serde_json::Value;
use std::process::Command;

/// Two increments that may overlap.
const LOST: &str = "#include <assert.h>\n#include <pthread.h>\nint count;\nvoid *add(void *unused)\n{\n    count++;\n    return 0;\n}\n\
int main(void)\n{\n    pthread_t a, b;\n    pthread_create(&a, 0, add, 0);\n    pthread_create(&b, 0, add, 0);\n    pthread_join(a, 0);\n\
    pthread_join(b, 0);\n    assert(count == 2);\n    return 0;\n}\n";

#[test]
fn a_c_program_gets_a_verdict_with_its_file_and_line() {
    let folder = Folder::new("c-verdicts");
    let path = folder.file("lost.c", LOST);
    let transcript = selvedge(&["check", &path]).expect(10, "assumption: sequential consistency");
    let start = format!("unsafe: assertion at {path}:16 fails with 3 threads in ");
    assert!(transcript.verdict().starts_with(&start), "{}", transcript.out);
    assert!(transcript.verdict().ends_with("(trace replayed)"), "{}", transcript.out);
    for text in ["thread 0: main", "thread 1: add", "count++;", "reads count = 0", "count = 1", "** assert"] {
        assert!(transcript.out.contains(text), "no `{text}` in\n{}", transcript.out);
    }
    let safe = folder.file("locked.c", LOST.replace("count++", "__sync_fetch_and_add(&count, 1)"));
    let transcript = selvedge(&["check", "-q", &safe]).expect(0, "");
    assert!(transcript.verdict().starts_with("safe: any number of threads ("), "{}", transcript.out);
    assert!(transcript.verdict().ends_with("certificate confirmed)"), "{}", transcript.out);
}

#[test]
fn json_says_the_language_the_way_and_the_assumptions() {
    let folder = Folder::new("c-json");
    let transcript = selvedge(&["check", "--format", "json", &folder.file("lost.c", LOST)]).expect(10, "");
    let json: Value = serde_json::from_str(&transcript.out).expect("one object");
    assert_eq!((&json["language"], &json["way"]), (&"c".into(), &"concrete".into()));
    assert_eq!(
        (&json["trace"]["language"], &json["trace"]["schema"]),
        (&"c".into(), &"selvedge-trace/1".into())
    );
    let assumptions: Vec<&str> =
        json["assumptions"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(assumptions.contains(&"sequential consistency"), "{assumptions:?}");
    assert!(assumptions.contains(&"creating a thread succeeds"), "{assumptions:?}");
}

#[test]
fn what_cannot_be_translated_is_unknown_only_where_it_is_reached() {
    let folder = Folder::new("c-refused");
    let text = "int main(void)\n{\n    __asm__(\"cpuid\");\n    return 0;\n}\n";
    let path = folder.file("assembler.c", text);
    let transcript = selvedge(&["check", "-q", &path]).expect(5, "");
    assert!(transcript.out.contains(&format!("at {path}:3 is not supported")), "{}", transcript.out);
    let unreached =
        folder.file("unreached.c", text.replace("int main", "int other") + "int main(void) { return 0; }\n");
    selvedge(&["check", "-q", &unreached]).expect(0, "");
    let wrong =
        folder.file("wrong.c", "int main(void)\n{\n    return nope;\n}\nint f(void) { return 1 +; }\n");
    let transcript = selvedge(&["check", &wrong]).expect(2, "nope");
    assert_eq!(transcript.err.matches("error[").count(), 2, "{}", transcript.err);
}

#[test]
fn traces_of_c_programs_are_confirmed_or_rejected() {
    let folder = Folder::new("c-confirm");
    let (path, trace) = (folder.file("lost.c", LOST), folder.path("t.json"));
    selvedge(&["check", "-q", "--trace", &trace, &path]).expect(10, "");
    let transcript = selvedge(&["confirm", &path, &trace]).expect(0, "");
    assert!(
        transcript.out.starts_with("confirmed: the trace reaches an error with 3 threads in "),
        "{}",
        transcript.out
    );
    let text = std::fs::read_to_string(&trace).expect("it was written");
    let changed = folder.file("changed.json", text.replacen("\"read\":\"0\"", "\"read\":\"1\"", 1));
    selvedge(&["confirm", &path, &changed]).expect(10, "");
    let other = folder.file("other.c", LOST.replace("count == 2", "count != 2"));
    selvedge(&["confirm", &other, &trace]).expect(10, "");
    selvedge(&["confirm", &path, &trace, "--threads", "2"]).expect(10, "");
    selvedge(&["confirm", &path, &folder.file("no.json", "{}")]).expect(2, "E0911");
    selvedge(&["confirm", &repository("examples/race.bp"), &trace]).expect(2, "E0911");
    selvedge(&["check", "-q", "--trace", &folder.path("t.html"), &path]).expect(10, "");
    let page = std::fs::read_to_string(folder.path("t.html")).expect("it was written");
    assert!(page.contains(r#"{"id":1,"name":"add"}"#) && page.contains("count++;"), "{page}");
}

#[test]
fn options_decide_what_c_leaves_open() {
    let folder = Folder::new("c-options");
    let text = "#include <assert.h>\nint main(void)\n{\n    int x = 0;\n    int y = 1 / x;\n    assert(N == 1);\n    return y;\n}\n";
    let path = folder.file("divide.c", text);
    selvedge(&["check", "-q", &path]).expect(2, "");
    let transcript = selvedge(&["check", "-DN=0", "--property", "assert", &path]).expect(0, "");
    let end = format!(" assuming no undefined behaviour at {path}:5 (division by zero)");
    assert!(transcript.verdict().ends_with(&end), "{}", transcript.out);
    let transcript = selvedge(&["check", "-q", "-DN=1", "--property", "undefined", &path]).expect(10, "");
    assert!(
        transcript.out.contains(&format!("(division by zero) at {path}:5 with 1 thread in ")),
        "{}",
        transcript.out
    );
    let header = folder.file("n.h", "#define N 1\n");
    selvedge(&["check", "-q", "--property", "assert", "-include", &header, &path]).expect(0, "");
    selvedge(&["check", "-q", "--way", "magic", &path]).expect(1, "there is no analysis `magic`");
    let transcript = selvedge(&["check", "--ilp32", &repository("examples/race.bp")]).expect(10, "W0901");
    assert!(transcript.err.contains("--ilp32"), "{}", transcript.err);
}

#[test]
fn a_replay_fails_every_time() {
    let folder = Folder::new("c-replay");
    for (name, path) in [("lost", folder.file("lost.c", LOST)), ("race", repository("examples/race.c"))] {
        let (program, binary) = (folder.path(&format!("{name}-run.c")), folder.path(&format!("{name}-run")));
        selvedge(&["check", "-q", "--replay", &program, &path]).expect(10, "");
        let compiled =
            Command::new("cc").args(["-pthread", "-o", &binary, &program]).output().expect("cc runs");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        for _ in 0..20 {
            let output = Command::new(&binary).output().expect("it runs");
            let transcript = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && transcript.contains("assert("), "{transcript}");
            assert!(transcript.contains(".c:"), "{transcript}");
        }
    }
    selvedge(&["check", "-q", "--replay", &folder.path("none.c"), &repository("examples/race.bp")])
        .expect(1, "only C programs");
}

/// Real memory is lost where the run loses it, and LeakSanitizer says so without knowing of the run.
#[test]
fn a_replay_of_a_leak_is_found_by_leak_sanitizer() {
    let folder = Folder::new("c-leak-replay");
    for name in ["overwritten", "list", "cycle", "thread_end", "argument", "scope", "result"] {
        let path = repository(&format!("tests/c/props/leak_{name}_unsafe.c"));
        let (program, binary) = (folder.path(&format!("{name}-run.c")), folder.path(&format!("{name}-run")));
        let leak =
            selvedge(&["check", "-q", "--property", "leak", "--replay", &program, &path]).expect(10, "");
        assert!(leak.verdict().contains(" is lost at "), "{}", leak.out);
        let args = ["-fsanitize=address", "-pthread", "-o", &binary, &program];
        let compiled = Command::new("cc").args(args).output().expect("cc runs");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let output = Command::new(&binary).output().expect("it runs");
        let says = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{name}: {says}");
        assert!(says.contains(" is lost at ") && says.contains("LeakSanitizer: detected"), "{name}: {says}");
    }
}

#[test]
fn a_replay_of_a_race_or_a_deadlock_says_the_verdict() {
    let folder = Folder::new("c-replay-state");
    for (property, name) in [("race", "load_store_unsafe"), ("deadlock", "lock_order_unsafe")] {
        let (program, binary) = (folder.path(&format!("{name}-run.c")), folder.path(name));
        let source = repository(&format!("tests/c/props/{name}.c"));
        let checked = selvedge(&["check", "-q", "--property", property, "--replay", &program, &source]);
        let verdict = checked.expect(10, "").verdict().replace('"', "'");
        let compiled =
            Command::new("cc").args(["-pthread", "-o", &binary, &program]).output().expect("cc runs");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let output = Command::new(&binary).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8_lossy(&output.stderr).trim_end(), verdict);
    }
}

#[test]
fn a_proof_by_predicates_is_written_and_confirmed() {
    let folder = Folder::new("c-proof");
    let safe = folder.file("locked.c", LOST.replace("count++", "__sync_fetch_and_add(&count, 1)"));
    let proof = folder.file("proof", "");
    let transcript = selvedge(&["check", "-v", "--way", "abstract", "--certificate", &proof, &safe]);
    let transcript = transcript.expect(0, "certificate confirmed by formulas");
    assert!(
        transcript.verdict().starts_with("safe: any number of threads (abstract, "),
        "{}",
        transcript.out
    );
    let confirmed = selvedge(&["confirm", &safe, &proof]).expect(0, "");
    assert_eq!(confirmed.verdict(), "confirmed: the certificate proves safety for any number of threads");
    selvedge(&["confirm", &folder.file("lost.c", LOST), &proof]).expect(10, "");
    let other = folder.file("other", "no certificate");
    selvedge(&["confirm", &safe, &other]).expect(2, "neither a trace nor a certificate");
    let json = selvedge(&["check", "--format", "json", "--way", "abstract", &safe]).expect(0, "");
    let json: Value = serde_json::from_str(&json.out).expect("one object");
    assert_eq!((&json["evidence"], &json["checker"]), (&"confirmed".into(), &"formulas".into()));
    assert!(json["predicates"].as_array().is_some_and(|it| !it.is_empty()), "{json}");
}

#[test]
fn a_proof_by_all_states_is_written_and_confirmed() {
    let folder = Folder::new("c-states");
    let (unsafe_, proof) = (folder.file("lost.c", LOST), folder.file("proof", ""));
    let safe = folder.file("locked.c", LOST.replace("count++", "__sync_fetch_and_add(&count, 1)"));
    for way in ["concrete", "exact"] {
        let transcript = selvedge(&["check", "-v", "--way", way, "--certificate", &proof, &safe]);
        // It enumerates and asks no formula.
        let transcript = transcript.expect(0, "certificate confirmed by kernel");
        assert!(transcript.verdict().contains(" states, certificate confirmed"), "{}", transcript.out);
        let json = selvedge(&["check", "--format", "json", "--way", way, &safe]).expect(0, "");
        let json: Value = serde_json::from_str(&json.out).expect("one object");
        assert_eq!((&json["evidence"], &json["checker"]), (&"confirmed".into(), &"kernel".into()));
        let confirmed = selvedge(&["confirm", &safe, &proof]).expect(0, "");
        assert_eq!(confirmed.verdict(), "confirmed: the certificate proves safety for any number of threads");
        selvedge(&["confirm", &unsafe_, &proof]).expect(10, "");
    }
    selvedge(&["check", "-q", "--threads", "2", "--certificate", &proof, &safe]).expect(0, "");
    selvedge(&["confirm", &safe, &proof, "--threads", "2"]).expect(0, "");
}

#[test]
fn a_proof_of_the_exact_way_about_any_number_of_threads_is_confirmed() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint lock, x;\nvoid *work(void *p)\n{\n    while (!__sync_bool_compare_and_swap(&lock, 0, 1));\n    \
                assert(x == 0);\n    x = 5;\n    x = 0;\n    lock = 0;\n    return p;\n}\nint main(void)\n{\n    pthread_t t;\n    for (;;)\n        pthread_create(&t, 0, work, 0);\n}\n";
    let folder = Folder::new("c-values");
    let (safe, proof) = (folder.file("safe.c", text), folder.file("proof", ""));
    let transcript = selvedge(&["check", "-q", "--way", "exact", "--certificate", &proof, &safe]);
    let transcript = transcript.expect(0, "");
    assert!(transcript.verdict().starts_with("safe: any number of threads (exact, "), "{}", transcript.out);
    assert!(transcript.verdict().ends_with("certificate confirmed)"), "{}", transcript.out);
    selvedge(&["confirm", &safe, &proof]).expect(0, "");
    let unsafe_ = folder.file("unsafe.c", text.replace("lock = 0;", "lock = 0;\n    x = 1;"));
    selvedge(&["confirm", &unsafe_, &proof]).expect(10, "");
}

/// What is violated is called as in the list of what there was to check.
#[test]
fn the_kind_of_what_is_violated_is_that_of_the_list() {
    let folder = Folder::new("c-kinds");
    let head = "#include <assert.h>\nextern void reach_error(void);\nint x;\nint main(void) { x = 1; ";
    let cases = [
        ("assertion", "assert(x == 0); return 0; }\n"),
        ("assertion", "if (x) __assert_fail(\"x\", \"f\", 1, \"main\"); return 0; }\n"),
        ("error", "if (x) reach_error(); return 0; }\n"),
        ("label", "if (x) goto SLIC_ERROR; return 0; SLIC_ERROR: return 1; }\n"),
    ];
    for (number, (kind, body)) in cases.into_iter().enumerate() {
        let declared = "extern void __assert_fail(const char *, const char *, unsigned, const char *);\n";
        let declared = if body.contains("__assert_fail") { declared } else { "" };
        let file = folder.file(&format!("kind{number}.c"), format!("{declared}{head}{body}"));
        let read = |arguments: &[&str], code: i32| -> Value {
            let labels = ["--error-label", "SLIC_ERROR"];
            let labels = if kind == "label" { &labels[..] } else { &[] };
            let transcript = selvedge(&[arguments, labels, &["--format", "json", &file]].concat());
            serde_json::from_str(&transcript.expect(code, "").out).expect("one object")
        };
        let (list, found) = (read(&["check", "--property-list"], 0), read(&["check"], 10));
        assert_eq!(list["properties"][0]["kind"], kind, "{list}");
        assert_eq!(found["property"]["kind"], list["properties"][0]["kind"], "{found}");
    }
}
