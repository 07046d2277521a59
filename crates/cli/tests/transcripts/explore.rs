//! `selvedge explore`: programs executed by hand.

use crate::support::{Folder, selvedge, selvedge_reads};

const RACE: &str = "\
#include <assert.h>
#include <pthread.h>

int x;

static void *child(void *argument)
{
    x = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
    x = 2;
    assert(x == 2);
    return 0;
}
";

/// The number of the step that stands on a line of the program, in the last list that was printed.
fn number_of(out: &str, line: &str) -> Option<String> {
    let last = out.rfind(" step\n").max(out.rfind(" steps\n")).unwrap_or_default();
    let found = out[last..].lines().find(|it| it.contains(line) && !it.trim_start().starts_with('-'))?;
    found.split_whitespace().next().map(str::to_string)
}

#[test]
fn a_run_by_hand_is_a_trace_that_confirm_accepts() {
    let folder = Folder::new("explore");
    let (path, run) = (folder.file("race.c", RACE), folder.path("run.json"));
    // The schedule is found as a user does it: by looking at what is listed.
    let mut commands = String::new();
    let mut shown = selvedge_reads(&["explore", &path], &commands);
    for line in ["pthread_create(", "x = 2;", "x = 1;", "assert(x == 2)"] {
        // What stands before it is gone through by the first thread.
        for _ in 0..10 {
            if shown.out.contains("unsafe: ") {
                break;
            }
            let number = number_of(&shown.out, line);
            commands += &format!("{}\n", number.as_deref().unwrap_or("1"));
            shown = selvedge_reads(&["explore", &path], &commands);
            if number.is_some() && line != "assert(x == 2)" {
                break;
            }
        }
    }
    assert!(shown.out.contains("unsafe: assertion at "), "{}", shown.out);
    commands += &format!("s {run}\nq\n");
    let saved = selvedge_reads(&["explore", &path], &commands).expect(10, "");
    assert!(saved.out.contains("saved to "), "{}", saved.out);
    selvedge(&["confirm", &path, &run]).expect(0, "");
    let confirmed = selvedge(&["confirm", &path, &run]).out;
    assert!(confirmed.contains("confirmed: the trace reaches an error with 2 threads"), "{confirmed}");
}

#[test]
fn steps_are_taken_back() {
    let folder = Folder::new("explore-back");
    let path = folder.file("race.c", RACE);
    let there = selvedge_reads(&["explore", &path], "1\nb\n").expect(0, "");
    let starts = there.out.lines().filter(|it| *it == "0 steps").count();
    assert_eq!(starts, 2, "{}", there.out);
    let start = selvedge_reads(&["explore", &path], "b\n").expect(0, "");
    assert!(start.out.ends_with("this is the start\n"), "{}", start.out);
}

#[test]
fn what_is_no_command_is_told() {
    let folder = Folder::new("explore-wrong");
    let path = folder.file("race.c", RACE);
    let other = folder.file("a.bp", "void main() begin\n  skip;\nend\n");
    selvedge_reads(&["explore", &path], "x\n").expect(0, "`x` is no command");
    selvedge_reads(&["explore", &path], "99\n").expect(0, "there is no step 99");
    selvedge_reads(&["explore", &path], "s run.json\n").expect(0, "only a run that has come to an error");
    selvedge(&["explore", &other]).expect(1, "only C programs are executed by hand");
    selvedge(&["explore", "-"]).expect(1, "name a file");
}
