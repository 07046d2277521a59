//! A list of properties of C programs, as `--property` names them. It is exact: what is not on it is not
//! looked at.

use ::c::{Deadlocks, Faults, Leaks, Races};
use base::settings::Allowed;
use base::{Setting, Settings};
use std::fmt;

/// What is asked, by the words of the command line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PropertySet {
    /// Assertions, error calls and labels.
    pub assert: bool,
    /// Data races.
    pub race: bool,
    /// Deadlocks.
    pub deadlock: bool,
    /// Invalid accesses and `free`.
    pub memory: bool,
    /// Lost allocations.
    pub leak: bool,
    /// Signed overflow.
    pub overflow: bool,
    /// Every other step that is undefined behaviour.
    pub undefined: bool,
    /// `abort`, `exit` with a code other than 0, `__builtin_trap`.
    pub abort: bool,
    /// The end of an object's life is no access that races.
    pub without_ends: bool,
    /// Only deadlocks of all threads count.
    pub global_only: bool,
    /// Shifting a signed number out of its type is no overflow.
    pub without_shifts: bool,
    /// What is allocated must be freed before the program ends.
    pub with_cleanup: bool,
}

/// `free` against an access.
const FREE: Setting = detail("race.free", "the end of an object's life, such as `free`, races with accesses");
/// Deadlocks of some threads.
const PARTIAL: Setting =
    detail("deadlock.partial", "threads that wait for each other while others go on count");
/// Shifts to the left.
const SHIFT: Setting =
    detail("overflow.shift", "`<<` of a negative number, or out of the type, is an overflow");

/// Allocations that live at the end.
const CLEANUP: Setting = Setting {
    default: "off",
    ..detail("leak.cleanup", "memory that is allocated when the program ends is a leak, too")
};

/// What the properties of C programs mean in detail.
pub const SETTINGS: &[Setting] = &[FREE, PARTIAL, SHIFT, CLEANUP];

const fn detail(name: &'static str, help: &'static str) -> Setting {
    Setting { name, default: "on", allowed: Allowed::Switch, help, paper: "" }
}

impl PropertySet {
    /// All that is looked at by the word `all`: aborting is no error unless somebody says so.
    pub const ALL: PropertySet = PropertySet {
        assert: true,
        race: true,
        deadlock: true,
        memory: true,
        leak: true,
        overflow: true,
        undefined: true,
        abort: false,
        without_ends: false,
        global_only: false,
        without_shifts: false,
        with_cleanup: false,
    };

    /// The same with the details that the user has set.
    pub fn with(self, settings: &Settings) -> PropertySet {
        PropertySet {
            without_ends: self.without_ends || !settings.is_on(&FREE),
            global_only: self.global_only || !settings.is_on(&PARTIAL),
            without_shifts: self.without_shifts || !settings.is_on(&SHIFT),
            with_cleanup: self.with_cleanup || settings.is_on(&CLEANUP),
            ..self
        }
    }

    /// What a list of words asks, separated by commas.
    pub fn parse(list: &str) -> Result<PropertySet, String> {
        let mut set = PropertySet::default();
        for word in list.split(',') {
            match word.trim() {
                "all" => set = PropertySet { abort: set.abort, ..PropertySet::ALL },
                word => match set.words_mut().into_iter().find(|it| it.0 == word) {
                    Some((_, requested)) => *requested = true,
                    None => return Err(format!("there is no property `{word}`; {}", there_are())),
                },
            }
        }
        Ok(set)
    }

    /// The words in the order in which they are written, with what they stand for.
    fn words_mut(&mut self) -> [(&'static str, &mut bool); 8] {
        [
            ("assert", &mut self.assert),
            ("race", &mut self.race),
            ("deadlock", &mut self.deadlock),
            ("memory", &mut self.memory),
            ("leak", &mut self.leak),
            ("overflow", &mut self.overflow),
            ("undefined", &mut self.undefined),
            ("abort", &mut self.abort),
        ]
    }

    /// The words of what is asked.
    pub fn words(mut self) -> Vec<&'static str> {
        self.words_mut().into_iter().filter(|it| *it.1).map(|it| it.0).collect()
    }

    /// Which races are errors.
    pub fn races(self) -> Races {
        match (self.race, self.without_ends) {
            (false, _) => Races::Ignored,
            (true, true) => Races::WithoutEnds,
            (true, false) => Races::All,
        }
    }

    /// Which deadlocks are errors.
    pub fn deadlocks(self) -> Deadlocks {
        match (self.deadlock, self.global_only) {
            (false, _) => Deadlocks::Ignored,
            (true, true) => Deadlocks::Global,
            (true, false) => Deadlocks::All,
        }
    }

    /// Which leaks are errors.
    pub fn leaks(self) -> Leaks {
        match (self.leak, self.with_cleanup) {
            (false, _) => Leaks::Ignored,
            (true, false) => Leaks::Lost,
            (true, true) => Leaks::All,
        }
    }

    /// Which steps without meaning are errors.
    pub fn faults(self) -> Faults {
        Faults { memory: self.memory, other: self.undefined }
    }
}

fn there_are() -> String {
    let words: Vec<String> =
        PropertySet::default().words_mut().iter().map(|it| format!("`{}`", it.0)).collect();
    format!("there are {}, lists of them, and `all`, which is all but `abort`", words.join(", "))
}

impl fmt::Display for PropertySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written() {
        let both = PropertySet::parse("deadlock,race").expect("there are such properties");
        assert_eq!((both.race, both.deadlock, both.assert), (true, true, false));
        assert_eq!(both.to_string(), "race,deadlock");
        // The list is exact: memory alone does not look at assertions.
        assert_eq!(PropertySet::parse("race,memory").map(|it| it.assert), Ok(false));
    }

    #[test]
    fn all_is_all_but_abort() {
        let all = PropertySet::parse("all").expect("there is such a word");
        let mut rest = all;
        let off: Vec<&str> = rest.words_mut().iter().filter(|it| !*it.1).map(|it| it.0).collect();
        assert_eq!(off, ["abort"]);
        assert_eq!(PropertySet::parse("abort,all").map(|it| it.abort), Ok(true));
    }

    #[test]
    fn what_is_not_there_is_refused() {
        for (word, what) in [("leaks", "no property"), ("race,", "no property"), ("rase", "no property")] {
            let why = PropertySet::parse(word).expect_err("it is refused");
            assert!(why.contains(what), "{why}");
        }
    }
}
