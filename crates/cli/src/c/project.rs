//! The files of a program in a project: from the file with `main`, or those that are named, to those that
//! define what is missing, and so on, as a linker would go through a library of all files. Each file is read
//! with the options that it is compiled with.

use super::database::{self, CompileLine};
use base::Budget;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use verify::{NotRead, ReadOptions, Symbols};

/// In a project with at most this many files all are looked into for a name that stands in none of them:
/// macros may make it.
const SMALL: usize = 64;

/// What is asked.
#[derive(Clone, Debug)]
pub struct ProjectRequest {
    /// The database, or its folder.
    pub database: PathBuf,
    /// The file with `main`.
    pub main: Option<PathBuf>,
    /// Files that belong to the program in any case.
    pub files: Vec<PathBuf>,
    /// How files are read, whatever the database says.
    pub reading: ReadOptions,
}

/// A program that was found.
#[derive(Clone, Debug)]
pub struct Project {
    /// Its files, that with `main` first.
    pub files: Vec<PathBuf>,
    /// How they are read.
    pub reading: ReadOptions,
    /// What was not plain.
    pub warnings: Vec<String>,
}

/// Why there is no program.
pub enum NoProject {
    /// What was asked is wrong.
    Wrong(String),
    /// Reading came to no end.
    NotRead(NotRead),
}

impl From<String> for NoProject {
    fn from(why: String) -> NoProject {
        NoProject::Wrong(why)
    }
}

/// Finds the files of a program.
pub fn find(request: &ProjectRequest, budget: &Budget) -> Result<Project, NoProject> {
    let entries = database::read(&request.database)?;
    if entries.is_empty() {
        let path = database::path(&request.database);
        return Err(NoProject::Wrong(format!("`{}` names no C file that is there", path.display())));
    }
    let mut reading = request.reading.clone();
    let flags = entries.iter().map(|it| (it.file.clone(), it.words.clone()));
    reading.c.file_flags = flags.collect();
    let mut search = Search {
        entries: &entries,
        texts: entries.iter().map(|it| std::fs::read(&it.file).unwrap_or_default()).collect(),
        known: BTreeMap::new(),
        reading: &reading,
        budget,
        taken: vec![],
        warnings: vec![],
    };
    search.begin(request)?;
    search.follow()?;
    let (taken, mut warnings) = (search.taken, search.warnings);
    for &index in &taken {
        warnings.extend(warned(&entries[index])?);
    }
    let files: Vec<PathBuf> = taken.iter().map(|&index| entries[index].file.clone()).collect();
    let compiled: Vec<&CompileLine> = taken.iter().map(|&index| &entries[index]).collect();
    if let Some(bits) = agreed(&compiled, "-m32", |it| it.bits32)? {
        (reading.c.ilp32, reading.c.lp64) = (bits, !bits);
    }
    if let Some(unsigned) = agreed(&compiled, "-funsigned-char", |it| it.unsigned_char)? {
        reading.c.unsigned_char = unsigned;
    }
    Ok(Project { files, reading, warnings })
}

/// What is said of the compile line of a file that is taken.
fn warned(entry: &CompileLine) -> Result<Option<String>, String> {
    let file = entry.file.display();
    if let Some(why) = entry.refused.first() {
        return Err(format!("{file} is compiled with {why}"));
    }
    let unknown = entry.unknown.join("`, `");
    let note = format!("{file} is compiled with `{unknown}`, which is not known here and is passed over");
    Ok(Some(note).filter(|_| !entry.unknown.is_empty()))
}

/// What all files say of something that holds of the program as a whole.
fn agreed(
    entries: &[&CompileLine],
    what: &str,
    of: impl Fn(&CompileLine) -> Option<bool>,
) -> Result<Option<bool>, String> {
    let first = of(entries[0]);
    match entries.iter().find(|it| of(it).unwrap_or(false) != first.unwrap_or(false)) {
        None => Ok(first),
        Some(other) => Err(format!(
            "{} and {} are not compiled alike: one has `{what}`",
            entries[0].file.display(),
            other.file.display()
        )),
    }
}

struct Search<'a> {
    entries: &'a [CompileLine],
    /// The text of each file.
    texts: Vec<Vec<u8>>,
    /// What files define and need, as far as it was asked for; none for those that cannot be read.
    known: BTreeMap<usize, Option<Symbols>>,
    reading: &'a ReadOptions,
    budget: &'a Budget,
    /// The files of the program, by number.
    taken: Vec<usize>,
    warnings: Vec<String>,
}

