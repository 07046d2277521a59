//! Witnesses: evidence in the formats of the competition on software verification, for the validators of
//! others (`docs/formats/witness.md`). They are written about runs that were replayed, and of proofs that
//! were confirmed; our own reader has a run that follows one made by the machine, and replayed in turn.

mod condition;
mod follow;
mod ghosts;
mod graphml;
mod invariants;
mod metadata;
mod places;
mod property;
mod read;
mod read_graphml;
mod read_yaml;
mod run;
mod statements;
mod tokens;
mod yaml;
mod yaml_text;

pub use follow::{Followed, follow};
pub use metadata::Made;
pub use read::{ViolationWitness, is_witness, read};
pub use yaml_text::parse as parse_yaml;

use crate::document::Document;
use ir::c::Model;
use ir::{Model as AnyModel, Trace};
use metadata::Metadata;
use run::{ErrorRun, Witness, witness};
use std::sync::Arc;
use verify::{Outcome, Report, Source};

/// The program of a report.
fn program(report: &Report) -> Result<Option<Arc<Model>>, String> {
    match report.source.as_ref().map(Source::model) {
        Some(AnyModel::C(model)) => Ok(Some(model)),
        Some(_) => Err("witnesses are about C programs".to_string()),
        None => Ok(None),
    }
}

/// The run of an unsafe report.
fn violation(report: &Report, model: &Model) -> Result<Option<Witness>, String> {
    let Some(Outcome::Unsafe { trace: Trace::C(trace), run: verify::Run::C(states), .. }) = report.outcome()
    else {
        return Ok(None);
    };
    witness(&report.sources, &ErrorRun { model, trace, states }).map(Some)
}

/// Whether the witness of an unsafe report cannot say everything: threads change places in the middle of a
/// statement.
pub(crate) fn is_coarse(report: &Report) -> bool {
    let model = program(report).ok().flatten();
    let witness = model.and_then(|it| violation(report, &it).ok().flatten());
    witness.is_some_and(|it| it.coarse)
}

/// The witness of an unsafe report in GraphML.
pub(crate) fn graphml_file(report: &Report, made: &Made) -> Result<Option<Document>, String> {
    let Some(model) = program(report)? else { return Ok(None) };
    let Some(witness) = violation(report, &model)? else { return Ok(None) };
    if witness.segments.last().is_some_and(|it| it.len() > 1) {
        return Err("witnesses 1.0 have no form for data races: have one written in YAML".to_string());
    }
    let main = main_place(report, &model);
    let metadata = Metadata::new(&report.sources, &model, made);
    Ok(Some(Document::Data(graphml::violation(&metadata, &witness, main.as_ref()))))
}

/// The witness of an unsafe or safe report in YAML.
pub(crate) fn yaml_file(report: &Report, made: &Made) -> Result<Option<Document>, String> {
    let Some(model) = program(report)? else { return Ok(None) };
    let metadata = Metadata::new(&report.sources, &model, made);
    if let Some(witness) = violation(report, &model)? {
        return Ok(Some(Document::Data(yaml::violation(&metadata, &witness))));
    }
    Ok(invariants::proof(report, &model, &metadata).map(Document::Data))
}

/// Where `main` is.
fn main_place(report: &Report, model: &Model) -> Option<places::Location> {
    let texts = places::Texts::new(&report.sources, &model.program);
    texts.function("main", model.file)
}
