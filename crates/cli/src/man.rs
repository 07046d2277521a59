//! `selvedge man`: manual pages from the table of arguments, one for each command.

use crate::args::Arguments;
use crate::exit::SAFE;
use crate::output;
use crate::work::{self, Code};
use clap::{Args, CommandFactory};
use clap_mangen::Man;
use report::Document;
use std::path::PathBuf;

/// `man`
#[derive(Args, Debug)]
pub struct ManPages {
    /// Write a page for each command into this folder, such as `~/.local/share/man/man1` [default: print the
    /// first page]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Prints the first page, or writes all of them.
pub fn run(arguments: &ManPages) -> Code {
    let mut all = Arguments::command().disable_help_subcommand(true);
    all.build();
    let Some(folder) = &arguments.folder else {
        return work::print(&Document::Data(page(all)?)).map(|()| SAFE);
    };
    let failed = |error| format!("`{}`: {}", folder.display(), verify::plain(&error));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let commands: Vec<clap::Command> = all.get_subcommands().cloned().chain([all.clone()]).collect();
    for command in commands {
        let name = format!("{}.1", command.get_display_name().unwrap_or_else(|| command.get_name()));
        output::write_file(&folder.join(name), &Document::Data(page(command)?))?;
    }
    Ok(SAFE)
}

/// The page of one command.
fn page(command: clap::Command) -> Result<String, String> {
    let source = format!("selvedge {}", env!("CARGO_PKG_VERSION"));
    let mut page = vec![];
    let made = Man::new(command).source(source).manual("Selvedge").render(&mut page);
    made.map_err(|error| verify::plain(&error))?;
    String::from_utf8(page).map_err(|_| "the page is not UTF-8".to_string())
}
