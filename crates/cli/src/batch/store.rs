//! The folder that keeps a batch: what was asked (`batch.json`), and a line for each row (`rows.jsonl`).
//! A line is written with one call at the end of the file, so that whatever ends the process leaves whole
//! lines and perhaps the beginning of one, which is dropped when the batch goes on. The file of the rows is
//! locked as long as somebody writes to it; the system takes the lock back when the process ends.

use crate::output;
use report::Document;
use report::batch::{BatchRequest, BatchRow};
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The files of the folder.
const REQUEST: &str = "batch.json";
const ROWS: &str = "rows.jsonl";

/// A folder that rows are added to.
pub struct Store {
    file: File,
    path: PathBuf,
    /// The length of the file with whole rows.
    length: u64,
}

/// A folder that was read.
pub struct Kept {
    /// What was asked.
    pub request: BatchRequest,
    /// The rows.
    pub rows: Vec<BatchRow>,
}

impl Store {
    /// Opens a folder for a batch, which may go on with what is there. The rows that are there come with it.
    pub fn open(folder: &Path, request: &BatchRequest) -> Result<(Store, Vec<BatchRow>), String> {
        fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        let path = folder.join(ROWS);
        let open = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let file = open.map_err(|error| failed(&path, &error))?;
        lock(&file, folder)?;
        match kept_request(folder)? {
            Some(kept) => {
                if let Some(why) = request.difference(&kept) {
                    return Err(format!(
                        "`{}` holds another batch: {why}; give another --out, or remove the folder",
                        folder.display()
                    ));
                }
            }
            None => {
                if file.metadata().map_err(|error| failed(&path, &error))?.len() > 0 {
                    return Err(format!("`{}` holds rows, but not what was asked", folder.display()));
                }
                output::write_file(&folder.join(REQUEST), &Document::Data(request.text()))?;
            }
        }
        let (rows, length) = whole_rows(&file, &path, request.tasks)?;
        // What is behind the last whole line was being written when the process ended.
        file.set_len(length).map_err(|error| failed(&path, &error))?;
        Ok((Store { file, path, length }, rows))
    }

    /// Adds a line, with one call. What was written of it is taken back if that fails.
    pub fn append(&mut self, line: &str) -> Result<(), String> {
        match self.file.write_all(line.as_bytes()) {
            Ok(()) => {
                self.length += line.len() as u64;
                Ok(())
            }
            Err(error) => {
                // The error told is the first one.
                let _ = self.file.set_len(self.length);
                Err(failed(&self.path, &error))
            }
        }
    }

    /// Has the system write down what it holds.
    pub fn finish(self) -> Result<(), String> {
        self.file.sync_all().map_err(|error| failed(&self.path, &error))
    }
}

/// Reads a folder that nobody needs to write to.
pub fn read(folder: &Path) -> Result<Kept, String> {
    let no_batch = || format!("`{}` holds no batch", folder.display());
    let request = kept_request(folder)?.ok_or_else(no_batch)?;
    let path = folder.join(ROWS);
    let file = File::open(&path).map_err(|error| failed(&path, &error))?;
    let (rows, _) = whole_rows(&file, &path, request.tasks)?;
    Ok(Kept { request, rows })
}

/// Writes a folder as a whole, for a batch that is merged: what was asked comes last, so that a folder
/// without it is no batch.
pub fn write(
    folder: &Path,
    request: &BatchRequest,
    lines: impl Iterator<Item = Result<String, String>>,
) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let path = folder.join(ROWS);
    let open = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let mut file = open.map_err(|error| failed(&path, &error))?;
    lock(&file, folder)?;
    if kept_request(folder)?.is_some() {
        return Err(format!("`{}` holds a batch already", folder.display()));
    }
    file.set_len(0).map_err(|error| failed(&path, &error))?;
    for line in lines {
        file.write_all(line?.as_bytes()).map_err(|error| failed(&path, &error))?;
    }
    file.sync_all().map_err(|error| failed(&path, &error))?;
    output::write_file(&folder.join(REQUEST), &Document::Data(request.text()))
}

