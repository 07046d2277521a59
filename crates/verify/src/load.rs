//! Reads a file into text, or says as a diagnostic why that cannot be done: files come from users, so every
//! way in which one can be missing, unreadable or not text has its own message.

use base::{Diagnostic, FileId, SourceMap};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Spans hold 32 bits, so a file must be shorter than this.
const LONGEST: u64 = u32::MAX as u64;

/// Files are read in pieces of this many bytes.
const PIECE: u64 = 1 << 20;

/// Where a text comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// Standard input, written `-`.
    Stdin,
}

impl Origin {
    /// What an argument of the command line means.
    pub fn from_argument(argument: &Path) -> Origin {
        if argument == Path::new("-") { Origin::Stdin } else { Origin::File(argument.to_path_buf()) }
    }

    /// The name in messages.
    pub fn name(&self) -> String {
        match self {
            Origin::File(path) => path.display().to_string(),
            Origin::Stdin => "<stdin>".to_string(),
        }
    }
}

/// Reads a text into the source map; a byte order mark is dropped, line ends stay as they are.
pub fn load(sources: &mut SourceMap, origin: &Origin) -> Result<FileId, Diagnostic> {
    let file = load_source(sources, origin)?;
    front::valid_text(sources, file).map(|()| file)
}

/// The same for a source, which may be C and then hold anything in strings and comments ([`base::bytes`]).
pub fn load_source(sources: &mut SourceMap, origin: &Origin) -> Result<FileId, Diagnostic> {
    let name = origin.name();
    let bytes = match origin {
        Origin::File(path) => read_file(path),
        Origin::Stdin => read_all(io::stdin().lock(), 0),
    };
    let bytes = bytes.map_err(|problem| problem.diagnostic(&name))?;
    let text = decode(&name, bytes)?;
    if text.trim().is_empty() {
        let help = "a program has at least one procedure, a net at least one rule";
        return Err(Diagnostic::error("E0903", None, format!("`{name}` is empty")).help(help));
    }
    Ok(sources.add(name, text))
}

/// The most bytes of a file that is no source.
const MOST_BYTES: u64 = 1 << 20;

/// What is in a file that is no source, such as one that a program reads.
pub fn load_bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let name = path.display().to_string();
    let read = || {
        let file = File::open(path).map_err(Problem::Io)?;
        if file.metadata().map_err(Problem::Io)?.is_dir() {
            return Err(Problem::Directory);
        }
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(Problem::Io)?;
        Ok(bytes)
    };
    let bytes = read().map_err(|problem| problem.diagnostic(&name))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Diagnostic::error("E0906", None, format!("`{name}` is too long: 1 MiB is the most")));
    }
    Ok(bytes)
}

/// The system's number of the error that a process has too many open files.
const TOO_MANY_FILES: i32 = 24;

enum Problem {
    Io(io::Error),
    Directory,
    TooLong,
}

impl Problem {
    fn diagnostic(self, name: &str) -> Diagnostic {
        match self {
            Problem::Io(error) => {
                let message = format!("`{name}` cannot be read: {}", plain(&error));
                let found = Diagnostic::error("E0901", None, message);
                match error.raw_os_error() {
                    Some(TOO_MANY_FILES) => found.help("raise the limit of open files (`ulimit -n`)"),
                    _ => found,
                }
            }
            Problem::Directory => Diagnostic::error("E0902", None, format!("`{name}` is a directory"))
                .help("name the files in it, for example with a pattern of the shell"),
            Problem::TooLong => {
                Diagnostic::error("E0906", None, format!("`{name}` is too long: 4 GiB is the most"))
            }
        }
    }
}

/// An error of the system in words, without the number that `std` adds.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

fn read_file(path: &Path) -> Result<Vec<u8>, Problem> {
    let file = File::open(path).map_err(Problem::Io)?;
    let metadata = file.metadata().map_err(Problem::Io)?;
    if metadata.is_dir() {
        return Err(Problem::Directory);
    }
    if metadata.len() >= LONGEST {
        return Err(Problem::TooLong);
    }
    read_all(file, metadata.len())
}

/// Reads to the end. The buffer is asked for, not taken for granted: a file may be longer than the memory.
fn read_all(from: impl Read, expected: u64) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let capacity = usize::try_from(expected).map_err(|_| Problem::TooLong)?;
    bytes.try_reserve(capacity).map_err(|_| Problem::Io(io::ErrorKind::OutOfMemory.into()))?;
    let mut from = from.take(LONGEST);
    loop {
        let before = bytes.len();
        let read = from.by_ref().take(PIECE).read_to_end(&mut bytes).map_err(Problem::Io)?;
        // What is no text need not be read to an end that may never come.
        if read == 0 || bytes[before..].contains(&0) {
            break;
        }
    }
    if bytes.len() as u64 >= LONGEST { Err(Problem::TooLong) } else { Ok(bytes) }
}

fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Diagnostic> {
    let sixteen_bits = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if sixteen_bits || bytes.contains(&0) {
        let found = Diagnostic::error("E0904", None, format!("`{name}` is not a text file"));
        let help = "it looks like UTF-16; save it as UTF-8";
        return Err(if sixteen_bits { found.help(help) } else { found });
    }
    let mut text = base::bytes::decode(bytes);
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> Result<String, &'static str> {
        decode("a.bp", bytes.to_vec()).map_err(|found| found.code)
    }

    #[test]
    fn only_text_is_let_through() {
        assert_eq!(decoded(b"\xef\xbb\xbfdecl x;\r\n").as_deref(), Ok("decl x;\r\n"));
        assert_eq!(decoded(b"\x7fELF\0\0"), Err("E0904"));
        assert_eq!(decoded(b"\xff\xfed\0"), Err("E0904"));
    }

    #[test]
    fn a_long_file_is_refused_before_it_is_read() {
        assert!(matches!(read_all(io::repeat(b' ').take(3), 0), Ok(bytes) if bytes.len() == 3));
        assert!(matches!(read_file(Path::new("/")), Err(Problem::Directory)));
    }
}
