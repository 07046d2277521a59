//! Evidence from files: one byte that names the model, then the text. It is read and handed to the checker,
//! which must come to an end whatever it is told.

use crate::models::model;
use crate::text;
use base::budget::StopHandle;
use base::{Budget, SourceMap};
use ir::certificate::text as form;
use ir::{Scope, Task};
use report::{FORMATS, Paint};
use std::path::Path;
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
    drop(report::trace::read_c_unchecked(&map, file));
    let model = model(first);
    match report::trace::read(&map, file, model) {
        Ok((trace, threads)) => {
            let task = Task::new(model.clone(), Scope { threads });
            verify::confirm(&task, &Presented::Trace(trace), &StopHandle::default());
        }
        Err(found) => drop(report::diagnostics::draw(&map, &found, 60).render(Paint::Ansi)),
    }
}

/// The trace of a report in the form that [`trace`] reads, for the first inputs.
pub fn trace_text(report: &Report) -> Option<String> {
    let format = FORMATS.of_trace(Path::new("trace.json")).expect("traces are written as JSON");
    format.trace(report).map(|it| it.render(Paint::Plain))
}
