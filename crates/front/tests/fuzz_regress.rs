//! Inputs that once broke a reader, found by the fuzz targets (`docs/fuzzing.md`): each is fed to its reader
//! again, which must say exactly what the file's `says:` comments list, or `accepted`.

use base::{Diagnostic, FileId, SourceMap};
use front::dialects::{prop, spec, tts};
use front::{ReadOptions, read_program};
use ir::bp::print;
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/regress");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    files.sort();
    files
}

/// What stands behind a directive in comments, line by line.
fn directives<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let comments = text.lines().filter_map(|line| line.strip_prefix("//").or(line.strip_prefix('#')));
    comments.filter_map(|line| line.trim().strip_prefix(name)).map(str::trim).collect()
}

/// The findings about a text, as `code message`; `accepted` comes first if there is a result.
fn messages<T>(read: Result<(T, Vec<Diagnostic>), Vec<Diagnostic>>) -> Vec<String> {
    let (accepted, found) = match read {
        Ok((_, found)) => (Some("accepted".to_string()), found),
        Err(found) => (None, found),
    };
    let found = found.iter().map(|it| format!("{} {}", it.code, it.message));
    accepted.into_iter().chain(found).collect()
}

fn program(map: &SourceMap, file: FileId) -> Vec<String> {
    let text = map.file(file).text();
    let mut options = ReadOptions::default();
    for words in directives(text, "read:") {
        match words.split_once(' ') {
            Some(("--dialect", name)) => options.dialect = Some(name.parse().expect("a dialect")),
            Some(("--entry", name)) => options.entry = Some(name.to_string()),
            Some(("--error-label", name)) => options.error_labels.push(name.to_string()),
            _ => panic!("no option of the reader: {words}"),
        }
    }
    let read = read_program(map, file, &options);
    if let Ok((made, _)) = &read {
        let mut map = SourceMap::new();
        let file = map.add("printed.bp", print::program(made));
        let (again, _) = read_program(&map, file, &ReadOptions::default()).expect("what is printed is read");
        assert!(again == *made, "another program came back for\n{}", map.file(file).text());
    }
    messages(read)
}

fn read(path: &Path, text: &str) -> Option<Vec<String>> {
    let mut map = SourceMap::new();
    let file = map.add(path.display().to_string(), text);
    let option = |name: &str| directives(text, name).first().map(|it| it.to_string());
    Some(match path.extension()?.to_str()? {
        "bp" => program(&map, file),
        "tts" => {
            let options =
                ReadOptions { start: option("start:"), target: option("target:"), ..ReadOptions::default() };
            messages(tts::read_tts(&map, file, &options, None))
        }
        "prop" => messages(prop::read_prop(&map, file).map(|targets| (targets, vec![]))),
        "spec" => messages(spec::read_spec(&map, file)),
        "cert" => {
            vec![ir::certificate::text::read(text).map_or_else(|why| why, |_| "accepted".to_string())]
        }
        _ => return None,
    })
}

#[test]
fn found_inputs_are_read_or_refused() {
    let files = files();
    assert!(!files.is_empty(), "the inputs are missing");
    for path in files {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let found = read(&path, &text).unwrap_or_else(|| panic!("{} has no reader", path.display()));
        assert_eq!(found, directives(&text, "says:"), "{}", path.display());
    }
}
