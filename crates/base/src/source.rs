//! Source files and places in them. Spans are byte ranges; lines and columns are worked out on demand.

use crate::define_id;
use crate::ids::Arena;

define_id!(
    /// A file of a [`SourceMap`].
    pub struct FileId = "file"
);

/// A range of bytes in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The smallest span that holds both; the file is that of `self`.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A line and a column, both counted from 1; the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

/// One file: its name as the user gave it, and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// The name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is one of the texts that come with the reader: their names begin with this word.
    pub fn is_library(&self) -> bool {
        self.name.starts_with("<library>/")
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The position of a byte.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&start| start <= offset).max(1);
        let start = self.line_starts[line - 1] as usize;
        let end = (offset as usize).min(self.text.len());
        let before = self.text.as_bytes().get(start..end).unwrap_or_default();
        let column = String::from_utf8_lossy(before).chars().count() + 1;
        Position { line: line as u32, column: column as u32 }
    }

    /// The text of a line counted from 1, without its line end; empty past the end of the file.
    pub fn line(&self, line: u32) -> &str {
        let index = line.saturating_sub(1) as usize;
        let Some(&start) = self.line_starts.get(index) else { return "" };
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

/// All files of a run.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Arena<FileId, SourceFile>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. Texts of 4 GiB and more are cut by the caller: spans hold 32 bits.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        self.files.push(SourceFile { name: name.into(), text, line_starts })
    }

    /// The first file of a name.
    pub fn find(&self, name: &str) -> Option<FileId> {
        self.files.enumerate().find(|(_, file)| file.name == name).map(|(id, _)| id)
    }

    /// A file by its id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// `name:line:column` of the start of a span.
    pub fn describe(&self, span: Span) -> String {
        let file = self.file(span.file);
        let Position { line, column } = file.position(span.start);
        format!("{}:{line}:{column}", file.name())
    }

    /// The text of a span.
    pub fn snippet(&self, span: Span) -> &str {
        self.file(span.file).text().get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let mut map = SourceMap::new();
        let file = map.add("a.bp", "ab\nçd\n");
        let at = |offset| map.file(file).position(offset);
        assert_eq!(at(0), Position { line: 1, column: 1 });
        assert_eq!(at(5), Position { line: 2, column: 2 });
        assert_eq!(map.file(file).line(2), "çd");
        assert_eq!(map.file(file).line(9), "");
        assert_eq!(map.describe(Span { file, start: 3, end: 5 }), "a.bp:2:1");
    }
}
