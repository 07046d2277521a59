//! Tables of options: each engine declares a constant for each of its options and reads it by that name.

use base::settings::Allowed;
use base::{Setting, Settings};
use solve::bdd::Limits;
use std::ops::RangeInclusive;

/// Declares a constant for each option, and the table `SETTINGS` of all of them.
macro_rules! settings {
    ($($name:ident = $setting:expr;)*) => {
        $(pub const $name: base::Setting = $setting;)*
        /// All options of the engine.
        pub const SETTINGS: &[base::Setting] = &[$($name),*];
    };
}
pub(crate) use settings;

/// An option that is `on` or `off`, and is on.
pub const fn switch(name: &'static str, help: &'static str) -> Setting {
    Setting { name, default: "on", allowed: Allowed::Switch, help, paper: "" }
}

/// An option that is a number.
pub const fn number(
    name: &'static str,
    default: &'static str,
    range: RangeInclusive<u64>,
    help: &'static str,
) -> Setting {
    let allowed = Allowed::Number { least: *range.start(), most: *range.end() };
    Setting { name, default, allowed, help, paper: "" }
}

/// An option that is one of a few words.
pub const fn word(
    name: &'static str,
    default: &'static str,
    words: &'static [&'static str],
    help: &'static str,
) -> Setting {
    Setting { name, default, allowed: Allowed::Word(words), help, paper: "" }
}

/// The option with the paper that it comes from.
pub const fn after(paper: &'static str, setting: Setting) -> Setting {
    Setting { paper, ..setting }
}

/// A number as a size of something in memory.
pub fn size(settings: &Settings, setting: &Setting) -> usize {
    usize::try_from(settings.number(setting)).unwrap_or(usize::MAX)
}

/// A number of threads.
pub fn threads(settings: &Settings, setting: &Setting) -> u32 {
    u32::try_from(settings.number(setting)).unwrap_or(u32::MAX)
}

/// A number of MiB as bytes.
pub fn bytes(settings: &Settings, setting: &Setting) -> usize {
    size(settings, setting).saturating_mul(1 << 20)
}

/// How large decision diagrams may become that may take this many MiB.
pub fn limits(settings: &Settings, setting: &Setting) -> Limits {
    Limits::within(bytes(settings, setting))
}
