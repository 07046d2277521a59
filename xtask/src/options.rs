//! The options of commands: a name that begins with `-` and a value. Commands over a corpus share some of
//! them.

use anyhow::{Context, Result, ensure};
use std::path::PathBuf;

/// Hands over each option with its value, and each other argument under no name; `take` says whether it knows
/// the name.
pub fn each(args: &[String], mut take: impl FnMut(&str, &str) -> Result<bool>) -> Result<()> {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let known = match arg.starts_with('-') {
            true => take(arg, args.next().with_context(|| format!("{arg} needs a value"))?)?,
            false => take("", arg)?,
        };
        ensure!(known, "unknown option {arg}");
    }
    Ok(())
}

/// Which entries of which corpus, and how many seconds for each.
pub struct Selection {
    /// The list of entries.
    pub manifest: PathBuf,
    /// Seconds.
    pub timeout: u64,
    /// What their paths contain.
    pub only: String,
}

impl Selection {
    /// The options of a command over a corpus; `own` takes those that are its own, and says whether it knows
    /// one.
    pub fn read(args: &[String], mut own: impl FnMut(&str, &str) -> Result<bool>) -> Result<Selection> {
        let manifest = PathBuf::from("../shared/corpora/manifest.csv");
        let mut selection = Selection { manifest, timeout: 10, only: String::new() };
        each(args, |name, value| {
            match name {
                "--timeout" => selection.timeout = value.parse()?,
                "--only" => selection.only = value.to_string(),
                "" => selection.manifest = PathBuf::from(value),
                _ => return own(name, value),
            }
            Ok(true)
        })?;
        Ok(selection)
    }
}

/// The items of a list with commas.
pub fn list(value: &str) -> impl Iterator<Item = &str> {
    value.split(',')
}
