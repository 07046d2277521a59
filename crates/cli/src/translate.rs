//! `selvedge translate`: rewrites a program for another tool.

use crate::args::Translate;
use crate::terminal::Screen;

/// Runs the command; the exit code, or what is wrong with its usage.
pub fn run(_arguments: &Translate, _screen: &mut Screen) -> Result<u8, String> {
    Err("not built".to_string())
}
