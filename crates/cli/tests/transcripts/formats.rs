//! Results and evidence in the formats of others: `--sarif`, `--witness`, and witnesses confirmed.

use crate::support::{Folder, SAFE, UNSAFE, selvedge};
use std::fs;

const RACE: &str = "#include <pthread.h>
int x;
void *w(void *arg) { x = 1; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    x = 2;
    return 0;
}
";

#[test]
fn one_document_tells_the_results_of_all_files() {
    let folder = Folder::new("sarif");
    let (safe, race) = (folder.file("safe.bp", SAFE), folder.file("race.bp", UNSAFE));
    let sarif = folder.path("results.sarif");
    selvedge(&["check", "-q", &safe, &race, "--threads", "2", "--sarif", &sarif]).expect(10, "");
    let read = || -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(&sarif).expect("it is written")).expect("it is JSON")
    };
    let run = &read()["runs"][0];
    assert_eq!(run["artifacts"].as_array().map(Vec::len), Some(2));
    assert_eq!(run["results"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&run["results"][0]["kind"], &run["invocations"][0]["exitCode"]),
        (&"fail".into(), &10.into())
    );
    let flows = run["results"][0]["codeFlows"][0]["threadFlows"].as_array().expect("there is a run");
    assert_eq!(flows.len(), 2);
    selvedge(&["check", "-q", &safe, "--threads", "2", "--sarif", &sarif, "--sarif-pass"]).expect(0, "");
    assert_eq!(read()["runs"][0]["results"][0]["kind"], "pass");
    let bad = folder.file("bad.bp", "nonsense");
    selvedge(&["check", "-q", &bad, "--sarif", &sarif]).expect(2, "");
    let invocation = &read()["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"][0]["level"], "error");
    selvedge(&["check", "-q", &safe, "--sarif", &safe]).expect(1, "over the file");
    selvedge(&["check", "-q", &safe, "--sarif-pass"]).expect(1, "--sarif");
    assert_eq!(folder.names().len(), 4, "no file is left behind: {:?}", folder.names());
}

#[test]
fn witnesses_are_written_and_confirmed() {
    let folder = Folder::new("witness");
    let (file, witness) = (folder.file("race.c", RACE), folder.path("race.yml"));
    selvedge(&["check", "-q", &file, "--property", "race", "--witness", &witness]).expect(10, "");
    let transcript = selvedge(&["confirm", &file, &witness]).expect(0, "");
    let expected = "confirmed: a run that follows the witness reaches the error with 2 threads in 3 steps";
    assert_eq!(transcript.verdict(), expected);
    // The other write is in the same line as no access of `main`.
    let wrong = fs::read_to_string(&witness).expect("it is written").replace("line: 7", "line: 8");
    let wrong = folder.file("wrong.yml", wrong);
    let transcript = selvedge(&["confirm", &file, &wrong]).expect(10, "");
    assert!(
        transcript.verdict().starts_with("rejected: no run of the program follows"),
        "{}",
        transcript.out
    );
    let graph = folder.path("race.graphml");
    selvedge(&["check", "-q", &file, "--property", "race", "--witness", &graph]).expect(1, "data races");
    assert!(!folder.names().contains(&"race.graphml".to_string()), "whole or not at all");
}

#[test]
fn what_is_no_witness_is_told() {
    let folder = Folder::new("no-witness");
    let (file, program) = (folder.file("race.c", RACE), folder.file("race.bp", UNSAFE));
    selvedge(&["check", "-q", &program, "--witness", &folder.path("w.yml")]).expect(1, "about C programs");
    selvedge(&["check", "-q", &file, "--witness", &folder.path("w.txt")]).expect(1, ".graphml");
    selvedge(&["check", "-q", &file, &program, "--witness", &folder.path("w.yml")]).expect(1, "one by one");
    let empty = folder.file("empty.yml", "- entry_type: violation_sequence\n  content: []\n");
    selvedge(&["confirm", &file, &empty]).expect(2, "E0913");
    let invariants = folder.file("proof.yml", "- entry_type: invariant_set\n  content: []\n");
    selvedge(&["confirm", &file, &invariants]).expect(2, "violation_sequence");
}
