//! `selvedge abstract`: the Boolean program of a C program, which `check` reads again; and the predicates of `check`.

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
