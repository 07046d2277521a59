//! `--report`: a page for every verdict.

use crate::support::{Folder, SAFE, UNSAFE, selvedge};
use std::fs;

/// The data that a page holds.
fn data(page: &str) -> serde_json::Value {
    let begin = "<script type=\"application/json\" id=\"data\">";
    let rest = page.split(begin).nth(1).expect("a page has data");
    serde_json::from_str(rest.split("</script>").next().expect("its end")).expect("it is JSON")
}

#[test]
fn every_verdict_has_a_page() {
    let folder = Folder::new("page");
    let page = folder.path("page.html");
    let (bad, good) = (folder.file("bad.bp", UNSAFE), folder.file("good.bp", SAFE));
    let broken = folder.file("broken.bp", "void main(");
    let cases = [(&bad, 10, "unsafe"), (&good, 0, "safe"), (&broken, 2, "no verdict")];
    for (path, code, verdict) in cases {
        selvedge(&["check", "-q", path, "--report", &page]).expect(code, "");
        let text = fs::read_to_string(&page).expect("it was written");
        let data = data(&text);
        assert_eq!(data["verdict"], verdict, "{path}");
        assert_eq!(data["command"], format!("selvedge check -q {path} --report {page}"));
        assert_eq!(data["run"].is_object(), code == 10);
        assert_eq!(data["proof"].is_object(), code == 0);
    }
    selvedge(&["check", "-q", &bad, "--engine", "modular", "--report", &page]).expect(5, "");
    let text = fs::read_to_string(&page).expect("it was written");
    assert!(data(&text)["unknown"]["next"].as_array().is_some_and(|it| !it.is_empty()));
}

#[test]
fn the_commands_of_a_proof_confirm_it() {
    let folder = Folder::new("page-proof");
    let (page, proof) = (folder.path("page.html"), folder.path("good.proof"));
    let path = folder.file("good.bp", SAFE);
    let arguments = ["check", "-q", &path, "--init", "zero", "--report", &page, "--certificate", &proof];
    selvedge(&arguments).expect(0, "");
    let text = fs::read_to_string(&page).expect("it was written");
    let commands = data(&text)["proof"]["commands"].clone();
    assert_eq!(commands, serde_json::json!([format!("selvedge confirm {path} {proof} --init zero")]));
    let words = commands[0].as_str().expect("a command").split(' ').skip(1).collect::<Vec<_>>();
    selvedge(&words).expect(0, "");
}

#[test]
fn a_trace_as_a_page_is_there_only_with_a_trace() {
    let folder = Folder::new("page-trace");
    let (bad, good) = (folder.file("bad.bp", UNSAFE), folder.file("good.bp", SAFE));
    let page = folder.path("page.html");
    selvedge(&["check", "-q", &good, "--trace", &page]).expect(0, "");
    assert!(fs::metadata(&page).is_err(), "a proof is no trace");
    selvedge(&["check", "-q", &bad, "--trace", &page]).expect(10, "");
    let text = fs::read_to_string(&page).expect("it was written");
    let steps = data(&text)["run"]["steps"].as_array().map_or(0, Vec::len);
    assert!(steps >= 3, "{steps} steps");
    selvedge(&["check", "-q", &bad, "--report", "page.pdf"]).expect(1, "the name must end in .html");
    selvedge(&["check", &bad, &good, "--report", &page]).expect(1, "check the files one by one");
    selvedge(&["confirm", &bad, &page]).expect(2, "a trace as a page, for people");
}
