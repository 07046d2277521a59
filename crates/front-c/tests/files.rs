//! Whole files: what gcc accepts is accepted, units are linked, line markers are followed, and limits hold.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use base::{Budget, SourceMap, Stop};
use front_c::types::DataModel;
use front_c::{Failure, Options, Preprocessor, Source, read};
use support::{Show, describe, no_compiler, read_files};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name)
}

/// A file that the compiler accepts, and so do we.
fn accepted(name: &str) {
    let path = path(name);
    let compiler = Command::new("gcc").args(["-fsyntax-only", "-w", "-std=gnu11"]).arg(&path).output();
    let compiler = compiler.expect("gcc can be run");
    assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
    let text = std::fs::read_to_string(&path).expect("the file is there");
    let name = path.display().to_string();
    let (result, map) = read_files(&[(&name, &text)], Options::default());
    if let Err(found) = result {
        panic!("{:#?}", describe(&found, &map));
    }
}

#[test]
fn types_are_those_of_the_compiler() {
    accepted("types.c");
}

#[test]
fn what_the_compiler_takes_is_taken() {
    accepted("accept.c");
}

#[test]
fn every_header_can_be_included_alone_and_with_the_others() {
    let names = [
        "alloca",
        "assert",
        "ctype",
        "errno",
        "float",
        "goblint",
        "inttypes",
        "limits",
        "malloc",
        "math",
        "memory",
        "pthread",
        "sched",
        "semaphore",
        "smack",
        "stdalign",
        "stdarg",
        "stdatomic",
        "stdbool",
        "stddef",
        "stdint",
        "stdio",
        "stdlib",
        "stdnoreturn",
        "string",
        "strings",
        "sys/time",
        "sys/types",
        "threads",
        "time",
        "unistd",
    ];
    let one = |name: &str| format!("#include <{name}.h>\n");
    let all: String = names.iter().map(|name| one(name)).collect();
    let system =
        ["fcntl", "sys/stat", "sys/wait", "signal", "sys/socket", "locale", "setjmp"].map(one).concat();
    for text in names.map(one).into_iter().chain([all.clone(), all.clone() + &system, system + &all]) {
        let (result, map) = read_files(&[("h.c", &(text.clone() + "int x;\n"))], Options::default());
        let reading = result.unwrap_or_else(|found| panic!("{text}: {:#?}", describe(&found, &map)));
        assert!(reading.warnings.is_empty());
    }
}

#[test]
fn both_models_through_the_preprocessor() {
    let text = "#include <stddef.h>\n#include <stdint.h>\nsize_t x = sizeof(intptr_t);\n";
    for (model, expected) in [
        (DataModel::Lp64, "unsigned long = {@0 8:unsigned long}"),
        (DataModel::Ilp32, "unsigned int = {@0 4:unsigned int}"),
    ] {
        let options = Options { model: Some(model), ..Options::default() };
        let (result, map) = read_files(&[("m.c", text)], options);
        let program = result.unwrap_or_else(|found| panic!("{:?}", describe(&found, &map))).program;
        assert_eq!(Show(&program).global("x"), expected);
    }
}

#[test]
fn units_are_linked() {
    let one = "static int hidden = 1; int shared; extern int other[]; int g(); int main(void) { return hidden + other[1] + g(2); }";
    let two = "static int hidden = 2; extern int shared; int other[3]; static int helper(void) { return hidden; } int g(char c) { return c + shared + helper(); }";
    let (result, map) = read_files(&[("one.i", one), ("two.i", two)], Options::default());
    let program = result.unwrap_or_else(|found| panic!("{:?}", describe(&found, &map))).program;
    let count = |name: &str| program.variables.iter().filter(|variable| variable.name == name).count();
    assert_eq!((count("hidden"), count("shared"), count("other"), program.units), (2, 1, 1, 2));
    assert_eq!(Show(&program).global("other"), "int[3]");
    assert!(program.main.is_some());
    // The call was read before the definition was known.
    assert_eq!(Show(&program).function("main"), "{ return ((hidden Add other[1:long]) Add g(2:char)); }");
    let twice = read_files(&[("one.i", "int x = 1;"), ("two.i", "\nint x = 2;")], Options::default());
    let found = twice.0.expect_err("defined twice");
    assert_eq!(describe(&found, &twice.1), ["two.i:2:5 E1122 `x` is defined twice"]);
}

