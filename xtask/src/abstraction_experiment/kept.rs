//! Predicates that were found once are kept in files, one condition a line, so that a table can be made again
//! without looking for them.

use super::programs::Named;
use anyhow::{Context, Result};
use base::Budget;
use predicates::boolean::{Predicated, Written, of_conditions, written};
use std::path::Path;

/// The predicates that were kept, if they were.
pub fn read(path: &Path, named: &Named) -> Result<Option<Predicated>> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
    let texts: Vec<String> = text.lines().map(String::from).collect();
    let function = |id| named.function(id);
    let requested = Written { texts: &texts, names: &function };
    let read = of_conditions(&named.relation, &requested, &Budget::unlimited());
    let read = read.map_err(|stop| anyhow::anyhow!("{stop}"))?;
    let mut read = read.map_err(|why| anyhow::anyhow!("{}: {}", path.display(), why.message))?;
    // The reader adds the bits of small variables.
    let exprs = &read.exprs;
    read.conditions.retain(|&it| texts.contains(&written(&named.relation, exprs, it, &function)));
    Ok(Some(read))
}

/// Keeps predicates.
pub fn write(path: &Path, named: &Named, found: &Predicated) -> Result<()> {
    let function = |id| named.function(id);
    let line = |&it| written(&named.relation, &found.exprs, it, &function) + "\n";
    let text: String = found.conditions.iter().map(line).collect();
    std::fs::write(path, text).with_context(|| format!("{}", path.display()))
}
