//! What a reader of a format says of itself: how its files are recognised, and which options it heeds; and
//! the choice of the reader that fits a file. The list of all readers is `verify::READERS`, above the crates
//! that have them.

use crate::options::{DIALECT, OPTIONS, ReadOptions};
use crate::source::Source;
use base::{Budget, Diagnostic, FileId, SourceMap, Span, Stop};
use std::path::Path;

/// A format.
pub struct Reader {
    /// What a file of the format is called, with its article and its extensions in the text: `a Petri net
    /// (`.spec`)`.
    pub about: &'static str,
    /// The extensions of its files, in lower case.
    pub extensions: &'static [&'static str],
    /// Whether a file without a known extension looks like one of the format.
    pub recognises: fn(&Beginning<'_>) -> bool,
    /// Whether its files may hold what is not UTF-8, as [`base::bytes`] keeps it.
    pub takes_bytes: bool,
    /// The names of the options that it heeds, as in [`OPTIONS`].
    pub options: &'static [&'static str],
    /// Reads a file.
    pub read: fn(&mut Request<'_>) -> Result<Reading, Failure>,
}

/// A file that is to be read.
pub struct Request<'a> {
    /// Where texts and their places are kept.
    pub sources: &'a mut SourceMap,
    /// The file.
    pub file: FileId,
    /// Its path, if it has one: other files are looked for beside it.
    pub path: Option<&'a Path>,
    /// How to read it.
    pub options: &'a ReadOptions,
    /// What reading may cost.
    pub budget: &'a Budget,
    /// The other files that it may need.
    pub files: &'a mut dyn Files,
}

/// Gives a reader files beside the one that it reads.
pub trait Files {
    /// Whether there is such a file.
    fn is_file(&self, path: &Path) -> bool;
    /// Its text.
    fn load(&mut self, sources: &mut SourceMap, path: &Path) -> Result<FileId, Diagnostic>;
    /// What is in it, as it stands there.
    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, Diagnostic>;
}

/// There are no other files.
pub struct NoFiles;

impl Files for NoFiles {
    fn is_file(&self, _: &Path) -> bool {
        false
    }

    fn load(&mut self, _: &mut SourceMap, path: &Path) -> Result<FileId, Diagnostic> {
        Err(Diagnostic::error("E0901", None, format!("`{}` cannot be read", path.display())))
    }

    fn bytes(&mut self, path: &Path) -> Result<Vec<u8>, Diagnostic> {
        Err(Diagnostic::error("E0901", None, format!("`{}` cannot be read", path.display())))
    }
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What it holds.
    pub source: Source,
    /// Findings that do not keep it from being used.
    pub warnings: Vec<Diagnostic>,
    /// How it was read, for those who want to know more.
    pub notes: Vec<String>,
}

/// Why a file was not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// All that is wrong with it.
    Diagnostics(Vec<Diagnostic>),
    /// The end of a resource.
    Stopped(Stop),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stopped(stop)
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(found: Vec<Diagnostic>) -> Failure {
        Failure::Diagnostics(found)
    }
}

impl From<Diagnostic> for Failure {
    fn from(found: Diagnostic) -> Failure {
        Failure::Diagnostics(vec![found])
    }
}

/// Reads a file with the reader that fits among `readers`. Options that its format does not heed are warned
/// of, so that nobody takes them for heeded.
pub fn read(readers: &[&Reader], request: &mut Request<'_>) -> Result<Reading, Failure> {
    let reader = choose(readers, request)?;
    if !reader.takes_bytes {
        valid_text(request.sources, request.file)?;
    }
    let mut reading = (reader.read)(request)?;
    let idle = OPTIONS.iter().filter(|it| (it.given)(request.options) && !reader.options.contains(&it.name));
    reading.warnings.extend(idle.map(|it| {
        Diagnostic::warning("W0901", None, format!("{} has no effect on this kind of file", it.name))
    }));
    Ok(reading)
}

/// Whether a text is UTF-8 throughout; else, the first place where it is not.
pub fn valid_text(sources: &SourceMap, file: FileId) -> Result<(), Diagnostic> {
    let text = sources.file(file).text();
    let Some((at, letter)) = text.char_indices().find(|(_, letter)| base::bytes::is_byte(*letter)) else {
        return Ok(());
    };
    let span = Span { file, start: at as u32, end: (at + letter.len_utf8()) as u32 };
    let found = Diagnostic::error("E0905", span, "this is not valid UTF-8");
    Err(found.help("save the file as UTF-8 or plain ASCII"))
}

/// The reader by the dialect that the user named, by the extension, or by the contents.
fn choose<'r>(readers: &[&'r Reader], request: &Request<'_>) -> Result<&'r Reader, Diagnostic> {
    let extension = request.path.and_then(|path| path.extension()?.to_str()).map(str::to_ascii_lowercase);
    let named = |reader: &&&Reader| match (&request.options.dialect, &extension) {
        (Some(_), _) => reader.options.contains(&DIALECT),
        (None, Some(extension)) => reader.extensions.contains(&extension.as_str()),
        (None, None) => false,
    };
    let file = request.sources.file(request.file);
    let beginning = Beginning::of(file.text());
    let found = readers.iter().find(named);
    let found = found.or_else(|| readers.iter().find(|reader| (reader.recognises)(&beginning)));
    found.copied().ok_or_else(|| {
        let message = format!("cannot tell what kind of file `{}` is", file.name());
        Diagnostic::error("E0908", None, message).help(
            "C programs end in `.c` or `.i`, Boolean programs in `.bp` or `.nbp`, transition systems in `.tts`, Petri nets in `.spec`; --dialect reads any file as a Boolean program",
        )
    })
}

/// How a text begins.
pub struct Beginning<'t> {
    /// The first two words that are not in comments; `#` stands for a line of the C preprocessor.
    pub words: Vec<&'t str>,
    /// All of it.
    pub text: &'t str,
}

impl<'t> Beginning<'t> {
    /// How this text begins.
    pub fn of(text: &'t str) -> Beginning<'t> {
        Beginning { words: first_words(text), text }
    }

    /// The first word.
    pub fn first(&self) -> &str {
        self.words.first().copied().unwrap_or_default()
    }
}

fn first_words(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut words = vec![];
    while words.len() < 2 {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if rest.starts_with("#include") || rest.starts_with("#define") {
            words.push("#");
            rest = "";
        } else if rest.starts_with("//") || rest.starts_with('#') {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if rest.is_empty() {
            break;
        } else {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let end = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
            words.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_bytes_are_pointed_at() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.bp", base::bytes::decode(b"ok\nab\xffc".to_vec()));
        let found = valid_text(&sources, file).expect_err("bad bytes");
        assert_eq!(
            (found.code, sources.describe(found.span.expect("a place"))),
            ("E0905", "a.bp:2:3".into())
        );
    }
}
