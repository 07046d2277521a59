//! Results for code scanning: SARIF 2.1.0, one document for all files of a run (`docs/formats/sarif.md`). A
//! run into an error is one result with a thread flow for each thread; numbers of steps in the whole run
//! interleave the flows.

mod flows;
mod places;
mod results;
mod rules;

use crate::document::Document;
use crate::verdict;
use base::sha256::sha256;
use base::{Severity, bytes};
use places::Places;
use results::Results;
use serde_json::{Value, json};
use std::path::PathBuf;
use verify::{Outcome, Report};

/// How a document of results is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SarifOptions {
    /// The folder that names of files are relative to.
    pub root: PathBuf,
    /// Whether what holds is a result, too.
    pub pass: bool,
    /// The command line.
    pub command_line: String,
}

/// Results for code scanning, file by file.
#[derive(Debug)]
pub struct Sarif {
    options: SarifOptions,
    artifacts: Vec<Value>,
    results: Vec<Value>,
    notifications: Vec<Value>,
}

/// Results for code scanning, none so far.
pub fn start(options: SarifOptions) -> Sarif {
    Sarif { options, artifacts: vec![], results: vec![], notifications: vec![] }
}

impl Sarif {
    /// Adds what is known about a file.
    pub fn add(&mut self, report: &Report) {
        let index = self.artifacts.len();
        let places = Places { sources: &report.sources, root: &self.options.root, name: &report.name, index };
        self.artifacts.push(artifact(&places, report));
        self.notifications.extend(findings(&places, report));
        let Some(answer) = &report.answer else { return };
        let results = Results { report, places: &places, pass: self.options.pass };
        if report.each.is_empty() {
            self.results.extend(results.of(answer, &report.properties));
        }
        for (property, answer) in report.properties.iter().zip(&report.each) {
            self.results.extend(results.of(answer, std::slice::from_ref(property)));
        }
        if let Outcome::Unknown(reason) = &answer.outcome {
            let text = verdict::message(report, answer, reason);
            self.notifications.push(json!({
                "level": "warning",
                "descriptor": { "id": format!("unknown/{}", reason.kind.word()) },
                "message": { "text": text },
                "locations": [{ "physicalLocation": places.file() }],
            }));
        }
    }

    /// The document; the exit code is that of the whole run.
    pub fn finish(self, exit_code: u8) -> Document {
        let [usage, bad_input, fault] = [1, 2, 6];
        let failed = [usage, bad_input, fault].contains(&exit_code);
        let invocation = json!({
            "executionSuccessful": !failed,
            "exitCode": exit_code,
            "commandLine": self.options.command_line,
            "toolExecutionNotifications": self.notifications,
        });
        let run = json!({
            "tool": { "driver": {
                "name": "selvedge",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules::descriptors(),
                "supportedTaxonomies": [{ "name": rules::CWE, "index": 0 }],
            }},
            "taxonomies": [rules::taxonomy()],
            "invocations": [invocation],
            "artifacts": self.artifacts,
            "originalUriBaseIds": { places::ROOT: { "uri": places::folder_uri(&self.options.root) } },
            "columnKind": "unicodeCodePoints",
            "results": self.results,
        });
        let document = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
        let mut text = serde_json::to_string_pretty(&document).expect("plain data can always be written");
        text.push('\n');
        Document::Data(text)
    }
}

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The file that was asked about.
fn artifact(places: &Places<'_>, report: &Report) -> Value {
    let mut artifact = json!({ "location": places.file()["artifactLocation"] });
    if let Some(text) = places.text() {
        artifact["hashes"] = json!({ "sha-256": sha256(&bytes::encode(text)) });
        artifact["length"] = json!(bytes::encode(text).len());
    }
    if matches!(report.source.as_ref().map(verify::Source::model), Some(ir::Model::C(_))) {
        artifact["sourceLanguage"] = json!("c");
    }
    artifact
}

/// What was found while the file was read, as notifications: it is about the file, not about its runs.
fn findings(places: &Places<'_>, report: &Report) -> Vec<Value> {
    let one = |found: &base::Diagnostic| {
        let level = if found.severity == Severity::Error { "error" } else { "warning" };
        let location = found.span.and_then(|span| places.physical(span)).unwrap_or_else(|| places.file());
        json!({
            "level": level,
            "descriptor": { "id": found.code },
            "message": { "text": found.message },
            "locations": [{ "physicalLocation": location }],
        })
    };
    report.diagnostics.iter().map(one).collect()
}
