//! The arguments of the process, as the parser of arguments takes them: options of C compilers are put into
//! our own words or left out, so that a compile line can be given as it is.

use super::flags::{self, Flag};
use crate::args::Arguments;
use base::spelling::similar;
use clap::CommandFactory;
use std::ffi::OsString;

/// The option that hands a word to the preprocessor; only this module writes it.
pub const WORD: &str = "word";

/// The arguments of the process, or what is wrong with them.
pub fn of_process() -> Result<Vec<OsString>, String> {
    translated(std::env::args_os().collect())
}

fn translated(given: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let all = Arguments::command();
    let command = given.get(1).and_then(|name| all.find_subcommand(name));
    let Some(command) = command.filter(|it| it.get_arguments().any(|it| it.get_id() == WORD)) else {
        return Ok(given);
    };
    let mut line = Line { command, kept: vec![], passed_on: vec![], bits32: None, unsigned_char: None };
    let mut at = 2;
    while at < given.len() {
        // What comes behind these words belongs to somebody else.
        if given[at] == "--" || given[at] == "--args" {
            line.kept.extend_from_slice(&given[at..]);
            break;
        }
        at += line.take(&given[at..])?;
    }
    let mut arguments = given[..2].to_vec();
    arguments.extend(line.passed_on);
    let switches = [
        (line.bits32 == Some(true), "--ilp32"),
        (line.bits32 == Some(false), "--lp64"),
        (line.unsigned_char == Some(true), "--unsigned-char"),
    ];
    arguments.extend(switches.into_iter().filter(|it| it.0).map(|it| it.1.into()));
    arguments.extend(line.kept);
    Ok(arguments)
}

struct Line<'c> {
    command: &'c clap::Command,
    /// What is not for compilers.
    kept: Vec<OsString>,
    /// What the preprocessor is told.
    passed_on: Vec<OsString>,
    bits32: Option<bool>,
    unsigned_char: Option<bool>,
}

impl Line<'_> {
    /// Takes an argument, perhaps with its value; how many words that are.
    fn take(&mut self, rest: &[OsString]) -> Result<usize, String> {
        let words: Vec<String> =
            rest.iter().take(2).map_while(|it| it.to_str().map(str::to_string)).collect();
        let Some(word) = words.first().filter(|it| it.starts_with('-') && !self.is_ours(it)) else {
            self.kept.push(rest[0].clone());
            return Ok(1);
        };
        if word == "--ilp32" {
            self.bits32 = Some(true);
            return Ok(1);
        }
        let Some((flag, taken)) = flags::flag(&words) else {
            self.is_known(word)?;
            self.kept.push(rest[0].clone());
            return Ok(1);
        };
        match flag {
            Flag::Ignored => {}
            Flag::Preprocessor { words, path } => {
                let all = words.into_iter().chain(path);
                self.passed_on.extend(all.map(|word| format!("--{WORD}={word}").into()));
            }
            Flag::Bits32(bits) => self.bits32 = Some(bits),
            Flag::UnsignedChar(unsigned) => self.unsigned_char = Some(unsigned),
            Flag::Refused(why) => return Err(format!("{word}: {why}")),
        }
        Ok(taken)
    }

    /// Whether a word is one of our own short options, perhaps with its value.
    fn is_ours(&self, word: &str) -> bool {
        let letter = word.chars().nth(1);
        let own = self.command.get_arguments().filter_map(clap::Arg::get_short);
        own.chain(['h']).any(|it| Some(it) == letter)
    }

    /// A word with one dash that nobody knows would be taken for many short options.
    fn is_known(&self, word: &str) -> Result<(), String> {
        let is_word = word.len() > 2 && word.chars().nth(1).is_some_and(char::is_alphabetic);
        if !is_word {
            return Ok(());
        }
        let own = self.command.get_arguments().filter(|it| !it.is_hide_set());
        let own: Vec<String> = own.filter_map(|it| it.get_long()).map(|it| format!("--{it}")).collect();
        let names: Vec<&str> = flags::names().chain(own.iter().map(String::as_str)).collect();
        let hint = similar(word, names.into_iter()).map(|hint| format!("; {hint}")).unwrap_or_default();
        Err(format!("there is no option `{word}`{hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<String, String> {
        let given = line.split(' ').map(OsString::from).collect();
        let words =
            |it: Vec<OsString>| it.iter().map(|it| it.to_string_lossy().into_owned()).collect::<Vec<_>>();
        translated(given).map(|it| words(it).join(" "))
    }

    #[test]
    fn a_compile_line_is_taken() {
        let taken =
            of("selvedge check -std=gnu11 -Wall -O2 -g -pthread -MMD -MF a.d -c a.c -o a.o -Iinc -lm");
        let expected = "selvedge check --word=-std=gnu11 --word=-pthread a.c -Iinc";
        assert_eq!(taken.as_deref(), Ok(expected));
        let taken = of("selvedge check -m32 -m64 -funsigned-char --timeout 5s a.c");
        assert_eq!(taken.as_deref(), Ok("selvedge check --lp64 --unsigned-char --timeout 5s a.c"));
    }

    #[test]
    fn other_commands_and_what_comes_behind_are_left_alone() {
        for line in ["selvedge cc -Wall -c a.c", "selvedge engines -O2", "selvedge check a.c -- -Wall"] {
            assert_eq!(of(line).as_deref(), Ok(line));
        }
        assert_eq!(of("selvedge abstract a.c -o x").as_deref(), Ok("selvedge abstract a.c -o x"));
    }

    #[test]
    fn what_cannot_be_honoured_is_told() {
        assert!(of("selvedge check -fopenmp a.c").is_err_and(|why| why.contains("OpenMP")));
        assert!(of("selvedge check -isytem x a.c").is_err_and(|why| why.contains("`-isystem`")));
        assert!(of("selvedge check -timeout 5s a.c").is_err_and(|why| why.contains("`--timeout`")));
    }
}
