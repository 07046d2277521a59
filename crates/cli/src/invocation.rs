//! The command that is running, for a page that tells it, and which of its options `confirm` takes, too: with
//! them the evidence is about the same reading of the file.

use crate::args::{Arguments, Check};
use clap::{ArgAction, CommandFactory};
use report::Invocation;
use std::ffi::OsString;

/// Options that `confirm` takes and that say nothing about the reading of the file.
const NOT_READING: &[&str] = &["timeout", "memory", "set", "threads"];

/// The command of this process.
pub fn of_process(check: &Check) -> Invocation {
    let text = |words: Vec<OsString>| -> Vec<String> {
        words.iter().skip(1).map(|it| it.to_string_lossy().into_owned()).collect()
    };
    let given = text(std::env::args_os().collect());
    // As the options of a compiler were understood.
    let understood = crate::c::of_process().map_or_else(|_| given.clone(), text);
    let units = check.files.iter().skip(1).map(|it| format!("--with={}", it.display()));
    Invocation {
        command: std::iter::once("selvedge".to_string()).chain(given).collect(),
        certificate: check.certificate.as_ref().map(|it| it.display().to_string()),
        confirm: of_confirm(&understood).into_iter().chain(units).collect(),
    }
}

/// The options among these words that say how `confirm` is to read the file.
fn of_confirm(words: &[String]) -> Vec<String> {
    let all = Arguments::command();
    let options = |name: &str| all.find_subcommand(name).map(|it| it.get_arguments().collect::<Vec<_>>());
    let (check, confirm) = (options("check").unwrap_or_default(), options("confirm").unwrap_or_default());
    let mut kept = vec![];
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let option = check.iter().find(|it| is_option(it, word));
        let takes = option.is_some_and(|it| matches!(it.get_action(), ArgAction::Set | ArgAction::Append));
        let value = if takes && !has_value(word) { words.next() } else { None };
        let keeps = |it: &clap::Arg| {
            let id = it.get_id().as_str();
            let is_known = confirm.iter().any(|it| it.get_id() == id);
            let is_property = id == "set" && of_property(value.unwrap_or(word));
            is_property || is_known && !NOT_READING.contains(&id)
        };
        if option.is_some_and(|it| keeps(it)) {
            kept.push(word.clone());
            kept.extend(value.cloned());
        }
    }
    kept
}

/// Whether a word is this option, with or without its value.
fn is_option(option: &clap::Arg, word: &str) -> bool {
    let long = word.strip_prefix("--").map(|it| it.split('=').next().unwrap_or(it));
    match (long, word.strip_prefix('-')) {
        (Some(long), _) => option.get_long() == Some(long),
        (None, Some(short)) => option.get_short().is_some() && option.get_short() == short.chars().next(),
        (None, None) => false,
    }
}

/// Whether an option's value stands in the same word.
fn has_value(word: &str) -> bool {
    if word.starts_with("--") { word.contains('=') } else { word.chars().count() > 2 }
}

/// Whether `--set` is about a property, which says what the evidence is about.
fn of_property(word: &str) -> bool {
    let word = word.strip_prefix("--set=").unwrap_or(word);
    let name = word.split('=').next().unwrap_or(word).trim();
    verify::property_settings().iter().any(|it| it.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_string).collect();
        of_confirm(&words).join(" ")
    }

    #[test]
    fn options_of_reading_are_kept() {
        let line = "check a.c --timeout 5s --property race --set race.free=off --set modular.width=2 -q";
        assert_eq!(kept(line), "--property race --set race.free=off");
        assert_eq!(kept("check -DX=1 -I include a.c --report r.html"), "-DX=1 -I include");
        assert_eq!(kept("check a.bp --init=zero --threads 3 --engine modular"), "--init=zero");
        assert_eq!(kept("check a.c --way abstract --predicate timeout"), "");
    }
}
