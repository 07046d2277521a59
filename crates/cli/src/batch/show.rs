//! What is shown of a batch that has ended: the summary, the page and JUnit XML.

use crate::batch::arguments::ShowArguments;
use crate::batch::store;
use crate::exit::{self, USAGE};
use crate::output;
use report::Document;
use report::batch::{self, BatchRow, Summary};

/// How a batch is shown; the rows of an older result are read before the first file is checked.
pub struct Shown<'a> {
    arguments: &'a ShowArguments,
    against: Option<Vec<BatchRow>>,
}

impl Shown<'_> {
    /// Reads the older result.
    pub fn new(arguments: &ShowArguments) -> Result<Shown<'_>, String> {
        let against = arguments.against.as_deref().map(store::read).transpose()?;
        Ok(Shown { arguments, against: against.map(|it| it.rows) })
    }

    /// Shows the rows; the exit code. Where standard output holds data, the summary goes to standard error.
    pub fn show(&self, rows: Vec<BatchRow>, tasks: usize, beside: bool) -> Result<u8, String> {
        let summary = Summary { rows: &rows, tasks, against: self.against.as_deref() };
        let mut code = batch::code(&rows);
        let page = || batch::page(&summary, &format!("selvedge batch: {}", summary.counts()));
        let files = [
            self.arguments.html.as_ref().map(|path| (path, page())),
            self.arguments.junit.as_ref().map(|path| (path, batch::junit(&rows))),
        ];
        for (path, contents) in files.into_iter().flatten() {
            if let Err(why) = output::write_file(path, &Document::Data(contents)) {
                output::tell_line(format!("error: {why}"));
                code = exit::worse(code, USAGE);
            }
        }
        if beside {
            output::tell(summary.text());
        } else {
            crate::work::print(&summary.text().into())?;
        }
        Ok(code)
    }
}
