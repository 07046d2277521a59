//! `selvedge completions`: a script with which a shell completes commands and options, from the table of
//! arguments.

use crate::args::Arguments;
use crate::exit::SAFE;
use crate::work::{self, Code};
use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::{Shell, generate};
use report::Document;

/// `completions`
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: ShellName,
}

/// A shell.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ShellName {
    /// `selvedge completions bash > ~/.local/share/bash-completion/completions/selvedge`
    Bash,
    /// `selvedge completions zsh > DIR/_selvedge`, where DIR is one of `$fpath`
    Zsh,
    /// `selvedge completions fish > ~/.config/fish/completions/selvedge.fish`
    Fish,
}

/// Prints the script.
pub fn run(arguments: &Completions) -> Code {
    let shell = match arguments.shell {
        ShellName::Bash => Shell::Bash,
        ShellName::Zsh => Shell::Zsh,
        ShellName::Fish => Shell::Fish,
    };
    let mut script = vec![];
    generate(shell, &mut Arguments::command(), "selvedge", &mut script);
    let script = String::from_utf8(script).map_err(|_| "the script is not UTF-8".to_string())?;
    work::print(&Document::Data(script)).map(|()| SAFE)
}
