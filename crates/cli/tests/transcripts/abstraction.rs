//! `selvedge abstract`: the Boolean program of a C program, which `check` reads again; and the predicates of
//! `check`.

use crate::support::{Folder, selvedge};

const COUNTER: &str = "#include <assert.h>\n#include <pthread.h>\nunsigned count;\nvoid *worker(void *unused)\n{\n    unsigned before;\n\
    do {\n        before = __atomic_load_n(&count, __ATOMIC_SEQ_CST);\n        if (before == ~0u) return 0;\n\
    } while (!__sync_bool_compare_and_swap(&count, before, before + 1u));\n    assert(__atomic_load_n(&count, __ATOMIC_SEQ_CST) > before);\n    return 0;\n}\n\
int main(void)\n{\n    pthread_t id;\n    for (;;) pthread_create(&id, 0, worker, 0);\n}\n";

#[test]
fn the_boolean_program_is_safe_for_any_number_of_threads() {
    let folder = Folder::new("abstract");
    let path = folder.file("counter.c", COUNTER);
    let out = folder.path("counter.bp");
    let named = [
        "--predicate",
        "before < count",
        "--predicate",
        "count == before",
        "--predicate",
        "before == 0xffffffffu",
    ];
    let transcript = selvedge(&[&["abstract", &path][..], &named, &["-o", &out]].concat()).expect(0, "");
    assert!(transcript.out.is_empty(), "{}", transcript.out);
    let text = std::fs::read_to_string(&out).expect("the program was written");
    assert!(text.contains("before < count (mixed)"), "{text}");
    assert!(text.contains("start_thread"), "{text}");
    let checked = selvedge(&["check", "-q", &out]).expect(0, "");
    assert!(checked.verdict().starts_with("safe: any number of threads ("), "{}", checked.out);
    // Without the relation between the two the assertion may fail.
    let few = selvedge(&["abstract", &path, "--predicate", "worker::before == 7"]).expect(0, "");
    let few = folder.file("few.bp", few.out);
    selvedge(&["check", "-q", "--engine", "explicit", "--threads", "2", &few]).expect(10, "");
}

#[test]
fn predicates_come_from_a_proof_if_none_are_named() {
    let folder = Folder::new("abstract-default");
    let path = folder.file("counter.c", COUNTER);
    let transcript = selvedge(&["abstract", &path]).expect(0, "");
    assert!(transcript.out.starts_with("// b0: "), "{}", transcript.out);
    let program = folder.file("default.bp", transcript.out);
    selvedge(&["check", "-q", &program]).expect(0, "");
}

#[test]
fn what_is_no_condition_is_told() {
    let folder = Folder::new("abstract-wrong");
    let path = folder.file("counter.c", COUNTER);
    let list = folder.file("predicates.txt", "// of the counter\ncount == before\n\nnobody > 1\n");
    for (predicate, why) in [
        ("nobody == 1", "there is no variable `nobody`"),
        ("count ==", "it ends too early"),
        ("count = 1", "is no part of a condition"),
        ("", "there is no condition"),
        ("count == 1)", "`)` follows the condition"),
        ("count == 1.5", "`1.`: floating-point numbers have no place in predicates"),
        ("(unsigned _BitInt(0))count == 1", "`unsigned _BitInt(0)` is no type"),
        ("(count > 1", "`)` is missing"),
        ("1 < 2", "it reads no variable"),
        ("main::before == 1", "there is no variable `main::before`"),
        (&"(".repeat(500), "nested too deeply"),
    ] {
        selvedge(&["abstract", &path, "--predicate", predicate]).expect(1, why);
    }
    selvedge(&["abstract", &path, "--predicates", &list]).expect(1, "`nobody > 1`");
    let program = folder.file("one.bp", "void main() begin skip; end");
    selvedge(&["abstract", &program]).expect(5, "only C programs are abstracted");
}

