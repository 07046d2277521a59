//! What is not ASCII: in names, strings, comments and names of files, in UTF-8 and in other encodings.

use crate::support::{Folder, Transcript, command, selvedge};

const GREEN: &str = "#include <assert.h>\nint gr\u{f6}\u{df}e = 1;\nint main(void) {\n    /* \u{2603} */\n    \
    assert(gr\u{f6}\u{df}e == 2 && \"Gr\u{f6}\u{df}e \u{2260} 2 \u{2192} \u{2603}\");\n    return 0;\n}\n";

/// What is to be found in everything that is told of it.
const TEXT: &str = "gr\u{f6}\u{df}e == 2 && \"Gr\u{f6}\u{df}e \u{2260} 2 \u{2192} \u{2603}\"";

#[test]
fn letters_of_all_languages_are_told_as_they_are_written() {
    let folder = Folder::new("texts");
    let path = folder.file("gr\u{fc}n.c", GREEN);
    let page = folder.path("run.html");
    let transcript = selvedge(&["check", &path]).expect(10, "");
    assert!(transcript.out.contains(&format!("** assert({TEXT})")), "{}", transcript.out);
    assert!(transcript.out.contains("reads gr\u{f6}\u{df}e = 1"), "{}", transcript.out);
    assert!(transcript.verdict().contains("gr\u{fc}n.c:5 fails"), "{}", transcript.out);
    let transcript = selvedge(&["check", &path, "--format", "json", "--trace", &page]).expect(10, "");
    let answer: serde_json::Value = serde_json::from_str(&transcript.out).expect("one object");
    assert_eq!(answer["property"]["location"], format!("{path}:5:5"));
    assert_eq!(answer["trace"]["failure"]["says"], format!("assert({TEXT})"));
    let page = std::fs::read_to_string(page).expect("UTF-8");
    assert!(page.contains("charset=\"utf-8\"") || page.contains("charset=utf-8"), "{page}");
    assert!(page.contains("gr\u{f6}\u{df}e == 2"), "{page}");
    assert!(!page.contains('\u{c3}'), "{page}");
    // The two spellings of a letter are one name.
    let both = "int \\u00e9 = 1;\nint main(void) { if (\u{e9} != 1) reach_error(); return 0; }\n";
    for name in ["both.c", "both.i"] {
        selvedge(&["check", &folder.file(name, both)]).expect(0, "");
    }
}

/// In Latin-1 each letter is one byte, also of a string.
#[test]
fn other_encodings_keep_their_bytes() {
    let folder = Folder::new("bytes");
    let text = b"#include <assert.h>\n/* caf\xe9 */\nint x;\nint main(void) {\n    const char *s = \"caf\xe9\";\n    \
        assert(sizeof \"caf\xe9\" == 5);\n    assert((unsigned char)s[3] == 0xe9);\n    assert(x && \"caf\xe9\"); /* \xe9 */\n    return 0;\n}\n";
    for name in ["latin.c", "latin.i"] {
        let text = if name.ends_with('i') {
            let rest = text.split(|byte| *byte == b'\n').skip(1).collect::<Vec<_>>().join(&b"\n"[..]);
            [b"extern void assert(int);\n", &rest[..]].concat()
        } else {
            text.to_vec()
        };
        let path = folder.file(name, text);
        let transcript = selvedge(&["check", &path]).expect(10, "");
        assert!(transcript.out.contains("caf\u{fffd}"), "{}", transcript.out);
        assert!(transcript.verdict().contains(&format!("{name}:8 fails")), "{}", transcript.out);
        let transcript = selvedge(&["check", &path, "--format", "json"]).expect(10, "");
        assert!(transcript.out.contains(&format!("{name}:8:5\"")), "{}", transcript.out);
    }
    // A header is read by the preprocessor alone.
    folder.file("latin.h", b"static const char s[] = \"\xe9\";\n");
    let path = folder.file(
        "uses.c",
        "#include \"latin.h\"\nint main(void) { if (sizeof s != 2) reach_error(); return 0; }\n",
    );
    selvedge(&["check", &path]).expect(0, "");
    // Elsewhere such a byte is an error of C, and of the other languages.
    let path = folder.file("name.c", b"int x\xe9;\nint main(void) { return 0; }\n");
    selvedge(&["check", &path]).expect(2, "name.c:1:5");
    selvedge(&["check", &folder.file("a.bp", b"decl x\xe9;\n")]).expect(2, "E0905");
}

/// A name of a file may be no text at all.
#[cfg(unix)]
#[test]
fn names_of_files_may_be_anything() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new("names");
    for name in [&b"caf\xe9.c"[..], b"a\nb\"\\.c", b"--help.c", b" .c"] {
        let path = std::path::Path::new(&folder.path("")).join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(&path, GREEN).expect("a file for the test");
        let output = command(&["check", "--"]).arg(&path).output().expect("the binary runs");
        let transcript = Transcript::of(output).expect(10, "");
        assert!(transcript.verdict().contains(".c:5 fails"), "{}", transcript.out);
    }
}
