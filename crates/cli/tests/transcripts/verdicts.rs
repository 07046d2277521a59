//! Verdict lines, exit codes, several files, and JSON.

use crate::support::{COVERED, Folder, SAFE, UNCOVERED, UNSAFE, repository, selvedge};
use serde_json::Value;

#[test]
fn verdicts_carry_their_evidence() {
    let folder = Folder::new("verdicts");
    let transcript = selvedge(&["check", &folder.file("safe.bp", SAFE)]).expect(0, "");
    assert_eq!(transcript.out, "safe: any number of threads (explicit, certificate confirmed)\n");
    let path = folder.file("race.bp", UNSAFE);
    let transcript = selvedge(&["check", &path]).expect(10, "");
    let start = format!("unsafe: assertion at {path}:9 fails with 2 threads in ");
    assert!(transcript.verdict().starts_with(&start), "{}", transcript.out);
    assert!(transcript.verdict().ends_with("(trace replayed)"), "{}", transcript.out);
    let transcript = selvedge(&["check", "--threads", "2", &folder.file("net.tts", UNCOVERED)]).expect(0, "");
    assert_eq!(transcript.out, "safe: up to 2 threads (explicit, certificate confirmed)\n");
    let transcript = selvedge(&["check", &folder.file("covered.tts", COVERED)]).expect(10, "");
    assert_eq!(
        transcript.verdict(),
        "unsafe: the target is covered with 2 threads in 3 steps (trace replayed)"
    );
}

#[test]
fn rounds_and_width_bound_their_engines() {
    let path = repository("tests/recursion/three_rounds.bp");
    let few = ["check", "-q", "--engine", "rounds", "--rounds"];
    let transcript = selvedge(&[&few[..], &["1", &path]].concat()).expect(5, "");
    assert!(transcript.verdict().ends_with("safe up to 2 rounds"), "{}", transcript.out);
    selvedge(&[&few[..], &["2", &path]].concat()).expect(10, "");
    let transcript = selvedge(&[&few[..], &["0", &path]].concat());
    assert!(transcript.err.contains("--rounds 0"), "{}", transcript.err);
    let path = repository("tests/programs/semaphore.bp");
    let narrow = ["check", "-q", "--engine", "modular", "--width"];
    selvedge(&[&narrow[..], &["1", &path]].concat()).expect(5, "");
    let transcript = selvedge(&[&narrow[..], &["2", &path]].concat()).expect(0, "");
    assert_eq!(transcript.out, "safe: any number of threads (modular, width 2, certificate confirmed)\n");
}

#[test]
fn error_labels_are_errors() {
    let folder = Folder::new("labels");
    let text = "void main() begin\n  skip;\n  SLIC_ERROR: skip;\n  OWN: skip;\nend\n";
    let path = folder.file("label.bp", text);
    let transcript = selvedge(&["check", "-q", &path]).expect(10, "");
    assert!(
        transcript
            .out
            .starts_with(&format!("unsafe: label SLIC_ERROR at {path}:3 is reached with 1 thread in "))
    );
    let own = folder.file("own.bp", text.replace("SLIC_ERROR: ", ""));
    selvedge(&["check", "-q", &own]).expect(0, "");
    let transcript = selvedge(&["check", "-q", &own, "--error-label", "OWN"]).expect(10, "");
    assert!(transcript.out.contains("label OWN"), "{}", transcript.out);
}

#[test]
fn the_trace_is_told_before_the_verdict() {
    let folder = Folder::new("story");
    let path = folder.file("race.bp", UNSAFE);
    let transcript = selvedge(&["check", &path]).expect(10, "");
    for text in ["thread 0: main", "thread 1: f", "x = 1", "starts thread 1", "** the assertion fails"] {
        assert!(transcript.out.contains(text), "no `{text}` in\n{}", transcript.out);
    }
    assert!(
        transcript.out.lines().all(|line| line.chars().count() <= 100 || line.starts_with("unsafe")),
        "{}",
        transcript.out
    );
    assert_eq!(selvedge(&["check", "-q", &path]).out.lines().count(), 1);
    let narrow = folder.path("trace.txt");
    assert_eq!(selvedge(&["check", &path, "--trace", &narrow]).expect(10, "").out.lines().count(), 1);
}

#[test]
fn with_several_files_the_worst_code_wins() {
    let folder = Folder::new("several");
    let (safe, race) = (folder.file("safe.bp", SAFE), folder.file("race.bp", UNSAFE));
    let missing = folder.path("missing.bp");
    let transcript = selvedge(&["check", "-q", &safe, &race, &safe]).expect(10, "");
    let lines: Vec<&str> = transcript.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", transcript.out);
    assert!(
        lines[0].starts_with(&format!("{safe}: safe: "))
            && lines[1].starts_with(&format!("{race}: unsafe: "))
    );
    selvedge(&["check", "-q", &race, &missing, &safe]).expect(2, "missing.bp");
    selvedge(&["check", "-q", &safe, &safe]).expect(0, "");
}

