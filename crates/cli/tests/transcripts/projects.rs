//! C programs of several files: compile lines, linking, `compile_commands.json` and `selvedge cc`.

use crate::support::{Folder, Transcript, command, selvedge};
use std::process::Command;

const QUEUE_H: &str = "struct queue;\nenum mode { FIFO, LIFO };\nextern enum mode the_mode;\n\
struct queue *queue_new(enum mode m);\nint queue_get(struct queue *q);\n";
const QUEUE_C: &str = "#include \"queue.h\"\n#include <stdlib.h>\nstruct queue { int n; };\nenum mode the_mode;\n\
struct queue *queue_new(enum mode m) { struct queue *q = malloc(sizeof *q); q->n = LIMIT; the_mode = m; return q; }\n\
int queue_get(struct queue *q) { return q->n; }\n";
const MAIN_C: &str = "#include \"queue.h\"\n#include <assert.h>\nextern enum mode the_mode;\n\
int main(void) { assert(queue_get(queue_new(LIFO)) == 3); assert(the_mode == LIFO); return 0; }\n";

/// The files of a program, in a folder.
fn written(folder: &Folder) -> [String; 2] {
    folder.file("queue.h", QUEUE_H);
    [folder.file("main.c", MAIN_C), folder.file("queue.c", QUEUE_C)]
}

#[test]
fn a_compile_line_is_taken_as_it_is() {
    let folder = Folder::new("line");
    let [main, queue] = written(&folder);
    let line = |value: &str, more: &[&str]| {
        let limit = format!("-DLIMIT={value}");
        let options = "-std=gnu11 -Wall -Wextra -O2 -g -pthread -pipe -fPIC -MMD -MF x.d -o prog -L. -lm -c";
        let options: Vec<&str> = options.split(' ').chain([limit.as_str(), &main, &queue]).collect();
        selvedge(&[&["check", "-q"], &options[..], more].concat())
    };
    assert!(line("3", &[]).expect(0, "").verdict().starts_with("safe"));
    assert!(line("4", &[]).expect(10, "").verdict().contains("main.c:4"));
    // The order of files does not matter, and other files are programs of their own.
    let net = folder.file("net.tts", crate::support::UNCOVERED);
    let both = selvedge(&["check", "-q", &queue, &net, &main, "-DLIMIT=3"]).expect(0, "");
    assert_eq!(both.out.lines().count(), 2, "{}", both.out);
    assert!(both.out.lines().next().is_some_and(|it| it.starts_with(&queue)), "{}", both.out);
}

#[test]
fn options_that_change_the_program_are_honoured_or_refused() {
    let folder = Folder::new("honoured");
    let text = "#include <assert.h>\n#include <limits.h>\n#include MACRO\nchar c = '\\xff';\n\
                int main(void) { assert(c == 255 && CHAR_MAX == 255); assert(sizeof(long) == WIDTH); return 0; }\n";
    let file = folder.file("a.c", text);
    let below = Folder::new("honoured-below");
    below.file("width.h", "#define WIDTH 8\n");
    let inside = below.path("");
    let check = |options: &[&str]| selvedge(&[&["check", "-q", &file], options].concat());
    let macros = ["-DMACRO=<width.h>", "-isystem", &inside];
    check(&[&["-funsigned-char"], &macros[..]].concat()).expect(0, "");
    let signed = [&["-funsigned-char", "-fsigned-char"], &macros[..]].concat();
    assert!(check(&signed).expect(10, "").verdict().contains("a.c:5"));
    check(&["-funsigned-char", "-DMACRO=\"width.h\"", "-iquote", &inside]).expect(0, "");
    let first = below.path("width.h");
    check(&["-funsigned-char", "-DMACRO=<limits.h>", "-imacros", &first]).expect(0, "");
    check(&[&["-funsigned-char", "-m32", "-m64"], &macros[..]].concat()).expect(0, "");
    check(&["-fopenmp"]).expect(1, "OpenMP");
    check(&["-std=c++17"]).expect(1, "only C is read");
    check(&["-std=c23"]).expect(1, "C23 is not read");
    check(&["lib.a"]).expect(1, "holds no C");
    check(&["-isytem", &inside]).expect(1, "did you mean `-isystem`?");
    check(&["--thread", "3"]).expect(1, "--threads");
}