/// The lines of a folder with their rows, one after the other: what is kept may be more than fits into
/// memory.
pub fn lines(folder: &Path) -> Result<impl Iterator<Item = Result<String, String>>, String> {
    let path = folder.join(ROWS);
    let mut from = BufReader::new(File::open(&path).map_err(|error| failed(&path, &error))?);
    Ok(std::iter::from_fn(move || {
        let mut line = String::new();
        match from.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) if !line.ends_with('\n') => None,
            Ok(_) => Some(Ok(line)),
            Err(error) => Some(Err(failed(&path, &error))),
        }
    }))
}

fn lock(file: &File, folder: &Path) -> Result<(), String> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(format!("another batch is writing to `{}`", folder.display())),
        Err(TryLockError::Error(error)) => Err(failed(folder, &error)),
    }
}

fn kept_request(folder: &Path) -> Result<Option<BatchRequest>, String> {
    let path = folder.join(REQUEST);
    match fs::read_to_string(&path) {
        Ok(text) => {
            let wrong = |why| format!("`{}` is not what a batch has written: {why}", path.display());
            BatchRequest::read(&text).map(Some).map_err(wrong)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(&path, &error)),
    }
}

/// The rows of all whole lines, and how long these are together.
fn whole_rows(mut file: &File, path: &Path, tasks: usize) -> Result<(Vec<BatchRow>, u64), String> {
    file.seek(SeekFrom::Start(0)).map_err(|error| failed(path, &error))?;
    let mut from = BufReader::new(file);
    let (mut rows, mut length, mut line) = (vec![], 0, vec![]);
    let mut seen = HashSet::new();
    loop {
        line.clear();
        let read = from.read_until(b'\n', &mut line).map_err(|error| failed(path, &error))?;
        if read == 0 || line.last() != Some(&b'\n') {
            return Ok((rows, length));
        }
        let number = rows.len() + 1;
        let wrong = |why: String| format!("`{}`, line {number}: {why}", path.display());
        let text = std::str::from_utf8(&line).map_err(|_| wrong("it is not UTF-8".to_string()))?;
        let row = BatchRow::read(text).map_err(wrong)?;
        if row.task.index >= tasks || !seen.insert(row.task.index) {
            return Err(wrong(format!("a second row of file {}, or of none", row.task.index)));
        }
        length += read as u64;
        rows.push(row);
    }
}

fn failed(path: &Path, error: &std::io::Error) -> String {
    format!("`{}`: {}", path.display(), verify::plain(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::batch::{Ended, Task};

    fn line(index: usize) -> String {
        let task = Task { index, file: format!("{index}.bp"), ..Task::default() };
        let (row, result) =
            Ended { code: Some(0), out: b"{\"verdict\":\"safe\"}\n".to_vec(), ..Ended::default() }.row(task);
        row.line(&result)
    }

    #[test]
    fn a_torn_line_is_dropped_and_others_cannot_write() {
        let folder = std::env::temp_dir().join(format!("selvedge-store-{}", std::process::id()));
        let tasks: Vec<Task> = (0..3).map(|index| Task { index, ..Task::default() }).collect();
        let request = BatchRequest::about(&tasks);
        let (mut store, rows) = Store::open(&folder, &request).expect("a new batch");
        assert!(rows.is_empty());
        assert!(Store::open(&folder, &request).is_err_and(|why| why.contains("another batch is writing")));
        store.append(&line(1)).expect("it is ours");
        store.finish().expect("it is ours");
        let path = folder.join(ROWS);
        let whole = fs::read(&path).expect("rows");
        let mut torn = whole.clone();
        torn.extend(&line(2).as_bytes()[..40]);
        fs::write(&path, &torn).expect("it is ours");
        assert_eq!(read(&folder).expect("a batch").rows.len(), 1);
        let (mut store, rows) = Store::open(&folder, &request).expect("the same batch");
        assert_eq!(rows.len(), 1);
        assert_eq!(fs::read(&path).expect("rows"), whole);
        store.append(&line(0)).expect("it is ours");
        drop(store);
        let other = BatchRequest { options: vec!["--all".to_string()], ..request.clone() };
        assert!(Store::open(&folder, &other).is_err_and(|why| why.contains("--all")));
        let (mut store, _) = Store::open(&folder, &request).expect("the same batch");
        store.append(&line(0)).expect("it is ours");
        drop(store);
        assert!(Store::open(&folder, &request).is_err_and(|why| why.contains("line 3: a second row")));
        fs::remove_dir_all(&folder).expect("the folder of the test");
    }
}
