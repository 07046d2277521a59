//! The experiments of the paper on symmetry-aware predicate abstraction (Donaldson et al., CAV 2011) with our
//! own abstraction, on a folder of C programs called `*_safe.c` and `*_unsafe.c`, by default the paper's,
//! written anew: the same Boolean program for any number of threads beside one for each number (its Table 1),
//! and what is missed if mixed predicates are treated as local or as shared, or if threads are notified as
//! the paper prints it (its Table 2).

mod aware;
mod kept;
mod programs;
mod times;
mod unsound;

use crate::options::each;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The paper's programs, written anew, from the root of the workspace.
const PROGRAMS: &str = "tests/sapa";

/// What is asked for.
pub struct Options {
    /// The folder.
    pub folder: PathBuf,
    /// What names of files contain.
    pub only: String,
    /// The most workers.
    pub most: usize,
    /// The time for one abstraction or one check.
    pub limit: Duration,
    /// The time for finding the predicates of one program.
    pub refine: Duration,
    /// How many threads abstract statements: with one, the time of abstraction is that of the processor.
    pub workers: usize,
    /// Where predicates are kept that were found.
    pub keep: Option<PathBuf>,
    /// The engines for a bounded number of threads: the best of their times counts.
    pub engines: Vec<String>,
    /// Which of the two tables.
    pub table: Option<u32>,
}

/// The command `abstraction-experiment`.
pub fn run(args: &[String]) -> Result<()> {
    let mut options = Options {
        folder: PathBuf::from(PROGRAMS),
        only: String::new(),
        most: 4,
        limit: Duration::from_secs(20),
        refine: Duration::from_secs(120),
        workers: 1,
        keep: None,
        engines: vec!["counter".into(), "explicit".into()],
        table: None,
    };
    each(args, |name, value| {
        match name {
            "--only" => options.only = value.to_string(),
            "--most" => options.most = value.parse()?,
            "--limit" => options.limit = Duration::from_secs(value.parse()?),
            "--refine" => options.refine = Duration::from_secs(value.parse()?),
            "--workers" => options.workers = value.parse()?,
            "--keep" => options.keep = Some(PathBuf::from(value)),
            "--engines" => options.engines = value.split(',').map(String::from).collect(),
            "--table" => options.table = Some(value.parse()?),
            "" => options.folder = PathBuf::from(value),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if options.table != Some(2) {
        aware::run(&options)?;
    }
    if options.table != Some(1) {
        unsound::run(&options)?;
    }
    Ok(())
}

/// The files of the folder whose names end so, in order.
fn files(options: &Options, end: &str) -> Result<Vec<PathBuf>> {
    let folder =
        std::fs::read_dir(&options.folder).with_context(|| format!("{}", options.folder.display()))?;
    let mut found = vec![];
    for entry in folder {
        let path = entry?.path();
        let name = stem(&path);
        if path.extension().is_some_and(|it| it == "c") && name.ends_with(end) && name.contains(&options.only)
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
}