impl Search<'_> {
    /// Takes the files that were named, and the one with `main` if it is not among them.
    fn begin(&mut self, request: &ProjectRequest) -> Result<(), NoProject> {
        for path in request.main.iter().chain(&request.files) {
            let index = self.named(path)?;
            if !self.taken.contains(&index) {
                self.taken.push(index);
            }
        }
        for index in self.taken.clone() {
            if self.defines(index, "main")? {
                return Ok(());
            }
        }
        let mut mains = vec![];
        for index in self.containing("main") {
            if self.defines(index, "main")? {
                mains.push(index);
            }
        }
        match mains[..] {
            [only] => self.taken.insert(0, only),
            [] => return Err(NoProject::Wrong("no file of the project defines `main`".to_string())),
            _ => {
                let files: Vec<String> = mains.iter().map(|&it| self.name(it)).collect();
                let files = files.join(", ");
                return Err(NoProject::Wrong(format!(
                    "several files define `main`: choose one of {files} with --main FILE"
                )));
            }
        }
        Ok(())
    }

    fn named(&self, path: &Path) -> Result<usize, String> {
        let wanted = path
            .canonicalize()
            .map_err(|error| format!("`{}` cannot be read: {}", path.display(), verify::plain(&error)))?;
        let is_it = |entry: &CompileLine| entry.file.canonicalize().is_ok_and(|it| it == wanted);
        let found = self.entries.iter().position(is_it);
        found.ok_or_else(|| format!("`{}` is not among the files that are compiled", path.display()))
    }

    fn name(&self, index: usize) -> String {
        self.entries[index].file.display().to_string()
    }

    /// Takes the files that define what those that were taken need.
    fn follow(&mut self) -> Result<(), NoProject> {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut open: Vec<String> = vec!["main".to_string()];
        for index in self.taken.clone() {
            open.extend(self.symbols(index)?.map_or(vec![], |it| it.always.iter().cloned().collect()));
        }
        while let Some(name) = open.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            let Some(index) = self.definer(&name)? else { continue };
            let new = !self.taken.contains(&index);
            if new {
                self.taken.push(index);
            }
            let Some(symbols) = self.symbols(index)? else { continue };
            open.extend(symbols.defines.get(&name).into_iter().flatten().cloned());
            open.extend(symbols.always.iter().filter(|_| new).cloned());
        }
        Ok(())
    }

    /// The file that defines a name: one that was taken, or else one of the project.
    fn definer(&mut self, name: &str) -> Result<Option<usize>, NoProject> {
        for index in self.taken.clone() {
            if self.defines(index, name)? {
                return Ok(Some(index));
            }
        }
        let mut found = vec![];
        let mut candidates = self.containing(name);
        for round in 0..2 {
            for &index in candidates.iter().filter(|it| !self.taken.contains(it)).collect::<Vec<_>>() {
                // Another program of the project is no part of this one.
                if self.defines(index, name)? && !self.defines(index, "main")? {
                    found.push(index);
                }
            }
            if !found.is_empty() || round > 0 || self.entries.len() > SMALL {
                break;
            }
            candidates = (0..self.entries.len()).collect();
        }
        if found.len() > 1 {
            let files: Vec<String> = found.iter().map(|&it| self.name(it)).collect();
            let (first, files) = (self.nearest(&found), files.join(", "));
            let taken = self.name(first);
            self.warnings
                .push(format!("`{name}` is defined in {files}: {taken} is taken; name another FILE"));
            return Ok(Some(first));
        }
        Ok(found.first().copied())
    }

    /// Of several files the one that shares most folders with the first file of the program.
    fn nearest(&self, found: &[usize]) -> usize {
        let main = self.taken.first().map_or(Path::new(""), |&it| &self.entries[it].file);
        let shared = |index: usize| {
            let file = &self.entries[index].file;
            file.components().zip(main.components()).take_while(|(one, other)| one == other).count()
        };
        let best = found.iter().map(|&it| shared(it)).max();
        found.iter().copied().find(|&it| Some(shared(it)) == best).unwrap_or(found[0])
    }

    fn defines(&mut self, index: usize, name: &str) -> Result<bool, NoProject> {
        Ok(self.symbols(index)?.is_some_and(|it| it.defines.contains_key(name)))
    }

    fn symbols(&mut self, index: usize) -> Result<Option<&Symbols>, NoProject> {
        if !self.known.contains_key(&index) {
            let found = match verify::symbols(&self.entries[index].file, self.reading, self.budget) {
                Ok(found) => Some(found),
                // What is wrong with a file is said if it is a file of the program.
                Err(NotRead::Bad(_)) => None,
                Err(stopped) => return Err(NoProject::NotRead(stopped)),
            };
            self.known.insert(index, found);
        }
        Ok(self.known.get(&index).and_then(Option::as_ref))
    }

    /// The files in which a name stands as a word.
    fn containing(&self, name: &str) -> Vec<usize> {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let name = name.as_bytes();
        let stands = |text: &[u8]| {
            let places = text.windows(name.len()).enumerate().filter(|it| it.1 == name);
            places.map(|it| it.0).any(|at| {
                let before = at.checked_sub(1).and_then(|at| text.get(at));
                !before.is_some_and(is_word) && !text.get(at + name.len()).is_some_and(is_word)
            })
        };
        (0..self.texts.len()).filter(|&it| stands(&self.texts[it])).collect()
    }
}
