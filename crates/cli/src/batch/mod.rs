//! `selvedge batch` and `selvedge merge`: many files, each checked by a process of its own, so that none can
//! harm another or the whole. `docs/batch.md` is the manual.

mod arguments;
mod children;
mod manifest;
mod merge;
mod run;
mod show;
mod store;
mod tasks;

pub use arguments::{Batch, Merge};
pub use children::end_all;
pub use merge::run as run_merge;

use crate::args::{Arguments, Command};
use crate::exit::{self, UNKNOWN};
use crate::terminal::bar::Bar;
use crate::{check, output, work};
use base::budget::StopHandle;
use clap::Parser;
use report::batch::{BatchRequest, BatchRow, Digest, row_text};
use report::{Document, Text};
use run::{Done, Taker, Work};
use show::Shown;
use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Read;
use store::Store;
use tasks::TaskFile;

/// Runs `batch`; the exit code, or what is wrong with its usage.
pub fn run(batch: &Batch, stop: &StopHandle) -> Result<u8, String> {
    let own = &batch.own;
    let all = tasks::list(&own.paths, own.manifest.as_deref())?;
    refuse_wrong_options(batch, &all, stop)?;
    let shown = Shown::new(&own.show)?;
    let request = request(batch, &all)?;
    let mut mine = all;
    if let Some((number, shards)) = own.shard {
        mine.retain(|it| it.task.index % shards == number - 1);
    }
    let total = mine.len();
    let (mut store, rows) = match &own.out {
        Some(folder) => Store::open(folder, &request).map(|(store, rows)| (Some(store), rows))?,
        None => (None, vec![]),
    };
    if !rows.is_empty() {
        output::tell_line(format!("goes on: {} of {total} files are done", rows.len()));
    }
    let done: HashSet<usize> = rows.iter().map(|it| it.task.index).collect();
    mine.retain(|it| !done.contains(&it.task.index));
    let bar = Bar::new(own.quiet, rows.len(), total);
    let mut collector = Collector { batch, rows, store: store.as_mut(), bar };
    let jobs = jobs(batch);
    let work = Work { tasks: &mine, jobs, options: run::options(batch, jobs), timeout: batch.timeout, stop };
    let ended = work.run(&mut collector);
    let rows = collector.rows();
    let kept = store.map_or(Ok(()), Store::finish);
    let is_cut = stop.reason().is_some() && rows.len() < total;
    let code = shown.show(rows, total, own.format == "json")?;
    if is_cut {
        let again = if own.out.is_some() { "; the same command continues the batch" } else { "" };
        output::tell_line(format!("interrupted{again}"));
    }
    ended.and(kept).map(|()| if is_cut { exit::worse(code, UNKNOWN) } else { code })
}

fn jobs(batch: &Batch) -> usize {
    batch.own.jobs.map_or_else(run::cores, usize::from)
}

/// What is wrong with options is wrong with them for every file: it is told before the first.
fn refuse_wrong_options(batch: &Batch, all: &[TaskFile], stop: &StopHandle) -> Result<(), String> {
    let mut seen: HashSet<&[String]> = HashSet::new();
    let options = run::options(batch, jobs(batch));
    for TaskFile { task, path } in all.iter().filter(|it| seen.insert(&it.task.args)) {
        let whose = match task.args.is_empty() {
            true => String::new(),
            false => format!("options of `{}` in the manifest: ", task.file),
        };
        let words = [OsString::from("selvedge")].into_iter().chain(run::arguments(&options, task, path));
        let arguments = Arguments::try_parse_from(words).map_err(|error| {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            format!("{whose}{}", line.strip_prefix("error: ").unwrap_or(line))
        })?;
        if let Command::Check(arguments) = &arguments.command {
            check::question(arguments, stop).map_err(|why| format!("{whose}{why}"))?;
        }
    }
    Ok(())
}

/// What is asked, to be kept with the rows.
fn request(batch: &Batch, all: &[TaskFile]) -> Result<BatchRequest, String> {
    let tasks: Vec<_> = all.iter().map(|it| it.task.clone()).collect();
    let folder = std::env::current_dir().map_err(|error| verify::plain(&error))?;
    Ok(BatchRequest {
        program: program()?,
        options: batch.passed_on.iter().map(|it| it.to_string_lossy().into_owned()).collect(),
        folder: folder.display().to_string(),
        shard: batch.own.shard,
        ..BatchRequest::about(&tasks)
    })
}

/// The program is read in pieces of this many bytes.
const PIECE: u64 = 1 << 20;

/// The version of this program and a digest of its binary: rows of two are no one result.
fn program() -> Result<String, String> {
    let failed = |error: std::io::Error| format!("the program cannot be read: {}", verify::plain(&error));
    let mut file = std::env::current_exe().and_then(std::fs::File::open).map_err(failed)?;
    let (mut digest, mut piece) = (Digest::default(), vec![]);
    loop {
        piece.clear();
        // Whole pieces, however much the system gives at a time: the digest is that of its pieces.
        match file.by_ref().take(PIECE).read_to_end(&mut piece).map_err(failed)? {
            0 => return Ok(format!("selvedge {} ({})", env!("CARGO_PKG_VERSION"), digest.shown())),
            _ => digest.add(&piece),
        }
    }
}

/// Takes the rows of a batch: keeps, prints and counts them.
struct Collector<'a> {
    batch: &'a Batch,
    rows: Vec<BatchRow>,
    store: Option<&'a mut Store>,
    bar: Bar,
}

impl Collector<'_> {
    /// The rows, in the order of the tasks.
    fn rows(mut self) -> Vec<BatchRow> {
        self.bar.clear();
        self.rows.sort_by_key(|row| row.task.index);
        self.rows
    }
}

impl Taker for Collector<'_> {
    fn take(&mut self, Done { row, line }: Done) -> Result<(), String> {
        if let Some(store) = &mut self.store {
            store.append(&line)?;
        }
        self.bar.add(&row);
        if !self.batch.own.quiet {
            self.bar.clear();
            let shown = match self.batch.own.format.as_str() {
                "json" => Document::Data(line),
                _ => Text::line(row_text(&row)).into(),
            };
            work::print(&shown)?;
        }
        self.rows.push(row);
        Ok(())
    }

    fn wait(&mut self) {
        self.bar.draw();
    }
}
