//! What is known of attributes, pragmas, built-ins and qualifiers: refused where it is used and not
//! elsewhere, and shown on the page.

mod search;
mod support;

use front_c::{Options, TranslateOptions, constructs};
use search::{search, translated};
use support::{describe, read_files};

/// What is refused in a preprocessed program.
fn refused(text: &str) -> Vec<String> {
    let options = TranslateOptions::default();
    let (translation, _) =
        translated("t.i", text, &[], &options).unwrap_or_else(|why| panic!("{text}\n{why}"));
    translation.refused.into_iter().map(|it| it.construct).collect()
}

/// Checks that something is refused where a program uses it, and not where it only stands there.
fn check(declared: &str, used: &str, construct: &str) {
    let unused = format!("{declared}\nint main(void) {{ return 0; }}");
    assert_eq!(refused(&unused), Vec::<String>::new(), "{unused}");
    let text = format!("{declared}\nint main(void) {{ {used} return 0; }}");
    let found = refused(&text);
    assert!(found.iter().any(|it| it.contains(construct)), "{text}: {found:?}");
}

/// Checks that a program is taken as it is, and whether an assertion of it fails. Assertions are
/// `assert_fail` behind a condition.
fn check_run(text: &str, fails: bool) {
    let text = format!("void reach_error(void);\n{text}");
    let options = TranslateOptions::default();
    let (translation, _) =
        translated("t.i", &text, &[], &options).unwrap_or_else(|why| panic!("{text}\n{why}"));
    assert_eq!(translation.refused, [], "{text}");
    assert_eq!(search(&translation.program, 2, 10_000).error.is_some(), fails, "{text}");
}

/// The size of a type is a number that nobody can follow: what changes a layout is refused wherever it
/// stands.
#[test]
fn layouts_that_are_not_known() {
    for declared in [
        "struct s { char a : 4; int b : 4; } __attribute__((ms_struct)); enum { SIZE = sizeof(struct s) };",
        "struct __attribute__((__ms_struct__)) s { char a : 4; int b : 4; }; char t[sizeof(struct s)];",
        "struct t { char c; int i; } __attribute__((packed)); struct __attribute__((copy((struct t *)0))) s { char c; int i; };",
    ] {
        let found = refused(&format!("{declared}\nint main(void) {{ return 0; }}"));
        assert!(found.iter().any(|it| it.contains("a type with the attribute")), "{declared}: {found:?}");
    }
}

#[test]
fn attributes_that_are_not_followed() {
    check(
        "struct __attribute__((scalar_storage_order(\"big-endian\"))) s { int a; };",
        "struct s x = { 1 };",
        "`scalar_storage_order`",
    );
    check(
        "struct s { int a; } __attribute__((scalar_storage_order(\"big-endian\"))); struct t { struct s s; } t;",
        "t.s.a = 1;",
        "`scalar_storage_order`",
    );
    check("int f(void) __attribute__((ifunc(\"g\")));", "f();", "`ifunc`");
    check("static int f(void) __attribute__((weakref(\"g\")));", "f();", "`weakref`");
    check("__attribute__((naked)) void f(void) { }", "f();", "`naked`");
    check("__attribute__((returns_twice)) int f(void);", "f();", "`returns_twice`");
    check("int x __attribute__((__noinit__));", "x = 1;", "`noinit`");
    check("__attribute__((optimize(\"fast-math\"))) void f(void) { }", "f();", "`optimize`");
    check("[[gnu::naked]] void f(void) { }", "f();", "`naked`");
    check("typedef int v4 __attribute__((vector_size(16))); v4 a, b;", "a = b;", "vector");
    check(
        "typedef int v4 __attribute__((vector_size(16)));",
        "v4 a = { 1, 2, 3, 4 }; int x = a[0];",
        "vector",
    );
    check("extern int x __attribute__((weak));", "int *p = &x;", "weak");
    check("extern void f(void) __attribute__((weak));", "if (f) f();", "weak");
    check("#pragma weak f\nextern void f(void);", "if (f) f();", "weak");
    check("typedef int t __attribute__((mode(V4SI))); t x;", "x = 1;", "mode");
}

