//! What there was to check: a verdict about nothing says so, assertions that no run reaches are told, and
//! each property can have its own verdict.

use crate::support::{COVERED, Folder, SAFE, UNSAFE, repository, selvedge};
use serde_json::Value;

const NOTHING: &str = "decl x;\nvoid main() begin\n  x := 1;\nend\n";
const UNREACHED: &str = "decl x;\nvoid main() begin\n  assume(0);\n  assert(x);\nend\n";
/// The first assertion holds, the second fails with two threads, the third is reached by nobody.
const THREE: &str = "decl x;\nvoid main() begin\n  x := 0;\n  assert(!x);\n  start_thread f();\n  x := 1;\nend\n\
void f() begin\n  assert(!x);\n  assume(0);\n  assert(x);\nend\n";

fn json(arguments: &[&str]) -> Value {
    let transcript = selvedge(&[&["check", "--format", "json"], arguments].concat());
    serde_json::from_str(&transcript.out).expect("one object")
}

#[test]
fn a_proof_about_nothing_says_so() {
    let folder = Folder::new("nothing");
    let path = folder.file("nothing.bp", NOTHING);
    let transcript = selvedge(&["check", "-q", &path]).expect(0, "W0801");
    let line = "safe: any number of threads (explicit, certificate confirmed, there was nothing to check)\n";
    assert_eq!(transcript.out, line);
    let answer = json(&[&path]);
    assert_eq!((&answer["properties"], &answer["warnings"][0]["code"]), (&Value::from(0), &"W0801".into()));
    let transcript = selvedge(&["check", &folder.file("safe.bp", SAFE)]).expect(0, "");
    assert!(!transcript.err.contains("W08"), "{}", transcript.err);
}

#[test]
fn the_number_of_properties_is_told() {
    let folder = Folder::new("number");
    let (safe, race) = (folder.file("safe.bp", SAFE), folder.file("race.bp", UNSAFE));
    let transcript = selvedge(&["check", "-v", &safe]).expect(0, "");
    assert_eq!(
        transcript.verdict(),
        "safe: any number of threads (explicit, certificate confirmed, 1 property)"
    );
    let transcript = selvedge(&["check", "-v", &race]).expect(10, "");
    assert!(transcript.verdict().ends_with("(trace replayed, 1 property)"), "{}", transcript.out);
    assert_eq!(json(&[&race])["properties"], 1);
    assert_eq!(json(&[&folder.file("net.tts", COVERED)])["properties"], 1);
    assert_eq!(json(&[&repository("examples/race.c")])["properties"], 1);
}

#[test]
fn a_label_that_looks_like_an_error_is_told() {
    let folder = Folder::new("unnamed");
    let path = folder.file("label.bp", "decl x;\nvoid main() begin\n  assert(1);\n  ERROR: skip;\nend\n");
    let transcript = selvedge(&["check", "-q", &path]).expect(0, "W0802");
    assert!(transcript.err.contains("label.bp:4:") && transcript.err.contains("--error-label ERROR"));
    let transcript = selvedge(&["check", "-q", &path, "--error-label", "ERROR"]).expect(10, "");
    assert!(!transcript.err.contains("W0802"), "{}", transcript.err);
}

