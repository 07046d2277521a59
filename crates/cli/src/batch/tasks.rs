//! The list of what a batch does: files, folders walked in sorted order, and the rows of a manifest. The list
//! is the same wherever and however often it is made, as long as the files are.

use crate::batch::manifest::{self, Entry};
use report::batch::Task;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use verify::READERS;

/// A task with the path of its file, which may be no text.
#[derive(Clone, Debug)]
pub struct TaskFile {
    /// The task.
    pub task: Task,
    /// The file.
    pub path: PathBuf,
}

/// The tasks of these paths and this manifest.
pub fn list(paths: &[PathBuf], manifest: Option<&Path>) -> Result<Vec<TaskFile>, String> {
    let entries = manifest.map(manifest::read).transpose()?;
    let mut found = vec![];
    match (&entries, paths) {
        (Some(entries), []) => found.extend(entries.iter().map(|it| (it.path.clone(), Some(it)))),
        (entries, paths) => {
            let by_file = by_file(entries.as_deref().unwrap_or_default());
            for path in files(paths) {
                match by_file.get(&canonical(&path)) {
                    Some(entries) => found.extend(entries.iter().map(|it| (path.clone(), Some(*it)))),
                    None => found.push((path, None)),
                }
            }
        }
    }
    if found.is_empty() {
        return Err("there is no file to check".to_string());
    }
    Ok(found.into_iter().enumerate().map(|(index, (path, entry))| task(index, path, entry)).collect())
}

fn task(index: usize, path: PathBuf, entry: Option<&Entry>) -> TaskFile {
    let file = path.display().to_string();
    let (args, expected) = entry.map(|it| (it.args.clone(), it.expected)).unwrap_or_default();
    TaskFile { task: Task { index, file, args, expected }, path }
}

/// The rows of a manifest by their files.
fn by_file(entries: &[Entry]) -> HashMap<PathBuf, Vec<&Entry>> {
    let mut by_file: HashMap<PathBuf, Vec<&Entry>> = HashMap::new();
    for entry in entries {
        by_file.entry(canonical(&entry.path)).or_default().push(entry);
    }
    by_file
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The files that paths mean: those that are named in any case, those in folders if their extension is known.
/// Each is there once.
fn files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = vec![];
    for path in paths {
        if path.is_dir() { walk(path, &mut found) } else { found.push(path.clone()) }
    }
    let mut seen = HashSet::new();
    found.retain(|path| seen.insert(path.clone()));
    found
}

/// The files below a folder, in the order of their names. Hidden ones are left out, and links to folders are
/// not followed: they may lead back. A folder that cannot be read stands for itself, so that it is told.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut work = vec![folder.to_path_buf()];
    while let Some(path) = work.pop() {
        let is_folder = path.symlink_metadata().is_ok_and(|it| it.is_dir()) || path == folder;
        if !is_folder {
            if is_known(&path) && !path.is_dir() {
                found.push(path);
            }
            continue;
        }
        let Ok(entries) = std::fs::read_dir(&path) else {
            found.push(path);
            continue;
        };
        let is_shown =
            |it: &PathBuf| it.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b"."));
        let mut inside: Vec<PathBuf> = entries.flatten().map(|it| it.path()).filter(is_shown).collect();
        inside.sort();
        work.extend(inside.into_iter().rev());
    }
}

/// Whether a reader knows the extension.
fn is_known(path: &Path) -> bool {
    let Some(extension) = path.extension().and_then(|it| it.to_str()) else { return false };
    let extension = extension.to_ascii_lowercase();
    READERS.iter().any(|reader| reader.extensions.contains(&extension.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::batch::Finding;
    use std::fs;

    /// A folder of the test, gone with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[&str]) -> Folder {
            let folder = std::env::temp_dir().join(format!("selvedge-tasks-{name}-{}", std::process::id()));
            for file in files {
                let path = folder.join(file);
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for the test");
                fs::write(path, "x").expect("a file for the test");
            }
            Folder(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn folders_are_walked_in_order() {
        let folder = Folder::new(
            "walk",
            &["b/2.bp", "b/1.C", "a.bp", "c.tts", "c.prop", ".h/x.bp", "d.txt", "b/10.i"],
        );
        std::os::unix::fs::symlink(&folder.0, folder.0.join("loop")).expect("a link");
        let paths = [folder.0.join("d.txt"), folder.0.clone(), folder.0.join("a.bp"), folder.0.join("no")];
        let names: Vec<String> = files(&paths)
            .iter()
            .map(|it| it.strip_prefix(&folder.0).expect("below it").display().to_string())
            .collect();
        assert_eq!(names, ["d.txt", "a.bp", "b/1.C", "b/10.i", "b/2.bp", "c.tts", "no"]);
    }

    #[test]
    fn a_manifest_says_what_is_expected() {
        let folder = Folder::new("manifest", &["a.bp", "b.bp"]);
        let manifest = folder.0.join("m.csv");
        fs::write(&manifest, "path,expected,args\na.bp,safe,\na.bp,unsafe,--threads 2\n").expect("a file");
        let shown = |tasks: Vec<TaskFile>| -> Vec<_> {
            tasks.into_iter().map(|it| (it.task.index, it.task.args.len(), it.task.expected)).collect()
        };
        let all = [(0, 0, Some(Finding::Safe)), (1, 2, Some(Finding::Unsafe))];
        assert_eq!(shown(list(&[], Some(&manifest)).expect("a list")), all);
        let paths = [folder.0.join("./b.bp"), folder.0.join("./a.bp")];
        let both = [(0, 0, None), (1, 0, Some(Finding::Safe)), (2, 2, Some(Finding::Unsafe))];
        assert_eq!(shown(list(&paths, Some(&manifest)).expect("a list")), both);
        assert!(list(&[folder.0.join("nothing")], None).is_ok(), "what is not there is told as its row");
    }
}