#[test]
fn check_begins_with_the_predicates_that_are_named() {
    let folder = Folder::new("check-predicates");
    let path = folder.file("counter.c", COUNTER);
    let list = folder
        .file("predicates.txt", "# of the counter\ncount == before\nbefore < count\nbefore == 0xffffffffu\n");
    let check = ["check", "--way", "abstract", "-v", "--format", "json"];
    let named = selvedge(&[&check[..], &["--predicates", &list, &path]].concat()).expect(0, "");
    assert!(named.out.contains("\"refinements\":0"), "{}", named.out);
    assert!(named.out.contains("{\"text\":\"before < count\",\"class\":\"mixed\"}"), "{}", named.out);
    assert!(named.err.contains("round 1: 3 predicates (3 new), "), "{}", named.err);
    assert!(named.err.contains("the certificate is checked; "), "{}", named.err);
    // What does not matter does no harm, and is left out in the end.
    let useless = selvedge(&[&check[..], &["--predicate", "count == 77", &path]].concat()).expect(0, "");
    // The number alone may be in a time, in the memory or in a name.
    assert!(!useless.out.contains("== 77"), "{}", useless.out);
    let kept = ["--set", "abstraction.minimise=off", "--predicate", "count == 77"];
    let kept = selvedge(&[&check[..], &kept, &[&path]].concat()).expect(0, "");
    assert!(kept.out.contains("\"count == 77\""), "{}", kept.out);
}

#[test]
fn check_tells_what_is_no_predicate() {
    let folder = Folder::new("check-no-predicate");
    let path = folder.file("counter.c", COUNTER);
    let list = folder.file("predicates.txt", "count == before\n\nnobody > 1\n");
    selvedge(&["check", &path, "--predicate", "count ="]).expect(2, "E0912");
    let placed =
        selvedge(&["check", &path, "--predicates", &list]).expect(2, "predicates.txt:3: `nobody > 1`");
    assert!(placed.out.is_empty(), "{}", placed.out);
    selvedge(&["check", &path, "--predicates", &folder.path("none.txt")]).expect(1, "none.txt");
    let program = folder.file("one.bp", "void main() begin skip; end");
    selvedge(&["check", &program, "--predicate", "x == 1"]).expect(0, "W0901");
    selvedge(&["check", &path, "--set", "abstraction.exact=1"]).expect(1, "abstraction.exact");
    selvedge(&["check", &path, "--set", "passes.movers=perhaps"]).expect(1, "one of `auto`, `on`, `off`");
}

#[test]
fn whatever_a_file_of_predicates_is_it_is_told_in_few_words() {
    let folder = Folder::new("hostile-predicates");
    let path = folder.file("counter.c", COUNTER);
    let many: String = (0..10_000).map(|it| format!("count == {it}u\n")).collect();
    let calls = "(int)".repeat(100_000) + "count == 1";
    for (name, text, why) in [
        ("many.txt", many, "many.txt:1001: more than 1000 different predicates are named"),
        ("deep.txt", "(".repeat(100_000), "nested too deeply"),
        ("casts.txt", calls, "nested too deeply"),
        ("name.txt", "a".repeat(1_000_000), "there is no variable `aaa"),
        ("number.txt", format!("count == {}", "9".repeat(100_000)), "has more than 64 bits"),
        ("type.txt", format!("({}x)count", "unsigned ".repeat(10_000)), "is no type"),
    ] {
        let list = folder.file(name, text);
        for (command, code) in [(&["abstract"][..], 1), (&["check", "--way", "abstract"], 2)] {
            let arguments = [command, &[&path, "--predicates", &list]].concat();
            let transcript = selvedge(&arguments).expect(code, why);
            assert!(transcript.err.len() < 1_000, "{} bytes for {name}", transcript.err.len());
        }
    }
    // The same predicate may be there any number of times, and a mark of the encoding is not one.
    let same = folder.file("same.txt", format!("\u{feff}{}", "before < count\n".repeat(5_000)));
    selvedge(&["abstract", &path, "--predicates", &same]).expect(0, "");
    selvedge(&["abstract", &path, "--predicates", &folder.path("")]).expect(1, "is a directory");
    selvedge(&["abstract", &path, "--predicates", "/dev/zero"]).expect(1, "more than 64 MB");
}