#[test]
fn a_struct_may_be_completed_by_another_unit() {
    let one = "struct s; extern struct s it; int get(struct s *p); int main(void) { return get(&it); }";
    let two = "struct s { int a; } it = { 5 }; int get(struct s *p) { return p->a; }";
    for units in [[("one.i", one), ("two.i", two)], [("two.i", two), ("one.i", one)]] {
        let (result, map) = read_files(&units, Options::default());
        let program = result.unwrap_or_else(|found| panic!("{:?}", describe(&found, &map))).program;
        assert_eq!(Show(&program).global("it"), "s = {@0 5, 0}");
    }
}

#[test]
fn a_unit_may_expect_another_result_of_a_function() {
    let one = "int main(void) { long n = (long)given(); d(); return n != 7; }";
    let two = "void *given(void) { return (void *)7; } void d(void) {}";
    for units in [[("one.i", one), ("two.i", two)], [("two.i", two), ("one.i", one)]] {
        let (result, map) = read_files(&units, Options::default());
        let program = result.unwrap_or_else(|found| panic!("{:?}", describe(&found, &map))).program;
        let options = front_c::TranslateOptions::default();
        let translated = front_c::translate(&program, &options, &base::Budget::with_ticks(100_000));
        assert!(translated.is_ok(), "what differs is cut or refused");
    }
}

#[test]
fn messages_speak_of_the_users_lines() {
    let text = "#include <stdio.h>\n#define BAD(x) (x + nothing)\nint main(void) {\n    int a = BAD(1);\n    return b;\n}\n";
    let (result, map) = read_files(&[("dir/user.c", text)], Options::default());
    let found = describe(&result.expect_err("two names are unknown"), &map);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("dir/user.c:4:"), "{found:?}");
    assert_eq!(found[1], "dir/user.c:5:12 E1200 `b` is not declared");
    let marked =
        "# 7 \"real.c\"\nint f(void) { return a; }\n#line 30 \"other.c\"\nint g(void) { return b; }\n";
    let (result, map) = read_files(&[("made.i", marked)], Options::default());
    let found = describe(&result.expect_err("two names are unknown"), &map);
    assert_eq!(found, ["real.c:7:22 E1200 `a` is not declared", "other.c:30:22 E1200 `b` is not declared"]);
}

