//! Traces as JSON, `selvedge-trace/1` (`docs/formats/trace.md`). The inner types know nothing of JSON: these
//! mirror them. A file may hold anything, so every id is looked up before it is used; whether the trace is
//! real is for the checker to say.

use super::{json_c as c, json_net as net, json_program as program};
use base::{Diagnostic, FileId, SourceMap, Span};
use ir::{Bound, Model};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use verify::{Outcome, Report};

const SCHEMA: &str = "selvedge-trace/1";

/// A trace to be written.
#[derive(Serialize)]
#[serde(untagged)]
pub enum TraceJson {
    /// Of a program.
    Program(TraceDocument<program::ProgramRun>),
    /// Of a net.
    Net(TraceDocument<net::NetRun>),
    /// Of a C program.
    C(TraceDocument<c::CRun>),
}

/// What both kinds of trace have around their run.
#[derive(Serialize)]
pub struct TraceDocument<R> {
    schema: &'static str,
    model: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    file: String,
    threads: Option<u32>,
    #[serde(flatten)]
    run: R,
}

impl TraceJson {
    /// The trace of an unsafe report.
    pub fn of_report(report: &Report) -> Option<TraceJson> {
        let Outcome::Unsafe { trace, run: states, .. } = report.outcome()? else { return None };
        let (file, threads, sources) =
            (report.name.clone(), report.requested.threads.limit(), &report.sources);
        let (schema, language) = (SCHEMA, None);
        match (trace, report.source.as_ref()?.model()) {
            (ir::Trace::Program(trace), Model::Program(program)) => {
                let run = program::ProgramRun::new(sources, &program, trace);
                Some(TraceJson::Program(TraceDocument {
                    schema,
                    model: "program",
                    language,
                    file,
                    threads,
                    run,
                }))
            }
            (ir::Trace::Net(trace), Model::Net(net)) => {
                let run = net::NetRun::new(sources, &net, trace);
                Some(TraceJson::Net(TraceDocument { schema, model: "net", language, file, threads, run }))
            }
            (ir::Trace::C(trace), Model::C(model)) => {
                let verify::Run::C(states) = states else { return None };
                let run = c::CRun::new(sources, &model, trace, states);
                Some(TraceJson::C(TraceDocument {
                    schema,
                    model: "program",
                    language: Some("c"),
                    file,
                    threads,
                    run,
                }))
            }
            // Replay lets no such pair through.
            _ => None,
        }
    }

    /// The text of the file.
    pub fn write(&self) -> String {
        let mut text = serde_json::to_string(self).expect("plain data can always be written");
        text.push('\n');
        text
    }
}

/// The line of a place in the source and its text, on one line.
pub fn place(sources: &SourceMap, span: Span) -> (u32, String) {
    let words: Vec<&str> = sources.snippet(span).split_whitespace().collect();
    (sources.file(span.file).position(span.start).line, words.join(" "))
}

/// The part that says how to read the rest.
#[derive(Deserialize)]
struct Head {
    schema: String,
    model: String,
    #[serde(default)]
    language: Option<String>,
    #[serde(deserialize_with = "or_null")]
    threads: Option<u32>,
}

/// A field that may be null but not left out.
pub fn or_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(from)
}

/// Reads a trace about a model, with the bound under which it was found.
pub fn read(sources: &SourceMap, file: FileId, model: &Model) -> Result<(ir::Trace, Bound), Diagnostic> {
    let head: Head = parse(sources, file)?;
    if head.language.is_some() {
        let message = "the trace is one of a C program, the file is not";
        return Err(Diagnostic::error("E0911", None, message));
    }
    let run = match (head.schema.as_str(), head.model.as_str(), model) {
        (SCHEMA, "program", Model::Program(program)) => {
            parse::<program::ProgramRun>(sources, file)?.about(program).map(ir::Trace::Program)
        }
        (SCHEMA, "net", Model::Net(net)) => {
            parse::<net::NetRun>(sources, file)?.about(net).map(ir::Trace::Net)
        }
        (SCHEMA, "program", Model::Net(_)) => {
            Err("the trace is one of a program, the file is a net".to_string())
        }
        (SCHEMA, "net", Model::Program(_)) => {
            Err("the trace is one of a net, the file is a program".to_string())
        }
        (SCHEMA, _, Model::C(_)) => Err("the trace is of another model than a C program".to_string()),
        (SCHEMA, other, _) => Err(format!("`{other}` is no kind of model")),
        (other, ..) => Err(format!("this is `{other}`, not `{SCHEMA}`")),
    };
    let bound = head.threads.map_or(Bound::Any, Bound::AtMost);
    run.map(|run| (run, bound)).map_err(|message| Diagnostic::error("E0911", None, message))
}

/// Reads a trace about a C program; what it says, with the bound under which it was found.
pub fn read_c(sources: &SourceMap, file: FileId) -> Result<(c::CRun, Option<u32>), Diagnostic> {
    let head: Head = parse(sources, file)?;
    if (head.schema.as_str(), head.language.as_deref()) != (SCHEMA, Some("c")) {
        return Err(Diagnostic::error("E0911", None, "this is no trace of a C program")
            .help("a trace is written by `selvedge check --trace FILE.json`"));
    }
    Ok((parse(sources, file)?, head.threads))
}

fn parse<T: DeserializeOwned>(sources: &SourceMap, file: FileId) -> Result<T, Diagnostic> {
    let text = sources.file(file).text();
    serde_json::from_str(text).map_err(|error| not_a_trace(text, file, &error))
}

fn not_a_trace(text: &str, file: FileId, error: &serde_json::Error) -> Diagnostic {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let line = starts.nth(error.line().saturating_sub(1)).unwrap_or(text.len());
    let at = (line + error.column().saturating_sub(1)).min(text.len()) as u32;
    let text = error.to_string();
    let message = text.split(" at line").next().unwrap_or_default();
    Diagnostic::error("E0911", Span { file, start: at, end: at }, format!("this is no trace: {message}"))
        .help("a trace is written by `selvedge check --trace FILE.json`")
}