#[test]
fn evidence_about_several_files_is_confirmed() {
    let folder = Folder::new("linked-evidence");
    let [main, queue] = written(&folder);
    let (trace, proof) = (folder.path("trace.json"), folder.path("proof.cert"));
    selvedge(&["check", "-q", &main, &queue, "-DLIMIT=4", "--trace", &trace]).expect(10, "");
    selvedge(&["confirm", &main, &queue, "-DLIMIT=4", &trace]).expect(0, "");
    selvedge(&["check", "-q", &main, &queue, "-DLIMIT=3", "--certificate", &proof]).expect(0, "");
    selvedge(&["confirm", &main, "--with", &queue, "-DLIMIT=3", &proof]).expect(0, "");
    selvedge(&["confirm", &main, &queue, "-DLIMIT=4", &proof]).expect(10, "");
    selvedge(&["confirm", &main]).expect(1, "EVIDENCE");
    let net = folder.file("net.tts", crate::support::UNCOVERED);
    selvedge(&["confirm", &main, &net, &trace]).expect(1, "one program");
}

#[test]
fn the_headers_of_the_system_are_a_second_try() {
    let folder = Folder::new("second-try");
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <unistd.h>\n#include <stdio.h>\n\
                static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                int main(void) { pthread_mutex_lock(&m); assert(_SC_XBS5_ILP32_OFF32 >= 0); pthread_mutex_unlock(&m); return 0; }\n";
    let file = folder.file("a.c", text);
    let answered = "read with those of the system alone";
    selvedge(&["check", "-v", &file]).expect(0, answered);
    assert!(!selvedge(&["check", &file]).expect(0, "").err.contains(answered));
    // What is wrong with both is told as it is with ours.
    let wrong = folder.file("b.c", "#include <stdio.h>\nint main(void) { return nope; }\n");
    let transcript = selvedge(&["check", &wrong]).expect(2, "b.c:2:25");
    assert_eq!(transcript.err.matches("error[").count(), 1, "{}", transcript.err);
}

/// Runs `selvedge cc` in a folder, with a record there.
fn compile(folder: &Folder, arguments: &[&str]) -> Transcript {
    let mut cc = command(&[&["cc"], arguments].concat());
    cc.current_dir(folder.path("")).env("SELVEDGE_COMMANDS", folder.path(""));
    Transcript::of(cc.output().expect("the binary runs"))
}

#[test]
fn a_project_is_recorded_and_found() {
    let folder = Folder::new("project");
    let [main, _] = written(&folder);
    folder.file("other.c", "int main(void) { return 1; }\nint queue_get(void) { return 9; }\n");
    folder.file("bad.c", "int queue_new(void) { return }\n");
    for file in ["main.c", "other.c"] {
        compile(&folder, &["-c", file, "-O2"]).expect(0, "");
    }
    compile(&folder, &["-c", "queue.c", "-DLIMIT=9", "-o", "queue.o"]).expect(0, "");
    // What was compiled last counts, and files that do not compile are no hindrance.
    compile(&folder, &["-c", "queue.c", "-DLIMIT=3", "-o", "queue.o"]).expect(0, "");
    assert_eq!(compile(&folder, &["-c", "bad.c"]).code, Some(1));
    let place = folder.path("");
    let check = |more: &[&str]| selvedge(&[&["check", "-v", "--compile-commands", &place], more].concat());
    check(&[]).expect(1, "several files define `main`");
    let found = check(&["--main", &main]).expect(0, "linked: ");
    assert!(found.err.contains("queue.c") && !found.err.contains("other.c"), "{}", found.err);
    check(&[&main]).expect(0, "linked: ");
    check(&["--main", &folder.path("queue.h")]).expect(1, "is not among the files that are compiled");
    let (trace, commands) = (folder.path("trace.json"), folder.path("compile_commands.json"));
    let text = std::fs::read_to_string(&commands).expect("the record").replace("LIMIT=3", "LIMIT=4");
    std::fs::write(&commands, text).expect("it is ours");
    check(&["-D", "UNUSED", "--main", &main, "--trace", &trace]).expect(10, "");
    selvedge(&["confirm", "--compile-commands", &place, "--main", &main, &trace]).expect(0, "");
    selvedge(&["check", "--main", &main]).expect(1, "--compile-commands");
    std::fs::write(&commands, "[{\"file\": 1}]").expect("it is ours");
    check(&[]).expect(1, "a record has no");
    std::fs::write(&commands, "{").expect("it is ours");
    check(&[]).expect(1, "compile_commands.json");
}

