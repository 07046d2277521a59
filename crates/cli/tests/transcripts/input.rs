//! Input that cannot be used: code 2, a message on standard error, and no verdict.

use crate::support::{COVERED, Folder, SAFE, Transcript, UNSAFE, command, selvedge, selvedge_reads};
use std::process::{Command, Stdio};

fn refused(path: &str, err: &str) -> Transcript {
    let transcript = selvedge(&["check", path]).expect(2, err);
    assert_eq!(transcript.out, "", "bad input has no verdict");
    transcript
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new("unreadable");
    refused(&folder.path("missing.bp"), "no such file");
    refused(&folder.path(""), "is a directory");
    refused(&folder.file("empty.bp", ""), "is empty");
    refused(&folder.file("blank.bp", " \n\t\r\n"), "is empty");
    refused(&folder.file("binary.bp", b"\x7fELF\x02\x01\x01\0\0\0"), "not a text file");
    refused(&folder.file("latin1.bp", b"decl x; // caf\xe9\n"), "latin1.bp:1:15");
    refused(&folder.file("utf16.bp", b"\xff\xfed\0e\0"), "UTF-16");
    refused(&folder.file("letter.txt", "Dear Sir or Madam\n"), "cannot tell what kind of file");
}

#[test]
fn a_file_of_four_gibibytes_is_refused_at_once() {
    let folder = Folder::new("huge");
    let path = folder.path("huge.bp");
    // All holes: nothing is stored, nothing is read.
    let file = std::fs::File::create(&path).expect("a file for the test");
    file.set_len(5 << 30).expect("a file system with holes");
    refused(&path, "4 GiB is the most");
}

#[test]
fn all_errors_of_a_file_are_told_with_their_places() {
    let folder = Folder::new("errors");
    let text = "decl x;\nvoid main() begin\n  x := nope1;\n  skip;\n  x := nope2;\nend\n";
    let transcript = refused(&folder.file("wrong.bp", text), "wrong.bp:3:8");
    assert!(
        transcript.err.contains("wrong.bp:5:8") && transcript.err.contains("^^^^^"),
        "{}",
        transcript.err
    );
    assert!(!transcript.err.contains('\x1b'), "colours are for terminals");
}

#[test]
fn odd_texts_are_read_all_the_same() {
    let folder = Folder::new("odd");
    let dos = format!("\u{feff}{}", SAFE.replace('\n', "\r\n"));
    selvedge(&["check", &folder.file("dos.bp", dos)]).expect(0, "");
    selvedge(&["check", &folder.file("UPPER.BP", SAFE)]).expect(0, "");
    selvedge(&["check", &folder.file("noextension", SAFE)]).expect(0, "");
    let deep =
        format!("decl x;\nvoid main() begin assert({}x{}); end\n", "(".repeat(100_000), ")".repeat(100_000));
    let code = selvedge(&["check", &folder.file("deep.bp", deep)]).code;
    assert!(matches!(code, Some(2 | 10)), "neither a crash nor an overflow: {code:?}");
}

#[test]
fn standard_input() {
    let transcript = selvedge_reads(&["check", "-"], SAFE).expect(0, "");
    assert!(transcript.verdict().starts_with("safe"), "{}", transcript.out);
    let transcript = selvedge_reads(&["check", "-"], UNSAFE).expect(10, "");
    assert!(transcript.verdict().contains("<stdin>:9"), "{}", transcript.out);
    selvedge_reads(&["check", "-"], COVERED).expect(10, "");
    selvedge_reads(&["check", "-"], "").expect(2, "is empty");
}

#[test]
fn closed_streams() {
    let folder = Folder::new("closed");
    let (safe, exe) = (folder.file("safe.bp", SAFE), env!("CARGO_BIN_EXE_selvedge"));
    let shell = |script: String| {
        Transcript::of(Command::new("sh").args(["-c", &script]).output().expect("there is a shell"))
    };
    shell(format!("{exe} check - <&-")).expect(2, "");
    shell(format!("{exe} check {safe} <&-")).expect(0, "");
    shell(format!("{exe} check {safe} >&-")).expect(0, "");
    shell(format!("{exe} check {safe} 2>&-")).expect(0, "");
    let transcript = shell(format!("{exe} check {safe} >/dev/full; echo $?"));
    assert_eq!(transcript.out, "1\n");
    assert!(transcript.err.contains("standard output"), "{}", transcript.err);
    // The reader is gone before anything is written.
    let mut child = command(&["check", &safe]).stdin(Stdio::null()).spawn().expect("the binary runs");
    drop(child.stdout.take());
    let transcript = Transcript::of(child.wait_with_output().expect("it ends"));
    transcript.expect(0, "");
}

#[test]
fn options_without_meaning_are_told() {
    let folder = Folder::new("idle");
    selvedge(&["check", &folder.file("safe.bp", SAFE), "--start", "0|0"]).expect(0, "--start has no effect");
    selvedge(&["check", &folder.file("net.tts", COVERED), "--entry", "f"])
        .expect(10, "--entry has no effect");
}
