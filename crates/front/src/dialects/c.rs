//! C programs are recognised, so that whoever gives one is told that C is not read.

use crate::registry::{Beginning, Failure, Reader, Reading, Request};
use base::Diagnostic;

/// The reader of C programs.
pub const READER: Reader =
    Reader { about: "a C program", extensions: &["c", "i", "h"], recognises, options: &[], read };

fn recognises(beginning: &Beginning<'_>) -> bool {
    // C and Boolean programs share `void`; those with `begin` are Boolean programs.
    const WORDS: &[&str] = &["#", "int", "struct", "typedef", "extern", "static", "unsigned", "char", "void"];
    WORDS.contains(&beginning.first())
}

fn read(request: &mut Request<'_>) -> Result<Reading, Failure> {
    let name = request.sources.file(request.file).name();
    let message = format!("`{name}` is a C program: C is not read yet");
    let help = "give its Boolean program (`.bp`), as a predicate abstraction tool writes it";
    Err(Diagnostic::error("E0907", None, message).help(help).into())
}