#[test]
fn labels_of_c_programs_are_errors_where_they_are_named() {
    let folder = Folder::new("c-labels");
    let text = "int x;\nint main(int argc, char **argv) {\n  if (argc > 2) goto ERROR;\n  return 0;\nERROR:\n  return 1;\n}\n";
    let path = folder.file("label.c", text);
    let transcript = selvedge(&["check", "-q", &path]).expect(0, "W0802");
    assert!(transcript.err.contains("label.c:5:1") && transcript.err.contains("--error-label ERROR"));
    let named = ["--error-label", "ERROR", &path];
    let transcript = selvedge(&[&["check", "-q"], &named[..]].concat()).expect(10, "");
    assert!(!transcript.err.contains("W0802"), "{}", transcript.err);
    assert!(transcript.verdict().contains("label.c:5"), "{}", transcript.out);
    let transcript = selvedge(&[&["check", "--property-list"], &named[..]].concat()).expect(0, "");
    assert_eq!(transcript.out, format!("{path}:5:1: label ERROR\n1 property\n"));
    let transcript = selvedge(&[&["check", "-q", "--all"], &named[..]].concat()).expect(10, "");
    assert!(transcript.out.starts_with(&format!("{path}:5:1: label ERROR: unsafe: ")), "{}", transcript.out);
    // Falling through to the label is reaching it.
    let through = folder.file("through.c", text.replace("  return 0;\n", "").replace("goto ERROR", "x = 1"));
    selvedge(&["check", "-q", &through, "--error-label", "ERROR"]).expect(10, "");
    let transcript = selvedge(&["check", &path, "--error-label", "EROR"]).expect(2, "E0206");
    assert!(transcript.err.contains("did you mean `ERROR`?"), "{}", transcript.err);
    // A label at an error call is no news.
    let call = "extern void reach_error(void);\n".to_string() + &text.replace("return 1;", "reach_error();");
    let transcript = selvedge(&["check", "-q", &folder.file("call.c", call)]).expect(10, "");
    assert!(!transcript.err.contains("W0802"), "{}", transcript.err);
}

#[test]
fn assertions_that_no_run_reaches_are_told() {
    let folder = Folder::new("vacuous");
    let path = folder.file("vacuous.bp", UNREACHED);
    let transcript = selvedge(&["check", &path]).expect(0, "W0803");
    assert!(transcript.err.contains("vacuous.bp:4:3"), "{}", transcript.err);
    assert!(transcript.verdict().ends_with("no run reaches an assertion)"), "{}", transcript.out);
    let answer = json(&[&path]);
    assert_eq!((&answer["verdict"], &answer["unreached"][0]["kind"]), (&"safe".into(), &"assertion".into()));
    // One is reached, the other is not: the proof is about something, and the warning names the one.
    let text = "decl x;\nvoid main() begin\n  x := 0;\n  assert(!x);\n  assume(0);\n  assert(x);\nend\n";
    let transcript = selvedge(&["check", &folder.file("half.bp", text)]).expect(0, "half.bp:6:3");
    assert!(!transcript.err.contains("half.bp:4:3"), "{}", transcript.err);
    assert!(transcript.verdict().ends_with("certificate confirmed)"), "{}", transcript.out);
    // Reached only by a second thread, and with one thread by nobody.
    let text = "decl x;\nvoid main() begin\n  start_thread f();\n  x := 1;\nend\nvoid f() begin\n  assert(x | !x);\nend\n";
    let path = folder.file("second.bp", text);
    assert!(!selvedge(&["check", &path]).expect(0, "").err.contains("W08"));
    selvedge(&["check", &path, "--threads", "1"]).expect(0, "W0803");
}

#[test]
fn c_programs_have_properties_too() {
    let folder = Folder::new("c-properties");
    let text = "#include <assert.h>\nint x;\nint main(void) {\n  x = 1;\n  if (x == 2)\n    assert(x == 3);\n  return 0;\n}\n";
    let path = folder.file("vacuous.c", text);
    let transcript = selvedge(&["check", &path, "--way", "concrete"]).expect(0, "W0803");
    assert!(transcript.err.contains("vacuous.c:6"), "{}", transcript.err);
    let transcript = selvedge(&["check", "--property-list", &path]).expect(0, "");
    assert!(
        transcript.out.contains("vacuous.c:6:") && transcript.out.contains(": assertion assert(x == 3)\n"),
        "{}",
        transcript.out
    );
    let text = "#include <assert.h>\nint x;\nint main(int argc, char **argv) {\n  x = argc > 3;\n  assert(x < 2);\n  assert(x == 0);\n  return 0;\n}\n";
    let path = folder.file("two.c", text);
    let transcript = selvedge(&["check", "--all", &path, "--way", "concrete"]).expect(10, "");
    let lines: Vec<&str> =
        transcript.out.lines().filter(|line| line.contains("two.c:") && line.contains("): ")).collect();
    assert!(
        lines.len() == 2 && lines[0].contains("): safe: ") && lines[1].contains("): unsafe: "),
        "{}",
        transcript.out
    );
}