#[test]
fn the_files_of_a_program_must_be_compiled_alike() {
    let folder = Folder::new("alike");
    let [main, _] = written(&folder);
    compile(&folder, &["-c", "queue.c", "-DLIMIT=3", "-funsigned-char"]).expect(0, "");
    compile(&folder, &["-c", "main.c"]).expect(0, "");
    let place = folder.path("");
    selvedge(&["check", "--compile-commands", &place, &main]).expect(1, "not compiled alike");
    compile(&folder, &["-c", "queue.c", "-DLIMIT=3", "-fopenmp"]);
    selvedge(&["check", "--compile-commands", &place, &main]).expect(1, "OpenMP");
}

#[test]
fn many_compilers_at_once_do_not_spoil_the_record() {
    let folder = Folder::new("parallel");
    let names: Vec<String> = (0..24).map(|number| format!("f{number}.c")).collect();
    let mut children = vec![];
    for name in &names {
        folder.file(name, format!("int f_{}(void) {{ return 0; }}\n", &name[1..name.len() - 2]));
        let mut cc = command(&["cc", "-c", name]);
        cc.current_dir(folder.path("")).env("SELVEDGE_COMMANDS", "all.json").env("SELVEDGE_CC", "true");
        children.push(cc.spawn().expect("the binary runs"));
    }
    for child in children {
        Transcript::of(child.wait_with_output().expect("it ends")).expect(0, "");
    }
    let text = std::fs::read_to_string(folder.path("all.json")).expect("the record");
    let record: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let record = record.as_array().expect("a list");
    assert_eq!(record.len(), names.len());
    assert!(names.iter().all(|name| record.iter().any(|it| it["file"] == **name)));
    // The same line again adds nothing; a record by others is left as it is, and the compiler runs.
    let again = |place: &str| {
        let mut cc = command(&["cc", "-c", "f0.c"]);
        cc.current_dir(folder.path("")).env("SELVEDGE_COMMANDS", place).env("SELVEDGE_CC", "true");
        Transcript::of(cc.output().expect("the binary runs"))
    };
    again("all.json").expect(0, "");
    assert_eq!(std::fs::read_to_string(folder.path("all.json")).expect("the record"), text);
    let other = folder.file("other.json", "[\n  {\n  }\n]\n");
    again(&other).expect(0, "not by `selvedge cc`");
    assert_eq!(std::fs::read_to_string(&other).expect("the record"), "[\n  {\n  }\n]\n");
}

#[test]
fn the_compiler_runs_as_if_it_was_called_itself() {
    let folder = Folder::new("wrapped");
    folder.file("a.c", "int main(void) { return 7; }\n");
    compile(&folder, &["a.c", "-o", "a"]).expect(0, "");
    let ended = Command::new(folder.path("a")).status().expect("it was compiled");
    assert_eq!(ended.code(), Some(7));
    assert!(compile(&folder, &["--version"]).expect(0, "").out.contains(' '));
    compile(&folder, &["-c", "missing.c"]).expect(1, "missing.c");
    let mut endless = command(&["cc", "-c", "a.c"]);
    let exe = format!("{} cc", env!("CARGO_BIN_EXE_selvedge"));
    endless.current_dir(folder.path("")).env("SELVEDGE_COMMANDS", folder.path("")).env("SELVEDGE_CC", exe);
    Transcript::of(endless.output().expect("the binary runs")).expect(1, "call itself for ever");
}