fn json(arguments: &[&str], code: i32) -> Vec<Value> {
    let transcript = selvedge(&[&["check", "--format", "json"], arguments].concat()).expect(code, "");
    transcript.out.lines().map(|line| serde_json::from_str(line).expect("one object a line")).collect()
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let folder = Folder::new("json");
    let (safe, race) = (folder.file("safe.bp", SAFE), folder.file("race.bp", UNSAFE));
    let bad = folder.file("bad.bp", "void main() begin x := 1; end");
    let answers = json(&[&safe, &race, &bad], 2);
    let transcript = selvedge(&["check", "--format", "json", &race]).out;
    let order = [
        "schema",
        "file",
        "verdict",
        "scope",
        "engine",
        "evidence",
        "threads_needed",
        "steps",
        "property",
        "reason",
        "best",
        "trace",
        "time_seconds",
        "peak_memory_bytes",
        "stats",
    ];
    let places: Vec<_> = order.iter().map(|name| transcript.find(&format!("\"{name}\":"))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{transcript}");
    let [safe, race, bad] = &answers[..] else { panic!("three files, three objects") };
    assert_eq!((&safe["verdict"], &safe["evidence"]), (&Value::from("safe"), &Value::from("confirmed")));
    assert_eq!(safe["scope"]["threads"], "any");
    assert_eq!((&race["verdict"], &race["threads_needed"]), (&Value::from("unsafe"), &Value::from(2)));
    assert_eq!(race["property"]["kind"], "assertion");
    assert!(race["property"]["location"].as_str().is_some_and(|at| at.ends_with("race.bp:9:3")), "{race}");
    assert_eq!(race["trace"]["schema"], "selvedge-trace/1");
    assert!(race["stats"]["explicit"].is_object() && race["time_seconds"].is_number());
    assert_eq!((&bad["verdict"], &bad["diagnostics"][0]["severity"]), (&Value::Null, &Value::from("error")));
}

/// The same proof, listed and as formulas: the verdict line is the same, and who confirmed it is said
/// elsewhere.
#[test]
fn who_confirmed_a_proof_is_said() {
    let folder = Folder::new("checker");
    let (safe, race) = (folder.file("safe.bp", SAFE), folder.file("race.bp", UNSAFE));
    let counter = ["--threads", "2", "--engine", "counter"];
    let formulas = [&counter[..], &["--set", "counter.certificate_states=0"]].concat();
    let line = "safe: any number of threads (counter, certificate confirmed)\n";
    for (options, checker) in [(&counter[..], "kernel"), (&formulas[..], "formulas")] {
        let transcript = selvedge(&[&["check", "-v", &safe], options].concat());
        let transcript = transcript.expect(0, &format!("certificate confirmed by {checker}"));
        assert_eq!(transcript.out, line.replace(")\n", ", 1 property)\n"));
        assert!(!selvedge(&[&["check", &safe], options].concat()).err.contains("confirmed by"));
        let answers = json(&[&[&safe[..]], options].concat(), 0);
        assert_eq!(answers[0]["checker"], checker);
    }
    assert_eq!(json(&[&race], 10)[0]["checker"], Value::Null);
}

#[test]
fn the_same_question_gets_the_same_bytes() {
    let folder = Folder::new("same");
    let race = folder.file("race.bp", UNSAFE);
    let once = selvedge(&["check", &race]).out;
    assert_eq!(once, selvedge(&["check", &race]).out);
}

#[test]
fn counters_are_told_on_request() {
    let folder = Folder::new("stats");
    let transcript = selvedge(&["check", "--stats", &folder.file("safe.bp", SAFE)]).expect(0, "explicit: ");
    assert_eq!(transcript.out.lines().count(), 1, "counters go to standard error");
}

/// A procedure that calls itself does not keep the passes from the rest of the program.
#[test]
fn recursive_programs_are_prepared_too() {
    let file = repository("tests/recursion/swap_results.bp");
    let transcript = selvedge(&["check", "--stats", "--engine", "rounds", &file]).expect(0, "passes: ");
    let counter = |name: &str| {
        let line = transcript.err.lines().find(|line| line.contains(name));
        let line = line.unwrap_or_else(|| panic!("no {name}:\n{}", transcript.err));
        line.split_whitespace().last().and_then(|it| it.parse::<u64>().ok()).expect("a number")
    };
    assert_eq!(counter("passes: shared variables removed"), 0);
    assert_eq!(counter("passes: local variables removed"), 0);
    assert!(counter("passes: dead locals") > 0, "{}", transcript.err);
}

#[test]
fn the_examples_say_what_their_comments_say() {
    let check = |arguments: &[&str], code, verdict: &str| {
        let transcript = selvedge(&[&["check", "-q"], arguments].concat()).expect(code, "");
        assert!(transcript.verdict().contains(verdict), "{}", transcript.out);
    };
    check(&[&repository("examples/lock.bp"), "--threads", "3"], 0, "safe: up to 3 threads");
    check(&[&repository("examples/race.bp")], 10, "fails with");
    check(&[&repository("examples/handshake.tts"), "--threads", "4"], 0, "safe: up to 4 threads");
}

#[test]
fn an_unchecked_proof_says_why() {
    let folder = Folder::new("unchecked");
    let safe = folder.file("safe.bp", SAFE);
    let off = [
        "--engine",
        "counter",
        "--set",
        "counter.certificate_states=0",
        "--set",
        "counter.certificate_pieces=0",
    ];
    let transcript = selvedge(&[&["check", &safe], &off[..]].concat()).expect(0, "");
    let expected =
        "safe: any number of threads (counter, no certificate: too many states to list, unchecked)";
    assert_eq!(transcript.verdict(), expected);
    let transcript = selvedge(&[&["check", &safe, "--format", "json"], &off[..]].concat()).expect(0, "");
    assert!(
        transcript.out.contains("\"evidence\":\"unchecked\",\"why_unchecked\":\"too many states to list\""),
        "{}",
        transcript.out
    );
    let transcript = selvedge(&["check", &safe, "--format", "json"]).expect(0, "");
    assert!(
        transcript.out.contains("\"evidence\":\"confirmed\"") && !transcript.out.contains("why_unchecked"),
        "{}",
        transcript.out
    );
}
