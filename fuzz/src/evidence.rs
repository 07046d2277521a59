//! Evidence from files: one byte that names the model, then the text. It is read and handed to the checker, which must come to an end
//! whatever it is told.

// See the root of this crate.
#[path = "../../crates/cli/src/trace/json.rs"]
mod json;
#[allow(dead_code, reason = "only reading is used")]
#[path = "../../crates/cli/src/trace/json_c.rs"]
mod json_c;
#[path = "../../crates/cli/src/trace/json_net.rs"]
mod json_net;
#[path = "../../crates/cli/src/trace/json_program.rs"]
mod json_program;
#[path = "../../crates/cli/src/trace/json_program_read.rs"]
mod json_program_read;

use crate::models::model;
use crate::{diagnostics, terminal, text};
use base::budget::StopHandle;
use base::{Budget, SourceMap};
use ir::certificate::text as form;
use ir::{Scope, Task};
use verify::{Presented, Report};

/// What the checker may spend.
const TICKS: u64 = 20_000;

/// A certificate: reading undoes writing, and the checker has a word on it.
pub fn certificate(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let Some(text) = text(rest) else { return };
    let Ok(certificate) = form::read(text) else { return };
    let model = model(first);
    let written = form::write(&certificate, model);
    assert!(
        form::read(&written).as_ref() == Ok(&certificate),
        "another certificate came back for\n{written}"
    );
    for scope in [certificate.scope, Scope::threads(2), Scope::ANY] {
        let task = Task::new(model.clone(), scope);
        let _ = check_formulas::certificate(&task, &certificate, &Budget::with_ticks(TICKS));
    }
}

/// A trace: whatever it says, it can be replayed or is refused.
pub fn trace(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let Some(text) = text(rest) else { return };
    let mut map = SourceMap::new();
    let file = map.add("trace.json", text);
    drop(json::read_c(&map, file));
    let model = model(first);
    match json::read(&map, file, model) {
        Ok((trace, threads)) => {
            let task = Task::new(model.clone(), Scope { threads });
            verify::confirm(&task, &Presented::Trace(trace), &StopHandle::default());
        }
        Err(found) => drop(diagnostics::draw(&map, &found, terminal::Paint::for_stderr(), 60)),
    }
}

/// The trace of a report in the form that [`trace`] reads, for the first inputs.
pub fn trace_text(report: &Report) -> Option<String> {
    json::Trace::of_report(report).map(|trace| trace.write())
}
