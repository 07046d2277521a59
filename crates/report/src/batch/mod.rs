//! What is shown and kept of a batch: a row for each file, a summary, a page with plots, and JUnit XML. The
//! rows are kept as JSON lines, `selvedge-batch-row/1`; `docs/batch.md` says what is in them.

mod ended;
mod html;
mod junit;
mod plots;
mod request;
mod row;
mod summary;

pub use ended::Ended;
pub use html::page;
pub use junit::junit;
pub use request::{BatchRequest, Digest};
pub use row::{BatchRow, Finding, Judgement, Task};
pub use summary::{Summary, code, row_text};
