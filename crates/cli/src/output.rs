//! Writes documents: to standard output, which its reader may close, to standard error, and to files, which
//! are whole or not there. Text from files is sanitised where a document is rendered, and nowhere else.

use crate::terminal::{paint_of_stderr, width};
use base::bytes::shown;
use base::{Diagnostic, SourceMap};
use report::{Document, Line, Paint, Text};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a file that is being written is waited for when the process ends.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Held while a file is being written.
static WRITING: Mutex<()> = Mutex::new(());

/// Lets the file that is being written get to its end, before the process ends.
pub fn finish() {
    let start = Instant::now();
    while start.elapsed() < LAST_WAIT {
        match WRITING.try_lock() {
            Err(std::sync::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            // A later writer waits until the process has ended.
            free => return std::mem::forget(free),
        }
    }
}

fn writing() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes to standard output. A reader that has gone away, as in `selvedge … | head -1`, is no error.
pub fn print(document: &Document) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(shown(&document.render(Paint::Plain)).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Writes to standard error. Nobody is left to be told if that fails.
pub fn tell(document: impl Into<Document>) {
    let text = document.into().render(paint_of_stderr());
    let _ = io::stderr().lock().write_all(shown(&text).as_bytes());
}

/// Writes one line to standard error.
pub fn tell_line(line: impl Into<Line>) {
    tell(Text::line(line));
}

/// Writes findings to standard error.
pub fn tell_findings(sources: &SourceMap, findings: &[Diagnostic]) {
    for found in findings {
        tell(report::diagnostics::draw(sources, found, width()));
    }
}

/// Writes a result file: first beside its place, then moved there, so that it is never half written.
pub fn write_file(path: &Path, document: &Document) -> Result<(), String> {
    let text = document.render(Paint::Plain);
    let contents = &shown(&text);
    let failed =
        |error: io::Error| format!("`{}` cannot be written: {}", path.display(), verify::plain(&error));
    // Devices and pipes cannot be replaced; writing to them is what is meant.
    if fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir()) {
        let mut file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        return file.write_all(contents.as_bytes()).and_then(|()| file.flush()).map_err(failed);
    }
    if path.is_dir() {
        return Err(format!("`{}` cannot be written: it is a directory", path.display()));
    }
    refuse_to_replace(path)?;
    // A link stays a link: what it points to is replaced.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let _writing = writing();
    let (beside, file) = create_beside(&place).map_err(failed)?;
    let written = fill(file, contents).and_then(|()| fs::rename(&beside, &place));
    if written.is_err() {
        // The error told is the first one.
        let _ = fs::remove_file(&beside);
    }
    written.map_err(failed)
}

/// A file that may not be written is not replaced either, though its folder would allow it; a link to nothing
/// names no place to write to.
fn refuse_to_replace(path: &Path) -> Result<(), String> {
    let refuse = |why: &str| Err(format!("`{}` cannot be written: {why}", path.display()));
    match fs::metadata(path) {
        Ok(found) if found.permissions().readonly() => refuse("it is read-only"),
        Err(_) if fs::symlink_metadata(path).is_ok() => refuse("it is a link to nothing"),
        _ => Ok(()),
    }
}

fn fill(mut file: File, contents: &str) -> io::Result<()> {
    file.write_all(contents.as_bytes())?;
    file.sync_all()
}

/// A new file in the same folder, under a name that nobody uses.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut last = io::ErrorKind::AlreadyExists.into();
    for attempt in 0..100 {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{attempt}.tmp", std::process::id()));
        let beside = path.with_file_name(hidden);
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, contents: &str) -> Result<(), String> {
        write_file(path, &Document::Data(contents.to_string()))
    }

    #[test]
    fn files_are_replaced_whole() {
        let folder = std::env::temp_dir().join(format!("selvedge-output-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        let path = folder.join("a.json");
        assert_eq!(write(&path, "one"), Ok(()));
        assert_eq!(write(&path, "two"), Ok(()));
        assert_eq!(fs::read_to_string(&path).expect("written"), "two");
        assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1, "nothing is left behind");
        let mut permissions = fs::metadata(&path).expect("written").permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).expect("it is ours");
        assert!(write(&path, "three").is_err_and(|why| why.contains("read-only")));
        assert_eq!(fs::read_to_string(&path).expect("written"), "two");
        assert!(write(&folder, "x").is_err());
        assert!(write(&folder.join("no/such/folder"), "x").is_err());
        fs::remove_dir_all(&folder).expect("the folder of the test");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_links_to_nothing_refused() {
        let folder = std::env::temp_dir().join(format!("selvedge-links-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        let (link, place) = (folder.join("link"), folder.join("place"));
        std::os::unix::fs::symlink(&place, &link).expect("a link");
        assert!(write(&link, "one").is_err_and(|why| why.contains("a link to nothing")));
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink() && !place.exists());
        fs::write(&place, "zero").expect("a file");
        assert_eq!(write(&link, "one"), Ok(()));
        assert_eq!(fs::read_to_string(&place).expect("written"), "one");
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
        fs::remove_dir_all(&folder).expect("the folder of the test");
    }
}
