//! What a program must keep to. The reader reports what is wrong with C; here is what a normaliser, a pass or
//! a text could get wrong. Whatever passes here, the machine can run without looking at bounds again.

mod structure;
mod types;

use super::program::Program;
use base::{Diagnostic, Diagnostics, Span};

/// The most cells that a declared object may have: a larger one does not fit into a state.
pub const CELLS: u64 = 1 << 24;

/// Everything that is wrong with a draft. Types are looked at only if all names mean something.
pub(super) fn problems(program: &Program) -> Diagnostics {
    let mut found = Found { diagnostics: Diagnostics::new() };
    structure::check(program, &mut found);
    if !found.diagnostics.has_errors() {
        types::check(program, &mut found);
    }
    found.diagnostics
}

/// Collects what is wrong.
struct Found {
    diagnostics: Diagnostics,
}

impl Found {
    fn error(&mut self, code: &'static str, span: Option<Span>, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    fn require(&mut self, holds: bool, code: &'static str, span: Option<Span>, message: &str) {
        if !holds {
            self.error(code, span, message);
        }
    }
}
