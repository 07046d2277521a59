//! The files that the page shows, and places in them. Lines are sanitised as they are shown, so columns count
//! what is shown, in the units of JavaScript.

use base::{FileId, SourceMap, Span, bytes, sanitise};
use serde::Serialize;
use std::borrow::Cow;

/// A place in one of the files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct PagePlace {
    /// The number of the file on the page.
    pub file: usize,
    /// The line, from 1.
    pub line: u32,
    /// Where in the line it begins, from 0.
    pub column: usize,
    /// How long it is, as far as it is on this line.
    pub length: usize,
}

/// A file.
#[derive(Debug, Serialize)]
pub struct PageFile {
    name: String,
    lines: Vec<String>,
}

/// The files that were named so far.
pub struct PageFiles<'a> {
    /// All files of the report.
    pub sources: &'a SourceMap,
    named: Vec<FileId>,
}

impl<'a> PageFiles<'a> {
    /// None yet.
    pub fn new(sources: &'a SourceMap) -> PageFiles<'a> {
        PageFiles { sources, named: vec![] }
    }

    /// The number of a file on the page.
    pub fn number(&mut self, file: FileId) -> usize {
        self.named.iter().position(|it| *it == file).unwrap_or_else(|| {
            self.named.push(file);
            self.named.len() - 1
        })
    }

    /// A place on the page. What belongs to the library is no file of the user's.
    pub fn place(&mut self, span: Span) -> Option<PagePlace> {
        let file = self.sources.file(span.file);
        if file.is_library() {
            return None;
        }
        let position = file.position(span.start);
        let line = file.line(position.line);
        let begins = line.chars().take(position.column as usize - 1).map(char::len_utf8).sum::<usize>();
        let length = (span.end.saturating_sub(span.start) as usize).min(line.len() - begins);
        let marked = line.get(begins..begins + length).unwrap_or_default();
        Some(PagePlace {
            file: self.number(span.file),
            line: position.line,
            column: units(&line[..begins]),
            length: units(marked),
        })
    }

    /// The files, in the order of their numbers.
    pub fn texts(self) -> Vec<PageFile> {
        let one = |id: &FileId| {
            let file = self.sources.file(*id);
            PageFile { name: clean(file.name()), lines: file.text().lines().map(clean).collect() }
        };
        self.named.iter().map(one).collect()
    }
}

/// Text as it is shown: on one line, and in one direction.
pub fn clean(text: &str) -> String {
    match bytes::shown(text) {
        Cow::Borrowed(text) => sanitise(text),
        Cow::Owned(text) => sanitise(&text),
    }
}

/// How long a text is for JavaScript, as it is shown.
fn units(text: &str) -> usize {
    clean(text).encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_what_is_shown() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.c", "int x;\n\té𝄞 = x + 1;\nint y");
        let mut files = PageFiles::new(&sources);
        let start = "int x;\n\té𝄞 = ".len() as u32;
        let place = files.place(Span { file, start, end: start + 5 }).expect("it is the user's");
        assert_eq!((place.file, place.line, place.column, place.length), (0, 2, 10, 5));
        let long = files.place(Span { file, start, end: 9_999 }).expect("it is the user's");
        assert_eq!(long.length, 6, "a place ends with its line");
        let text = files.texts();
        assert_eq!(text[0].lines[1], "    é𝄞 = x + 1;");
        assert_eq!(
            &"    é𝄞 = x + 1;".encode_utf16().collect::<Vec<_>>()[10..15],
            "x + 1".encode_utf16().collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_library_is_no_file_of_the_user() {
        let mut sources = SourceMap::new();
        let file = sources.add("<library>/lock.c", "x");
        assert_eq!(PageFiles::new(&sources).place(Span { file, start: 0, end: 1 }), None);
    }
}
