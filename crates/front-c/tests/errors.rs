//! Each diagnostic of the C reader, with its code, its line and a hint.

mod support;

use front_c::Options;
use support::{describe, read_files};

/// Checks that a text gives these diagnostics, as `line code`, and that each has a hint.
fn check(text: &str, expected: &[&str]) {
    let (result, map) = read_files(&[("t.i", text)], Options::default());
    let found = result.expect_err(text);
    let short: Vec<String> = found
        .iter()
        .map(|diagnostic| {
            let place = diagnostic.span.map_or("-".into(), |span| map.describe(span));
            let line = place.split(':').nth(1).unwrap_or("-").to_string();
            assert!(diagnostic.help.is_some(), "{} has no hint", diagnostic.code);
            format!("{line} {}", diagnostic.code)
        })
        .collect();
    assert_eq!(short, expected, "{text}\n{:#?}", describe(&found, &map));
}

#[test]
fn words() {
    check("int x = 1 @ 2;", &["1 E1001", "1 E1006"]);
    check("int x;\n/* no end", &["2 E1002"]);
    check("char *x = \"no end;\nint y;", &["1 E1003", "1 E1006"]);
    check("int x = 12z;", &["1 E1110"]);
    check("int x = 1.5q9;", &["1 E1110"]);
    check("int x = '';", &["1 E1111"]);
}

#[test]
fn grammar() {
    check("int f(void) {\n return 1;\n", &["2 E1005"]);
    check("int x = ;\nint y = 3 3;\nint z;", &["1 E1006", "2 E1006"]);
    check("int f(void) { int a = 3\n int b; return a; }", &["1 E1006"]);
    check("int f(void) {\n x +;\n return y;\n}", &["2 E1200", "2 E1006", "3 E1200"]);
    check("int f(void) { if 1 return 2; }", &["1 E1006"]);
    check("hello world\nthis is no program\n", &["1 E1202"]);
    check("} int x;", &["1 E1006"]);
}

#[test]
fn declarations() {
    check("struct a { int x; };\nunion a *u;", &["2 E1101"]);
    check("struct a { int x; };\nstruct a { int y; };", &["2 E1102"]);
    check("enum e { A };\nenum e { B };", &["2 E1102"]);
    check("struct a { int x; int x; };", &["1 E1103"]);
    check("struct a { struct b x; };", &["1 E1104"]);
    // Found by fuzzing: a record that contains itself, with a value to look into.
    check("union u { union u x; int i; };\nunion u g = {1};", &["1 E1104"]);
    check("void f(void) { int x;\n int x; }", &["2 E1105"]);
    check("enum { A, A };", &["1 E1105"]);
    check("int x; int x(void);", &["1 E1105"]);
    check("void f(int a, int a) { }", &["1 E1105"]);
    check("static extern int x;", &["1 E1106"]);
    check("int n; int a[n];", &["1 E1107"]);
    check("int a[-1];", &["1 E1107"]);
    check("int f(void)[3];", &["1 E1108"]);
    check("void a[3];", &["1 E1109"]);
    check("struct s { int x : 40; double y : 3; };", &["1 E1113", "1 E1113"]);
    check("void f(void) { __auto_type x = { 1 }; }", &["1 E1114"]);
    check("_Static_assert(sizeof(int) == 5, \"no\");", &["1 E1115"]);
    check("int f(a) int b; { return 1; }", &["1 E1116"]);
    check("int n; enum { A = n };", &["1 E1117"]);
    check("int x;\nlong x;", &["2 E1120"]);
    check("int f(int);\nint f(long);", &["2 E1120"]);
    check("typedef int t;\ntypedef long t;", &["2 E1120"]);
    check("void x;", &["1 E1121"]);
    check("int x = 1;\nint x = 2;", &["2 E1122"]);
    check("int f(void) { return 1; }\nint f(void) { return 2; }", &["2 E1122"]);
    check("int g(void); int x = g();", &["1 E1123"]);
    check("void f(int n) { static int x = n; }", &["1 E1123"]);
    check("void f(void) { struct s x; }", &["1 E1124"]);
    check("struct s x;", &["1 E1124"]);
}

#[test]
fn initialisers() {
    check("int a[2] = { [2] = 1 };", &["1 E1130"]);
    check("struct { int x; } s = { [0] = 1 };", &["1 E1131"]);
    check("struct { int x; } s = { .y = 1 };", &["1 E1132"]);
    check("int a[2] = 3;", &["1 E1133"]);
    check("int a[] = { [0 ... 5000000] = 1 };", &["1 E1134"]);
}