#[test]
fn options_reach_the_preprocessor() {
    let folder = std::env::temp_dir().join(format!("selvedge-test-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("inc")).expect("a folder can be made");
    std::fs::write(folder.join("inc/own.h"), "int own = VALUE;\n").expect("a file can be written");
    std::fs::write(folder.join("beside.h"), "int beside;\n").expect("a file can be written");
    let preprocessor = Preprocessor {
        include_dirs: vec![folder.join("inc").display().to_string()],
        defines: vec!["VALUE=41".into(), "GONE".into()],
        undefines: vec!["GONE".into()],
        includes: vec!["own.h".into()],
        ..Preprocessor::default()
    };
    let name = folder.join("x.c").display().to_string();
    let text = "#include \"beside.h\"\n#ifdef GONE\n#error no\n#endif\nint x = VALUE + 1;\n";
    let (result, map) = read_files(&[(&name, text)], Options { preprocessor, ..Options::default() });
    std::fs::remove_dir_all(&folder).expect("the folder was ours");
    let program = result.unwrap_or_else(|found| panic!("{:?}", describe(&found, &map))).program;
    assert_eq!(Show(&program).global("x"), "int = {@0 42}");
    assert_eq!(Show(&program).global("own"), "int = {@0 41}");
}

#[test]
fn annotations_are_assertions() {
    let text = "void f(int x) {\n    //@ assert x > 0;\n    /*@ assert p: x ==> x; */\n    //@ assert \\true;\n    \
        //@ assert \\valid(&x);\n}\n";
    let (result, map) = read_files(&[("a.c", text)], Options::default());
    let reading = result.unwrap_or_else(|found| panic!("{:?}", describe(&found, &map)));
    assert_eq!(
        Show(&reading.program).function("f"),
        "{ AnnotatedAssert((x Greater 0)); AnnotatedAssert((!x || x)); AnnotatedAssert(1); \
         refused(an annotation: it uses logic that is no C); }"
    );
    assert!(reading.warnings.is_empty());
}

fn with(preprocessor: Preprocessor, text: &str) -> Vec<String> {
    let (result, map) = read_files(&[("p.c", text)], Options { preprocessor, ..Options::default() });
    describe(&result.expect_err("it cannot be preprocessed"), &map)
}

#[test]
fn preprocessors_that_fail() {
    let found = with(no_compiler(), "#include <stdio.h>\n");
    assert_eq!(found, ["- E1401 the preprocessor `/nonexistent/cc`, which `--cc` names, is not found"]);
    let found = with(Preprocessor { command: Some("false".into()), ..Preprocessor::default() }, "int x;");
    assert!(found[0].starts_with("- E1402 the preprocessor `false` failed"), "{found:?}");
    let found = with(Preprocessor::default(), "int x;\n#include \"missing.h\"\n");
    assert!(found[0].starts_with("p.c:2:10 E1402 preprocessor: missing.h"), "{found:?}");
    let found = with(Preprocessor::default(), "#include __FILE__\n");
    assert!(found[0].contains("E1402"), "{found:?}");
}

/// Runs itself again with nothing on the search path.
#[test]
fn without_a_compiler() {
    if std::env::var_os("SELVEDGE_TEST_NO_COMPILER").is_none() {
        let me = std::env::current_exe().expect("the test runs");
        let mut again = Command::new(me);
        again
            .args(["--exact", "without_a_compiler"])
            .env("SELVEDGE_TEST_NO_COMPILER", "1")
            .env("PATH", "")
            .env_remove("CC");
        let output = again.output().expect("the test can be run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let found = with(Preprocessor::default(), "#include <stdio.h>\n");
    assert_eq!(found, ["- E1400 no C compiler is found, and this file needs a preprocessor"]);
    let (result, map) =
        read_files(&[("p.c", "int x = 1; // no directive\nint f(void) { return x; }\n")], Options::default());
    let program = result.unwrap_or_else(|found| panic!("{:?}", describe(&found, &map))).program;
    assert_eq!(Show(&program).function("f"), "{ return x; }");
    let (result, map) = read_files(&[("p.c", "int f(void) {\n return y; }\n")], Options::default());
    assert_eq!(describe(&result.expect_err("y"), &map), ["p.c:2:9 E1200 `y` is not declared"]);
}

#[test]
fn endless_files_are_not_read_for_ever() {
    let preprocessor = Preprocessor { time_limit: Duration::from_secs(5), ..Preprocessor::default() };
    let start = Instant::now();
    let units = vec![Source { name: "p.c".into(), text: "#include \"/dev/zero\"\n".into() }];
    let options = Options { units, preprocessor, ..Options::default() };
    match read(&options, &mut SourceMap::new(), &Budget::unlimited()) {
        Err(Failure::Stopped(stop)) => assert_eq!(stop, Stop::Memory),
        Err(Failure::Diagnostics(found)) => {
            assert!(["E1402", "E1403", "E1404"].contains(&found[0].code), "{found:?}");
        }
        Ok(_) => panic!("it cannot be preprocessed"),
    }
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn preprocessors_that_never_end() {
    let folder = std::env::temp_dir().join(format!("selvedge-slow-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let script = folder.join("slow");
    std::fs::write(&script, "sleep 100\n").expect("a file can be written");
    let command = Some(format!("/bin/sh {}", script.display()));
    let start = Instant::now();
    let slow = Preprocessor { command, time_limit: Duration::from_millis(300), ..Preprocessor::default() };
    let found = with(slow, "int x;");
    assert!(found[0].starts_with("- E1403"), "{found:?}");
    std::fs::write(&script, "yes\n").expect("a file can be written");
    let command = Some(format!("/bin/sh {}", script.display()));
    let found = with(Preprocessor { command, output_limit: 1 << 20, ..Preprocessor::default() }, "int x;");
    assert_eq!(found, ["- E1404 the preprocessor wrote more than 1 MB"]);
    assert!(start.elapsed() < Duration::from_secs(30));
    std::fs::remove_dir_all(&folder).expect("the folder was ours");
}

#[test]
fn no_temporary_file_stays() {
    let ours = || {
        let entries = std::fs::read_dir(std::env::temp_dir()).expect("the folder can be read");
        let prefix = format!("selvedge-{}-", std::process::id());
        entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)).count()
    };
    // Other tests of this process may have theirs for a moment.
    let _ = with(no_compiler(), "#include <stdio.h>\n");
    let deadline = Instant::now() + Duration::from_secs(60);
    while ours() > 0 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(ours(), 0);
}

#[test]
fn deep_nesting_is_one_diagnostic() {
    let n = 100_000;
    let wrap = |open: &str, middle: &str, close: &str| open.repeat(n) + middle + &close.repeat(n);
    let inside = |text: String| format!("int f(int x) {{ {text} }}");
    let texts = [
        format!("int x = {};", wrap("(", "1", ")")),
        format!("int x = {};", wrap("{", "1", "}")),
        format!("int {};", wrap("(", "x", ")")),
        format!("int {}x;", "*".repeat(n)),
        format!("int x{};", "[1]".repeat(n)),
        wrap("struct {", "", "} x;"),
        inside(wrap("{", "", "}")),
        inside(format!("return {};", wrap("!", "x", ""))),
        inside(format!("return {};", wrap("(int)", "x", ""))),
        inside(format!("return {};", wrap("x ? 1 : ", "x", ""))),
        inside(format!("return {};", wrap("x + ", "x", ""))),
        inside(format!("return {};", wrap("f(", "x", ")"))),
        inside(format!("return {};", wrap("({", "x;", "});"))),
        inside(format!("return {};", wrap("sizeof ", "x", ""))),
        inside(wrap("if (x) return 1; else ", ";", "")),
        inside(wrap("while (x) ", ";", "")),
    ];
    for text in texts {
        let (result, _) = read_files(&[("n.i", &text)], Options::default());
        let found = result.expect_err("it is too deep");
        assert_eq!(found[0].code, "E1010", "{}", &text[..40]);
        assert!(found.len() <= 3, "{found:?}");
    }
}

#[test]
fn long_is_not_deep() {
    let cases: String = (0..20_000).map(|n| format!("case {n}:")).collect();
    let sequence = "x++;".repeat(20_000);
    let elements = "1,".repeat(50_000);
    let text =
        format!("int a[] = {{ {elements} }}; void f(int x) {{ switch (x) {{ {cases}; }} {sequence} }}");
    let (result, map) = read_files(&[("n.i", &text)], Options::default());
    assert!(result.is_ok(), "{:?}", result.map_err(|found| describe(&found, &map)).err());
}

#[test]
fn the_budget_stops_the_reader() {
    let text = "int f(int x) { return x; }\n".replace("f", "f0") + &"int y;\n".repeat(10_000);
    let options = Options { units: vec![Source { name: "b.i".into(), text }], ..Options::default() };
    let stopped = read(&options, &mut SourceMap::new(), &Budget::with_ticks(500));
    assert!(matches!(stopped, Err(Failure::Stopped(Stop::Ticks))));
}

#[test]
fn no_input_makes_it_panic() {
    let good = std::fs::read_to_string(path("accept.c")).expect("the file is there");
    let good: String =
        good.lines().filter(|line| !line.starts_with('#')).map(|line| line.to_string() + "\n").collect();
    let mut random = 12345u64;
    let mut next = |limit: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % limit.max(1)
    };
    let pieces = [
        "{", "}", "(", ")", ";", "*", "int", "struct", "=", "[", "]", "0", "x", ",", "\"", "'", "case", ":",
        "&&", "...", "typedef",
    ];
    for _ in 0..150 {
        let mut text = good.clone();
        for _ in 0..1 + next(6) {
            let mut at = next(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            match next(3) {
                0 => text.insert_str(at, pieces[next(pieces.len())]),
                1 => text.truncate(at),
                _ => {
                    let mut end = (at + next(40)).min(text.len());
                    while !text.is_char_boundary(end) {
                        end += 1;
                    }
                    text.replace_range(at..end, "");
                }
            }
        }
        // Whatever it says, it says something.
        let _ = read_files(&[("m.i", &text)], Options::default());
    }
}
