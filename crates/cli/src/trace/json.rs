//! Traces as JSON, `selvedge-trace/1` (`docs/formats/trace.md`). The inner types know nothing of JSON: these mirror them. A file may
//! hold anything, so every id is looked up before it is used; whether the trace is real is for the checker to say.

use base::{Diagnostic, FileId, Id, SourceMap, Span};
use ir::bp::{Loc, Var};
use ir::{Bound, Model, Program};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use verify::{Outcome, Report};

use super::{json_net as net, json_program as program};

const SCHEMA: &str = "selvedge-trace/1";

/// A trace file.
#[derive(Serialize, Deserialize)]
pub struct Trace {
    schema: String,
    threads: Threads,
    #[serde(flatten)]
    run: Run,
    /// The names behind the ids, for people; not read.
    #[serde(default, skip_deserializing, skip_serializing_if = "BTreeMap::is_empty")]
    variables: BTreeMap<String, String>,
    /// The places behind the locations, for people; not read.
    #[serde(default, skip_deserializing, skip_serializing_if = "BTreeMap::is_empty")]
    locations: BTreeMap<usize, Place>,
}

/// The bound under which the trace was found.
#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(untagged)]
enum Threads {
    AtMost(u32),
    Any(Any),
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Any {
    Any,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "lowercase")]
enum Run {
    Program(program::Run),
    Net(net::Run),
}

#[derive(Serialize)]
struct Place {
    at: String,
    text: String,
}

impl Trace {
    /// The trace of an unsafe report.
    pub fn of_report(report: &Report) -> Option<Trace> {
        let (Outcome::Unsafe { trace, .. }, Some(model)) = (&report.outcome, &report.model) else {
            return None;
        };
        let run = match trace {
            ir::Trace::Program(trace) => Run::Program(program::Run::from(trace)),
            ir::Trace::Net(trace) => Run::Net(net::Run::from(trace)),
        };
        let threads = match report.asked.threads {
            Bound::Any => Threads::Any(Any::Any),
            Bound::AtMost(n) => Threads::AtMost(n),
        };
        let (mut variables, mut locations) = (BTreeMap::new(), BTreeMap::new());
        if let (Model::Program(it), ir::Trace::Program(trace)) = (model, trace) {
            variables = names(it);
            let steps = trace.steps.iter().map(|step| step.at);
            locations = places(&report.sources, it, steps.chain([trace.failure.at]));
        }
        Some(Trace { schema: SCHEMA.to_string(), threads, run, variables, locations })
    }

    /// The text of the file.
    pub fn write(&self) -> String {
        let mut text = serde_json::to_string(self).expect("plain data can always be written");
        text.push('\n');
        text
    }
}

fn names(program: &Program) -> BTreeMap<String, String> {
    let shared = program.shared().enumerate().map(|(id, it)| (program::id(Var::Shared(id)), it.name.clone()));
    let locals = program.locals().enumerate().map(|(id, it)| (program::id(Var::Local(id)), it.name.clone()));
    shared.chain(locals).collect()
}

fn places(sources: &SourceMap, program: &Program, used: impl Iterator<Item = Loc>) -> BTreeMap<usize, Place> {
    let place = |span: Span| Place {
        at: sources.describe(span),
        text: sources.snippet(span).split_whitespace().collect::<Vec<_>>().join(" "),
    };
    used.filter_map(|loc| Some((loc.index(), place(program.at(loc).span?)))).collect()
}

/// Reads a trace about a model, with the bound under which it was found.
pub fn read(sources: &SourceMap, file: FileId, model: &Model) -> Result<(ir::Trace, Bound), Diagnostic> {
    let whole = |message: String| Diagnostic::error("E0911", None, message);
    let text = sources.file(file).text();
    let trace: Trace = serde_json::from_str(text).map_err(|error| not_a_trace(text, file, &error))?;
    if trace.schema != SCHEMA {
        let message = format!("this is `{}`, not `{SCHEMA}`", trace.schema);
        return Err(whole(message));
    }
    let bound = match trace.threads {
        Threads::AtMost(n) => Bound::AtMost(n),
        Threads::Any(Any::Any) => Bound::Any,
    };
    let run = match (&trace.run, model) {
        (Run::Program(run), Model::Program(program)) => run.about(program).map(ir::Trace::Program),
        (Run::Net(run), Model::Net(net)) => run.about(net).map(ir::Trace::Net),
        (Run::Program(_), Model::Net(_)) => {
            Err("the trace is one of a program, the file is a net".to_string())
        }
        (Run::Net(_), Model::Program(_)) => {
            Err("the trace is one of a net, the file is a program".to_string())
        }
    };
    run.map(|run| (run, bound)).map_err(whole)
}

fn not_a_trace(text: &str, file: FileId, error: &serde_json::Error) -> Diagnostic {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let line = starts.into_iter().nth(error.line().saturating_sub(1)).unwrap_or(text.len());
    let at = (line + error.column().saturating_sub(1)).min(text.len()) as u32;
    let said = error.to_string();
    let message = said.split(" at line").next().unwrap_or_default();
    Diagnostic::error("E0911", Span { file, start: at, end: at }, format!("this is no trace: {message}"))
        .help("a trace is written by `selvedge check --trace FILE.json`")
}
