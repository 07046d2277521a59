//! `compile_commands.json`: how the files of a project are compiled, as CMake, Meson, Bear and `selvedge cc`
//! write it.

use super::flags::{self, Flag};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The name of the file in its folder.
pub const FILE: &str = "compile_commands.json";

/// How a file is compiled, as far as that says what the program is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileLine {
    /// The file, as it is found from here.
    pub file: PathBuf,
    /// What the preprocessor is told.
    pub words: Vec<String>,
    /// Whether `long` and pointers have 32 bits, if that is said.
    pub bits32: Option<bool>,
    /// Whether `char` has no negative values, if that is said.
    pub unsigned_char: Option<bool>,
    /// What cannot be honoured.
    pub refused: Vec<String>,
    /// Options that compilers may know and we do not.
    pub unknown: Vec<String>,
}

/// The path of the database: a folder holds one, a file is one.
pub fn path(given: &Path) -> PathBuf {
    if given.is_dir() { given.join(FILE) } else { given.to_path_buf() }
}

/// The C files of a database that are there, each as it was compiled last.
pub fn read(given: &Path) -> Result<Vec<CompileLine>, String> {
    let path = path(given);
    let wrong = |why: &str| format!("`{}`: {why}", path.display());
    let text = std::fs::read_to_string(&path).map_err(|error| wrong(&verify::plain(&error)))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
    let Value::Array(records) = value else { return Err(wrong("it is no list of compile lines")) };
    let mut entries: Vec<(PathBuf, CompileLine)> = vec![];
    for record in &records {
        let entry =
            entry(record).ok_or_else(|| wrong("a record has no `directory`, `file` and `command`"))?;
        let is_c = entry.file.extension().is_some_and(|it| it == "c" || it == "i");
        let Some(known) = entry.file.canonicalize().ok().filter(|_| is_c) else { continue };
        entries.retain(|it| it.0 != known);
        entries.push((known, entry));
    }
    Ok(entries.into_iter().map(|it| it.1).collect())
}

fn entry(record: &Value) -> Option<CompileLine> {
    let text = |name: &str| record.get(name)?.as_str();
    let directory = Path::new(text("directory")?);
    let words: Vec<String> = match record.get("arguments") {
        Some(Value::Array(words)) => words.iter().filter_map(|it| it.as_str().map(str::to_string)).collect(),
        _ => split(text("command")?),
    };
    let file = from_here(&directory.join(text("file")?));
    Some(of_line(file, &words, directory))
}

/// What a compile line says; its first word is the compiler.
fn of_line(file: PathBuf, words: &[String], directory: &Path) -> CompileLine {
    let (words, mut at) = (expanded(words, directory), 1);
    let mut entry = CompileLine {
        file,
        words: vec![],
        bits32: None,
        unsigned_char: None,
        refused: vec![],
        unknown: vec![],
    };
    while at < words.len() {
        let word = &words[at];
        let found = flags::flag(&words[at..]).filter(|_| word.starts_with('-'));
        let Some((flag, taken)) = found else {
            entry.unknown.extend(Some(word.clone()).filter(|it| it.len() > 1 && it.starts_with('-')));
            at += 1;
            continue;
        };
        match flag {
            Flag::Ignored => {}
            Flag::Preprocessor { words, path } => {
                let path = path.map(|path| found_from(directory, &words, &path));
                entry.words.extend(words.into_iter().chain(path));
            }
            Flag::Bits32(bits) => entry.bits32 = Some(bits),
            Flag::UnsignedChar(unsigned) => entry.unsigned_char = Some(unsigned),
            Flag::Refused(why) => entry.refused.push(format!("`{word}`: {why}")),
        }
        at += taken;
    }
    entry
}

/// A path as it is found from here, where it was written for another folder. A header that is not in that
/// folder is looked for like others.
fn found_from(directory: &Path, words: &[String], path: &str) -> String {
    let joined = directory.join(path);
    let is_header = words.first().is_some_and(|it| it == "-include" || it == "-imacros");
    // `-I=dir` and `-I $SYSROOT` are below the root of the system.
    if path.starts_with('=') || path.starts_with("$SYSROOT") || (is_header && !joined.is_file()) {
        return path.to_string();
    }
    from_here(&joined).display().to_string()
}

/// A shorter name of a path, where it is below this folder.
fn from_here(path: &Path) -> PathBuf {
    let below = || {
        let here = std::env::current_dir().ok()?.canonicalize().ok()?;
        let shorter = path.canonicalize().ok()?.strip_prefix(here).ok()?.to_path_buf();
        Some(if shorter.as_os_str().is_empty() { PathBuf::from(".") } else { shorter })
    };
    below().unwrap_or_else(|| path.to_path_buf())
}

/// The words with those of files that are named as `@file`.
fn expanded(words: &[String], directory: &Path) -> Vec<String> {
    let mut all = vec![];
    for word in words {
        let text = word.strip_prefix('@').and_then(|it| std::fs::read_to_string(directory.join(it)).ok());
        match text {
            Some(text) => all.extend(split(&text)),
            None => all.push(word.clone()),
        }
    }
    all
}

/// The words of a line as the shell cuts it.
fn split(line: &str) -> Vec<String> {
    let mut words = vec![];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, ' ' | '\t' | '\n' | '\r') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), _) if letter == open => quote = None,
            (None, '\\') => word.get_or_insert_default().extend(letters.next()),
            (Some('"'), '\\') if letters.peek().is_some_and(|it| "\\\"$`".contains(*it)) => {
                word.get_or_insert_default().extend(letters.next());
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_as_the_shell_does() {
        let words = split(r#"cc  -DA="x y" '-DB="1"' -DC=\"z\" "a\\b\n" '' end"#);
        assert_eq!(words, ["cc", "-DA=x y", "-DB=\"1\"", "-DC=\"z\"", "a\\b\\n", "", "end"]);
    }

    #[test]
    fn what_a_line_says_is_kept() {
        let words =
            split("gcc -I/inc -isystem /sys -include no.h -DX=1 -m32 -fopenmp -O2 -zstrange --odd -c /a.c");
        let entry = of_line("/a.c".into(), &words, Path::new("/nowhere"));
        assert_eq!(
            entry.words,
            ["-I", "/inc", "-isystem", "/sys", "-include", "no.h", "-DX=1"].map(String::from)
        );
        assert_eq!((entry.bits32, entry.refused.len(), entry.unknown), (Some(true), 1, vec!["--odd".into()]));
    }
}
