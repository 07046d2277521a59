//! Strange surroundings: limits of the system, closed streams, full disks, folders that are gone. The answer
//! is right, or it is said why there is none.

use crate::support::{Folder, Transcript, command, selvedge};
use std::process::{Command, Stdio};

const PROGRAM: &str = "#include <assert.h>\nint x;\nint main(void) { assert(!x); return 0; }\n";

/// Runs a line of the shell, in which `$T` is the tool and `$P` a safe program.
fn shell(folder: &Folder, line: &str) -> Transcript {
    let program = folder.file("p.c", PROGRAM);
    // `ulimit -u` is not in every shell.
    let mut shell = Command::new("bash");
    shell.args(["-c", line]).env("T", env!("CARGO_BIN_EXE_selvedge")).env("P", program).env_remove("CC");
    Transcript::of(shell.stdin(Stdio::null()).output().expect("there is a shell"))
}

#[test]
fn limits_of_the_system_are_no_faults() {
    let folder = Folder::new("system-limits");
    for limit in ["-c 0", "-s 64", "-t 100"] {
        shell(&folder, &format!("ulimit {limit}; exec \"$T\" check \"$P\"")).expect(0, "");
    }
    // Few processes or files: with no limit there is an answer.
    for limit in ["-u 5", "-u 1", "-n 8", "-n 6", "-n 4"] {
        let transcript = shell(&folder, &format!("ulimit {limit}; exec \"$T\" check \"$P\""));
        let all = format!("{limit}: {:?} {}{}", transcript.code, transcript.out, transcript.err);
        match transcript.code {
            Some(0) => {}
            Some(5) => {
                assert!(transcript.verdict().starts_with("unknown: the system refuses another"), "{all}")
            }
            Some(2) => assert!(transcript.err.contains("ulimit -n"), "{all}"),
            _ => panic!("{all}"),
        }
    }
}

#[test]
fn streams_and_folders_may_be_missing() {
    let folder = Folder::new("system-streams");
    for streams in ["<&-", "2>&-", "<&- 2>&-"] {
        let transcript = shell(&folder, &format!("exec \"$T\" check \"$P\" {streams}")).expect(0, "");
        assert!(transcript.verdict().starts_with("safe"), "{}", transcript.out);
    }
    shell(&folder, "exec \"$T\" check \"$P\" >&- 2>&-").expect(0, "");
    shell(&folder, "exec \"$T\" check \"$P\" >/dev/full").expect(1, "no space left on device");
    shell(&folder, "exec \"$T\" check \"$P\" --certificate /dev/full").expect(1, "no space left on device");
    shell(&folder, "unset HOME; exec \"$T\" check \"$P\"").expect(0, "");
    shell(&folder, "exec env -i \"$T\" check \"$P\"").expect(0, "");
    let gone = folder.path("gone");
    shell(&folder, &format!("mkdir {gone}; cd {gone}; rmdir {gone}; exec \"$T\" check \"$P\"")).expect(0, "");
    shell(&folder, "TMPDIR=/proc exec \"$T\" check \"$P\"").expect(2, "set TMPDIR");
}

/// A user who names a compiler does not mean another one.
#[test]
fn a_compiler_that_is_named_is_taken() {
    let folder = Folder::new("system-compiler");
    let path = folder.file("p.c", PROGRAM);
    let run = |compiler: &str| {
        Transcript::of(command(&["check", &path]).env("CC", compiler).output().expect("the binary runs"))
    };
    let transcript =
        run("nosuchcc -m64").expect(2, "the preprocessor `nosuchcc -m64`, which the environment");
    assert!(transcript.err.contains("`CC`"), "{}", transcript.err);
    selvedge(&["check", &path, "--cc", "nosuchcc"])
        .expect(2, "the preprocessor `nosuchcc`, which `--cc` names");
    run("cc -DUNUSED").expect(0, "");
    run(" ").expect(0, "");
}

#[test]
fn files_may_be_anything() {
    let folder = Folder::new("system-files");
    shell(&folder, "exec \"$T\" check /").expect(2, "is a directory");
    let (a, b) = (folder.path("a.c"), folder.path("b.c"));
    shell(&folder, &format!("ln -s {a} {b}; ln -s {b} {a}; exec \"$T\" check {a}")).expect(2, "E0901");
    let pipe = folder.path("pipe.c");
    shell(&folder, &format!("mkfifo {pipe}; cat \"$P\" > {pipe} & exec \"$T\" check {pipe}")).expect(0, "");
    shell(&folder, "exec \"$T\" check - < \"$P\"").expect(0, "");
    let never = folder.path("never.c");
    let transcript = shell(&folder, &format!("mkfifo {never}; exec \"$T\" check {never} --timeout 300ms"));
    assert_eq!(transcript.expect(5, "").verdict(), "unknown: time limit 0.3 s reached");
    let line = format!("int x; int main(void) {{ {} return 0; }}", "x = x + 1; x = x - 1; ".repeat(20_000));
    let transcript = selvedge(&["check", &folder.file("line.c", line), "--timeout", "60s"]);
    assert!(matches!(transcript.code, Some(0 | 5)), "{:?} {}", transcript.code, transcript.err);
    let zero = folder.file("zero.c", b"int main(void) { return 0; }\0\0");
    selvedge(&["check", &zero]).expect(2, "not a text file");
}