#[test]
fn qualifiers_that_are_not_followed() {
    check("__seg_fs int x;", "x = 1;", "address space");
    check("int __seg_gs *p;", "*p = 1;", "address space");
    check("_Float16 x;", "x = x + x;", "_Float16");
    check("_Decimal64 x;", "x = x;", "decimal");
    check("_Complex int x;", "x = x;", "complex");
    check("register int x asm(\"ebx\");", "x = 1;", "register of the machine");
    check("", "register int y asm(\"eax\") = 1; int z = y;", "register of the machine");
    check("struct s { int a, b; }; _Atomic struct s x; struct s y;", "x = y;", "atomic struct");
    check("struct s { int a, b; }; _Atomic(struct s) x; struct s y;", "y = x;", "atomic struct");
    check("struct s { int a, b; }; _Atomic struct s x;", "x.a = 1;", "member of an atomic");
    check("extern int __start_table[];", "int x = __start_table[0];", "linker");
    check("inline int f(void) { return 1; }", "asm(\"hlt\");", "assembler");
}

#[test]
fn pragmas_that_are_not_followed() {
    let omp = |text: &str| refused(&format!("int x; int main(void) {{ {text} return 0; }}"));
    assert_eq!(omp("\n#pragma omp parallel\n { x++; }"), ["the pragma `omp`"]);
    assert_eq!(omp("if (x)\n#pragma omp critical\n x++;"), ["the pragma `omp`"]);
    assert_eq!(omp("x++;\n#pragma omp barrier\n"), ["the pragma `omp`"]);
    assert_eq!(omp("\n#pragma acc loop\n for (;;) ;"), ["the pragma `acc`"]);
    assert_eq!(omp("_Pragma(\"omp single\") x++;"), ["the pragma `omp`"]);
    check("int x;\n#pragma omp threadprivate(x)", "x = 1;", "OpenMP");
    check("void f(void) {\n#pragma omp parallel\n ; }", "f();", "`omp`");
    check(
        "#pragma scalar_storage_order big-endian\nstruct s { int a; } s;\n#pragma scalar_storage_order default",
        "s.a = 1;",
        "storage order",
    );
    check(
        "#pragma GCC push_options\n#pragma GCC optimize (\"fast-math\")\nvoid f(void) { }\n#pragma GCC pop_options\nvoid g(void) { }",
        "g(); f();",
        "options",
    );
    assert_eq!(refused("#pragma omp declare target\nint main(void) { return 0; }"), ["the pragma `omp`"]);
    assert_eq!(omp("\n#pragma GCC ivdep\n for (;x;) ;\n#pragma GCC diagnostic push\n"), Vec::<String>::new());
}

#[test]
fn built_ins_are_known_by_their_whole_names() {
    check("", "__builtin_frame_address(0);", "`__builtin_frame_address`");
    check("", "__builtin_ia32_rdtsc();", "`__builtin_ia32_rdtsc`");
    check("", "__builtin_object_size(0, 0);", "`__builtin_object_size`");
    check("static int abs(int x) { return 0; }", "__builtin_abs(-1);", "`__builtin_abs`");
    check("", "__builtin_longjmp(0, 1);", "`__builtin_longjmp`");
    check("int __sigsetjmp_cancel(void *, int);", "__sigsetjmp_cancel(0, 0);", "`__sigsetjmp_cancel`");
    check("int _setjmp(void *);", "_setjmp(0);", "`_setjmp`");
}

#[test]
fn names_of_the_linker() {
    check_run("int x; extern int y asm(\"x\"); int main(void) { y = 1; if (x) reach_error(); }", true);
    check_run(
        "int x; extern short y asm(\"x\"); int main(void) { x = 65537; if (y != 1) reach_error(); }",
        false,
    );
    check_run("void stop(void) asm(\"abort\"); int main(void) { stop(); reach_error(); }", false);
    check_run(
        "extern void stop(void) asm(\"abort\"); int main(void) { if (0) reach_error(); stop(); }",
        false,
    );
}

