//! `abstraction.opinion`: a solver that is a program of its own is asked, too. The solvers of these tests are
//! scripts, so that none has to be there.

use crate::support::{Folder, Transcript, command, selvedge};
use std::time::{Duration, Instant};

const COUNTER: &str = "#include <assert.h>\n#include <pthread.h>\nunsigned count;\nvoid *worker(void *unused)\n{\n    unsigned before;\n\
    do {\n        before = __atomic_load_n(&count, __ATOMIC_SEQ_CST);\n        if (before == ~0u) return 0;\n\
    } while (!__sync_bool_compare_and_swap(&count, before, before + 1u));\n    assert(__atomic_load_n(&count, __ATOMIC_SEQ_CST) > before);\n    return 0;\n}\n\
int main(void)\n{\n    pthread_t id;\n    for (;;) pthread_create(&id, 0, worker, 0);\n}\n";

const CHECK: [&str; 5] = ["check", "--way", "abstract", "--set", "abstraction.route=boolean"];

/// A folder with the program, and a solver that runs a script.
struct Setup {
    folder: Folder,
    program: String,
    solver: String,
}

impl Setup {
    fn new(name: &str, script: &str) -> Setup {
        let folder = Folder::new(name);
        let program = folder.file("counter.c", COUNTER);
        let solver = format!("abstraction.opinion=sh {}", folder.file("solver.sh", script));
        Setup { folder, program, solver }
    }

    fn check(&self, more: &[&str]) -> Transcript {
        let arguments = [&CHECK[..], &["--set", &self.solver], more, &[&self.program]].concat();
        let mut command = command(&arguments);
        command.env("TMPDIR", self.folder.path(""));
        Transcript::of(command.output().expect("the binary runs"))
    }
}

#[test]
fn the_same_answer_is_counted() {
    let setup = Setup::new("opinion-same", "grep -q check-sat \"$1\" && echo unsat\n");
    let transcript = setup.check(&["-v", "--stats"]).expect(0, "second opinion: agrees");
    let counters: Vec<Vec<&str>> =
        transcript.err.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(counters.contains(&vec!["second", "opinion:", "disagrees", "0"]), "{}", transcript.err);
    assert!(!transcript.err.contains("W0902"), "{}", transcript.err);
    assert_eq!(setup.folder.names(), ["counter.c", "solver.sh"]);
}

#[test]
fn another_answer_is_a_fault_whose_question_is_kept() {
    let setup = Setup::new("opinion-other", "echo sat\n");
    let transcript = setup.check(&["--format", "json"]).expect(6, "Please report it");
    assert!(transcript.out.contains("\"kind\":\"fault\""), "{}", transcript.out);
    let kept: Vec<String> =
        setup.folder.names().into_iter().filter(|it| it.starts_with("selvedge-question-")).collect();
    let [kept] = &kept[..] else { panic!("{kept:?} were kept") };
    assert!(transcript.err.contains(kept), "{}", transcript.err);
    let text = std::fs::read_to_string(setup.folder.path(kept)).expect("it was kept");
    assert!(text.starts_with("(set-logic QF_BV)") && text.ends_with("(check-sat)\n"), "{text}");
}

#[test]
fn no_answer_is_warned_of_once_and_changes_nothing() {
    for (name, script, why) in [
        ("unknown", "echo unknown\n", "`sh` does not know"),
        ("error", "echo '(error \"what?\")'; exit 1\n", "(error \"what?\")"),
        ("nothing", "exit 3\n", "it wrote nothing"),
        ("binary", "printf '\\377\\000\\033[31m'\n", "gives no answer"),
    ] {
        let setup = Setup::new(&format!("opinion-{name}"), script);
        let transcript = setup.check(&[]).expect(0, why);
        assert_eq!(transcript.err.matches("W0902").count(), 1, "{}", transcript.err);
        assert!(transcript.verdict().contains("certificate confirmed"), "{}", transcript.out);
        assert_eq!(setup.folder.names(), ["counter.c", "solver.sh"]);
    }
    let setup =
        Setup { solver: "abstraction.opinion=no-such-solver".into(), ..Setup::new("opinion-none", "") };
    let transcript = setup.check(&["--format", "json"]).expect(0, "the solver `no-such-solver` is not found");
    assert!(transcript.out.contains("\"code\":\"W0902\""), "{}", transcript.out);
}

#[test]
fn a_solver_that_hangs_is_ended_with_the_run() {
    let setup = Setup::new("opinion-hangs", "sleep 60 & sleep 60\n");
    let begun = Instant::now();
    let transcript = setup.check(&["--timeout", "2s", "-q"]).expect(5, "");
    assert_eq!(transcript.verdict(), "unknown: time limit 2 s reached");
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    assert_eq!(setup.folder.names(), ["counter.c", "solver.sh"]);
}

#[test]
fn an_empty_command_is_wrong_usage() {
    let setup = Setup::new("opinion-empty", "");
    selvedge(&["check", "--set", "abstraction.opinion= ", &setup.program]).expect(1, "or a command");
    selvedge(&["engines"]).expect(0, "");
}
