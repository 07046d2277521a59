//! Columns: a verdict names the place of the assertion in the user's own file, wherever in its line it
//! stands.

use crate::support::{Folder, selvedge};

/// The beginning of a program; its next line is the sixth.
const BEGIN: &str = "#include <assert.h>\n#define CHECK(e) assert(e)\n#define BOTH(a, b) do { assert(a); assert(b); } while (0)\n\
    int x = 1, y = 0;\nint main(void) {\n";

/// Where the assertion stands that fails in a program with these lines.
fn location(folder: &Folder, lines: &str) -> String {
    let path = folder.file("p.c", format!("{BEGIN}{lines}\n    return 0;\n}}\n"));
    let transcript = selvedge(&["check", &path, "--format", "json"]).expect(10, "");
    let answer: serde_json::Value = serde_json::from_str(&transcript.out).expect("one object");
    let location = answer["property"]["location"].as_str().expect("a place");
    location.strip_prefix(&format!("{path}:")).expect("it is in the file").to_string()
}

#[test]
fn an_assertion_may_stand_anywhere_in_its_line() {
    let folder = Folder::new("places");
    for (lines, expected) in [
        ("if (x) { assert(y); }", "6:10"),
        ("\tx = 2; assert(y);", "6:9"),
        ("x = 2; assert(x == 2); assert(y);", "6:24"),
        ("x = 2; CHECK(y);", "6:8"),
        ("x = 2; BOTH(x, y);", "6:8"),
        ("for (int i = 0; i < 2; i++) { x++; assert(i < 1); }", "6:36"),
        ("/* assert(y) */ assert(y);", "6:17"),
        ("/* \u{e9}\u{2192} */ assert(y);", "6:10"),
        ("const char *s = \"\u{e9} assert(\"; assert(y && s);", "6:30"),
        ("(void)(x), (assert(y));", "6:13"),
        ("x = 2; //@ assert y;", "6:8"),
        ("/*@ assert x == 1; */ /*@ assert y; */", "6:23"),
        ("/*@ assert x == 1; */ assert(y);", "6:23"),
        ("assert(x\n  == 1); assert(y);", "7:10"),
        ("if (x) { assert(y ==\n  3); }", "6:10"),
        ("assert(x); x = \\\n  2; assert(y);", "7:6"),
        ("int asserted = 1; if (asserted) assert(y != 0 && asserted);", "6:33"),
        ("extern void reach_error(void); if (!y) reach_error();", "6:40"),
    ] {
        assert_eq!(location(&folder, lines), expected, "{lines}");
    }
}