#[test]
fn several_units() {
    let read = |files: &[(&str, &str)]| {
        let (result, map) = read_files(files, Options::default());
        result.map_err(|found| describe(&found, &map))
    };
    let opened = read(&[
        ("a.i", "struct s; extern struct s *p; int main(void) { return p != 0; }"),
        ("b.i", "struct s { int a; }; struct s x; struct s *p = &x;"),
    ]);
    assert!(opened.is_ok(), "{opened:?}");
    let weak = read(&[
        ("a.i", "__attribute__((weak)) int f(void) { return 1; } int main(void) { return f(); }"),
        ("b.i", "int f(void) { return 2; }"),
    ]);
    let program = weak.expect("the other definition wins").program;
    assert_eq!(support::Show(&program).function("f"), "{ return 2; }");
    let twice = read(&[("a.i", "int f(void) { return 1; }"), ("b.i", "int f(void) { return 2; }")]);
    assert!(twice.is_err());
    let inline = |other: &str| {
        let reading = read(&[
            ("a.i", "inline int f(void) { return 1; } int main(void) { return f(); }"),
            ("b.i", other),
        ]);
        let program = reading.expect("units may have inline definitions").program;
        program.functions.iter().any(|it| it.refused.is_some())
    };
    assert!(!inline("int f(void) { return 1; }"));
    assert!(inline("int f(void) { return 2; }"));
}

#[test]
fn what_the_compiler_does_not_know_is_named() {
    let text =
        "#pragma nonsense here\nint x __attribute__((nonsense(1), _packed)); int main(void) { return x; }";
    let (result, map) = read_files(&[("t.i", text)], Options::default());
    let found = describe(&result.expect("it is only warned of").warnings, &map);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(
        found[0].contains("`nonsense`") && found[1].contains("`nonsense`") && found[2].contains("`_packed`")
    );
}

#[test]
fn directives_are_for_the_preprocessor() {
    for directive in ["#if 0", "#include <stdio.h>", "#define X 1", "  # undef X", "#endif", "#error no"] {
        let (result, map) =
            read_files(&[("t.i", &format!("int x;\n{directive}\nint y;\n"))], Options::default());
        let found = describe(&result.expect_err(directive), &map);
        assert!(found.len() == 1 && found[0].starts_with("t.i:2:"), "{directive}: {found:?}");
        assert!(found[0].contains("E1007"), "{directive}: {found:?}");
    }
    let taken = "# 1 \"t.c\"\n#line 3\n#pragma once\n#ident \"x\"\n#\nint x;\n";
    assert!(read_files(&[("t.i", taken)], Options::default()).0.is_ok());
}

#[test]
fn conditions_of_annotations_mean_the_same_in_both_languages() {
    let assertion = |text: &str| {
        let text =
            format!("int x, y; unsigned u; int *p; int main(void) {{\n //@ assert {text};\n return 0; }}");
        refused(&text).is_empty()
    };
    for same in ["x == 1", "x < y && !(y >= -2) || x", "p == 0", "x == 1 ==> y == 2", "u >= 1", "\\true"] {
        assert!(assertion(same), "{same}");
    }
    for other in [
        "0 <= x <= 5",
        "x == y == 1",
        "x + 1 > x",
        "u >= -1",
        "x < u",
        "x = 1",
        "x & 1",
        "\\old(x) == x",
        "x ==> y ==> x",
        "x <==> y",
        "x ^^ y",
        "\\forall int i; i == i",
        "x++ == 1",
        "x ? y : x",
        "p + 1 == p",
    ] {
        assert!(!assertion(other), "{other}");
    }
}

const MARK: &str = "## Known constructs\n\n";

/// With `SELVEDGE_WRITE_DOCS` set the page is written again.
#[test]
fn the_page_shows_the_tables() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/c.md");
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = page.split_once(MARK).unwrap_or((&page, ""));
    let after = rest.find("\n## ").map_or("", |at| &rest[at..]);
    let wanted = format!("{before}{MARK}{}{after}", constructs::page::known_constructs());
    if std::env::var_os("SELVEDGE_WRITE_DOCS").is_some() {
        std::fs::write(&path, &wanted).expect("the page can be written");
    } else {
        assert!(page == wanted, "docs/c.md differs: run this test with SELVEDGE_WRITE_DOCS=1");
    }
}
