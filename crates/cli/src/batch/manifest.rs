//! Reads a manifest: a CSV table whose first line names the columns. Files are named from its folder.

use report::batch::Finding;
use std::path::{Path, PathBuf};

/// A row of a manifest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The file.
    pub path: PathBuf,
    /// Further options of `check`.
    pub args: Vec<String>,
    /// What is expected.
    pub expected: Option<Finding>,
}

/// The names of the columns: the file, its options, the expected verdict.
const COLUMNS: [&[&str]; 3] = [&["path", "file"], &["args", "options"], &["expected", "verdict"]];

/// Reads a manifest.
pub fn read(path: &Path) -> Result<Vec<Entry>, String> {
    let wrong = |why: String| format!("`{}`: {why}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| wrong(verify::plain(&error)))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    entries(&text, folder).map_err(wrong)
}

fn entries(text: &str, folder: &Path) -> Result<Vec<Entry>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut records = records(text)?.into_iter();
    let head = records.next().ok_or("it is empty")?.fields;
    let [file, args, expected] =
        COLUMNS.map(|names| names.iter().find_map(|it| head.iter().position(|name| name.trim() == *it)));
    let file = file.ok_or("its first line names no column `path`")?;
    let entry = |Record { line, fields }: Record| {
        let field = |column: Option<usize>| column.and_then(|it| fields.get(it)).map_or("", |it| it.trim());
        let wrong = |why: String| format!("line {line}: {why}");
        let name = field(Some(file));
        if name.is_empty() {
            return Err(wrong("it names no file".to_string()));
        }
        Ok(Entry {
            path: folder.join(name),
            args: field(args).split_whitespace().map(str::to_string).collect(),
            expected: Finding::expected(field(expected)).map_err(wrong)?,
        })
    };
    records.map(entry).collect()
}

/// A record of a CSV table.
struct Record {
    /// The line in which it begins.
    line: usize,
    fields: Vec<String>,
}

/// The records: fields between commas, in quotes if they hold one; a quote in quotes is written twice. Blank
/// lines are none.
fn records(text: &str) -> Result<Vec<Record>, String> {
    let mut records = vec![];
    let (mut record, mut quoted, mut line) = (Record { line: 1, fields: vec![String::new()] }, false, 1);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let field = record.fields.last_mut().expect("never empty");
        match c {
            '"' if quoted && rest.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => record.fields.push(String::new()),
            '\r' if !quoted && rest.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                line += 1;
                let next = Record { line, fields: vec![String::new()] };
                records.push(std::mem::replace(&mut record, next));
            }
            c => {
                line += usize::from(c == '\n');
                field.push(c);
            }
        }
    }
    if quoted {
        return Err(format!("line {}: a quote is not closed", record.line));
    }
    records.push(record);
    records.retain(|it| it.fields.len() > 1 || !it.fields[0].trim().is_empty());
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let text = "path,dialect,args,expected,note\r\na/b.tts,D5,\"--start 0|0,1\",unsafe,\"a \"\"b\"\"\"\n\nc.bp,D1,,,\n";
        let found = entries(text, Path::new("d")).expect("a manifest");
        let first = Entry {
            path: PathBuf::from("d/a/b.tts"),
            args: vec!["--start".to_string(), "0|0,1".to_string()],
            expected: Some(Finding::Unsafe),
        };
        let second = Entry { path: PathBuf::from("d/c.bp"), args: vec![], expected: None };
        assert_eq!(found, [first, second]);
        let other = entries("file,verdict\nx.c,true\n", Path::new("")).expect("a manifest");
        assert_eq!(other[0].expected, Some(Finding::Safe));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let why = |text: &str| entries(text, Path::new("")).expect_err("it is wrong");
        assert_eq!(why("a,b\n"), "its first line names no column `path`");
        assert_eq!(
            why("path,expected\na.bp,safe\nb.bp,save\n"),
            "line 3: `save` is not `safe`, `unsafe`, `unknown`, `error` or nothing"
        );
        assert_eq!(why("path\n\"a"), "line 2: a quote is not closed");
        assert_eq!(why("path,args\n,x\n"), "line 2: it names no file");
        assert!(entries("", Path::new("")).is_err());
    }
}
