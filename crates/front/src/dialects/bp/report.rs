//! Collects what is wrong with a file, all of it in one run, but shows only the first hundred findings:
//! nobody reads more.

use super::ast::Bytes;
use base::{Diagnostic, FileId, Severity, Span};

/// Findings beyond this many are counted, not kept.
const MOST: usize = 100;

/// The findings of one file.
pub struct Report {
    file: FileId,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    hidden: usize,
}

impl Report {
    /// Nothing found yet.
    pub fn new(file: FileId) -> Self {
        Self { file, errors: vec![], warnings: vec![], hidden: 0 }
    }

    /// The place of some bytes of the file.
    pub fn span(&self, bytes: Bytes) -> Span {
        Span { file: self.file, start: bytes.0, end: bytes.1 }
    }

    /// An error. The message is made only if it will be shown: hints are costly.
    pub fn error(
        &mut self,
        code: &'static str,
        bytes: impl Into<Option<Bytes>>,
        message: impl FnOnce() -> (String, Option<String>),
    ) {
        if self.errors.len() >= MOST {
            self.hidden += 1;
            return;
        }
        let span = bytes.into().map(|bytes| self.span(bytes));
        let (message, help) = message();
        let diagnostic = Diagnostic::error(code, span, message);
        self.errors.push(Diagnostic { help, ..diagnostic });
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

    /// Whether an error was found.
    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// The warnings, if there is no error; otherwise everything, in the order of the file.
    pub fn finish(self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let Report { errors, mut warnings, hidden, .. } = self;
        if errors.is_empty() {
            return Ok(warnings);
        }
        warnings.extend(errors);
        warnings.sort_by_key(|diagnostic| diagnostic.span.map_or(u32::MAX, |span| span.start));
        if hidden > 0 {
            let message = format!("{hidden} more errors are not shown");
            warnings.push(Diagnostic::error("E0199", None, message));
        }
        Err(warnings)
    }
}
