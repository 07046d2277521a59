//! The arguments of `batch` and `merge`. The options of `check` that make sense for many files are taken from
//! its table and passed on as they were given.

use crate::args::Check;
use clap::builder::Resettable;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The options of `check` that are not passed on: each is about one file, or about what `check` prints.
const NOT_PASSED_ON: &[&str] = &[
    "files",
    "property_list",
    "format",
    "trace",
    "certificate",
    "replay",
    "report",
    "sarif",
    "sarif_pass",
    "witness",
    "stdin",
    "stats",
    "quiet",
    "verbose",
    "progress",
];

/// `batch`
#[derive(Clone, Debug)]
pub struct Batch {
    /// Its own options.
    pub own: BatchArguments,
    /// The options for `check`, as they were given, in the order of their table.
    pub passed_on: Vec<OsString>,
    /// The time limit of a file.
    pub timeout: Option<Duration>,
    /// Whether options leave the memory limit and the number of workers open.
    pub open: OpenOptions,
}

/// What is decided by how many files are checked at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenOptions {
    /// There is no `--memory`.
    pub memory: bool,
    /// There is no `--workers`.
    pub workers: bool,
}

/// The options of `batch` itself.
#[derive(Args, Clone, Debug)]
pub struct BatchArguments {
    /// Files and folders; in a folder, all files that `check` can read
    #[arg(value_name = "PATH", required_unless_present = "manifest")]
    pub paths: Vec<PathBuf>,

    /// A table of files with options and expected verdicts (columns `path`, `args`, `expected`); without PATH
    /// all files in it are checked
    #[arg(long, value_name = "CSV", help_heading = BATCH)]
    pub manifest: Option<PathBuf>,

    /// How many files are checked at a time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = BATCH)]
    pub jobs: Option<u16>,

    /// Check one part of N of the files, for job arrays; parts count from 1
    #[arg(long, value_name = "I/N", value_parser = shard, help_heading = BATCH)]
    pub shard: Option<(usize, usize)>,

    /// Keep the rows in this folder; the same command continues a batch that was interrupted
    #[arg(long, value_name = "DIR", help_heading = BATCH)]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub show: ShowArguments,

    /// How rows are printed: `text`, or the JSON lines that are kept
    #[arg(long, value_name = "FORM", default_value = "text", value_parser = ["text", "json"], help_heading = SHOWN)]
    pub format: String,

    /// Print the summary only
    #[arg(short, long, help_heading = SHOWN)]
    pub quiet: bool,
}

/// `merge`
#[derive(Args, Clone, Debug)]
pub struct Merge {
    /// Folders with rows, as `batch --out` and `merge --out` write them
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,

    /// Keep the rows of all of them in this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub show: ShowArguments,
}

/// How a batch is shown.
#[derive(Args, Clone, Debug)]
pub struct ShowArguments {
    /// Write a page with a table to sort and filter, and plots
    #[arg(long, value_name = "FILE", help_heading = SHOWN)]
    pub html: Option<PathBuf>,

    /// Write JUnit XML
    #[arg(long, value_name = "FILE", help_heading = SHOWN)]
    pub junit: Option<PathBuf>,

    /// Compare with the rows of an older batch
    #[arg(long, value_name = "DIR", help_heading = SHOWN)]
    pub against: Option<PathBuf>,
}

/// The headings of the options.
const BATCH: &str = "The batch";
const SHOWN: &str = "Results";

/// The options of `check` that are passed on.
fn options_of_check() -> Vec<Arg> {
    let check = Check::augment_args(Command::new("check"));
    let is_passed_on = |it: &&Arg| {
        let takes_the_rest = it.get_num_args().is_some_and(|it| it.max_values() > 1);
        !NOT_PASSED_ON.contains(&it.get_id().as_str()) && !it.is_positional() && !takes_the_rest
    };
    // `check` itself refuses what does not go together; it is asked before the first file.
    check
        .get_arguments()
        .filter(is_passed_on)
        .map(|it| it.clone().conflicts_with(Resettable::Reset))
        .collect()
}

