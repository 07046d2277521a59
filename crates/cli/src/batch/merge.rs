//! `selvedge merge`: puts the rows of several batches together, such as the shards of a job array.

use crate::batch::Merge;
use crate::batch::show::Shown;
use crate::batch::store::{self, Kept};
use crate::exit::{self, UNKNOWN};
use crate::output;
use report::batch::{BatchRequest, BatchRow};
use std::path::Path;

/// Runs `merge`; the exit code, or what is wrong with its usage.
pub fn run(merge: &Merge) -> Result<u8, String> {
    let shown = Shown::new(&merge.show)?;
    let mut merged: Option<BatchRequest> = None;
    let mut rows: Vec<BatchRow> = vec![];
    let mut kept_in: Vec<Option<usize>> = vec![];
    for (number, folder) in merge.folders.iter().enumerate() {
        let kept = store::read(folder)?;
        // Which shard it was and where it was started do not matter to the whole.
        let whole = merged.get_or_insert_with(|| BatchRequest { shard: None, ..kept.request.clone() });
        let other = BatchRequest { shard: None, folder: whole.folder.clone(), ..kept.request.clone() };
        if let Some(why) = other.difference(whole) {
            let (first, this) = (merge.folders[0].display(), folder.display());
            return Err(format!("`{this}` holds a part of another batch than `{first}`: {why}"));
        }
        kept_in.resize(whole.tasks, None);
        add(merge, number, kept, &mut kept_in)?.into_iter().for_each(|row| rows.push(row));
    }
    let request = merged.ok_or("there is no folder to merge")?;
    rows.sort_by_key(|row| row.task.index);
    if let Some(out) = &merge.out {
        write(merge, out, &request)?;
    }
    let (missing, tasks) = (request.tasks - rows.len(), request.tasks);
    let code = shown.show(rows, tasks, false)?;
    if missing == 0 {
        return Ok(code);
    }
    output::tell_line(format!("{missing} of {tasks} files have no row yet"));
    Ok(exit::worse(code, UNKNOWN))
}

/// The rows of one folder; no file may have a row in two.
fn add(
    merge: &Merge,
    number: usize,
    kept: Kept,
    kept_in: &mut [Option<usize>],
) -> Result<Vec<BatchRow>, String> {
    for row in &kept.rows {
        if let Some(other) = kept_in[row.task.index].replace(number) {
            let (one, two) = (merge.folders[other].display(), merge.folders[number].display());
            return Err(format!("`{}` has a row in `{one}` and one in `{two}`", row.task.file));
        }
    }
    Ok(kept.rows)
}

/// Writes the merged folder, one row at a time.
fn write(merge: &Merge, out: &Path, request: &BatchRequest) -> Result<(), String> {
    let mut lines = vec![];
    for folder in &merge.folders {
        lines.push(store::lines(folder)?);
    }
    store::write(out, request, lines.into_iter().flatten())
}
