//! Options of engines and passes. One table each; help, documentation and the command line derive from it.

use std::collections::BTreeMap;

/// What an option may be set to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Allowed {
    /// `on` or `off`.
    Switch,
    /// A number in a range.
    Number {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, or a program with its arguments.
    Command(&'static [&'static str]),
}

/// One row of an option table.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Who has it and its name: `explicit.reduction`.
    pub name: &'static str,
    /// What it is when nobody sets it.
    pub default: &'static str,
    /// What it may be set to.
    pub allowed: Allowed,
    /// What it does.
    pub help: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
}

/// The options that were set; every other one has its default.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    values: BTreeMap<&'static str, String>,
}

/// How names of options ended before, and how they end now: what scripts set goes on working.
const RENAMED: [(&str, &str); 2] = [(".chains", ".transition_merging"), (".room", ".capacity")];

/// The name of today.
fn renamed(name: &str) -> String {
    let new = |(old, new)| Some(format!("{}{new}", name.strip_suffix(old)?));
    RENAMED.into_iter().find_map(new).unwrap_or_else(|| name.to_string())
}

impl Settings {
    /// Sets an option of one of the tables, or says why it cannot be set.
    pub fn set(&mut self, tables: &[&[Setting]], name: &str, value: &str) -> Result<(), String> {
        let name = renamed(name);
        let found = tables.iter().flat_map(|table| table.iter()).find(|setting| setting.name == name);
        let Some(setting) = found else { return Err(format!("there is no option `{name}`")) };
        let fits = match setting.allowed {
            Allowed::Switch => matches!(value, "on" | "off"),
            Allowed::Number { least, most } => value.parse().is_ok_and(|n: u64| least <= n && n <= most),
            Allowed::Word(words) => words.contains(&value),
            Allowed::Command(_) => !value.trim().is_empty() && !value.contains(char::is_control),
        };
        if !fits {
            return Err(format!("`{name}` takes {}, not `{value}`", setting.allowed));
        }
        self.values.insert(setting.name, value.to_string());
        Ok(())
    }

    /// The value of an option.
    pub fn word<'a>(&'a self, setting: &'a Setting) -> &'a str {
        self.values.get(setting.name).map_or(setting.default, String::as_str)
    }

    /// Whether a switch is on.
    pub fn is_on(&self, setting: &Setting) -> bool {
        self.word(setting) == "on"
    }

    /// The value of a number.
    pub fn number(&self, setting: &Setting) -> u64 {
        self.word(setting).parse().expect("checked when it was set; defaults are numbers")
    }
}

impl std::fmt::Display for Allowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Allowed::Switch => f.write_str("`on` or `off`"),
            Allowed::Number { least, most } => write!(f, "a number from {least} to {most}"),
            Allowed::Word(words) => write!(f, "one of `{}`", words.join("`, `")),
            Allowed::Command(words) => write!(f, "one of `{}`, or a command", words.join("`, `")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: Setting = Setting {
        name: "a.width",
        default: "2",
        allowed: Allowed::Number { least: 1, most: 9 },
        help: "",
        paper: "",
    };
    const SOLVER: Setting =
        Setting { name: "a.solver", default: "off", allowed: Allowed::Command(&["off"]), ..WIDTH };
    const TABLE: &[Setting] = &[WIDTH, Setting { name: "a.capacity", ..WIDTH }, SOLVER];

    #[test]
    fn only_what_the_table_allows_can_be_set() {
        let mut settings = Settings::default();
        assert_eq!(settings.number(&TABLE[0]), 2);
        assert!(settings.set(&[TABLE], "a.width", "10").is_err());
        assert!(settings.set(&[TABLE], "a.height", "1").is_err());
        assert_eq!(settings.set(&[TABLE], "a.width", "3"), Ok(()));
        assert_eq!(settings.number(&TABLE[0]), 3);
        assert_eq!(settings.set(&[TABLE], "a.room", "4"), Ok(()));
        assert_eq!(settings.number(&TABLE[1]), 4);
        assert!(settings.set(&[TABLE], "a.solver", " ").is_err_and(|it| it.contains("or a command")));
        assert!(settings.set(&[TABLE], "a.solver", "z3\0").is_err());
        assert_eq!(settings.set(&[TABLE], "a.solver", "z3 -T:5"), Ok(()));
        assert_eq!(settings.word(&SOLVER), "z3 -T:5");
    }
}
