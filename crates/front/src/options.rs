//! How a file is to be read. These options exist once: readers take them as they are, and each reader says which of them it heeds.

use crate::dialects::bp::Dialect;

/// What a variable without a first value starts with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum InitReading {
    /// Any value.
    #[default]
    Nondet,
    /// 0.
    Zero,
}

/// How to read a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// The dialect of a Boolean program; guessed from the contents if it is not given.
    pub dialect: Option<Dialect>,
    /// First values of variables.
    pub init: InitReading,
    /// Labels at which it is an error to arrive; `SLIC_ERROR` always is one.
    pub error_labels: Vec<String>,
    /// Start any number of threads, at least one, at this procedure.
    pub entry: Option<String>,
    /// `0|0,1/2`: where a transition system starts; `0/0` if nothing is said.
    pub start: Option<String>,
    /// The target of a transition system, instead of those of the file: `1|2,2`, several separated by line ends, or the name of a file of
    /// targets.
    pub target: Option<String>,
}

/// An option of the command line.
pub struct ReadOption {
    /// Its name there.
    pub name: &'static str,
    /// Whether the user gave it.
    pub given: fn(&ReadOptions) -> bool,
}

/// The name of the option that says that a file is a Boolean program, whatever it looks like.
pub const DIALECT: &str = "--dialect";

/// All options.
pub const OPTIONS: &[ReadOption] = &[
    ReadOption { name: DIALECT, given: |options| options.dialect.is_some() },
    ReadOption { name: "--start", given: |options| options.start.is_some() },
    ReadOption { name: "--target", given: |options| options.target.is_some() },
    ReadOption { name: "--init", given: |options| options.init != InitReading::default() },
    ReadOption { name: "--entry", given: |options| options.entry.is_some() },
    ReadOption { name: "--error-label", given: |options| !options.error_labels.is_empty() },
];