#[test]
fn properties_are_listed() {
    let folder = Folder::new("list");
    let path = folder.file("three.bp", THREE);
    let transcript = selvedge(&["check", "--property-list", &path]).expect(0, "");
    let lines: Vec<&str> = transcript.out.lines().collect();
    assert_eq!(lines[0], format!("{path}:4:3: assertion assert(!x)"));
    assert_eq!((lines.len(), lines[3]), (4, "3 properties"));
    let list = json(&["--property-list", &path]);
    assert_eq!(
        (&list["schema"], &list["properties"][1]["kind"]),
        (&"selvedge-properties/1".into(), &"assertion".into())
    );
    let transcript = selvedge(&["check", "--property-list", &folder.file("net.tts", COVERED)]).expect(0, "");
    assert!(transcript.out.starts_with("target shared state 1, 1 >= 1, 2 >= 1\n"), "{}", transcript.out);
    selvedge(&["check", "--property-list", &folder.path("missing.bp")]).expect(2, "no such file");
}

#[test]
fn each_property_has_its_verdict() {
    let folder = Folder::new("each");
    let path = folder.file("three.bp", THREE);
    let transcript = selvedge(&["check", "-q", "--all", &path]).expect(10, "");
    let lines: Vec<&str> = transcript.out.lines().collect();
    assert_eq!(lines.len(), 4, "{}", transcript.out);
    for (line, (place, verdict)) in lines.iter().zip([(4, "safe"), (9, "unsafe"), (11, "safe")]) {
        assert!(line.starts_with(&format!("{path}:{place}:3: assertion ")), "{line}");
        assert!(line.contains(&format!("): {verdict}: ")), "{line}");
    }
    assert!(lines[3].starts_with("unsafe: assertion at "), "{}", transcript.out);
    let answer = json(&["--all", &path]);
    let verdicts: Vec<&str> =
        answer["each"].as_array().expect("a list").iter().filter_map(|it| it["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["safe", "unsafe", "safe"]);
    // An assertion that fails does not hide one behind it.
    let text = "void main() begin\n  assert(0);\n  assert(0);\n  ERROR: skip;\nend\n";
    let path = folder.file("behind.bp", text);
    let transcript = selvedge(&["check", "-q", "--all", "--error-label", "ERROR", &path]).expect(10, "");
    assert_eq!(transcript.out.matches(": unsafe: ").count(), 3, "{}", transcript.out);
    selvedge(&["check", "--all", "--trace", &folder.path("t.json"), &path]).expect(1, "");
}

/// Any number of threads count under a lock.
const LOCKED: &str = "#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;
void *worker(void *unused) {
  pthread_mutex_lock(&lock);
  count++;
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t id;
  while (1) pthread_create(&id, 0, worker, 0);
}
";

#[test]
fn pairs_of_accesses_are_listed_and_counted() {
    let folder = Folder::new("pairs");
    let path = folder.file("locked.c", LOCKED);
    let race = ["--property", "race", path.as_str()];
    let list = selvedge(&[&["check", "--property-list"], &race[..]].concat()).expect(0, "");
    let lines: Vec<&str> = list.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", list.out);
    assert!(lines[0].contains("locked.c:6:") && lines[0].ends_with(" on count"), "{}", list.out);
    assert_eq!(lines[1], "1 property");
    let listed = json(&[&["--property-list"], &race[..]].concat());
    let property = &listed["properties"][0];
    assert_eq!((&property["kind"], &property["object"]), (&"race".into(), &"count".into()));
    assert_eq!(property["locations"].as_array().map(Vec::len), Some(2));

    let checked = selvedge(&[&["check"], &race[..]].concat()).expect(0, "");
    let says = "safe: any number of threads, no data race (2 pairs of accesses, 2 by locks; abstract, ";
    assert!(checked.out.contains(says), "{}", checked.out);
    let result = json(&race);
    assert_eq!((&result["pairs"], &result["discharged"]), (&2.into(), &2.into()));
    assert_eq!(result["open"], 0);

    let alone = folder.file("alone.c", LOCKED.replace("count++;", ""));
    let checked = selvedge(&["check", "--property", "race", &alone]).expect(0, "");
    let says = "safe: any number of threads, no two threads touch the same plain memory (abstract, ";
    assert!(checked.out.contains(says), "{}", checked.out);
}
