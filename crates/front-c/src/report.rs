//! Collects what is wrong with a program, all of it in one run, but shows only the first findings: nobody
//! reads more.

use base::{Diagnostic, Severity, Span};

/// Findings beyond this many are counted, not kept.
const MOST: usize = 50;

/// The findings of a program.
#[derive(Default)]
pub struct Report {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    hidden: usize,
    /// The place of the last error: a second one there is the first one's echo.
    last: Option<Span>,
}

impl Report {
    /// An error at a place, with what to do about it.
    pub fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.last == Some(span) {
            return;
        }
        self.last = Some(span);
        self.push(Diagnostic::error(code, span, message).help(help));
    }

    /// A finding made elsewhere.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Warning {
            self.warnings.push(diagnostic);
        } else if self.errors.len() >= MOST {
            self.hidden += 1;
        } else {
            self.errors.push(diagnostic);
        }
    }

    /// Whether there are so many errors that reading on is of no use.
    pub fn is_full(&self) -> bool {
        self.errors.len() >= MOST
    }

    /// The warnings, if there is no error; otherwise everything, in the order in which it was found.
    pub fn finish(self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let Report { errors, mut warnings, hidden, .. } = self;
        if errors.is_empty() {
            return Ok(warnings);
        }
        warnings.extend(errors);
        if hidden > 0 {
            let message = format!("{hidden} more errors are not shown");
            warnings.push(Diagnostic::error("E1000", None, message));
        }
        Err(warnings)
    }
}