/// A pipe that nobody writes to.
#[cfg(unix)]
#[test]
fn a_file_of_predicates_that_never_comes_is_not_waited_for() {
    let folder = Folder::new("endless-predicates");
    let path = folder.file("counter.c", COUNTER);
    let pipe = folder.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if made.is_ok_and(|it| it.success()) {
        selvedge(&["abstract", &path, "--predicates", &pipe, "--timeout", "1s"]).expect(1, "time limit 1 s");
        selvedge(&["check", &path, "--predicates", &pipe, "--timeout", "1s"]).expect(1, "time limit 1 s");
    }
}

#[test]
fn a_message_names_the_place_of_its_condition() {
    let folder = Folder::new("place-of-condition");
    let path = folder.file("counter.c", COUNTER);
    let list = folder.file("predicates.txt", "count == 1x\n");
    selvedge(&["abstract", &path, "--predicate", "count", "--predicates", &list])
        .expect(1, "predicates.txt:1: `count == 1x`");
}

#[test]
fn the_files_that_are_read_are_not_written_over() {
    let folder = Folder::new("abstract-over");
    let path = folder.file("counter.c", COUNTER);
    let list = folder.file("predicates.txt", "before < count\n");
    for output in [&path, &list, &folder.path("./counter.c")] {
        selvedge(&["abstract", &path, "--predicates", &list, "-o", output]).expect(1, "written over");
    }
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), COUNTER);
}

#[test]
fn predicates_are_for_the_abstract_way() {
    let folder = Folder::new("predicates-of-no-way");
    let path = folder.file("one.c", "#include <assert.h>\nint x;\nint main(void) { x = 1; assert(x); }\n");
    selvedge(&["check", "--way", "concrete", "--predicate", "x == 1", &path]).expect(0, "W0901");
}

const POINTERS: &str = "#include <assert.h>\n#include <pthread.h>\nint x, y, a[4];\nint *p = &x;\nvoid *worker(void *unused)\n{\n\
    int *t = __atomic_load_n(&p, __ATOMIC_SEQ_CST);\n    __atomic_store_n(&p, t == &x ? &a[3] : &x, __ATOMIC_SEQ_CST);\n\
    t = __atomic_load_n(&p, __ATOMIC_SEQ_CST);\n    assert(t != &y);\n    return 0;\n}\n\
int main(void)\n{\n    pthread_t id;\n    for (;;) pthread_create(&id, 0, worker, 0);\n}\n";

#[test]
fn predicates_about_addresses_are_printed_so_that_they_can_be_named_again() {
    let folder = Folder::new("addresses");
    let path = folder.file("pointers.c", POINTERS);
    let check = ["check", "--way", "abstract", "--format", "json", &path];
    let first = selvedge(&check).expect(0, "");
    let answer: serde_json::Value = serde_json::from_str(&first.out).expect("JSON");
    let predicates = answer["predicates"].as_array().expect("a list");
    let texts: Vec<&str> = predicates.iter().filter_map(|it| it["text"].as_str()).collect();
    assert!(texts.contains(&"p == &y"), "{texts:?}");
    let list = folder.file("predicates.txt", texts.join("\n"));
    let again = selvedge(&[&check[..], &["--predicates", &list]].concat()).expect(0, "");
    let again: serde_json::Value = serde_json::from_str(&again.out).expect("JSON");
    assert_eq!(again["refinements"], 0);
    let printed = selvedge(&["abstract", &path, "--predicates", &list]).expect(0, "");
    assert!(printed.out.contains("p == &y (shared)"), "{}", printed.out);
}