impl Args for Batch {
    fn augment_args(command: Command) -> Command {
        BatchArguments::augment_args(command).args(options_of_check())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Batch::augment_args(command)
    }
}

impl FromArgMatches for Batch {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Batch, clap::Error> {
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        Ok(Batch {
            own: BatchArguments::from_arg_matches(matches)?,
            passed_on: options_of_check().iter().flat_map(|it| again(it, matches)).collect(),
            timeout: matches.get_one::<Duration>("timeout").copied(),
            open: OpenOptions { memory: !is_given("memory"), workers: !is_given("workers") },
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Batch::from_arg_matches(matches)?;
        Ok(())
    }
}

/// An option as it was given, in one form: its long name, if it has one, with each value.
fn again(option: &Arg, matches: &ArgMatches) -> Vec<OsString> {
    let id = option.get_id().as_str();
    if matches.value_source(id) != Some(ValueSource::CommandLine) {
        return vec![];
    }
    let name = match (option.get_long(), option.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, short) => format!("-{}", short.expect("an option has a name")),
    };
    if matches!(option.get_action(), ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count) {
        return vec![name.into()];
    }
    let values = matches.get_raw(id).into_iter().flatten();
    values
        .map(|value| {
            let mut word = OsString::from(&name);
            if option.get_long().is_some() {
                word.push("=");
            }
            word.push(value);
            word
        })
        .collect()
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let (number, all) = text.split_once('/').ok_or("write it as `2/8`")?;
    let read = |part: &str| part.parse::<usize>().map_err(|_| "write it as `2/8`".to_string());
    let (number, all) = (read(number)?, read(all)?);
    if (1..=all).contains(&number) { Ok((number, all)) } else { Err("parts count from 1 to N".to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Arguments;
    use clap::Parser;

    fn batch(words: &[&str]) -> Batch {
        let words = ["selvedge", "batch"].iter().chain(words);
        match Arguments::try_parse_from(words).expect("it is well formed").command {
            crate::args::Command::Batch(batch) => *batch,
            other => panic!("another command: {other:?}"),
        }
    }

    #[test]
    fn options_of_check_are_passed_on_in_one_order() {
        let words = [
            "d",
            "--set",
            "a.b=c",
            "-I",
            "x",
            "--all",
            "--timeout",
            "5s",
            "-Iy",
            "--engine",
            "cover,explicit",
        ];
        let expected =
            ["--engine=cover", "--engine=explicit", "--set=a.b=c", "--timeout=5s", "--all", "-Ix", "-Iy"];
        assert_eq!(batch(&words).passed_on, expected);
        assert_eq!(
            batch(&["--all", "d", "--timeout=5s"]).passed_on,
            batch(&["--timeout=5s", "--all", "d"]).passed_on
        );
        assert_eq!(batch(&["d"]).passed_on, [""; 0]);
        assert_eq!(batch(&["d", "--timeout", "2m"]).timeout, Some(Duration::from_secs(120)));
    }

    #[test]
    fn what_is_about_one_file_is_not_there() {
        let all = Batch::augment_args(Command::new("batch"));
        let ids: Vec<&str> = all.get_arguments().map(|it| it.get_id().as_str()).collect();
        for id in ["trace", "certificate", "replay", "property_list", "stats", "verbose"] {
            assert!(!ids.contains(&id), "{id}");
        }
        for id in ["threads", "engine", "timeout", "memory", "all", "dialect", "property", "ilp32"] {
            assert!(ids.contains(&id), "{id}");
        }
    }

    #[test]
    fn shards_count_from_one() {
        assert_eq!(shard("2/8"), Ok((2, 8)));
        for bad in ["0/8", "9/8", "2", "a/b", "/", "1/0"] {
            assert!(shard(bad).is_err(), "{bad}");
        }
    }
}