#[test]
fn names() {
    check("int f(void) { return x; }", &["1 E1200"]);
    check("int f(void) { return x + x; }", &["1 E1200"]);
    check("typedef int t; int f(void) { return 1 + t; }", &["1 E1201"]);
    check("unknown x;\nint f(void) { unknown y; return 1; }", &["1 E1202", "2 E1202"]);
    check("int f(unknown x) { return 1; }", &["1 E1202"]);
    check("struct s { unknown x; };", &["1 E1202"]);
    let (result, _) =
        read_files(&[("t.i", "int counter; int f(void) { return countr; }")], Options::default());
    assert_eq!(result.expect_err("misspelt")[0].help.as_deref(), Some("did you mean `counter`?"));
}

#[test]
fn operands() {
    check("int f(int x) { return *x; }", &["1 E1210"]);
    check("int *f(int x) { return &(x + 1); }", &["1 E1211"]);
    check("struct { int b : 3; } s; int *f(void) { return &s.b; }", &["1 E1212"]);
    check("int a[3]; int f(double d) { return a[d]; }", &["1 E1213"]);
    check("int f(int *p) { return p.x; }", &["1 E1214"]);
    check("struct s { int a; } s; int f(void) { return s.b; }", &["1 E1215"]);
    check("unsigned long x = sizeof(struct s);", &["1 E1216"]);
    check("struct { int b : 3; } s; unsigned long f(void) { return sizeof s.b; }", &["1 E1217"]);
    check("int x = _Generic(1, char: 2);", &["1 E1218"]);
    check("struct { int a; } s; int f(void) { return s + 1; }", &["1 E1220"]);
    check("double d; void f(int i) { i %= d; }", &["1 E1220"]);
    check("int f(double d) { return ~d; }", &["1 E1221"]);
    check("struct { int a; } s; int f(int c) { return c ? s : 1; }", &["1 E1222"]);
    check("struct { int a; } s; void f(void) { s++; }", &["1 E1223"]);
}

#[test]
fn conversions() {
    check("struct { int a; } s; int f(void) { return (int)s; }", &["1 E1230"]);
    check("struct { int a; } s; int f(void) { return s; }", &["1 E1231"]);
    check("int *f(double d) { return d; }", &["1 E1231"]);
    check("void g(void); int f(void) { return g(); }", &["1 E1231"]);
    check("struct { int a; } s; int f(void) { if (s) return 1; return 2; }", &["1 E1232"]);
    check("void f(void) { 1 = 2; }", &["1 E1240"]);
    check("int a[2], b[2]; void f(void) { a = b; }", &["1 E1240"]);
    check("const int c = 1; void f(void) { c = 2; }", &["1 E1241"]);
}

#[test]
fn calls() {
    check("int x; int f(void) { return x(); }", &["1 E1250"]);
    check("int g(int); int f(void) { return g(); }", &["1 E1251"]);
    check("int g(int); int f(void) { return g(1, 2); }", &["1 E1251"]);
    check("void f(int *p) { __sync_fetch_and_add(p); }", &["1 E1251"]);
    check("void g(void); int h(); int f(void) { return h(g()); }", &["1 E1252"]);
    check("void f(int x) { __sync_fetch_and_add(x, 1); }", &["1 E1253"]);
}

#[test]
fn control() {
    check("void f(void) {\n goto l;\n}", &["2 E1300"]);
    check("void f(void) { l:; l:; }", &["1 E1301"]);
    check("void f(int x) { switch (x) { case 1:; case 1:; } }", &["1 E1302"]);
    check("void f(int x) { switch (x) { default:; default:; } }", &["1 E1302"]);
    check("void f(int x) { case 1:; }", &["1 E1303"]);
    check("void f(int x) { switch (x) { case x:; } }", &["1 E1304"]);
    check("void f(void) { break; }", &["1 E1305"]);
    check("void f(int x) { switch (x) { case 1: continue; } }", &["1 E1305"]);
    check("void f(double d) { switch (d) { } }", &["1 E1306"]);
    check("int x = ({ 1; });", &["1 E1310"]);
}

#[test]
fn many_errors_are_counted() {
    let text = "int f(void) { return a0; }\n".to_string()
        + &(0..80).map(|n| format!("int g{n}(void) {{ return a{n}b; }}\n")).collect::<String>();
    let (result, _) = read_files(&[("t.i", text.as_str())], Options::default());
    let found = result.expect_err("nothing is declared");
    assert_eq!(found.len(), 50);
}
